//! Which question to the API an action is. Pure.

use std::time::Duration;

use openclaw_ports::channel::ChannelError;
use serde_json::{Map, Value, json};

use super::super::rest::{Call, escaped};
use super::{Parameters, wrong};
use crate::shared::Method;

/// A room for groups of rooms.
const CATEGORY: u64 = 4;

/// The call of an action.
pub(super) fn call(name: &str, given: &Parameters<'_>) -> Result<Call, ChannelError> {
    let guild = || Ok::<_, ChannelError>(format!("/guilds/{}", given.id("guildId")?));
    let room = || Ok::<_, ChannelError>(format!("/channels/{}", given.room()?));
    let member = || Ok::<_, ChannelError>(format!("{}/members/{}", guild()?, given.id("userId")?));
    let category = || Ok::<_, ChannelError>(format!("/channels/{}", given.id("categoryId")?));
    Ok(match name {
        "read" => Call::get(format!("{}/messages{}", room()?, page(given)?)),
        "pin" => Call::set(format!("{}/messages/pins/{}", room()?, given.id("messageId")?)),
        "unpin" => Call::delete(format!("{}/messages/pins/{}", room()?, given.id("messageId")?)),
        "list-pins" => {
            let limit = given.number("limit").map(|limit| format!("?limit={}", limit.clamp(1, 50)));
            Call::get(format!("{}/messages/pins{}", room()?, limit.unwrap_or_default()))
        }
        "thread-list" => threads(given, &guild()?)?,
        "search" => Call::get(format!("{}/messages/search{}", guild()?, search(given)?)),
        "sticker" => {
            let mut body = json!({ "sticker_ids": stickers(given)? });
            if let Some(words) = given.text("message") {
                body["content"] = json!(words);
            }
            Call::with(Method::POST, format!("{}/messages", room()?), body)
        }
        "member-info" => Call::get(member()?),
        "role-info" => Call::get(format!("{}/roles", guild()?)),
        "emoji-list" => Call::get(format!("{}/emojis", guild()?)),
        "role-add" => Call::set(format!("{}/roles/{}", member()?, given.id("roleId")?)),
        "role-remove" => Call::delete(format!("{}/roles/{}", member()?, given.id("roleId")?)),
        "channel-info" => Call::get(room()?),
        "channel-list" => Call::get(format!("{}/channels", guild()?)),
        "channel-create" | "category-create" => {
            let mut body = room_fields(given)?;
            body.insert("name".to_owned(), json!(given.must("name")?));
            if name == "category-create" {
                body.insert("type".to_owned(), json!(CATEGORY));
            }
            Call::with(Method::POST, format!("{}/channels", guild()?), Value::Object(body))
        }
        "channel-edit" => Call::with(Method::PATCH, room()?, Value::Object(room_fields(given)?)),
        "category-edit" => Call::with(Method::PATCH, category()?, Value::Object(room_fields(given)?)),
        "channel-delete" => Call::delete(format!("/channels/{}", given.id("channelId")?)),
        "category-delete" => Call::delete(category()?),
        "channel-move" => {
            let mut moved = room_fields(given)?;
            moved.retain(|field, _| field == "parent_id" || field == "position");
            moved.insert("id".to_owned(), json!(given.id("channelId")?));
            Call::with(Method::PATCH, format!("{}/channels", guild()?), json!([moved]))
        }
        "voice-status" => Call::get(format!("{}/voice-states/{}", guild()?, given.id("userId")?)),
        "event-list" => Call::get(format!("{}/scheduled-events", guild()?)),
        "event-create" => Call::with(Method::POST, format!("{}/scheduled-events", guild()?), event(given)?),
        "timeout" => {
            let body = json!({ "communication_disabled_until": until(given)? });
            Call::with(Method::PATCH, member()?, body).because(given.text("reason"))
        }
        "kick" => Call::delete(member()?).because(given.text("reason")),
        "ban" => {
            let days = given.number("deleteDays").unwrap_or(0).min(7);
            let body = json!({ "delete_message_seconds": days * 86_400 });
            let path = format!("{}/bans/{}", guild()?, given.id("userId")?);
            Call::with(Method::PUT, path, body).because(given.text("reason"))
        }
        other => return Err(wrong(&format!("Discord has no action {other}"))),
    })
}

