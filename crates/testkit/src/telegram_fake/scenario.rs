//! One story that every client lives through: ours in its tests, and one that others wrote in `cargo xtask peers`.
//!
//! Somebody writes words that ask for something; the client does it as a bot would. What a client does on which words:
//! `hello` answers `hi` to the message, again after the pause it is told where that is too fast; `ask` sends `May I?` with
//! the buttons `yes` and `no`, and a press is answered and changes that message to `Approved`; `file` sends `a.txt` with
//! `look` below it; `album` sends the pictures `one.png` and `two.png` as one message with `both` below them, and changes
//! those words to `*both* & more` in bold; `poll` asks `Tea?` where votes are seen; `topic` makes the topic `Roses` in the group and writes
//! `in it` there; `like` reacts with 👍 and takes that back; `oops` sends `wrong` and takes it back; a picture is answered
//! with what is in its file.

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::Deadline;
use serde_json::{Value, json};

use super::{BotCall, BotFailure, Inside, World};

/// The person, and the group.
const ANA: i64 = 7001;
const GROUP: i64 = -1_001_900;
/// How long a step may take.
const STEP: Duration = Duration::from_secs(20);

/// Plays the story with a client that asks for updates. The error says what did not happen, or what did not fit.
pub(super) async fn play(inside: &Arc<Inside>) -> Result<(), String> {
    let story = Story { inside };
    story
        .until("the client asks", |world| world.calls.iter().any(|call| call.method == "getUpdates"))
        .await?;
    story.greets().await?;
    let slow = json!({ "retry_after": 1 });
    let failure = BotFailure::Said {
        code: 429,
        words: "Too Many Requests: retry after 1".into(),
        parameters: Some(slow),
    };
    inside.world().failures.entry("sendMessage".into()).or_default().push_back(failure);
    story.greets().await?;
    story.asks().await?;
    story.shows().await?;
    story.takes_back().await?;
    let complaints = inside.world().complaints.join("\n");
    if complaints.is_empty() { Ok(()) } else { Err(complaints) }
}

struct Story<'a> {
    inside: &'a Arc<Inside>,
}

