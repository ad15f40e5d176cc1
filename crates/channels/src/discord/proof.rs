//! What Discord claims, held to the suite of all platforms; the other side is the fake of its API and gateway.

use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelKind, WebhookRequest};
use openclaw_testkit::conformance::channel::{Arranged, ChannelProof, Names, Peer, Trouble};
use openclaw_testkit::discord_fake::{self, DiscordFake, TOKEN, ids, read_marks};
use openclaw_testkit::planted_secret;
use openclaw_types::{Inbound, MediaKind, MediaRef};
use serde_json::{Value, json};

use super::Discord;
use super::tests::recorded;

struct Proof;

async fn proof() -> (Arc<Proof>, ()) {
    (Arc::new(Proof), ())
}

openclaw_testkit::channel_conformance!(proof);

/// The recorded events, by their place below the folder.
static RECORDINGS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut found = Vec::new();
    recorded::files(&recorded::folder(), &mut found);
    let name = |path: std::path::PathBuf| {
        path.strip_prefix(recorded::folder()).map(|path| path.display().to_string())
    };
    found.into_iter().map(|path| name(path).expect("it is below the folder")).collect()
});

/// The same event after everybody and everything got another name.
fn renamed(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| {
                let name = matches!(key.as_str(), "username" | "global_name" | "nick" | "name" | "topic")
                    && value.is_string();
                (key.clone(), if name { json!("other") } else { renamed(value) })
            })
            .collect(),
        Value::Array(items) => items.iter().map(renamed).collect(),
        other => other.clone(),
    }
}

#[async_trait]
impl ChannelProof for Proof {
    fn kind(&self) -> Box<dyn ChannelKind> {
        Box::new(Discord)
    }

    fn section(&self) -> Value {
        json!({
            "name": "Claw", "token": planted_secret("bot"), "proxy": "http://127.0.0.1:3128",
            "intents": { "presence": true, "guildMembers": true }, "slashCommand": { "ephemeral": true },
            "activity": "listening", "activityType": 2, "status": "idle", "actions": { "reactions": true },
            "dmPolicy": "allowlist", "allowFrom": [ids::ANA], "groupPolicy": "allowlist",
            "dm": { "enabled": true, "groupEnabled": true }, "defaultTo": format!("channel:{}", ids::GENERAL),
            "textChunkLimit": 1500, "maxLinesPerMessage": 30, "historyLimit": 10, "mediaMaxMb": 5,
            "replyToMode": "first", "streaming": "partial",
            "guilds": { ids::GUILD: {
                "requireMention": true, "users": [ids::ANA], "reactionNotifications": "own",
                "channels": { ids::GENERAL: { "allow": true, "autoThread": false, "systemPrompt": "Be short" } }
            } }
        })
    }

    fn second_login(&self) -> Value {
        json!({ "token": planted_secret("second-bot") })
    }

    fn line_settings(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("token", json!({ "token": planted_secret("other-bot") })),
            ("proxy", json!({ "proxy": null })),
            ("what is told of people", json!({ "intents": { "presence": false, "guildMembers": true } })),
            ("who joins", json!({ "intents": { "presence": true, "guildMembers": false } })),
            ("activity", json!({ "activity": "thinking" })),
            ("activityType", json!({ "activityType": 3 })),
            ("status", json!({ "status": "online" })),
            ("who sees answers to commands", json!({ "slashCommand": { "ephemeral": false } })),
            ("actions", json!({ "actions": { "reactions": false } })),
            (
                "which reactions are told",
                json!({ "guilds": { ids::GUILD: { "reactionNotifications": "off" } } }),
            ),
        ]
    }

    fn other_settings(&self) -> Vec<(&'static str, Value)> {
        let mut guilds = self.section()["guilds"].clone();
        guilds[ids::GUILD]["users"] = json!([ids::BEN]);
        guilds[ids::GUILD]["channels"][ids::GENERAL]["systemPrompt"] = json!("Be long");
        vec![
            ("name", json!({ "name": "Paw" })),
            ("who may write", json!({ "dmPolicy": "open", "allowFrom": ["*"] })),
            ("who may write together", json!({ "dm": { "groupEnabled": false }, "groupPolicy": "open" })),
            ("who may talk in rooms", json!({ "guilds": guilds })),
            ("how long messages are", json!({ "textChunkLimit": 100, "maxLinesPerMessage": 5 })),
            ("where things go by default", json!({ "defaultTo": "user:1" })),
            ("how big files are", json!({ "mediaMaxMb": 1 })),
        ]
    }

    fn broken_sections(&self) -> Vec<(Value, &'static str)> {
        vec![
            (json!({}), "channels.discord.token"),
            (json!({ "token": 5 }), "token"),
            (json!({ "token": "Bot " }), "channels.discord.token"),
            (json!({ "accounts": { "work": {} } }), "accounts.work.token"),
            (json!({ "token": planted_secret("bot"), "accounts": { "work": {} } }), "accounts.work.token"),
            (
                json!({ "token": planted_secret("bot"), "accounts": { "work": { "token": planted_secret("bot") } } }),
                "\"default\" has the same token",
            ),
        ]
    }

    fn targets(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("Channel: 12", "channel:12"),
            ("discord:12", "user:12"),
            ("<@!12>", "user:12"),
            ("<#12>", "channel:12"),
            ("discord:channel:12:thread:34", "channel:12:thread:34"),
            ("user:12:interaction:34", "user:12:interaction:34"),
            ("channel:12:interaction:34:only:5", "channel:12:interaction:34:only:5"),
        ]
    }

    fn wrong_targets(&self) -> Vec<&'static str> {
        vec![
            "12",
            "#general",
            "discord:",
            "channel:12:thread:x",
            "channel:12:interaction:3:only:",
            "channel:../users",
            "two words",
        ]
    }

    fn recordings(&self) -> Vec<&'static str> {
        RECORDINGS.iter().map(String::as_str).collect()
    }

    fn hear(&self, recording: &str, names: Names) -> Vec<Inbound> {
        let recorded = recorded::recording(&recorded::folder().join(recording));
        let called = match names {
            Names::Recorded => Value::clone,
            Names::Changed => renamed,
        };
        recorded::neutral(&recorded, called).into_iter().collect()
    }

    fn accepts(&self, markup: &str) -> Result<(), String> {
        read_marks(markup)
    }

    async fn peer(&self) -> Box<dyn Peer> {
        Box::new(Other { fake: DiscordFake::start().await })
    }
}

