//! What people are called when the model reads about them.

use openclaw_types::{ChatKind, Inbound, Person};

use super::fence::header;

/// A person as they stand before their words: name or handle, and the id that never changes hands.
#[must_use]
pub fn sender_label(person: &Person) -> String {
    let id = header(person.id.as_str());
    match called(person) {
        Some(name) if name != id => format!("{name} ({id})"),
        _ => id,
    }
}

/// The conversation as it stands in the head of a message.
pub(super) fn conversation_label(inbound: &Inbound) -> String {
    let place = &inbound.place;
    if place.kind == ChatKind::Direct {
        let id = header(inbound.from.id.as_str());
        return match called(&inbound.from) {
            Some(name) if name != id => format!("{name} id:{id}"),
            _ => id,
        };
    }
    let fallback = if place.kind == ChatKind::Group { "Group" } else { "Room" };
    let name = place.name.as_deref().map(header).filter(|name| !name.is_empty());
    let mut label = format!("{} id:{}", name.as_deref().unwrap_or(fallback), header(place.id.as_str()));
    if let Some(thread) = &place.thread {
        label.push_str(" topic:");
        label.push_str(&header(thread.as_str()));
    }
    label
}

fn called(person: &Person) -> Option<String> {
    let handle = person.handle.as_deref().map(|handle| format!("@{handle}"));
    let names = [person.name.as_deref(), handle.as_deref()];
    names.into_iter().flatten().map(header).find(|name| !name.is_empty())
}
