//! Things of the platform in its own words, with every field it promises.

use serde_json::{Map, Value, json};

/// Somebody.
pub(super) fn user(id: &str, name: &str, bot: bool) -> Value {
    json!({
        "id": id, "username": name, "global_name": if bot { Value::Null } else { json!(name) }, "avatar": null,
        "discriminator": "0", "public_flags": 0, "flags": 0, "bot": bot, "primary_guild": null,
    })
}

/// Somebody as a member of a guild.
pub(super) fn member(user: &Value, roles: &[&str]) -> Value {
    json!({
        "user": user, "nick": null, "avatar": null, "banner": null, "communication_disabled_until": null, "flags": 0,
        "joined_at": "2024-01-01T00:00:00+00:00", "pending": false, "premium_since": null, "roles": roles,
        "mute": false, "deaf": false,
    })
}

/// A room of a guild.
pub(super) fn room(id: &str, guild: &str, kind: u64, name: &str) -> Value {
    json!({
        "id": id, "type": kind, "flags": 0, "guild_id": guild, "name": name, "position": 0,
        "permission_overwrites": [], "topic": null, "nsfw": false, "parent_id": null, "last_message_id": null,
    })
}

/// A thread.
pub(super) fn thread(id: &str, guild: &str, parent: &str, name: &str, owner: &str) -> Value {
    json!({
        "id": id, "type": 11, "flags": 0, "guild_id": guild, "name": name, "parent_id": parent, "owner_id": owner,
        "last_message_id": null, "message_count": 0, "member_count": 1, "total_message_sent": 0,
        "rate_limit_per_user": 0,
        "thread_metadata": {
            "archived": false, "archive_timestamp": "2024-01-01T00:00:00+00:00", "auto_archive_duration": 1440,
            "locked": false,
        },
    })
}

/// A direct chat.
pub(super) fn direct(id: &str, user: &Value) -> Value {
    json!({ "id": id, "type": 1, "flags": 0, "recipients": [user], "last_message_id": null })
}

/// A role.
pub(super) fn role(id: &str, name: &str, bot: Option<&str>) -> Value {
    let mut role = json!({
        "id": id, "name": name, "permissions": "2248473465835073", "position": 0, "color": 0,
        "colors": { "primary_color": 0, "secondary_color": null, "tertiary_color": null },
        "hoist": false, "managed": bot.is_some(), "mentionable": false, "icon": null, "unicode_emoji": null, "flags": 0,
        "description": null,
    });
    if let Some(bot) = bot {
        role["tags"] = json!({ "bot_id": bot });
    }
    role
}

/// A guild as the API shows it.
pub(super) fn guild(id: &str, name: &str, owner: &str, roles: &[Value]) -> Value {
    json!({
        "id": id, "name": name, "icon": null, "description": null, "home_header": null, "splash": null,
        "discovery_splash": null, "features": [], "banner": null, "owner_id": owner, "application_id": null,
        "region": "europe", "afk_channel_id": null, "afk_timeout": 300, "system_channel_id": null,
        "system_channel_flags": 0, "widget_enabled": false, "widget_channel_id": null, "verification_level": 0,
        "roles": roles, "default_message_notifications": 0, "mfa_level": 0, "explicit_content_filter": 0,
        "max_presences": null, "max_members": 250_000, "max_stage_video_channel_users": 50,
        "max_video_channel_users": 25, "vanity_url_code": null, "premium_tier": 0, "premium_subscription_count": 0,
        "preferred_locale": "en-US", "rules_channel_id": null, "safety_alerts_channel_id": null,
        "public_updates_channel_id": null, "premium_progress_bar_enabled": false, "nsfw": false, "nsfw_level": 0,
        "emojis": [], "stickers": [], "incidents_data": null,
    })
}

/// A guild as the list of ours shows it.
pub(super) fn my_guild(id: &str, name: &str) -> Value {
    json!({
        "id": id, "name": name, "icon": null, "banner": null, "owner": false, "permissions": "2248473465835073",
        "features": [],
    })
}

/// A sign of a guild's own.
pub(super) fn emoji(id: &str, name: &str) -> Value {
    json!({
        "id": id, "name": name, "roles": [], "require_colons": true, "managed": false, "animated": false,
        "available": true,
    })
}

/// A sticker of a guild's own.
pub(super) fn sticker(id: &str, guild: &str, asked: &Value) -> Value {
    json!({
        "id": id, "name": asked["name"], "tags": asked["tags"], "description": asked["description"], "type": 2,
        "format_type": 1, "available": true, "guild_id": guild,
    })
}

