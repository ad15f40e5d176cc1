//! What a message becomes, and the small decisions around it.

mod bursts;
mod envelopes;
mod fences;
mod histories;
mod merging;
mod natures;
mod signs;
mod status;

use openclaw_types::{
    AccountId, Attention, ChannelId, ChatKind, ChatPlace, EventId, Inbound, InboundKind, MediaKind, MediaRef,
    MessageId, PeerId, Person, ThreadId, UnixMillis,
};

use super::*;

/// 2026-11-15 19:26:37 in universal time, a Sunday.
const AT: UnixMillis = UnixMillis(1_794_770_797_847);

fn inbound(place: ChatPlace, from: &str, text: &str) -> Inbound {
    Inbound {
        channel: ChannelId::new("chat").unwrap(),
        account: AccountId::new("default").unwrap(),
        event: EventId::new("event").unwrap(),
        message: message("m1"),
        at: AT,
        place,
        from: person(from),
        kind: InboundKind::Message,
        text: text.to_owned(),
        attention: Attention::default(),
        reply: None,
        forwarded: None,
        media: Vec::new(),
        facts: Vec::new(),
        bundle: None,
        moved: None,
    }
}

fn direct(text: &str) -> Inbound {
    inbound(place(ChatKind::Direct, "7"), "7", text)
}

fn in_room(text: &str) -> Inbound {
    inbound(ChatPlace { name: Some("Family".to_owned()), ..place(ChatKind::Group, "-100") }, "7", text)
}

fn person(id: &str) -> Person {
    Person {
        name: Some("Ana".to_owned()),
        handle: Some("ana".to_owned()),
        ..Person::new(PeerId::new(id).unwrap())
    }
}

fn place(kind: ChatKind, id: &str) -> ChatPlace {
    ChatPlace::new(kind, PeerId::new(id).unwrap(), id)
}

fn message(id: &str) -> Option<MessageId> {
    Some(MessageId::new(id).unwrap())
}

fn thread(id: &str) -> Option<ThreadId> {
    Some(ThreadId::new(id).unwrap())
}

fn picture(handle: &str) -> MediaRef {
    MediaRef { kind: MediaKind::Image, handle: handle.to_owned(), name: None, media_type: None, bytes: None }
}

/// A cleaner that can be seen at work.
fn shouted(text: &str) -> String {
    text.replace("quiet", "QUIET")
}
