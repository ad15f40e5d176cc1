//! Sessions and sub-agents: seven small tools on `ports::tool::SessionDesk`.
//!
//! Here arguments are read and results are worded; the `SessionTools` port decides who may see and reach which session.

mod read;
mod speak;
mod words;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::tool::{
    SessionDesk, SessionToolFault, Tool, ToolContext, ToolDescriptor, ToolOutput, ToolReply,
};
use serde_json::Value;

use crate::arguments::ToolArguments;
use crate::stop::{Stop, reply};

/// The tools of this family.
pub(crate) fn tools(desk: &Arc<dyn SessionDesk>) -> Vec<Arc<dyn Tool>> {
    words::all()
        .into_iter()
        .map(|(which, descriptor)| -> Arc<dyn Tool> {
            Arc::new(SessionTool { which, descriptor, desk: Arc::clone(desk) })
        })
        .collect()
}

/// Which of the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    List,
    History,
    Send,
    Spawn,
    Subagents,
    Status,
    Agents,
}

struct SessionTool {
    which: Which,
    descriptor: ToolDescriptor,
    desk: Arc<dyn SessionDesk>,
}

impl SessionTool {
    async fn act(&self, context: &ToolContext, arguments: Value) -> Result<ToolOutput, Stop> {
        let given = ToolArguments::of(self.descriptor.name, arguments)?;
        let desk = &*self.desk;
        match self.which {
            Which::List => read::list(desk, context, &given).await,
            Which::History => read::history(desk, context, &given).await,
            Which::Status => read::status(desk, context, &given).await,
            Which::Agents => Ok(ToolOutput::json(desk.agents(context).await?)),
            Which::Send => speak::send(desk, context, &given).await,
            Which::Spawn => speak::spawn(desk, context, &given).await,
            Which::Subagents => speak::subagents(desk, context, &given).await,
        }
    }
}

#[async_trait]
impl Tool for SessionTool {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    async fn call(&self, context: &ToolContext, arguments: Value) -> ToolReply {
        reply(self.act(context, arguments).await)
    }
}

impl From<SessionToolFault> for Stop {
    fn from(fault: SessionToolFault) -> Self {
        match fault {
            SessionToolFault::Refused(text) => Self::Refused(text),
            SessionToolFault::Wrong(text) => Self::Failed(text),
            SessionToolFault::Fault(text) => {
                tracing::warn!(subsystem = "tools", error = %text, "a tool about sessions could not do its work");
                Self::Failed(
                    "This did not work: sessions cannot be read or written at the moment. Try again later."
                        .to_owned(),
                )
            }
        }
    }
}