/// Where somebody speaks.
pub(super) fn voice(guild: &str, user: &str) -> Value {
    json!({
        "channel_id": null, "guild_id": guild, "user_id": user, "session_id": "voice", "deaf": false, "mute": false,
        "request_to_speak_timestamp": null, "suppress": false, "self_stream": false, "self_deaf": false,
        "self_mute": false, "self_video": false,
    })
}

/// An event that is to be, as it was asked for.
pub(super) fn event(id: &str, guild: &str, asked: &Value) -> Value {
    let mut event = json!({
        "id": id, "guild_id": guild, "description": null, "channel_id": null, "creator_id": null, "image": null,
        "scheduled_end_time": null, "status": 1, "entity_id": null, "recurrence_rule": null,
        "guild_scheduled_event_exceptions": [], "entity_metadata": null,
    });
    let fields = event.as_object_mut().expect("it is an object");
    fields.extend(asked.as_object().cloned().unwrap_or_default());
    event
}

/// Our application.
pub(super) fn application(id: &str, flags: u64, owner: &Value) -> Value {
    json!({
        "id": id, "name": "claw", "icon": null, "description": "", "type": null,
        "verify_key": "00", "flags": flags, "flags_new": flags.to_string(), "redirect_uris": [],
        "interactions_endpoint_url": null, "role_connections_verification_url": null, "owner": owner,
        "approximate_guild_count": 1, "approximate_user_install_count": 0, "approximate_user_authorization_count": 0,
        "explicit_content_filter": 0, "team": null, "eligible_oauth2_scopes": [], "bot_public": false,
        "bot_require_code_grant": false,
    })
}

/// A message, with what `more` says about it.
pub(super) fn message(id: &str, channel: &str, author: &Value, more: &Value) -> Value {
    let mut message = json!({
        "id": id, "channel_id": channel, "author": author, "content": "", "type": 0, "mentions": [],
        "mention_roles": [], "mention_everyone": false, "attachments": [], "embeds": [], "components": [],
        "timestamp": "2026-01-02T03:04:05.678000+00:00", "edited_timestamp": null, "flags": 0, "pinned": false,
        "tts": false,
    });
    let fields = message.as_object_mut().expect("it is an object");
    fields.extend(more.as_object().cloned().unwrap_or_default());
    message
}

/// A message of ours as it was asked for.
pub(super) fn answered(id: &str, asked: &Value, place: (&str, &Value), files: &[Value]) -> Value {
    let (channel, us) = place;
    let mut more = Map::new();
    more.insert("content".to_owned(), json!(asked["content"].as_str().unwrap_or_default()));
    more.insert("flags".to_owned(), json!(asked["flags"].as_u64().unwrap_or(0)));
    more.insert("attachments".to_owned(), json!(files));
    if let Some(nonce) = asked.get("nonce") {
        more.insert("nonce".to_owned(), nonce.clone());
    }
    if let Some(to) = asked["message_reference"]["message_id"].as_str() {
        more.insert("type".to_owned(), json!(19));
        more.insert(
            "message_reference".to_owned(),
            json!({ "type": 0, "channel_id": channel, "message_id": to }),
        );
    }
    if asked["components"].is_array() {
        more.insert("components".to_owned(), numbered(&asked["components"], &mut 0));
    }
    if asked["poll"].is_object() {
        more.insert("poll".to_owned(), poll(&asked["poll"]));
    }
    message(id, channel, us, &Value::Object(more))
}

/// The platform numbers components, and says of boxes whether they are hidden at first.
fn numbered(components: &Value, next: &mut u64) -> Value {
    let number = |component: &Value| {
        let mut component = component.clone();
        *next += 1;
        component["id"] = json!(*next);
        if component["type"] == 17 && component["spoiler"].is_null() {
            component["spoiler"] = json!(false);
        }
        if component["components"].is_array() {
            component["components"] = numbered(&component["components"], next);
        }
        component
    };
    Value::Array(components.as_array().into_iter().flatten().map(number).collect())
}

fn poll(asked: &Value) -> Value {
    let answers: Vec<Value> = asked["answers"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(at, answer)| json!({ "answer_id": at + 1, "poll_media": { "text": answer["poll_media"]["text"] } }))
        .collect();
    json!({
        "question": asked["question"], "answers": answers, "expiry": "2026-02-01T00:00:00+00:00",
        "allow_multiselect": asked["allow_multiselect"].as_bool().unwrap_or(false), "layout_type": 1,
        "results": { "is_finalized": false, "answer_counts": [] },
    })
}