/// Until when somebody is silenced: a moment, or so many minutes from now.
fn until(given: &Parameters<'_>) -> Result<String, ChannelError> {
    if let Some(until) = given.text("until") {
        return Ok(until.to_owned());
    }
    let minutes = given.number("durationMin").ok_or_else(|| wrong("until or durationMin is missing"))?;
    // The platform silences nobody for more than four weeks.
    let span = Duration::from_secs(minutes.min(28 * 24 * 60) * 60);
    let moment = jiff::Timestamp::from_millisecond(given.now.plus(span).0);
    moment.map(|moment| moment.to_string()).map_err(|_range| wrong("durationMin is too long"))
}

/// Which messages: how many, and before, after or around which.
fn page(given: &Parameters<'_>) -> Result<String, ChannelError> {
    let mut query = format!("?limit={}", given.number("limit").unwrap_or(20).clamp(1, 100));
    for edge in ["before", "after", "around"] {
        if let Some(id) = given.maybe_id(edge)? {
            query.push_str(&format!("&{edge}={id}"));
            break;
        }
    }
    Ok(query)
}

fn threads(given: &Parameters<'_>, guild: &str) -> Result<Call, ChannelError> {
    if !given.flag("includeArchived") {
        return Ok(Call::get(format!("{guild}/threads/active")));
    }
    let mut path = format!(
        "/channels/{}/threads/archived/public?limit={}",
        given.room()?,
        given.number("limit").unwrap_or(50).clamp(2, 100)
    );
    if let Some(before) = given.text("before") {
        path.push_str(&format!("&before={}", escaped(before)));
    }
    Ok(Call::get(path))
}

fn search(given: &Parameters<'_>) -> Result<String, ChannelError> {
    let words = given.text("query").map_or_else(|| given.must("content"), Ok)?;
    let mut query = format!("?content={}", escaped(words));
    for (one, many, name) in
        [("channelId", "channelIds", "channel_id"), ("authorId", "authorIds", "author_id")]
    {
        let ids = given.list(many).into_iter().chain(given.list(one));
        for id in ids.filter_map(|id| super::super::destination::listed(&id)) {
            query.push_str(&format!("&{name}={id}"));
        }
    }
    if let Some(limit) = given.number("limit") {
        query.push_str(&format!("&limit={}", limit.clamp(1, 25)));
    }
    Ok(query)
}

fn stickers(given: &Parameters<'_>) -> Result<Vec<String>, ChannelError> {
    let ids = match given.list("stickerId") {
        none if none.is_empty() => given.list("stickerIds"),
        ids => ids,
    };
    match ids.len() {
        1..=3 => Ok(ids),
        _ => Err(wrong("stickerId names one to three stickers")),
    }
}

/// What of a room is to be like this.
fn room_fields(given: &Parameters<'_>) -> Result<Map<String, Value>, ChannelError> {
    const SAME: [(&str, &str); 11] = [
        ("name", "name"),
        ("topic", "topic"),
        ("type", "type"),
        ("position", "position"),
        ("nsfw", "nsfw"),
        ("rateLimitPerUser", "rate_limit_per_user"),
        ("archived", "archived"),
        ("locked", "locked"),
        ("autoArchiveDuration", "auto_archive_duration"),
        ("autoArchiveMin", "auto_archive_duration"),
        ("availableTags", "available_tags"),
    ];
    let mut fields = Map::new();
    for (ours, theirs) in SAME {
        if let Some(value) = given.fields.get(ours).filter(|value| !value.is_null()) {
            fields.insert(theirs.to_owned(), value.clone());
        }
    }
    let loose = given.flag("clearParent");
    if loose {
        fields.insert("parent_id".to_owned(), Value::Null);
    } else if let Some(parent) = given.maybe_id("parentId")? {
        fields.insert("parent_id".to_owned(), json!(parent));
    }
    Ok(fields)
}

fn event(given: &Parameters<'_>) -> Result<Value, ChannelError> {
    let channel = given.maybe_id("channelId")?;
    let kind = match given.text("eventType") {
        Some("stage") => 1,
        Some("voice") => 2,
        Some("external") => 3,
        _ if channel.is_some() => 2,
        _ => 3,
    };
    let mut body = json!({
        "name": given.must("eventName")?,
        "scheduled_start_time": given.must("startTime")?,
        "privacy_level": 2,
        "entity_type": kind,
    });
    if kind == 3 {
        // An event that is nowhere on the platform has a place and an end.
        body["scheduled_end_time"] = json!(given.must("endTime")?);
        body["entity_metadata"] = json!({ "location": given.must("location")? });
    } else {
        body["channel_id"] = json!(channel.ok_or_else(|| wrong("channelId is missing"))?);
        if let Some(end) = given.text("endTime") {
            body["scheduled_end_time"] = json!(end);
        }
    }
    if let Some(description) = given.text("desc") {
        body["description"] = json!(description);
    }
    Ok(body)
}
