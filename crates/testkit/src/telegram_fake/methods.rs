//! What each method does and answers, with the refusals of the real platform, in its words.

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::Deadline;
use serde_json::{Map, Value, json};

use super::html::read_html;
use super::{Hook, Inside, World};

/// How a call ended.
pub(super) enum Outcome {
    Done(Value),
    No { code: u16, words: String },
}

pub(super) async fn answer(inside: &Arc<Inside>, method: &str, fields: &Map<String, Value>) -> Outcome {
    match method {
        "getMe" => Outcome::Done(us()),
        "getUpdates" => updates(inside, fields).await,
        "setWebhook" => set_webhook(inside, fields),
        "deleteWebhook" => {
            inside.world().webhook = None;
            Outcome::Done(json!(true))
        }
        "getWebhookInfo" => {
            let world = inside.world();
            let url = world.webhook.as_ref().map(|hook| hook.url.clone()).unwrap_or_default();
            Outcome::Done(json!({
                "url": url, "has_custom_certificate": false, "pending_update_count": world.updates.waiting()
            }))
        }
        "sendMessageDraft" => match chat_number(fields) {
            Some(id) if id > 0 => {
                words(fields, "text", 4096).map_or_else(|no| no, |_| Outcome::Done(json!(true)))
            }
            _ => bad("TEXTDRAFT_PEER_INVALID"),
        },
        "setMyCommands" => set_commands(inside, fields),
        "deleteMyCommands" => {
            inside.world().commands.clear();
            Outcome::Done(json!(true))
        }
        "getMyCommands" => Outcome::Done(json!(inside.world().commands)),
        "editMessageText" => edit(inside, fields, "text"),
        "editMessageCaption" => edit(inside, fields, "caption"),
        "deleteMessage" => match message_key(fields) {
            Some(key) if inside.world().messages.remove(&key).is_some() => Outcome::Done(json!(true)),
            _ => bad("message to delete not found"),
        },
        "getFile" => file(inside, fields),
        "getChat" => chat_info(inside, fields),
        "getChatMember" => Outcome::Done(json!({ "status": "member", "user": us() })),
        "getChatAdministrators" => Outcome::Done(json!([{
            "status": "creator", "is_anonymous": false,
            "user": { "id": 7001, "is_bot": false, "first_name": "Ana", "username": "ana_lima" }
        }])),
        "createForumTopic" => Outcome::Done(json!({
            "message_thread_id": 77, "name": fields.get("name"), "icon_color": 7_322_096
        })),
        "sendMediaGroup" => album(inside, fields),
        name if name.starts_with("send") && name != "sendChatAction" => send(inside, name, fields),
        _ => Outcome::Done(json!(true)),
    }
}

fn us() -> Value {
    json!({
        "id": 4242, "is_bot": true, "first_name": "Claw", "username": "claw_bot", "can_join_groups": true,
        "can_read_all_group_messages": false, "supports_inline_queries": false
    })
}

/// Waits for updates. Somebody who asks while another waits takes their place; the other is told so.
async fn updates(inside: &Arc<Inside>, fields: &Map<String, Value>) -> Outcome {
    let number = |name: &str| fields.get(name).and_then(Value::as_i64);
    let asker = {
        let mut world = inside.world();
        if world.webhook.is_some() {
            return conflict(
                "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
            );
        }
        world.updates.tell(fields.get("allowed_updates"));
        if let Some(offset) = number("offset") {
            world.updates.confirm(offset);
        }
        world.updates.asker += 1;
        world.updates.asker
    };
    inside.changed.notify_waiters();
    let most = number("limit").and_then(|most| usize::try_from(most).ok()).unwrap_or(100).clamp(1, 100);
    let patience = number("timeout").and_then(|timeout| u64::try_from(timeout).ok()).unwrap_or(0);
    let clock = inside.clock.as_ref();
    let deadline = Deadline::after(clock, Duration::from_secs(patience.min(50)));
    loop {
        let changed = inside.changed.notified();
        tokio::pin!(changed);
        changed.as_mut().enable();
        let first = {
            let world = inside.world();
            if world.updates.asker != asker {
                return conflict(
                    "terminated by other getUpdates request; make sure that only one bot instance is running",
                );
            }
            world.updates.first(most)
        };
        if !first.is_empty() {
            return Outcome::Done(json!(first));
        }
        if deadline.bound(clock, changed).await.is_err() {
            return Outcome::Done(json!([]));
        }
    }
}

