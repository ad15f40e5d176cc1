//! The part of the fake's API about guilds: people, roles, rooms, threads, events.

use serde_json::{Value, json};

use super::form;
use super::rest::{Answer, missing};
use super::shapes;
use super::world::{DiscordRequest, World, ids};

/// Answers what is asked of a guild or a room of it; nothing where there is no such question.
pub(super) fn act(world: &mut World, request: &DiscordRequest, parts: &[&str]) -> Option<Answer> {
    let body = &request.body;
    Some(match (request.method.as_str(), parts) {
        ("GET", ["users", "@me", "guilds"]) => (200, json!([shapes::my_guild(ids::GUILD, "The Guild")])),
        (_, ["guilds", guild, ..]) if *guild != ids::GUILD => missing(10_004, "Unknown Guild"),
        ("GET", ["guilds", _]) => (200, world.guild()),
        ("GET", ["guilds", _, "roles"]) => (200, world.guild()["roles"].clone()),
        ("GET", ["guilds", _, "emojis"]) => (200, json!([shapes::emoji("1400000000000000001", "party")])),
        ("POST", ["guilds", _, "emojis"]) => {
            (201, shapes::emoji("1400000000000000002", body["name"].as_str().unwrap_or_default()))
        }
        ("POST", ["guilds", guild, "stickers"]) => (201, shapes::sticker("1500000000000000002", guild, body)),
        ("GET", ["guilds", _, "members", "search"] | ["guilds", _, "members"]) => {
            (200, members(world, &request.query))
        }
        ("GET", ["guilds", _, "members", user]) => (200, world.member(user)),
        ("PATCH", ["guilds", _, "members", user]) => {
            let mut member = world.member(user);
            member["communication_disabled_until"] = body["communication_disabled_until"].clone();
            (200, member)
        }
        ("DELETE", ["guilds", _, "members", _])
        | ("PUT", ["guilds", _, "bans", _])
        | ("PUT" | "DELETE", ["guilds", _, "members", _, "roles", _]) => (204, Value::Null),
        ("GET", ["guilds", _, "channels"]) => (200, rooms(world)),
        ("POST", ["guilds", _, "channels"]) => (201, make_room(world, body)),
        ("PATCH", ["guilds", _, "channels"]) => {
            let moved = body.as_array().into_iter().flatten();
            let known =
                moved.filter_map(|each| each["id"].as_str()).all(|id| world.channels.contains_key(id));
            if known { (204, Value::Null) } else { missing(10_003, "Unknown Channel") }
        }
        ("PATCH" | "DELETE", ["channels", room]) => change_room(world, room, request),
        ("GET", ["guilds", _, "threads", "active"]) => (200, threads(world, None)),
        ("GET", ["channels", room, "threads", "archived", "public"]) => (200, threads(world, Some(room))),
        ("GET", ["channels", room, "thread-members"]) => {
            let member = |user: &str| {
                json!({
                    "id": room, "user_id": user, "join_timestamp": "2026-01-01T00:00:00+00:00", "flags": 0,
                    "member": world.member(user),
                })
            };
            (200, json!([member(ids::ANA), member(ids::US)]))
        }
        ("GET", ["guilds", _, "messages", "search"]) => (200, search(world, &request.query)),
        ("GET", ["channels", _, "messages", _, "reactions", _]) => (200, json!([world.users[ids::ANA]])),
        ("GET", ["guilds", _, "voice-states", user]) => (200, shapes::voice(ids::GUILD, user)),
        ("GET", ["guilds", _, "scheduled-events"]) => {
            let asked = json!({
                "name": "Tea", "scheduled_start_time": "2026-05-01T10:00:00Z", "entity_type": 3, "privacy_level": 2,
                "scheduled_end_time": "2026-05-01T11:00:00Z", "entity_metadata": { "location": "the garden" },
            });
            let id = world.id();
            (200, json!([shapes::event(&id, ids::GUILD, &asked)]))
        }
        ("POST", ["guilds", _, "scheduled-events"]) => {
            let id = world.id();
            (200, shapes::event(&id, ids::GUILD, body))
        }
        _ => return None,
    })
}

fn members(world: &World, query: &str) -> Value {
    let wanted = query.split('&').find_map(|pair| pair.strip_prefix("query=")).map(form::unescaped);
    let fits = |user: &&Value| {
        let name = user["username"].as_str().unwrap_or_default();
        wanted.as_deref().is_none_or(|wanted| name.starts_with(wanted))
    };
    let found = world.users.values().filter(fits).filter_map(|user| user["id"].as_str());
    json!(found.map(|id| world.member(id)).collect::<Vec<_>>())
}

fn rooms(world: &World) -> Value {
    let fits = |room: &&Value| room["guild_id"] == ids::GUILD && room["type"] != 11;
    json!(world.channels.values().filter(fits).collect::<Vec<_>>())
}

fn make_room(world: &mut World, body: &Value) -> Value {
    let id = world.id();
    let name = body["name"].as_str().unwrap_or_default();
    let mut room = shapes::room(&id, ids::GUILD, body["type"].as_u64().unwrap_or(0), name);
    for field in ["topic", "nsfw", "position", "parent_id"] {
        if let Some(value) = body.get(field) {
            room[field] = value.clone();
        }
    }
    world.channels.insert(id, room.clone());
    world.dispatch("CHANNEL_CREATE", &room);
    room
}

fn change_room(world: &mut World, room: &str, request: &DiscordRequest) -> Answer {
    if request.method == "DELETE" {
        return match world.channels.remove(room) {
            Some(gone) => (200, gone),
            None => missing(10_003, "Unknown Channel"),
        };
    }
    let Some(found) = world.channels.get_mut(room) else { return missing(10_003, "Unknown Channel") };
    for (field, value) in request.body.as_object().into_iter().flatten() {
        match field.as_str() {
            "archived" | "locked" | "auto_archive_duration" => {
                found["thread_metadata"][field] = value.clone()
            }
            _ => found[field] = value.clone(),
        }
    }
    (200, found.clone())
}

fn threads(world: &World, of: Option<&str>) -> Value {
    let fits = |room: &&Value| room["type"] == 11 && of.is_none_or(|of| room["parent_id"] == of);
    let found: Vec<&Value> = world.channels.values().filter(fits).collect();
    json!({ "threads": found, "members": [], "has_more": false })
}

fn search(world: &World, query: &str) -> Value {
    let wanted = query.split('&').find_map(|pair| pair.strip_prefix("content=")).map(form::unescaped);
    let wanted = wanted.unwrap_or_default();
    let fits =
        |message: &&Value| message["content"].as_str().is_some_and(|content| content.contains(&wanted));
    let found: Vec<Value> = world
        .messages
        .values()
        .flatten()
        .filter(fits)
        .map(|message| {
            let mut message = message.clone();
            message["hit"] = json!(true);
            json!([message])
        })
        .collect();
    json!({ "total_results": found.len(), "messages": found, "doing_deep_historical_index": false })
}
