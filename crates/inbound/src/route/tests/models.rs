//! Which model answers in a room.

use openclaw_config::RoomModels;

use super::*;

fn models() -> RoomModels {
    let raw: RawConfig = serde_json::from_value(json!({ "channels": { "modelByChannel": {
        "Telegram": { "-100": "a/room", "-100:topic:9": "a/topic", "-200": " " },
        "discord": { "77": "a/parent", "#Kitchen": "a/named", "soup-salad": "a/slug", "*": "a/any" },
    } } }))
    .unwrap();
    RoomModels::resolve(&raw)
}

fn room(channel: &str, id: &str) -> RoomNames {
    RoomNames {
        channel: ChannelId::new(channel).unwrap(),
        id: id.to_owned(),
        thread: None,
        parent: None,
        called: Vec::new(),
    }
}

#[test]
fn the_most_exact_name_of_a_room_decides() {
    let models = models();
    let called = |name: &str| RoomNames { called: vec![name.to_owned()], ..room("discord", "1") };
    let in_thread =
        |id: &str, thread: &str| RoomNames { thread: Some(thread.to_owned()), ..room("telegram", id) };
    for (room, expected) in [
        (room("telegram", "-100"), Some("a/room")),
        (in_thread("-100", "9"), Some("a/topic")),
        (in_thread("-100", "8"), Some("a/room")),
        (room("telegram", "-300"), None),
        (room("telegram", "-200"), None),
        (room("irc", "#kitchen"), None),
        (room("discord", "1"), Some("a/any")),
        (RoomNames { parent: Some("77".to_owned()), ..called("#kitchen") }, Some("a/parent")),
        (called("#kitchen"), Some("a/named")),
        (called("Soup & Salad"), Some("a/slug")),
        (called("*"), Some("a/any")),
    ] {
        assert_eq!(room_model(&models, &room), expected, "{room:?}");
    }
}

#[test]
fn a_room_that_is_listed_without_a_model_has_none() {
    let raw: RawConfig = serde_json::from_value(
        json!({ "channels": { "modelByChannel": { "discord": { "1": "", "*": "a/any" } } } }),
    )
    .unwrap();
    assert_eq!(room_model(&RoomModels::resolve(&raw), &room("discord", "1")), None);
}
