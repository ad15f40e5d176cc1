//! What Slack claims, held to the suite of all platforms; the other side is the fake of its Web API and Socket Mode.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use async_trait::async_trait;
use hmac::{Hmac, KeyInit as _, Mac as _};
use openclaw_ports::channel::{ChannelKind, WebhookRequest};
use openclaw_ports::{Clock as _, Deadline, SystemClock, TaskScope};
use openclaw_testkit::conformance::channel::{Arranged, ChannelProof, Names, Peer, Trouble};
use openclaw_testkit::{SLACK_APP_TOKEN, SLACK_BOT_TOKEN, SlackFake, planted_secret, read_mrkdwn};
use openclaw_types::{Inbound, MediaKind, MediaRef};
use serde_json::{Map, Value, json};
use sha2::Sha256;

use super::Slack;
use super::tests::events;

/// How long Slack waits for an acknowledgement before it brings an event again; in truth it is longer.
const AGAIN: Duration = Duration::from_millis(500);

struct Proof;

async fn proof() -> (Arc<Proof>, ()) {
    (Arc::new(Proof), ())
}

openclaw_testkit::channel_conformance!(proof);

static RECORDINGS: LazyLock<Map<String, Value>> = LazyLock::new(events::recordings);

/// The same event after everybody and everything got another name.
fn renamed(value: &Value) -> Value {
    const NAMES: &[&str] = &[
        "name",
        "name_normalized",
        "username",
        "user_name",
        "channel_name",
        "author_name",
        "title",
        "topic",
        "team_domain",
    ];
    // Words of Slack's own that say what kind of conversation it is.
    let own = |text: &str| matches!(text, "directmessage" | "privategroup") || text.starts_with("mpdm-");
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| match value.as_str() {
                Some(text) if NAMES.contains(&key.as_str()) && !own(text) => (key.clone(), json!("other")),
                _ => (key.clone(), renamed(value)),
            })
            .collect(),
        Value::Array(items) => items.iter().map(renamed).collect(),
        other => other.clone(),
    }
}

#[async_trait]
impl ChannelProof for Proof {
    fn kind(&self) -> Box<dyn ChannelKind> {
        Box::new(Slack)
    }

    fn section(&self) -> Value {
        json!({
            "name": "Claw", "mode": "http", "botToken": planted_secret("bot"), "appToken": planted_secret("app"),
            "userToken": planted_secret("person"), "userTokenReadOnly": true,
            "signingSecret": planted_secret("signing"), "webhookPath": "/slack/here",
            "slashCommand": { "enabled": true, "name": "claw", "ephemeral": true },
            "commands": { "native": true }, "thread": { "initialHistoryLimit": 10 }, "nativeStreaming": true,
            "replyToMode": "off", "actions": { "pins": true }, "dmPolicy": "allowlist", "allowFrom": ["U0ANA"],
            "groupPolicy": "allowlist", "dm": { "groupEnabled": true, "groupChannels": ["G0MANY"] },
            "channels": { "C0ROOM": { "requireMention": true, "users": ["U0ANA"], "systemPrompt": "Be short" } },
            "textChunkLimit": 3000, "historyLimit": 10, "mediaMaxMb": 5, "streaming": "partial",
            "defaultTo": "channel:C0ROOM", "reactionNotifications": "own"
        })
    }

    fn second_login(&self) -> Value {
        json!({
            "botToken": planted_secret("second-bot"), "signingSecret": planted_secret("second-signing"),
            "webhookPath": "/slack/there"
        })
    }

    fn line_settings(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("mode", json!({ "mode": "socket" })),
            ("botToken", json!({ "botToken": planted_secret("other-bot") })),
            ("appToken", json!({ "appToken": planted_secret("other-app") })),
            ("userToken", json!({ "userToken": planted_secret("other-person") })),
            ("userTokenReadOnly", json!({ "userTokenReadOnly": false })),
            ("signingSecret", json!({ "signingSecret": planted_secret("other-signing") })),
            ("webhookPath", json!({ "webhookPath": "/slack/there" })),
            ("the command", json!({ "slashCommand": { "enabled": true, "name": "paw", "ephemeral": true } })),
            (
                "who sees answers to commands",
                json!({ "slashCommand": { "enabled": true, "name": "claw", "ephemeral": false } }),
            ),
            ("other commands", json!({ "commands": { "native": false } })),
            ("how much of a thread is told", json!({ "thread": { "initialHistoryLimit": 5 } })),
            ("streams", json!({ "nativeStreaming": false })),
            ("which answers go into threads", json!({ "replyToMode": "all" })),
            ("actions", json!({ "actions": { "pins": false } })),
        ]
    }

    fn other_settings(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("name", json!({ "name": "Paw" })),
            ("who may write", json!({ "dmPolicy": "open", "allowFrom": ["*"] })),
            ("who may write together", json!({ "dm": { "groupEnabled": false } })),
            ("who may talk in rooms", json!({ "groupPolicy": "open", "channels": { "*": {} } })),
            ("how long messages are", json!({ "textChunkLimit": 100 })),
            ("drafts", json!({ "streaming": "off" })),
            (
                "what threads begin with",
                json!({ "thread": { "initialHistoryLimit": 10, "inheritParent": true } }),
            ),
            ("where things go by default", json!({ "defaultTo": "user:U0ANA" })),
            ("how big files are", json!({ "mediaMaxMb": 1 })),
            ("which reactions are told", json!({ "reactionNotifications": "off" })),
        ]
    }

    fn broken_sections(&self) -> Vec<(Value, &'static str)> {
        let bot = planted_secret("bot");
        vec![
            (json!({}), "channels.slack.botToken"),
            (json!({ "botToken": bot }), "channels.slack.appToken"),
            (json!({ "botToken": bot, "mode": "http" }), "channels.slack.signingSecret"),
            (json!({ "botToken": [] }), "botToken: "),
            (json!({ "accounts": { "work": { "appToken": bot } } }), "accounts.work.botToken"),
            (
                json!({ "botToken": bot, "appToken": bot, "accounts": { "work": {} } }),
                "\"default\" has the same token: give channels.slack.accounts.work.botToken",
            ),
        ]
    }

    fn targets(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("slack:U0ANA", "user:U0ANA"),
            ("<@U0ANA>", "user:U0ANA"),
            ("<#C0ROOM|room>", "channel:C0ROOM"),
            ("slack:channel:c0room", "channel:C0ROOM"),
            ("#General", "channel:#general"),
            ("ephemeral:C0ROOM:U0ANA", "ephemeral:C0ROOM:U0ANA"),
        ]
    }

    fn wrong_targets(&self) -> Vec<&'static str> {
        vec!["@ana", "user:ana", "two words", "slack:", "ephemeral:C1", "ephemeral:x:y"]
    }

    fn recordings(&self) -> Vec<&'static str> {
        RECORDINGS.keys().map(String::as_str).collect()
    }

    fn hear(&self, recording: &str, names: Names) -> Vec<Inbound> {
        let called = match names {
            Names::Recorded => Value::clone,
            Names::Changed => renamed,
        };
        events::neutral(&RECORDINGS[recording], called).into_iter().collect()
    }

    fn accepts(&self, markup: &str) -> Result<(), String> {
        read_mrkdwn(markup)
    }

    async fn peer(&self) -> Box<dyn Peer> {
        let (fake, said) = (Arc::new(SlackFake::start().await), AtomicUsize::new(100));
        Box::new(Other { fake, said, tasks: TaskScope::root("slack") })
    }
}

