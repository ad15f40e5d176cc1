//! The verdict about an event.

use openclaw_types::{SenderRank, ToolRule};

use super::Rule;
use crate::commands::Who;

/// What becomes of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccessVerdict {
    /// It is for us, and its author may talk to us.
    Admit(AuthorRights),
    /// A stranger in a direct chat: they get a code.
    Pair {
        /// Why.
        rule: Rule,
    },
    /// It is not for us, but may be told as context when somebody asks us something there.
    ContextOnly {
        /// Why.
        rule: Rule,
    },
    /// It is told with the next message there.
    Notice {
        /// Why.
        rule: Rule,
    },
    /// Nothing.
    Drop {
        /// Why.
        rule: Rule,
    },
}

/// What an author who was let in may do there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorRights {
    /// How much they may do.
    pub standing: SenderRank,
    /// Which commands they may give.
    pub commands: Who,
    /// Whether they may answer questions about commands.
    pub may_approve: bool,
    /// Whether we were named.
    pub mention: MentionFacts,
    /// What holds in the room.
    pub room: RoomFacts,
    /// Why they were let in.
    pub rule: Rule,
}

/// Whether we were named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct MentionFacts {
    /// We were named, answered, or spoken to by a command or a button.
    pub was_mentioned: bool,
    /// The room asks for it.
    pub required: bool,
    /// It can be told whether we were.
    pub detectable: bool,
}

/// What holds in a room.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoomFacts {
    /// Which tools this person may use there; nothing said means as elsewhere.
    pub tools: Option<ToolRule>,
    /// Which skills are loaded there; nothing said means all.
    pub skills: Option<Vec<String>>,
    /// More for the system prompt there.
    pub system_prompt: Option<String>,
}

impl AccessVerdict {
    /// The rule that decided.
    #[must_use]
    pub fn rule(&self) -> Rule {
        match self {
            Self::Admit(admission) => admission.rule,
            Self::Pair { rule }
            | Self::ContextOnly { rule }
            | Self::Notice { rule }
            | Self::Drop { rule } => *rule,
        }
    }

    /// The verdict in a word, for logs.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Admit(_) => "admit",
            Self::Pair { .. } => "pair",
            Self::ContextOnly { .. } => "context",
            Self::Notice { .. } => "notice",
            Self::Drop { .. } => "drop",
        }
    }
}
