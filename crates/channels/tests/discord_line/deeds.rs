//! Every action against the fake, whose requests and answers are held against the platform's description.

use openclaw_ports::channel::{ActionRequest, Requester};
use openclaw_testkit::discord_fake::ids::{ANA, BEN, GENERAL, GUILD, ROLE, THREAD};
use openclaw_types::PeerId;
use serde_json::{Value, json};

use super::{World, general, target, within};

/// An action: its parameters, the call it becomes, and what it brings.
type Row = (&'static str, Value, String, Value);

fn guild() -> String {
    format!("/guilds/{GUILD}")
}

fn room() -> String {
    format!("/channels/{GENERAL}")
}

fn here() -> Value {
    json!({ "guildId": GUILD })
}

fn ben() -> Value {
    json!({ "guildId": GUILD, "userId": BEN, "roleId": ROLE, "reason": "rude" })
}

/// Those that only look.
fn looking(message: &str) -> Vec<Row> {
    let (guild, room) = (guild(), room());
    vec![
        (
            "read",
            json!({ "limit": 5, "before": message }),
            format!("GET {room}/messages?limit=5&before={message}"),
            Value::Null,
        ),
        ("list-pins", json!({}), format!("GET {room}/messages/pins"), Value::Null),
        ("list-pins", json!({ "limit": "5" }), format!("GET {room}/messages/pins?limit=5"), Value::Null),
        ("thread-list", here(), format!("GET {guild}/threads/active"), Value::Null),
        (
            "thread-list",
            json!({ "guildId": GUILD, "includeArchived": true, "limit": 10 }),
            format!("GET {room}/threads/archived/public?limit=10"),
            Value::Null,
        ),
        (
            "search",
            json!({ "guildId": GUILD, "query": "keep this", "authorIds": [ANA], "limit": 3 }),
            format!("GET {guild}/messages/search?content=keep%20this&author_id={ANA}&limit=3"),
            Value::Null,
        ),
        ("member-info", ben(), format!("GET {guild}/members/{BEN}"), Value::Null),
        ("role-info", here(), format!("GET {guild}/roles"), Value::Null),
        ("emoji-list", here(), format!("GET {guild}/emojis"), Value::Null),
        ("channel-info", json!({}), format!("GET {room}"), Value::Null),
        ("channel-list", here(), format!("GET {guild}/channels"), Value::Null),
        ("voice-status", ben(), format!("GET {guild}/voice-states/{BEN}"), Value::Null),
        ("event-list", here(), format!("GET {guild}/scheduled-events"), Value::Null),
    ]
}

/// Those about people.
fn about_people() -> Vec<Row> {
    let guild = guild();
    let with_ban = json!({ "guildId": GUILD, "userId": BEN, "deleteDays": 2 });
    let till = json!({ "guildId": GUILD, "userId": BEN, "until": "2026-05-01T10:00:00Z" });
    let silenced = json!({ "communication_disabled_until": "2026-05-01T10:00:00Z" });
    vec![
        ("role-add", ben(), format!("PUT {guild}/members/{BEN}/roles/{ROLE}"), Value::Null),
        ("role-remove", ben(), format!("DELETE {guild}/members/{BEN}/roles/{ROLE}"), Value::Null),
        ("timeout", till, format!("PATCH {guild}/members/{BEN}"), silenced),
        ("kick", ben(), format!("DELETE {guild}/members/{BEN}"), Value::Null),
        ("ban", with_ban, format!("PUT {guild}/bans/{BEN}"), json!({ "delete_message_seconds": 172_800 })),
    ]
}

/// Those that change rooms and what is in them.
fn changing(message: &str) -> Vec<Row> {
    let (guild, room) = (guild(), room());
    let starts = json!({
        "guildId": GUILD, "eventName": "Tea", "startTime": "2026-05-01T10:00:00Z", "endTime": "2026-05-01T11:00:00Z",
        "location": "the garden", "desc": "With cake"
    });
    let event = json!({
        "name": "Tea", "scheduled_start_time": "2026-05-01T10:00:00Z", "scheduled_end_time": "2026-05-01T11:00:00Z",
        "privacy_level": 2, "entity_type": 3, "entity_metadata": { "location": "the garden" },
        "description": "With cake"
    });
    vec![
        ("pin", json!({ "messageId": message }), format!("PUT {room}/messages/pins/{message}"), Value::Null),
        (
            "unpin",
            json!({ "messageId": message }),
            format!("DELETE {room}/messages/pins/{message}"),
            Value::Null,
        ),
        (
            "sticker",
            json!({ "stickerId": ["1500000000000000001"], "message": "look" }),
            format!("POST {room}/messages"),
            json!({ "sticker_ids": ["1500000000000000001"], "content": "look" }),
        ),
        (
            "sticker",
            json!({ "stickerId": "1500000000000000001" }),
            format!("POST {room}/messages"),
            json!({ "sticker_ids": ["1500000000000000001"] }),
        ),
        (
            "channel-create",
            json!({ "guildId": GUILD, "name": "new", "topic": "News", "nsfw": false, "type": 0 }),
            format!("POST {guild}/channels"),
            json!({ "name": "new", "topic": "News", "nsfw": false, "type": 0 }),
        ),
        (
            "category-create",
            json!({ "guildId": GUILD, "name": "shelf", "position": 2 }),
            format!("POST {guild}/channels"),
            json!({ "name": "shelf", "position": 2, "type": 4 }),
        ),
        (
            "channel-edit",
            json!({ "channelId": GENERAL, "topic": "Else", "rateLimitPerUser": 5, "clearParent": true }),
            format!("PATCH {room}"),
            json!({ "topic": "Else", "rate_limit_per_user": 5, "parent_id": null }),
        ),
        (
            "channel-edit",
            json!({ "channelId": THREAD, "locked": true, "autoArchiveMin": 60 }),
            format!("PATCH /channels/{THREAD}"),
            json!({ "locked": true, "auto_archive_duration": 60 }),
        ),
        (
            "channel-move",
            json!({ "guildId": GUILD, "channelId": GENERAL, "position": 3 }),
            format!("PATCH {guild}/channels"),
            json!([{ "id": GENERAL, "position": 3 }]),
        ),
        (
            "category-edit",
            json!({ "categoryId": GENERAL, "name": "renamed" }),
            format!("PATCH {room}"),
            json!({ "name": "renamed" }),
        ),
        ("event-create", starts, format!("POST {guild}/scheduled-events"), event),
        ("channel-delete", json!({ "channelId": THREAD }), format!("DELETE /channels/{THREAD}"), Value::Null),
        ("category-delete", json!({ "categoryId": GENERAL }), format!("DELETE {room}"), Value::Null),
    ]
}

/// Those that are more than one call, or none.
const OTHERS: [&str; 5] = ["permissions", "reactions", "set-presence", "emoji-upload", "sticker-upload"];

#[tokio::test]
async fn every_action_is_the_call_it_should_be() {
    let world = World::start().await;
    let switches = json!({ "roles": true, "moderation": true, "presence": true });
    let ours = world.connect(json!({ "actions": switches })).await.unwrap();
    let actions = ours.surface.actions.as_ref().unwrap();
    let message = world.fake.say(GENERAL, ANA, "keep this");
    let rows: Vec<Row> = [looking(&message), about_people(), changing(&message)].concat();
    for name in actions.names() {
        assert!(rows.iter().any(|row| row.0 == *name) || OTHERS.contains(name), "{name} is not tried");
    }
    for (name, parameters, called, brings) in rows {
        let parameters = parameters.as_object().unwrap().clone();
        let request = ActionRequest {
            name: name.to_owned(),
            target: Some(target(&general())),
            requester: Some(Requester::Person(PeerId::new(ANA).unwrap())),
            parameters,
        };
        let done = within(actions.act(request)).await;
        assert_eq!(done.as_ref().map(|done| &done["ok"]), Ok(&json!(true)), "{name}");
        let asked = world.fake.requests().pop().unwrap();
        let query = if asked.query.is_empty() { String::new() } else { format!("?{}", asked.query) };
        assert_eq!(format!("{} {}{query}", asked.method, asked.path), called, "{name}");
        assert_eq!(asked.body, brings, "{name}");
    }
}

#[tokio::test]
async fn reactions_are_listed_with_who_set_them() {
    let world = World::start().await;
    let ours = world.connect(json!({})).await.unwrap();
    let here = target(&general());
    let message = ours.send(super::text("k/1", &general(), "nice")).await.unwrap().message;
    ours.surface.react.as_ref().unwrap().react(&here, &message, "👀").await.unwrap();
    let parameters = json!({ "messageId": message.as_str() }).as_object().unwrap().clone();
    let request =
        ActionRequest { name: "reactions".to_owned(), target: Some(here), requester: None, parameters };
    let listed = within(ours.surface.actions.as_ref().unwrap().act(request)).await.unwrap();
    let expected = json!({
        "ok": true,
        "reactions": [{ "emoji": "👀", "count": 1, "users": [{ "id": ANA, "username": "ana" }] }]
    });
    assert_eq!(listed, expected);
}

#[tokio::test]
async fn a_guild_gets_signs_and_stickers_of_its_own() {
    let world = World::start().await;
    let ours = world.connect(json!({})).await.unwrap();
    let actions = ours.surface.actions.as_ref().unwrap();
    let path = world.media.path().join("party.png");
    std::fs::write(&path, b"png").unwrap();
    let file = |media_type: &str| json!({ "path": path, "name": "party.png", "mediaType": media_type });
    let act = |name: &str, parameters: Value| {
        let parameters = parameters.as_object().unwrap().clone();
        actions.act(ActionRequest { name: name.to_owned(), target: None, requester: None, parameters })
    };
    let png = file("image/png");
    let sign = json!({ "guildId": GUILD, "emojiName": "party_time", "media": png, "roleIds": [ROLE] });
    within(act("emoji-upload", sign.clone())).await.unwrap();
    let asked = world.fake.requests().pop().unwrap();
    let expected = json!({ "name": "party_time", "image": "data:image/png;base64,cG5n", "roles": [ROLE] });
    assert_eq!((asked.path.as_str(), asked.body), (format!("/guilds/{GUILD}/emojis").as_str(), expected));

    let sticker = json!({
        "guildId": GUILD, "stickerName": "party", "stickerDesc": "Cheers", "stickerTags": "🎉", "media": png,
    });
    let done = within(act("sticker-upload", sticker)).await.unwrap();
    assert_eq!(done["result"]["name"], "party");
    let asked = world.fake.requests().pop().unwrap();
    assert_eq!(asked.files, [("party.png".to_owned(), b"png".to_vec())]);

    let with = |field: &str, value: Value| {
        let mut other = sign.clone();
        other[field] = value;
        other
    };
    for (wrong, reason) in [
        (with("media", json!("party.png")), "media names no file"),
        (with("media", file("text/html")), "the file is text/html"),
        (with("emojiName", json!("party time")), "2 to 32 letters"),
    ] {
        let refused = within(act("emoji-upload", wrong)).await.unwrap_err().to_string();
        assert!(refused.contains(reason), "{refused}");
    }
    let off = world.connect(json!({ "actions": { "emojiUploads": false, "stickerUploads": false } })).await;
    let off = off.unwrap();
    assert!(off.surface.actions.as_ref().unwrap().names().iter().all(|name| !name.ends_with("-upload")));
}
