//! Which model answers in a room, where the configuration names one.
//!
//! Ids come first, the thread before the room; then what people call the room. Who may choose another model is decided
//! elsewhere, and what a person chose for a session wins.

use openclaw_config::RoomModels;
use openclaw_types::ChannelId;

/// A room under everything it is called, the most exact first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoomNames {
    /// The platform.
    pub channel: ChannelId,
    /// The room.
    pub id: String,
    /// The thread or topic in it.
    pub thread: Option<String>,
    /// The room it hangs below.
    pub parent: Option<String>,
    /// What people call it.
    pub called: Vec<String>,
}

/// The model of a room, as the configuration writes it.
#[must_use]
pub fn room_model<'a>(models: &'a RoomModels, room: &RoomNames) -> Option<&'a str> {
    let in_thread = room
        .thread
        .iter()
        .flat_map(|thread| ["topic", "thread"].map(|word| format!("{}:{word}:{thread}", room.id)));
    let ids = in_thread.chain([room.id.clone()]).chain(room.parent.clone());
    let called = room.called.iter().flat_map(|name| {
        let bare = name.trim().trim_start_matches('#');
        [name.clone(), bare.to_owned(), slug(bare)]
    });
    let names: Vec<String> =
        ids.chain(called).filter(|name| !name.trim().is_empty() && name != "*").collect();
    models.of(&room.channel, &names)
}

/// A name as platforms write it in addresses: `Soup & Salad` is `soup-salad`.
fn slug(name: &str) -> String {
    let lower = name.to_lowercase();
    let words = lower.split(|sign: char| !sign.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}
