//! Every action against the fake, whose requests and answers are held against the platform's description.

use openclaw_ports::channel::ActionRequest;
use openclaw_testkit::discord_fake::ids::{ANA, BEN, GENERAL, GUILD, ROLE, THREAD};
use serde_json::{Value, json};

use super::{World, general, target, within};

/// An action: its parameters, the call it becomes, and what it brings.
type Row = (&'static str, Value, String, Value);

fn rows(message: &str) -> Vec<Row> {
    let (guild, room) = (format!("/guilds/{GUILD}"), format!("/channels/{GENERAL}"));
    let here = json!({ "guildId": GUILD });
    let ben = json!({ "guildId": GUILD, "userId": BEN, "roleId": ROLE, "senderId": ANA, "reason": "rude" });
    let starts = json!({
        "guildId": GUILD, "eventName": "Tea", "startTime": "2026-05-01T10:00:00Z", "endTime": "2026-05-01T11:00:00Z",
        "location": "the garden", "desc": "With cake"
    });
    let event = json!({
        "name": "Tea", "scheduled_start_time": "2026-05-01T10:00:00Z", "scheduled_end_time": "2026-05-01T11:00:00Z",
        "privacy_level": 2, "entity_type": 3, "entity_metadata": { "location": "the garden" },
        "description": "With cake"
    });
    let with_ban = json!({ "guildId": GUILD, "userId": BEN, "senderId": ANA, "deleteDays": 2 });
    let till = json!({ "guildId": GUILD, "userId": BEN, "senderId": ANA, "until": "2026-05-01T10:00:00Z" });
    let silenced = json!({ "communication_disabled_until": "2026-05-01T10:00:00Z" });
    let nothing = Value::Null;
    vec![
        (
            "read",
            json!({ "limit": 5, "before": message }),
            format!("GET {room}/messages?limit=5&before={message}"),
            nothing.clone(),
        ),
        (
            "pin",
            json!({ "messageId": message }),
            format!("PUT {room}/messages/pins/{message}"),
            nothing.clone(),
        ),
        ("list-pins", json!({}), format!("GET {room}/messages/pins"), nothing.clone()),
        (
            "unpin",
            json!({ "messageId": message }),
            format!("DELETE {room}/messages/pins/{message}"),
            nothing.clone(),
        ),
        ("thread-list", here.clone(), format!("GET {guild}/threads/active"), nothing.clone()),
        (
            "thread-list",
            json!({ "guildId": GUILD, "includeArchived": true, "limit": 10 }),
            format!("GET {room}/threads/archived/public?limit=10"),
            nothing.clone(),
        ),
        (
            "search",
            json!({ "guildId": GUILD, "query": "keep this", "authorIds": [ANA], "limit": 3 }),
            format!("GET {guild}/messages/search?content=keep%20this&author_id={ANA}&limit=3"),
            nothing.clone(),
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
        ("member-info", ben.clone(), format!("GET {guild}/members/{BEN}"), nothing.clone()),
        ("role-info", here.clone(), format!("GET {guild}/roles"), nothing.clone()),
        ("emoji-list", here.clone(), format!("GET {guild}/emojis"), nothing.clone()),
        ("role-add", ben.clone(), format!("PUT {guild}/members/{BEN}/roles/{ROLE}"), nothing.clone()),
        ("role-remove", ben.clone(), format!("DELETE {guild}/members/{BEN}/roles/{ROLE}"), nothing.clone()),
        ("channel-info", json!({}), format!("GET {room}"), nothing.clone()),
        ("channel-list", here.clone(), format!("GET {guild}/channels"), nothing.clone()),
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
        ("voice-status", ben.clone(), format!("GET {guild}/voice-states/{BEN}"), nothing.clone()),
        ("event-list", here, format!("GET {guild}/scheduled-events"), nothing.clone()),
        ("event-create", starts, format!("POST {guild}/scheduled-events"), event),
        ("timeout", till, format!("PATCH {guild}/members/{BEN}"), silenced),
        ("kick", ben, format!("DELETE {guild}/members/{BEN}"), nothing.clone()),
        ("ban", with_ban, format!("PUT {guild}/bans/{BEN}"), json!({ "delete_message_seconds": 172_800 })),
        (
            "channel-delete",
            json!({ "channelId": THREAD }),
            format!("DELETE /channels/{THREAD}"),
            nothing.clone(),
        ),
        ("category-delete", json!({ "categoryId": GENERAL }), format!("DELETE {room}"), nothing),
    ]
}

/// Those that are more than one call, or none.
const OTHERS: [&str; 3] = ["permissions", "reactions", "set-presence"];

#[tokio::test]
async fn every_action_is_the_call_it_should_be() {
    let world = World::start().await;
    let switches = json!({ "roles": true, "moderation": true, "presence": true });
    let ours = world.connect(json!({ "actions": switches })).await.unwrap();
    let actions = ours.surface.actions.as_ref().unwrap();
    let message = world.fake.say(GENERAL, ANA, "keep this");
    let rows = rows(&message);
    for name in actions.names() {
        assert!(rows.iter().any(|row| row.0 == *name) || OTHERS.contains(name), "{name} is not tried");
    }
    for (name, parameters, called, brings) in rows {
        let parameters = parameters.as_object().unwrap().clone();
        let request = ActionRequest { name: name.to_owned(), target: Some(target(&general())), parameters };
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
    let request = ActionRequest { name: "reactions".to_owned(), target: Some(here), parameters };
    let listed = within(ours.surface.actions.as_ref().unwrap().act(request)).await.unwrap();
    let expected = json!({
        "ok": true,
        "reactions": [{ "emoji": "👀", "count": 1, "users": [{ "id": ANA, "username": "ana" }] }]
    });
    assert_eq!(listed, expected);
}
