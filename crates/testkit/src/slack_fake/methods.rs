//! What the fake answers: as Slack does, over a small workspace with a channel, two people and us.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Inside, SLACK_APP_TOKEN, SLACK_BOT_TOKEN, SLACK_USER_TOKEN, SlackCall};

/// The methods and their arguments, from Slack's description.
const TABLE: &str = include_str!("../../specs/slack-methods.json");

#[derive(Deserialize)]
struct Method {
    required: Vec<String>,
    optional: Vec<String>,
}

/// The answer to a call.
pub(super) fn answer(inside: &mut Inside, call: &SlackCall) -> Value {
    if let Some(fault) = wrong(call) {
        return fault;
    }
    let argument = |name: &str| call.arguments.get(name).map(String::as_str).unwrap_or_default();
    match call.method.as_str() {
        "auth.test" => json!({
            "ok": true, "url": "https://fake.slack.com/", "team": "Fake", "user": "claw",
            "team_id": "T0FAKE", "user_id": "U0CLAW", "bot_id": "B0CLAW", "is_enterprise_install": false,
        }),
        "apps.connections.open" => {
            let address = inside.address.replace("http://", "ws://");
            json!({ "ok": true, "url": format!("{address}/link/{}", inside.opened) })
        }
        "users.info" => match person(argument("user")) {
            Some(user) => json!({ "ok": true, "user": user }),
            None => refusal("user_not_found"),
        },
        "users.list" => {
            let members = ["U0ANA", "U0BEN", "U0CLAW"].map(person);
            json!({ "ok": true, "members": members, "response_metadata": { "next_cursor": "" } })
        }
        "conversations.info" => match room(argument("channel")) {
            Some(channel) => json!({ "ok": true, "channel": channel }),
            None => refusal("channel_not_found"),
        },
        "conversations.list" => json!({ "ok": true, "channels": [room("C0ROOM")] }),
        "conversations.members" => json!({ "ok": true, "members": ["U0ANA", "U0CLAW"] }),
        "conversations.open" => {
            let id = argument("users").replacen('U', "D", 1);
            json!({ "ok": true, "channel": { "id": id } })
        }
        "conversations.history" | "conversations.replies" => {
            history(inside, argument("channel"), argument("ts"))
        }
        "reactions.get" => json!({ "ok": true, "type": "message", "message": { "reactions": [
            { "name": "eyes", "users": ["U0CLAW", "U0ANA"], "count": 2 },
            { "name": "tada", "users": ["U0ANA"], "count": 1 },
        ] } }),
        "pins.list" => json!({ "ok": true, "items": [{ "type": "message", "message": { "ts": "1.1" } }] }),
        "emoji.list" => json!({ "ok": true, "emoji": { "b": "https://e/b.png", "a": "https://e/a.png" } }),
        "search.messages" => json!({ "ok": true, "messages": { "total": 0, "matches": [] } }),
        _ => write(inside, call),
    }
}

fn write(inside: &mut Inside, call: &SlackCall) -> Value {
    let argument = |name: &str| call.arguments.get(name).map(String::as_str).unwrap_or_default();
    match call.method.as_str() {
        "chat.postMessage" | "chat.startStream" => {
            inside.clock += 1;
            let ts = format!("1800000000.{:06}", inside.clock);
            inside.messages.push(message(&call.arguments, &ts));
            json!({ "ok": true, "channel": argument("channel"), "ts": ts })
        }
        "chat.postEphemeral" => json!({ "ok": true, "message_ts": "1800000000.999999" }),
        "chat.appendStream" | "chat.stopStream" | "chat.update" => {
            let (channel, ts) = (argument("channel").to_owned(), argument("ts").to_owned());
            let found =
                inside.messages.iter_mut().find(|each| each["channel"] == *channel && each["ts"] == *ts);
            let Some(known) = found else { return refusal("message_not_found") };
            // A stream that has ended takes nothing more.
            if call.method.ends_with("Stream") && known["stopped"] == true {
                return refusal("message_not_in_streaming_state");
            }
            change(known, call);
            json!({ "ok": true, "channel": channel, "ts": ts })
        }
        "chat.delete" => {
            let before = inside.messages.len();
            let (channel, ts) = (argument("channel"), argument("ts"));
            inside.messages.retain(|each| each["channel"] != channel || each["ts"] != ts);
            if inside.messages.len() == before { refusal("message_not_found") } else { json!({ "ok": true }) }
        }
        "files.getUploadURLExternal" => {
            inside.clock += 1;
            let file = format!("F0FILE{}", inside.clock);
            json!({ "ok": true, "file_id": file, "upload_url": format!("{}/upload/{file}", inside.address) })
        }
        "files.completeUploadExternal" => {
            let files: Value = serde_json::from_str(argument("files")).expect("files are JSON");
            inside.clock += 1;
            let ts = format!("1800000000.{:06}", inside.clock);
            let mut said = message(&call.arguments, &ts);
            said["channel"] = json!(argument("channel_id"));
            said["text"] = json!(argument("initial_comment"));
            said["files"] = files.clone();
            inside.messages.push(said);
            let share = json!({ argument("channel_id"): [{ "ts": ts }] });
            let id = files[0]["id"].clone();
            json!({ "ok": true, "files": [{ "id": id, "shares": { "public": share } }] })
        }
        "files.info" => json!({ "ok": true, "file": {
            "id": argument("file"), "url_private": format!("{}/files/asked-for", inside.address),
        } }),
        "reactions.add"
        | "reactions.remove"
        | "pins.add"
        | "pins.remove"
        | "files.delete"
        | "assistant.threads.setStatus" => json!({ "ok": true }),
        _ => refusal("unknown_method"),
    }
}