/// The platform, and Ana.
struct Other {
    fake: DiscordFake,
}

/// The words of a message as people see them, where nothing in it is marked.
fn shown(message: &Value) -> String {
    let mut words = String::new();
    let mut letters = message["content"].as_str().expect("words").chars();
    while let Some(letter) = letters.next() {
        words.push(if letter == '\\' { letters.next().expect("a sign is escaped") } else { letter });
    }
    words
}

#[async_trait]
impl Peer for Other {
    fn section(&self) -> Value {
        json!({ "token": TOKEN })
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        vec![("OPENCLAW_DISCORD_API", self.fake.root())]
    }

    fn to(&self) -> String {
        format!("user:{}", ids::ANA)
    }

    fn room(&self) -> String {
        format!("channel:{}", ids::GENERAL)
    }

    async fn file(&self) -> Option<(MediaRef, Vec<u8>)> {
        let root = self.fake.root().replace("/api/v10", "");
        let media = MediaRef {
            kind: MediaKind::Image,
            handle: format!("{root}/files/picture"),
            name: Some("a.png".to_owned()),
            media_type: None,
            bytes: None,
        };
        Some((media, b"picture".to_vec()))
    }

    async fn say(&self, text: &str) {
        self.fake.say(ids::DIRECT, ids::ANA, text);
    }

    async fn seen(&self, text: &str) -> usize {
        let times = |fake: &DiscordFake| {
            let messages = fake.messages(ids::DIRECT);
            messages
                .iter()
                .filter(|message| message["author"]["id"] == ids::US && shown(message) == text)
                .count()
        };
        self.fake.until(|fake| times(fake) > 0).await;
        times(&self.fake)
    }

    async fn arrange(&self, trouble: Trouble) -> Option<Arranged> {
        let (status, headers, body) = match trouble {
            Trouble::Unauthorized => {
                return Some(Arranged { section: json!({ "token": planted_secret("wrong") }), to: None });
            }
            Trouble::RateLimited => (
                429,
                vec![("retry-after".to_owned(), "7".to_owned())],
                json!({ "message": "You are being rate limited.", "retry_after": 7.5, "global": true }),
            ),
            Trouble::Refused => {
                (403, Vec::new(), json!({ "message": "Cannot send messages to this user", "code": 50007 }))
            }
        };
        let to = format!("POST /channels/{}/messages", ids::DIRECT);
        self.fake.fail(discord_fake::Trouble { to, status, headers, body, lands: false });
        Some(Arranged { section: self.section(), to: Some(self.to()) })
    }

    /// Events come over the gateway alone.
    async fn request(&self, _text: &str) -> Option<(Value, WebhookRequest)> {
        None
    }
}

impl Drop for Other {
    /// Everything fitted the platform's description.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(self.fake.complaints(), Vec::<String>::new());
            assert_eq!(self.fake.strangers(), Vec::<String>::new());
        }
    }
}
