//! The sign that a message was seen: whether it is set, which one, and whether it goes again.

use openclaw_config::AckSettings;
use openclaw_types::{AckScope, ChatKind, WritingRules};

use crate::access::MentionFacts;

/// What the decision depends on.
#[derive(Debug, Clone, Copy)]
pub struct AckFacts<'a> {
    /// What kind of conversation it is.
    pub kind: ChatKind,
    /// Whether we were named.
    pub mention: MentionFacts,
    /// What the account says; it wins.
    pub manner: &'a WritingRules,
    /// What holds for the agent.
    pub settings: &'a AckSettings,
}

/// The sign to set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ack {
    /// The sign.
    pub emoji: String,
    /// What becomes of it when the answer was sent.
    pub removed: bool,
}

/// The sign to set on a message that was let in; nothing for none.
#[must_use]
pub fn ack(facts: &AckFacts<'_>) -> Option<Ack> {
    let emoji = facts.manner.ack_reaction.as_deref().unwrap_or(&facts.settings.reaction).trim();
    let scope = facts.manner.ack_scope.unwrap_or(facts.settings.scope);
    let wanted = match (scope, facts.kind) {
        (AckScope::Off, _) => false,
        (AckScope::All, _) | (AckScope::Direct, ChatKind::Direct) => true,
        (AckScope::Direct, _) | (AckScope::GroupAll | AckScope::GroupMentions, ChatKind::Direct) => false,
        (AckScope::GroupAll, _) => true,
        // Where nobody has to name us, being named says nothing.
        (AckScope::GroupMentions, _) => {
            facts.mention.required && facts.mention.detectable && facts.mention.was_mentioned
        }
    };
    (wanted && !emoji.is_empty())
        .then(|| Ack { emoji: emoji.to_owned(), removed: facts.settings.remove_after_reply })
}