fn set_webhook(inside: &Arc<Inside>, fields: &Map<String, Value>) -> Outcome {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    let url = text("url").unwrap_or_default();
    {
        let mut world = inside.world();
        world.updates.tell(fields.get("allowed_updates"));
        world.webhook = (!url.is_empty()).then(|| Hook { url, secret: text("secret_token") });
    }
    inside.changed.notify_waiters();
    Outcome::Done(json!(true))
}

fn set_commands(inside: &Arc<Inside>, fields: &Map<String, Value>) -> Outcome {
    let commands = fields.get("commands").and_then(Value::as_array).cloned().unwrap_or_default();
    if commands.len() > 100 {
        return bad("BOT_COMMANDS_TOO_MUCH");
    }
    let fits = |command: &Value| {
        let name = command["command"].as_str().unwrap_or_default();
        let letters = name
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_');
        letters && (1..=32).contains(&name.len())
    };
    if !commands.iter().all(fits) {
        return bad("BOT_COMMAND_INVALID");
    }
    inside.world().commands = commands;
    Outcome::Done(json!(true))
}

/// Sends a message of any kind.
fn send(inside: &Arc<Inside>, method: &str, fields: &Map<String, Value>) -> Outcome {
    let mut world = inside.world();
    let Some(chat) = chat(&world, fields) else { return bad("chat not found") };
    let id = chat["id"].as_i64().unwrap_or_default();
    if id < 0 && fields.get("message_thread_id") == Some(&json!(1)) {
        return bad("message thread not found");
    }
    if let Err(no) = keyboard(fields) {
        return no;
    }
    let mut message = json!({ "date": inside.seconds(), "chat": chat, "from": us() });
    if let Some(thread) = fields.get("message_thread_id") {
        message["message_thread_id"] = thread.clone();
        message["is_topic_message"] = json!(true);
    }
    let (field, most) = if method == "sendMessage" { ("text", 4096) } else { ("caption", 1024) };
    match (words(fields, field, most), method) {
        (Err(no), "sendMessage") => return no,
        (Err(no), _) if fields.contains_key("caption") => return no,
        (Err(_), _) => {}
        (Ok((text, entities)), _) => {
            message[field] = json!(text);
            if !entities.is_empty() {
                let name = if field == "text" { "entities" } else { "caption_entities" };
                message[name] = json!(entities);
            }
        }
    }
    if let Err(no) = content(method, fields, &mut message) {
        return no;
    }
    world.last_message += 1;
    let number = world.last_message;
    message["message_id"] = json!(number);
    world.messages.insert((id, number), message.clone());
    Outcome::Done(message)
}

/// Sends several files as one album: all of them, or none.
fn album(inside: &Arc<Inside>, fields: &Map<String, Value>) -> Outcome {
    let items = fields.get("media").and_then(Value::as_array).cloned().unwrap_or_default();
    if !(2..=10).contains(&items.len()) {
        return bad("message must contain from 2 to 10 media");
    }
    let method = |item: &Value| match item["type"].as_str() {
        Some("photo") => Some("sendPhoto"),
        Some("video") => Some("sendVideo"),
        Some("audio") => Some("sendAudio"),
        Some("document") => Some("sendDocument"),
        _ => None,
    };
    let Some(methods) = items.iter().map(method).collect::<Option<Vec<_>>>() else {
        return bad("can't parse InputMedia: Field \"type\" must be of a known type");
    };
    let alone = |method: &&str| matches!(*method, "sendAudio" | "sendDocument");
    if methods.iter().any(|each| alone(each) && methods.iter().any(|other| other != each)) {
        return bad("documents and audio can't be mixed with other media types");
    }
    let (mut sent, mut group) = (Vec::new(), None);
    for (item, method) in items.iter().zip(methods) {
        let mut own = fields.clone();
        own.remove("media");
        own.extend(item.as_object().cloned().unwrap_or_default());
        let mut message = match send(inside, method, &own) {
            Outcome::Done(message) => message,
            no @ Outcome::No { .. } => return no,
        };
        let number = message["message_id"].clone();
        message["media_group_id"] = json!(group.get_or_insert(number).to_string());
        if let Some(key) = message["chat"]["id"].as_i64().zip(message["message_id"].as_i64()) {
            inside.world().messages.insert(key, message.clone());
        }
        sent.push(message);
    }
    Outcome::Done(Value::Array(sent))
}