fn message(arguments: &BTreeMap<String, String>, ts: &str) -> Value {
    let mut message = json!({ "type": "message", "user": "U0CLAW", "bot_id": "B0CLAW", "ts": ts });
    if ["markdown_text", "chunks"].iter().any(|name| arguments.contains_key(*name)) {
        message["markdown_text"] = json!(streamed(arguments));
    }
    for name in ["channel", "text", "thread_ts"] {
        if let Some(value) = arguments.get(name) {
            message[name] = json!(value);
        }
    }
    for name in ["metadata", "blocks"] {
        if let Some(value) = arguments.get(name) {
            message[name] = serde_json::from_str(value).expect("structures are JSON");
        }
    }
    message
}

/// The words that a call adds to a stream: as they are, or in pieces.
fn streamed(arguments: &BTreeMap<String, String>) -> String {
    let pieces: Vec<Value> = arguments
        .get("chunks")
        .map(|chunks| serde_json::from_str(chunks).expect("structures are JSON"))
        .unwrap_or_default();
    let words = pieces.iter().filter_map(|piece| piece["text"].as_str());
    arguments.get("markdown_text").map(String::as_str).into_iter().chain(words).collect()
}

fn change(known: &mut Value, call: &SlackCall) {
    match call.method.as_str() {
        "chat.update" => known["text"] = json!(call.arguments.get("text")),
        _ => {
            let before = known["markdown_text"].as_str().unwrap_or_default();
            known["markdown_text"] = json!(format!("{before}{}", streamed(&call.arguments)));
        }
    }
    if let Some(metadata) = call.arguments.get("metadata") {
        known["metadata"] = serde_json::from_str(metadata).expect("structures are JSON");
    }
    // Blocks stay unless others come, and go where none come.
    match call.arguments.get("blocks").map(String::as_str) {
        Some("[]") => drop(known.as_object_mut().and_then(|known| known.remove("blocks"))),
        Some(blocks) => known["blocks"] = serde_json::from_str(blocks).expect("structures are JSON"),
        None => {}
    }
    if call.method == "chat.stopStream" {
        known["stopped"] = json!(true);
    }
}

fn history(inside: &Inside, channel: &str, thread: &str) -> Value {
    let fits = |message: &&Value| {
        let own = message["thread_ts"].as_str();
        message["channel"] == channel
            && if thread.is_empty() { own.is_none() } else { own == Some(thread) || message["ts"] == thread }
    };
    let mut messages: Vec<&Value> = inside.messages.iter().filter(fits).collect();
    if thread.is_empty() {
        messages.reverse();
    }
    json!({ "ok": true, "messages": messages, "has_more": false })
}

fn person(id: &str) -> Option<Value> {
    let (handle, name, is_bot) = match id {
        "U0ANA" => ("ana", "Ana", false),
        "U0BEN" => ("ben", "Ben", false),
        "U0CLAW" => ("claw", "Claw", true),
        _ => return None,
    };
    Some(json!({
        "id": id, "name": handle, "is_bot": is_bot, "deleted": false,
        "profile": { "display_name": name, "real_name": name },
    }))
}

fn room(id: &str) -> Option<Value> {
    match id {
        "C0ROOM" => Some(json!({
            "id": id, "name": "room", "is_channel": true, "is_im": false, "is_mpim": false,
            "topic": { "value": "Tests" }, "purpose": { "value": "" },
        })),
        "C0MANY" => {
            Some(json!({ "id": id, "name": "mpdm-ana--ben--claw-1", "is_mpim": true, "is_group": true }))
        }
        _ => None,
    }
}

/// What is wrong with a call: its token, its method or its arguments.
fn wrong(call: &SlackCall) -> Option<Value> {
    let table: BTreeMap<String, Method> = serde_json::from_str(TABLE).expect("the table is JSON");
    let known = match call.method.as_str() {
        "apps.connections.open" => call.token == SLACK_APP_TOKEN,
        _ => [SLACK_BOT_TOKEN, SLACK_USER_TOKEN].contains(&call.token.as_str()),
    };
    if !known {
        return Some(refusal("invalid_auth"));
    }
    let Some(method) = table.get(&call.method) else { return Some(refusal("unknown_method")) };
    let missing = method.required.iter().find(|name| !call.arguments.contains_key(*name));
    let strange =
        call.arguments.keys().find(|name| !method.required.contains(name) && !method.optional.contains(name));
    let fault = missing.map(|name| format!("missing required field: {name}"));
    let fault = fault.or_else(|| strange.map(|name| format!("unknown field: {name}")))?;
    Some(json!({
        "ok": false, "error": "invalid_arguments", "response_metadata": { "messages": [format!("[ERROR] {fault}")] },
    }))
}

fn refusal(word: &str) -> Value {
    json!({ "ok": false, "error": word })
}
