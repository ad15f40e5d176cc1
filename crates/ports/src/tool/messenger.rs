//! Sending and managing messages on the platforms, for the `message` tool.

use async_trait::async_trait;
use serde_json::{Map, Value};

use super::{ToolArguments, ToolContext, ToolMessage, WrongArgument};

/// Sends messages where people are.
#[async_trait]
pub trait Messenger: Send + Sync {
    /// The actions that the connected channels can do, `send` first. Empty when there is nobody to talk to.
    fn actions(&self) -> Vec<&'static str>;

    /// Whether some connected channel shows buttons below messages.
    fn shows_buttons(&self) -> bool;

    /// Whether some connected channel shows menus and forms below messages.
    fn shows_panels(&self) -> bool;

    /// Does one of them. What is sent is durable when this returns, and is delivered once.
    async fn act(&self, context: &ToolContext, action: MessageAction)
    -> Result<MessageReceipt, MessageFault>;
}

/// An action on messages.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageAction {
    /// Which one, such as `send`.
    pub name: String,
    /// Everything else, under the names of the tool's parameters.
    pub parameters: Map<String, Value>,
}

impl MessageAction {
    /// Reads the parameters, as every tool reads its own.
    #[must_use]
    pub fn arguments(&self) -> ToolArguments {
        ToolArguments::with("message", self.parameters.clone())
    }
}

/// What came of an action.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageReceipt {
    /// For the model.
    pub report: Value,
    /// What was said to people by it.
    pub said: Vec<ToolMessage>,
}

/// Why an action was not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MessageFault {
    /// A rule forbids it. Names the rule.
    #[error("{0}")]
    Refused(String),
    /// The parameters do not make sense. Says what would.
    #[error("{0}")]
    Wrong(String),
    /// The platform or the store failed.
    #[error("{0}")]
    Failed(String),
}

impl From<WrongArgument> for MessageFault {
    fn from(wrong: WrongArgument) -> Self {
        Self::Wrong(wrong.0)
    }
}