/// What a message shows beside words.
fn content(method: &str, fields: &Map<String, Value>, message: &mut Value) -> Result<(), Outcome> {
    let file = json!({ "file_id": format!("SENT-{method}"), "file_unique_id": "S1" });
    let with = |more: Value| {
        let mut all = file.as_object().cloned().unwrap_or_default();
        all.extend(more.as_object().cloned().unwrap_or_default());
        Value::Object(all)
    };
    let (name, value) = match method {
        "sendPhoto" => ("photo", json!([with(json!({ "width": 8, "height": 8 }))])),
        "sendAnimation" => ("animation", with(json!({ "width": 8, "height": 8, "duration": 1 }))),
        "sendVideo" => ("video", with(json!({ "width": 8, "height": 8, "duration": 1 }))),
        "sendVideoNote" => ("video_note", with(json!({ "length": 8, "duration": 1 }))),
        "sendAudio" => ("audio", with(json!({ "duration": 1 }))),
        "sendVoice" => ("voice", with(json!({ "duration": 1 }))),
        "sendDocument" => ("document", with(json!({}))),
        "sendSticker" => (
            "sticker",
            with(
                json!({ "type": "regular", "width": 8, "height": 8, "is_animated": false, "is_video": false }),
            ),
        ),
        "sendPoll" => {
            let options = fields.get("options").and_then(Value::as_array).cloned().unwrap_or_default();
            if !(1..=12).contains(&options.len()) {
                return Err(bad("poll must have from 1 to 12 options"));
            }
            ("poll", poll(fields, &options))
        }
        _ => return Ok(()),
    };
    message[name] = value;
    Ok(())
}

fn poll(fields: &Map<String, Value>, options: &[Value]) -> Value {
    let options: Vec<Value> = options
        .iter()
        .enumerate()
        .map(|(number, option)| {
            json!({ "persistent_id": number.to_string(), "text": option["text"], "voter_count": 0 })
        })
        .collect();
    json!({
        "id": "poll-1", "question": fields["question"], "options": options, "total_voter_count": 0,
        "is_closed": false, "is_anonymous": fields.get("is_anonymous").and_then(Value::as_bool).unwrap_or(true),
        "type": "regular", "allows_revoting": true, "members_only": false,
        "allows_multiple_answers": fields.get("allows_multiple_answers").and_then(Value::as_bool).unwrap_or(false)
    })
}

fn edit(inside: &Arc<Inside>, fields: &Map<String, Value>, field: &str) -> Outcome {
    let most = if field == "text" { 4096 } else { 1024 };
    let (text, entities) = match words(fields, field, most) {
        Ok(read) => read,
        Err(no) => return no,
    };
    let mut world = inside.world();
    let Some(message) = message_key(fields).and_then(|key| world.messages.get_mut(&key)) else {
        return bad("message to edit not found");
    };
    if field == "text" && message.get("text").is_none() {
        return bad("there is no text in the message to edit");
    }
    let name = if field == "text" { "entities" } else { "caption_entities" };
    let old = message.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    if message[field] == json!(text) && old == entities {
        return bad(
            "message is not modified: specified new message content and reply markup are exactly the same as a current \
             content and reply markup of the message",
        );
    }
    message[field] = json!(text);
    if entities.is_empty() {
        message.as_object_mut().and_then(|message| message.remove(name));
    } else {
        message[name] = json!(entities);
    }
    Outcome::Done(message.clone())
}

