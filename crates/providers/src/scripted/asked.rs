//! What a script's choice may depend on: a request, seen without its protocol.

use openclaw_ports::model::{ModelRequest, ModelTarget};
use openclaw_types::{Content, Message, ThinkingLevel};

/// A request as a script sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// The model that is asked.
    pub model: String,
    /// The system prompt.
    pub system: String,
    /// What the person said last.
    pub last_user: String,
    /// What the conversation ends with.
    pub last_turn: LastTurn,
    /// The tools that may be called.
    pub tools: Vec<String>,
    /// Whether the model should think.
    pub thinking: bool,
    /// How many turns the conversation has.
    pub turns: usize,
    /// How many pictures people's messages in it hold.
    pub pictures: usize,
}

/// What a conversation ends with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum LastTurn {
    /// With nothing: there is no conversation.
    #[default]
    Nothing,
    /// With a person.
    User,
    /// With the model itself.
    Assistant,
    /// With a tool's answer.
    ToolResult(String),
}

impl Asked {
    /// A neutral request as a script sees it.
    #[must_use]
    pub fn of(request: &ModelRequest, target: &ModelTarget) -> Self {
        let last_user = request.messages.iter().rev().find(|message| matches!(***message, Message::User(_)));
        Self {
            model: target.model.clone(),
            system: request.system.iter().map(|part| part.as_str()).collect::<Vec<_>>().join("\n"),
            last_user: last_user.map(|message| message.plain_text()).unwrap_or_default(),
            last_turn: request.messages.last().map(|message| last_turn(message)).unwrap_or_default(),
            tools: request.tools.iter().map(|tool| tool.name.clone()).collect(),
            thinking: request.thinking != ThinkingLevel::Off,
            turns: request.messages.len(),
            pictures: request.messages.iter().map(|message| pictures(message)).sum(),
        }
    }
}

fn pictures(message: &Message) -> usize {
    match message {
        Message::User(said) => said.content.iter().filter(|piece| matches!(piece, Content::Image(_))).count(),
        _ => 0,
    }
}

fn last_turn(message: &Message) -> LastTurn {
    match message {
        Message::Assistant(_) => LastTurn::Assistant,
        Message::ToolResult(_) => LastTurn::ToolResult(message.plain_text()),
        _ => LastTurn::User,
    }
}