/// The platform, and Ana.
struct Other {
    fake: Arc<SlackFake>,
    said: AtomicUsize,
    tasks: TaskScope,
}

impl Other {
    /// A message of Ana's as Slack brings it.
    fn event(&self, text: &str) -> Value {
        let number = self.said.fetch_add(1, Ordering::SeqCst);
        let ts = format!("1763280000.000{number}");
        let event = json!({
            "type": "message", "user": "U0ANA", "text": text, "ts": ts, "channel": "D0ANA", "channel_type": "im",
            "event_ts": ts,
        });
        json!({
            "type": "event_callback", "team_id": "T0FAKE", "api_app_id": "A0FAKE", "event_id": format!("Ev{number}"),
            "event": event,
        })
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        self.tasks.cancel();
    }
}

/// The words of a message as people see them, where nothing in it is marked.
fn shown(message: &Value) -> String {
    let text = message["text"].as_str().unwrap_or_default();
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

#[async_trait]
impl Peer for Other {
    fn section(&self) -> Value {
        json!({ "botToken": SLACK_BOT_TOKEN, "appToken": SLACK_APP_TOKEN })
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        vec![("SLACK_API_URL", self.fake.root())]
    }

    fn to(&self) -> String {
        "user:U0ANA".to_owned()
    }

    fn room(&self) -> String {
        "channel:C0ROOM".to_owned()
    }

    async fn file(&self) -> Option<(MediaRef, Vec<u8>)> {
        let media = MediaRef {
            kind: MediaKind::Document,
            handle: self.fake.file("note"),
            name: Some("note.txt".to_owned()),
            media_type: None,
            bytes: None,
        };
        Some((media, b"the bytes of the file".to_vec()))
    }

    /// Slack brings an event again until it is acknowledged.
    async fn say(&self, text: &str) {
        let (fake, event) = (Arc::clone(&self.fake), self.event(text));
        self.tasks.start_cancellable("delivery", async move {
            let clock = SystemClock::new();
            loop {
                let envelope = fake.send("events_api", event.clone()).await;
                let known = fake.acknowledged(&envelope);
                if Deadline::after(&clock, AGAIN).bound(&clock, known).await.is_ok() {
                    return;
                }
            }
        });
    }

    async fn seen(&self, text: &str) -> usize {
        let clock = SystemClock::new();
        loop {
            let messages = self.fake.messages("D0ANA");
            let count = messages.iter().filter(|message| shown(message) == text).count();
            if count > 0 {
                return count;
            }
            clock.sleep(Duration::from_millis(10)).await;
        }
    }

    async fn arrange(&self, trouble: Trouble) -> Option<Arranged> {
        let mut section = self.section();
        match trouble {
            Trouble::Unauthorized => {
                section["botToken"] = json!(planted_secret("wrong"));
                return Some(Arranged { section, to: None });
            }
            Trouble::RateLimited => self.fake.rate_limit("chat.postMessage", 7),
            Trouble::Refused => self.fake.refuse("chat.postMessage", "is_archived"),
        }
        Some(Arranged { section, to: Some(self.to()) })
    }

    async fn request(&self, text: &str) -> Option<(Value, WebhookRequest)> {
        let (secret, body) = (planted_secret("signing"), self.event(text).to_string());
        let time = (SystemClock::new().now().0 / 1000).to_string();
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key");
        mac.update(format!("v0:{time}:{body}").as_bytes());
        let signature = format!("v0={}", hex::encode(mac.finalize().into_bytes()));
        let headers = [
            ("content-type", "application/json".to_owned()),
            ("x-slack-signature", signature),
            ("x-slack-request-timestamp", time),
        ];
        let request = WebhookRequest {
            method: "POST".to_owned(),
            query: String::new(),
            headers: headers.map(|(name, value)| (name.to_owned(), value)).to_vec(),
            body: body.into_bytes(),
        };
        let section = json!({ "mode": "http", "botToken": SLACK_BOT_TOKEN, "signingSecret": secret });
        Some((section, request))
    }
}