fn file(inside: &Arc<Inside>, fields: &Map<String, Value>) -> Outcome {
    let id = fields.get("file_id").and_then(Value::as_str).unwrap_or_default();
    match inside.world().files.get(id) {
        Some((_, bytes)) if bytes.len() > 20 * 1024 * 1024 => bad("file is too big"),
        Some((path, bytes)) => Outcome::Done(json!({
            "file_id": id, "file_unique_id": "U", "file_size": bytes.len(), "file_path": path
        })),
        None => bad("wrong file_id or the file is temporarily unavailable"),
    }
}

fn chat_info(inside: &Arc<Inside>, fields: &Map<String, Value>) -> Outcome {
    let Some(mut chat) = chat(&inside.world(), fields) else { return bad("chat not found") };
    chat["accent_color_id"] = json!(0);
    chat["max_reaction_count"] = json!(11);
    chat["accepted_gift_types"] = json!({
        "unlimited_gifts": false, "limited_gifts": false, "unique_gifts": false, "premium_subscription": false,
        "gifts_from_channels": false
    });
    Outcome::Done(chat)
}

/// The chat a call names: one that something happened in, else one made up from its number.
fn chat(world: &World, fields: &Map<String, Value>) -> Option<Value> {
    match fields.get("chat_id")? {
        Value::String(name) if name.starts_with('@') => {
            let handle = name.trim_start_matches('@').to_lowercase();
            let named =
                |chat: &&Value| chat["username"].as_str().is_some_and(|name| name.to_lowercase() == handle);
            world.chats.values().find(|chat| named(chat) && chat["type"] != "private").cloned()
        }
        other => {
            let id = other.as_i64().or_else(|| other.as_str()?.parse().ok())?;
            Some(world.chats.get(&id).cloned().unwrap_or_else(|| match id > 0 {
                true => json!({ "id": id, "type": "private", "first_name": "Somebody" }),
                false => json!({ "id": id, "type": "supergroup", "title": "Some group" }),
            }))
        }
    }
}

fn chat_number(fields: &Map<String, Value>) -> Option<i64> {
    fields.get("chat_id")?.as_i64()
}

fn message_key(fields: &Map<String, Value>) -> Option<(i64, i64)> {
    Some((chat_number(fields)?, fields.get("message_id")?.as_i64()?))
}

/// The words of a call, read as its markup says.
fn words(fields: &Map<String, Value>, name: &str, most: usize) -> Result<(String, Vec<Value>), Outcome> {
    let raw = fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let (text, entities) = match fields.get("parse_mode").and_then(Value::as_str) {
        Some("HTML") => read_html(raw).map_err(|wrong| bad(&wrong))?,
        Some(other) => return Err(bad(&format!("unsupported parse_mode {other}"))),
        None => (raw.to_owned(), Vec::new()),
    };
    if text.trim().is_empty() {
        return Err(bad("message text is empty"));
    }
    if text.encode_utf16().count() > most {
        return Err(bad(if name == "text" { "message is too long" } else { "message caption is too long" }));
    }
    Ok((text, entities))
}

fn keyboard(fields: &Map<String, Value>) -> Result<(), Outcome> {
    let rows = fields.get("reply_markup").and_then(|markup| markup.get("inline_keyboard")?.as_array());
    for button in rows.into_iter().flatten().filter_map(Value::as_array).flatten() {
        let data = button["callback_data"].as_str().unwrap_or_default();
        if !(1..=64).contains(&data.len()) {
            return Err(bad("BUTTON_DATA_INVALID"));
        }
    }
    Ok(())
}

fn bad(words: &str) -> Outcome {
    Outcome::No { code: 400, words: format!("Bad Request: {words}") }
}

fn conflict(words: &str) -> Outcome {
    Outcome::No { code: 409, words: format!("Conflict: {words}") }
}
