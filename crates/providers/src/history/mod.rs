//! A conversation as another protocol or model can take it: the rules that every encoder shares.
//!
//! Pure. `for_target` gives user, assistant and tool-result messages only; every tool call is answered exactly once,
//! right after its message and in order; proofs stay where they are valid; no message is empty. What each protocol
//! asks for beyond that (merging turns, who speaks first, where pictures go) is its encoder's business.
//! Running the rules on their own result changes nothing.

mod names;
mod pair;
mod pieces;
mod speak;

#[cfg(test)]
mod tests;

use std::borrow::{Borrow, Cow};

use openclaw_ports::model::ApiName;
use openclaw_types::Message;

/// What a target can take of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HistoryRules<'a> {
    /// The protocol that is going to be spoken.
    pub(crate) api: ApiName,
    /// The model that is going to answer.
    pub(crate) model: &'a str,
    /// Which ids of tool calls it takes.
    pub(crate) ids: IdRule,
    /// Whether it sees pictures.
    pub(crate) images: ImageRule,
}

/// Which ids of tool calls a target takes. They are unique in a conversation whatever the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdRule {
    /// Any text.
    Any,
    /// ASCII letters, digits, `_` and `-`.
    Restricted {
        /// The most characters an id may have.
        max_len: usize,
    },
    /// Ids do not travel: calls and results are joined by their order.
    None,
}

/// Whether a target sees pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImageRule {
    /// It does.
    Keep,
    /// It does not; a line of text says where a picture was.
    Describe,
}

/// Rewrites a conversation so that the target can take it. What it can take as it stands, and that is most, is not copied.
pub(crate) fn for_target<'a, M: Borrow<Message>>(
    messages: &'a [M],
    rules: &HistoryRules<'_>,
) -> Vec<Cow<'a, Message>> {
    let spoken = messages.iter().filter_map(|message| speak::message(message.borrow(), rules)).collect();
    pair::calls_with_results(spoken, rules.ids)
}
