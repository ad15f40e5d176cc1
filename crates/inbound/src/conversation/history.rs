//! What was said in a room while we were not asked: kept until our next answer there, then told with the question.
//!
//! `flow` keeps a list for each conversation and clears it after an answer; here it is decided what goes in.

use openclaw_types::{
    AccountId, ChannelId, ChatKind, HistoryLimits, Inbound, MessageId, PeerId, ThreadId, UnixMillis,
};
use serde::{Deserialize, Serialize};

use super::label::sender_label;

/// The most that is kept of one message, in bytes.
const LONGEST_LINE: usize = 4 * 1024;
/// The most messages that are kept, whatever the configuration says.
const MOST_LINES: usize = 1000;

/// Something that was said while we were not asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OverheardMessage {
    /// Who said it.
    pub sender: String,
    /// When.
    pub at: UnixMillis,
    /// The words.
    pub body: String,
    /// Which message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
}

/// The conversation that a list belongs to. Several agents that answer there share it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HistoryPlace {
    /// The platform.
    pub channel: ChannelId,
    /// Our login there.
    pub account: AccountId,
    /// The room.
    pub room: PeerId,
    /// The thread in it.
    pub thread: Option<ThreadId>,
}

impl HistoryPlace {
    /// The conversation of an event.
    #[must_use]
    pub fn of(inbound: &Inbound) -> Self {
        Self {
            channel: inbound.channel.clone(),
            account: inbound.account.clone(),
            room: inbound.place.id.clone(),
            thread: match inbound.place.threads_hear_room {
                true => None,
                false => inbound.place.session_thread.clone().or_else(|| inbound.place.thread.clone()),
            },
        }
    }
}

impl OverheardMessage {
    /// What is kept of an event; nothing where nothing was said.
    #[must_use]
    pub fn of(inbound: &Inbound) -> Option<Self> {
        let text = inbound.text.trim();
        let placeholders =
            || inbound.media.iter().map(|media| media.kind.placeholder()).collect::<Vec<_>>().join(" ");
        let body = if text.is_empty() { placeholders() } else { text.to_owned() };
        if body.is_empty() {
            return None;
        }
        Some(Self {
            sender: sender_label(&inbound.from),
            at: inbound.at,
            body: body.get(..body.floor_char_boundary(LONGEST_LINE)).unwrap_or_default().to_owned(),
            message: inbound.message.clone(),
        })
    }
}

/// Puts something into a list: in the place of the same message when it was changed, else at the end. The oldest go.
pub fn remember(list: &mut Vec<OverheardMessage>, heard: OverheardMessage, limit: usize) {
    let same = |each: &&mut OverheardMessage| each.message.is_some() && each.message == heard.message;
    match list.iter_mut().find(same) {
        Some(known) => *known = heard,
        None => list.push(heard),
    }
    let most = limit.min(MOST_LINES);
    list.drain(..list.len().saturating_sub(most));
}

/// How many messages of a conversation are told: what the account says, else what holds for the agent. Zero is none.
#[must_use]
pub fn history_limit(limits: &HistoryLimits, inbound: &Inbound, general: usize) -> usize {
    match inbound.place.kind {
        // Whoever is not answered there is not listened to either.
        ChatKind::Direct => 0,
        ChatKind::Group | ChatKind::Channel => limits.group.unwrap_or(general),
    }
}
