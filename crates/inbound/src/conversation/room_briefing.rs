//! What the agent is told once about a conversation with several people: that it is one, when it is asked, when it stays
//! silent. The same bytes for every message of a room, so that vendors' caches hit: who wrote stands with the message.

use openclaw_types::ChatKind;

/// What holds in a room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoomBriefing<'a> {
    /// The platform, as people call it.
    pub platform: &'a str,
    /// What kind of room it is.
    pub kind: ChatKind,
    /// What people call it, made harmless already.
    pub name: Option<String>,
    /// Who is answered.
    pub asked: RoomTrigger,
}

/// When the agent is asked in a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RoomTrigger {
    /// When it is meant (activation `mention`).
    WhenNamed,
    /// Always (activation `always`).
    Always,
}

/// The words for the system prompt; nothing where two talk alone.
#[must_use]
pub fn company(room: &RoomBriefing<'_>) -> Option<String> {
    let kind = match room.kind {
        ChatKind::Direct => return None,
        ChatKind::Group => "a group chat",
        ChatKind::Channel => "a channel",
    };
    let name = room.name.as_ref().map(|name| format!(", {name}")).unwrap_or_default();
    let asked = match room.asked {
        RoomTrigger::WhenNamed => {
            "You are only asked here when somebody names you, answers a message of yours or gives you a command. What \
             others said in between comes with it, for you to know and not to answer. If the message turns out not to \
             be meant for you, your whole answer is NO_REPLY."
        }
        RoomTrigger::Always => {
            "You get every message that is written here, also those that are not meant for you. Answer when somebody \
             turns to you or when you can add something that helps. Otherwise stay out of it: your whole answer is \
             NO_REPLY."
        }
    };
    Some(format!(
        "You are in {kind} on {}{name}. Several people read along, and each message says who wrote it: keep them apart, \
         and address the one you mean. {asked} Be brief, and tell nothing here that you know from another conversation.",
        room.platform
    ))
}
