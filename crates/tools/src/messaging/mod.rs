//! The `message` tool: sends and manages messages where people are, as far as the connected channels can.
//!
//! Everything but the action goes to `ports::tool::Messenger` as it was written; that knows channels and conversations.

mod words;

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use openclaw_ports::tool::{
    MessageAction, MessageFault, Messenger, Tool, ToolContext, ToolDescriptor, ToolFace, ToolOutput,
    ToolReply,
};
use serde_json::{Map, Value};

use self::words::{Buttons, Panels};
use crate::arguments::ToolArguments;
use crate::stop::{Stop, reply};

/// The tools of this family.
pub(crate) fn tools(messenger: &Arc<dyn Messenger>) -> Vec<Arc<dyn Tool>> {
    let actions = messenger.actions();
    match actions.is_empty() {
        true => Vec::new(),
        false => vec![Arc::new(MessageTool {
            descriptor: words::descriptor(&actions, buttons(messenger.as_ref()), panels(messenger.as_ref())),
            messenger: Arc::clone(messenger),
            last: Mutex::default(),
        })],
    }
}

struct MessageTool {
    descriptor: ToolDescriptor,
    messenger: Arc<dyn Messenger>,
    /// What the model was told last, and of what: it is asked for with every call of a model, and changes when an account
    /// does.
    last: Mutex<Option<(Possible, ToolFace)>>,
}

/// What the connected channels can do.
type Possible = (Vec<&'static str>, Buttons, Panels);

impl MessageTool {
    async fn act(&self, context: &ToolContext, arguments: Value) -> Result<ToolOutput, Stop> {
        let given = ToolArguments::of("message", arguments.clone())?;
        let name = given.needed_word(&["action"])?;
        let mut parameters = match arguments {
            Value::Object(fields) => fields,
            Value::String(text) => serde_json::from_str(&text).unwrap_or_else(|_checked_above| Map::new()),
            _ => Map::new(),
        };
        parameters.remove("action");
        let receipt = self.messenger.act(context, MessageAction { name: name.clone(), parameters }).await?;
        Ok(ToolOutput { said: receipt.said, ..ToolOutput::json(receipt.report).with_meta(name) })
    }
}

#[async_trait]
impl Tool for MessageTool {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    fn face(&self) -> Option<ToolFace> {
        let messenger = self.messenger.as_ref();
        let possible = (messenger.actions(), buttons(messenger), panels(messenger));
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, face)) = last.as_ref()
            && *known == possible
        {
            return Some(face.clone());
        }
        let face = words::face(&possible.0, possible.1, possible.2);
        *last = Some((possible, face.clone()));
        Some(face)
    }

    async fn call(&self, context: &ToolContext, arguments: Value) -> ToolReply {
        reply(self.act(context, arguments).await)
    }
}

fn panels(messenger: &dyn Messenger) -> Panels {
    if messenger.shows_panels() { Panels::Shown } else { Panels::Nowhere }
}

fn buttons(messenger: &dyn Messenger) -> Buttons {
    if messenger.shows_buttons() { Buttons::Shown } else { Buttons::Nowhere }
}

impl From<MessageFault> for Stop {
    fn from(fault: MessageFault) -> Self {
        match fault {
            MessageFault::Refused(text) => Self::Refused(text),
            MessageFault::Wrong(text) => Self::Failed(text),
            MessageFault::Failed(text) => Self::Failed(format!("The message was not sent: {text}")),
        }
    }
}
