//! The fake's API: every request is held against the description first, every answer after.

use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::form;
use super::guild;
use super::shapes;
use super::world::{DiscordRequest, TOKEN, World, ids};

/// An answer: a status and a body.
pub(super) type Answer = (u16, Value);

pub(super) async fn serve(
    State(world): State<Arc<Mutex<World>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response {
    let mut world = world.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(file) = uri.path().strip_prefix("/files/") {
        return (StatusCode::OK, [("content-type", "image/png")], file.as_bytes().to_vec()).into_response();
    }
    let Some(path) = uri.path().strip_prefix("/api/v10") else {
        return (StatusCode::NOT_FOUND, "").into_response();
    };
    let path = &form::unescaped(path);
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (body, files) = form::read(header("content-type"), &bytes);
    let request = DiscordRequest {
        method: method.to_string(),
        path: path.to_owned(),
        query: uri.query().unwrap_or_default().to_owned(),
        body: body.clone().unwrap_or_default(),
        files,
    };
    world.requests.push(request.clone());
    let open = path.starts_with("/webhooks/") || path.starts_with("/interactions/");
    if !open && header("authorization") != format!("Bot {TOKEN}") {
        return answer(401, &[], &json!({ "message": "401: Unauthorized", "code": 0 }));
    }
    if !header("user-agent").starts_with("DiscordBot (") {
        world.complaints.push(format!("the program names itself {}", header("user-agent")));
    }
    let trouble =
        world.troubles.iter().position(|trouble| format!("{method} {path}").starts_with(&trouble.to));
    let trouble = trouble.and_then(|at| world.troubles.remove(at));
    if let Some(trouble) = trouble.as_ref().filter(|trouble| !trouble.lands) {
        return answer(trouble.status, &trouble.headers, &trouble.body);
    }
    let (status, body) = checked(&mut world, &request, body.as_ref());
    match trouble {
        Some(trouble) => answer(trouble.status, &trouble.headers, &trouble.body),
        None => {
            let headers = limits(&mut world, &request);
            answer(status, &headers, &body)
        }
    }
}

fn checked(world: &mut World, request: &DiscordRequest, body: Option<&Value>) -> Answer {
    let Some(operation) = world.contract.operation(&request.method, &request.path) else {
        world.complaints.push(format!("there is no {} {}", request.method, request.path));
        return missing(0, "404: Not Found");
    };
    let wrong = world.contract.request(&operation, &request.query, body);
    let strangers = body.map(|body| world.contract.strangers(&operation, body)).unwrap_or_default();
    world.strangers.extend(strangers);
    if !wrong.is_empty() {
        let told = json!({ "message": "Invalid Form Body", "code": 50035, "errors": {} });
        world.complaints.extend(wrong);
        return (400, told);
    }
    let (status, body) = act(world, request);
    if status < 300 {
        let wrong = world.contract.answer(&operation, status, &body);
        world.complaints.extend(wrong);
    }
    (status, body)
}

/// The platform says with every answer how many messages may still be made.
fn limits(world: &mut World, request: &DiscordRequest) -> Vec<(String, String)> {
    let Some((most, seconds)) = world.manners.window else { return Vec::new() };
    if request.method != "POST" || !request.path.ends_with("/messages") {
        return Vec::new();
    }
    world.used += 1;
    let left = most.saturating_sub(world.used);
    [
        ("x-ratelimit-bucket", "messages".to_owned()),
        ("x-ratelimit-limit", most.to_string()),
        ("x-ratelimit-remaining", left.to_string()),
        ("x-ratelimit-reset-after", seconds.to_string()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

fn act(world: &mut World, request: &DiscordRequest) -> Answer {
    let parts: Vec<&str> = request.path.split('/').filter(|part| !part.is_empty()).collect();
    match (request.method.as_str(), parts.as_slice()) {
        ("GET", ["users", "@me"]) => (200, me(world)),
        ("GET", ["applications", "@me"]) => {
            (200, shapes::application(ids::APPLICATION, world.flags, &world.users[ids::ANA]))
        }
        ("GET", ["gateway", "bot"]) => (200, gateway(world)),
        ("POST", ["users", "@me", "channels"]) => direct(world, &request.body),
        ("GET", ["channels", room]) => found(world.channels.get(*room).cloned(), 10_003, "Unknown Channel"),
        ("GET", ["channels", room, "messages"]) => (200, page(world, room, &request.query)),
        ("POST", ["channels", room, "messages"]) => send(world, room, request),
        ("GET", ["channels", room, "messages", "pins"]) => (200, pins(world, room)),
        ("PUT" | "DELETE", ["channels", room, "messages", "pins", message]) => {
            pin(world, room, message, request.method == "PUT")
        }
        ("GET", ["channels", room, "messages", message]) => {
            found(world.find(room, message).cloned(), 10_008, "Unknown Message")
        }
        ("PATCH", ["channels", room, "messages", message]) => edit(world, room, message, &request.body),
        ("DELETE", ["channels", room, "messages", message]) => remove(world, room, message),
        ("PUT" | "DELETE", ["channels", room, "messages", message, "reactions", emoji, "@me"]) => {
            react(world, (room, message), emoji, request.method == "PUT")
        }
        ("POST", ["channels", room, "typing"]) => {
            (if world.channels.contains_key(*room) { 204 } else { 404 }, Value::Null)
        }
        ("POST", ["channels", room, "threads"]) => post(world, room, request),
        ("POST", ["channels", room, "messages", message, "threads"]) => {
            thread_at(world, room, message, &request.body)
        }
        ("GET", ["applications", _, "commands"]) => (200, json!(world.commands)),
        ("PUT", ["applications", _, "commands"]) => commands(world, &request.body),
        ("POST", ["interactions", id, token, "callback"]) => callback(world, id, token),
        (_, ["webhooks", _, token, rest @ ..]) => webhook(world, token, rest, request),
        (_, parts) => guild::act(world, request, parts).unwrap_or_else(|| missing(0, "404: Not Found")),
    }
}

/// Messages of a room, the newest first: those right after one, else the last.
fn page(world: &World, room: &str, query: &str) -> Value {
    let number = |name: &str| -> Option<u64> {
        query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
    };
    let id = |message: &Value| message["id"].as_str().and_then(|id| id.parse::<u64>().ok()).unwrap_or(0);
    let most = number("limit").and_then(|most| usize::try_from(most).ok()).unwrap_or(50);
    let all = world.messages.get(room).into_iter().flatten();
    let mut found: Vec<&Value> =
        all.filter(|message| number("after").is_none_or(|after| id(message) > after)).collect();
    match number("after") {
        Some(_) => found.truncate(most),
        None => drop(found.drain(..found.len().saturating_sub(most))),
    }
    found.reverse();
    // What a message was named by is told to those who hear it alone.
    let unnamed = found.into_iter().map(|message| {
        let mut message = message.clone();
        message.as_object_mut().expect("it is an object").remove("nonce");
        message
    });
    unnamed.collect()
}

fn me(world: &World) -> Value {
    let mut us = world.users[ids::US].clone();
    us["mfa_enabled"] = json!(false);
    us["locale"] = json!("en-US");
    us
}

fn gateway(world: &World) -> Value {
    let limit = json!({ "total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1 });
    json!({ "url": format!("ws://{}/gateway", world.address), "shards": 1, "session_start_limit": limit })
}

fn direct(world: &mut World, body: &Value) -> Answer {
    let Some(user) = body["recipient_id"].as_str().and_then(|id| world.users.get(id)).cloned() else {
        return missing(10_013, "Unknown User");
    };
    let known = world.channels.values().find(|room| room["recipients"][0]["id"] == user["id"]).cloned();
    let chat = known.unwrap_or_else(|| {
        let id = world.id();
        shapes::direct(&id, &user)
    });
    let id = chat["id"].as_str().unwrap_or_default().to_owned();
    world.channels.insert(id, chat.clone());
    (200, chat)
}

fn send(world: &mut World, room: &str, request: &DiscordRequest) -> Answer {
    let asked = &request.body;
    let Some(kind) = world.channels.get(room).map(|room| room["type"].clone()) else {
        return missing(10_003, "Unknown Channel");
    };
    if kind == 15 {
        return (400, json!({ "message": "Cannot send messages in a non-text channel", "code": 50008 }));
    }
    let empty = asked["content"].as_str().is_none_or(str::is_empty)
        && request.files.is_empty()
        && !asked["poll"].is_object()
        && !asked["sticker_ids"].is_array()
        && asked["components"][0]["type"] != 17;
    if empty {
        return (400, json!({ "message": "Cannot send an empty message", "code": 50006 }));
    }
    let nonce = asked["nonce"].as_str().filter(|_| asked["enforce_nonce"] == true);
    let key = nonce.map(|nonce| format!("{room}/{nonce}"));
    if let Some(known) = key.as_ref().and_then(|key| world.nonces.get(key))
        && let Some(message) = world.find(room, known)
    {
        return (200, message.clone());
    }
    let message = made(world, room, request);
    if let Some(key) = key {
        world.nonces.insert(key, message["id"].as_str().unwrap_or_default().to_owned());
    }
    world.add_message(message.clone());
    (200, message)
}

/// A message of ours.
fn made(world: &mut World, room: &str, request: &DiscordRequest) -> Value {
    let id = world.id();
    let address = world.address.clone();
    let files: Vec<Value> = request
        .files
        .iter()
        .map(|(name, bytes)| {
            let url = format!("http://{address}/files/{name}");
            json!({ "id": world.id(), "filename": name, "size": bytes.len(), "url": url, "proxy_url": url })
        })
        .collect();
    shapes::answered(&id, &request.body, (room, &world.users[ids::US]), &files)
}

/// The message is made of components.
const COMPONENTS: u64 = 1 << 15;

fn edit(world: &mut World, room: &str, message: &str, body: &Value) -> Answer {
    let Some(found) = world.find_mut(room, message) else { return missing(10_008, "Unknown Message") };
    if found["author"]["id"] != ids::US {
        return (403, json!({ "message": "Cannot edit a message authored by another user", "code": 50005 }));
    }
    // A message made of components has no plain words, and keeps being made of them.
    let is_boxed = found["flags"].as_u64().unwrap_or(0) & COMPONENTS != 0;
    if is_boxed && body.get("content").is_some_and(|content| !content.is_null()) {
        let complaint = json!({ "code": "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", "message": "The 'content' field cannot be used" });
        let errors = json!({ "content": { "_errors": [complaint] } });
        return (400, json!({ "message": "Invalid Form Body", "code": 50035, "errors": errors }));
    }
    for field in ["content", "components"] {
        if let Some(new) = body.get(field).filter(|new| !new.is_null()) {
            found[field] = new.clone();
        }
    }
    found["edited_timestamp"] = json!("2026-01-02T03:05:05.678000+00:00");
    let event = found.clone();
    let told = world.as_event(event.clone(), room);
    world.dispatch("MESSAGE_UPDATE", &told);
    (200, event)
}

fn remove(world: &mut World, room: &str, message: &str) -> Answer {
    if world.find(room, message).is_none() {
        return missing(10_008, "Unknown Message");
    }
    world.messages.entry(room.to_owned()).or_default().retain(|each| each["id"] != message);
    world.dispatch("MESSAGE_DELETE", &json!({ "id": message, "channel_id": room }));
    (204, Value::Null)
}

fn react(world: &mut World, (room, message): (&str, &str), emoji: &str, sets: bool) -> Answer {
    let Some(found) = world.find_mut(room, message) else { return missing(10_008, "Unknown Message") };
    let mut reactions: Vec<Value> = found["reactions"].as_array().cloned().unwrap_or_default();
    reactions.retain(|each| each["emoji"]["name"] != emoji);
    if sets {
        reactions.push(json!({
            "emoji": { "id": null, "name": emoji }, "count": 1, "count_details": { "burst": 0, "normal": 1 },
            "burst_colors": [], "me_burst": false, "me": true,
        }));
    }
    found["reactions"] = json!(reactions);
    (204, Value::Null)
}

fn pins(world: &World, room: &str) -> Value {
    let pinned = world.messages.get(room).into_iter().flatten().filter(|message| message["pinned"] == true);
    let items: Vec<Value> = pinned
        .map(|message| json!({ "pinned_at": "2026-01-02T03:04:05+00:00", "message": message }))
        .collect();
    json!({ "items": items, "has_more": false })
}

fn pin(world: &mut World, room: &str, message: &str, pins: bool) -> Answer {
    match world.find_mut(room, message) {
        Some(found) => {
            found["pinned"] = json!(pins);
            (204, Value::Null)
        }
        None => missing(10_008, "Unknown Message"),
    }
}

fn thread_at(world: &mut World, room: &str, message: &str, body: &Value) -> Answer {
    if world.find(room, message).is_none() {
        return missing(10_008, "Unknown Message");
    }
    if world.channels.contains_key(message) {
        let told =
            json!({ "message": "A thread has already been created for this message", "code": 160_004 });
        return (400, told);
    }
    let thread = make_thread(world, message, room, body);
    (201, thread)
}

fn post(world: &mut World, room: &str, request: &DiscordRequest) -> Answer {
    let id = world.id();
    let mut thread = make_thread(world, &id, room, &request.body);
    if request.body["message"].is_object() {
        let inner = DiscordRequest { body: request.body["message"].clone(), ..request.clone() };
        let mut message = made(world, &id, &inner);
        // The first message of a post has the id of the post.
        message["id"] = json!(id);
        world.add_message(message.clone());
        thread["message"] = message;
    }
    (201, thread)
}

fn make_thread(world: &mut World, id: &str, room: &str, body: &Value) -> Value {
    let name = body["name"].as_str().unwrap_or_default();
    let thread = shapes::thread(id, ids::GUILD, room, name, ids::US);
    world.channels.insert(id.to_owned(), thread.clone());
    world.dispatch("THREAD_CREATE", &thread);
    thread
}

fn commands(world: &mut World, body: &Value) -> Answer {
    let mut made = Vec::new();
    for command in body.as_array().into_iter().flatten() {
        let mut command = command.clone();
        command["id"] = json!(world.id());
        command["application_id"] = json!(ids::APPLICATION);
        command["version"] = json!(world.id());
        command["default_member_permissions"] = Value::Null;
        command["type"] = json!(command["type"].as_u64().unwrap_or(1));
        made.push(command);
    }
    world.commands.clone_from(&made);
    (200, Value::Array(made))
}

fn callback(world: &mut World, id: &str, token: &str) -> Answer {
    match world.interactions.get(token) {
        None => missing(10_062, "Unknown interaction"),
        Some((known, _)) if known != id => missing(10_062, "Unknown interaction"),
        Some((_, Some(_))) => {
            (400, json!({ "message": "Interaction has already been acknowledged.", "code": 40_060 }))
        }
        Some((_, None)) => {
            world.interactions.insert(token.to_owned(), (id.to_owned(), Some("@original".to_owned())));
            (204, Value::Null)
        }
    }
}

fn webhook(world: &mut World, token: &str, rest: &[&str], request: &DiscordRequest) -> Answer {
    if !matches!(world.interactions.get(token), Some((_, Some(_)))) {
        return missing(10_015, "Unknown Webhook");
    }
    let message = made(world, ids::GENERAL, request);
    match (request.method.as_str(), rest) {
        ("POST", []) | ("PATCH", ["messages", "@original"]) => {
            world.messages.entry(format!("interaction {token}")).or_default().push(message.clone());
            (200, message)
        }
        ("DELETE", ["messages", "@original"]) => {
            world.interactions.remove(token);
            (204, Value::Null)
        }
        ("PATCH", ["messages", id]) => {
            let Some(found) = world.find_mut(&format!("interaction {token}"), id) else {
                return missing(10_008, "Unknown Message");
            };
            found["content"] = request.body["content"].clone();
            (200, found.clone())
        }
        _ => missing(0, "404: Not Found"),
    }
}

fn found(value: Option<Value>, code: u64, said: &str) -> Answer {
    value.map_or_else(|| missing(code, said), |value| (200, value))
}

pub(super) fn missing(code: u64, said: &str) -> Answer {
    (404, json!({ "message": said, "code": code }))
}

fn answer(status: u16, headers: &[(String, String)], body: &Value) -> Response {
    let text = if body.is_null() { String::new() } else { body.to_string() };
    let kind = if body.is_null() { "text/html; charset=utf-8" } else { "application/json" };
    let mut answer = Response::builder().status(status).header("content-type", kind);
    for (name, value) in headers {
        answer = answer.header(name, value);
    }
    answer.body(text.into()).expect("the answer is sound")
}