impl Story<'_> {
    async fn greets(&self) -> Result<(), String> {
        let asked = self.write("hello");
        let answers = move |call: &&BotCall| {
            call.fields.get("text") == Some(&json!("hi"))
                && call.fields.get("reply_parameters").is_some_and(|reply| reply["message_id"] == asked)
        };
        let before = self.inside.world().messages.values().filter(|message| message["text"] == "hi").count();
        self.until("an answer to hello", |world| {
            let sent = world.messages.values().filter(|message| message["text"] == "hi").count();
            sent > before && calls(world, "sendMessage").any(|call| answers(&call))
        })
        .await
    }

    async fn asks(&self) -> Result<(), String> {
        self.write("ask");
        let asked = |world: &World| found(world, ANA, "May I?").cloned();
        self.until("a question", |world| asked(world).is_some()).await?;
        let message = asked(&self.inside.world()).unwrap_or_default();
        let keyboard = self.until("buttons", |world| {
            calls(world, "sendMessage").any(|call| {
                let rows = &call.fields.get("reply_markup").map(|markup| markup["inline_keyboard"].clone());
                let data = |at: usize| rows.as_ref().map(|rows| rows[0][at]["callback_data"].clone());
                data(0) == Some(json!("yes")) && data(1) == Some(json!("no"))
            })
        });
        keyboard.await?;
        self.inside.happen(json!({ "callback_query": {
            "id": "9", "from": ana(), "chat_instance": "1", "data": "yes", "message": message
        } }));
        self.until("an answer to the press", |world| calls(world, "answerCallbackQuery").next().is_some())
            .await?;
        self.until("the question to change", |world| found(world, ANA, "Approved").is_some()).await
    }

    async fn shows(&self) -> Result<(), String> {
        self.write("file");
        let carries = |call: &BotCall| {
            let file = call.files.first();
            file.is_some_and(|file| file.name == "a.txt" && file.bytes == b"some bytes")
                && call.fields.get("caption") == Some(&json!("look"))
        };
        self.until("a file", |world| calls(world, "sendDocument").any(carries)).await?;
        self.album().await?;
        self.write("poll");
        let polled = |message: &Value| {
            message["poll"]["question"] == "Tea?" && message["poll"]["is_anonymous"] == json!(false)
        };
        self.until("a poll", |world| world.messages.values().any(polled)).await?;
        self.write("topic");
        let inside = |message: &Value| {
            message["text"] == "in it" && message["message_thread_id"] == 77 && message["chat"]["id"] == GROUP
        };
        self.until("words in a topic", |world| world.messages.values().any(inside)).await?;
        self.inside.world().files.insert("F1".into(), ("photos/file_1.jpg".into(), b"picture".to_vec()));
        let photo = json!([{ "file_id": "F1", "file_unique_id": "U1", "width": 9, "height": 9 }]);
        let mut update = self.inside.message(&alone(), &ana(), "");
        update["message"]["photo"] = photo;
        update["message"].as_object_mut().expect("it is an object").remove("text");
        self.inside.happen(update);
        self.until("what is in the file", |world| found(world, ANA, "picture").is_some()).await
    }

    async fn album(&self) -> Result<(), String> {
        self.write("album");
        let together = |call: &BotCall| {
            let names: Vec<&str> = call.files.iter().map(|file| file.name.as_str()).collect();
            let media = call.fields.get("media").cloned().unwrap_or_default();
            names == ["one.png", "two.png"]
                && (&media[0]["type"], &media[0]["caption"]) == (&json!("photo"), &json!("both"))
        };
        self.until("an album", |world| calls(world, "sendMediaGroup").any(together)).await?;
        let changed = |message: &Value| {
            message["media_group_id"].is_string()
                && message["caption"] == "*both* & more"
                && message["caption_entities"] == json!([{ "type": "bold", "offset": 0, "length": 6 }])
        };
        self.until("other words below the album", |world| {
            calls(world, "editMessageCaption").next().is_some() && world.messages.values().any(changed)
        })
        .await
    }

    async fn takes_back(&self) -> Result<(), String> {
        let liked = self.write("like");
        self.until("a reaction that is taken back", |world| {
            let reactions: Vec<&Value> = calls(world, "setMessageReaction")
                .filter(|call| call.fields.get("message_id") == Some(&liked))
                .filter_map(|call| call.fields.get("reaction"))
                .collect();
            reactions == [&json!([{ "type": "emoji", "emoji": "👍" }]), &json!([])]
        })
        .await?;
        self.write("oops");
        self.until("a message that is taken back", |world| {
            calls(world, "deleteMessage").next().is_some() && found(world, ANA, "wrong").is_none()
        })
        .await
    }

    /// Somebody writes. Gives the number of the message.
    fn write(&self, text: &str) -> Value {
        let update = self.inside.message(&alone(), &ana(), text);
        let number = update["message"]["message_id"].clone();
        self.inside.happen(update);
        number
    }

    /// Waits until something is so.
    async fn until(&self, what: &str, is_so: impl Fn(&World) -> bool) -> Result<(), String> {
        let clock = self.inside.clock.as_ref();
        let waiting = async {
            loop {
                let changed = self.inside.changed.notified();
                tokio::pin!(changed);
                changed.as_mut().enable();
                if is_so(&self.inside.world()) {
                    return;
                }
                changed.await;
            }
        };
        let waited = Deadline::after(clock, STEP).bound(clock, waiting).await;
        waited.map_err(|_late| format!("waited in vain for {what}"))
    }
}

fn calls<'a>(world: &'a World, method: &'a str) -> impl Iterator<Item = &'a BotCall> {
    world.calls.iter().filter(move |call| call.method == method)
}

/// The message with these words.
fn found<'a>(world: &'a World, chat: i64, text: &str) -> Option<&'a Value> {
    world
        .messages
        .iter()
        .find(|((id, _), message)| *id == chat && message["text"] == text)
        .map(|(_, found)| found)
}

fn ana() -> Value {
    json!({ "id": ANA, "is_bot": false, "first_name": "Ana", "username": "ana_lima" })
}

fn alone() -> Value {
    json!({ "id": ANA, "type": "private", "first_name": "Ana", "username": "ana_lima" })
}
