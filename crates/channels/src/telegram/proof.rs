//! What Telegram claims, held to the suite of all platforms; the other side is the fake Bot API.

use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelKind, WebhookRequest};
use openclaw_testkit::conformance::channel::{Arranged, ChannelProof, Names, Peer, Trouble};
use openclaw_testkit::{BotFailure, TelegramFake, planted_secret, read_html};
use openclaw_types::{Inbound, MediaKind, MediaRef};
use serde_json::{Value, json};

use super::Telegram;
use super::tests::fixtures;

struct Proof;

async fn proof() -> (Arc<Proof>, ()) {
    (Arc::new(Proof), ())
}

openclaw_testkit::channel_conformance!(proof);

/// The names of the recorded updates.
static RECORDINGS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let files = std::fs::read_dir(fixtures::folder()).expect("the folder");
    let paths = files.map(|file| file.expect("a file").path());
    let recorded = paths.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    recorded.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect()
});

#[async_trait]
impl ChannelProof for Proof {
    fn kind(&self) -> Box<dyn ChannelKind> {
        Box::new(Telegram)
    }

    fn section(&self) -> Value {
        json!({
            "name": "Claw", "botToken": planted_secret("bot"), "apiRoot": "https://bots.example",
            "proxy": "socks5://127.0.0.1:1080", "timeoutSeconds": 30, "network": { "autoSelectFamily": true },
            "webhookUrl": "https://a.example/hook", "webhookSecret": planted_secret("hook"), "webhookPath": "/hook",
            "capabilities": { "inlineButtons": "all" }, "actions": { "sticker": true, "createForumTopic": true },
            "customCommands": [{ "command": "backup", "description": "Copies" }], "linkPreview": true,
            "dmPolicy": "allowlist", "allowFrom": ["tg:7001", 7002], "groupPolicy": "allowlist",
            "groupAllowFrom": ["7001"], "defaultTo": -1_001_900, "textChunkLimit": 3000, "historyLimit": 20,
            "mediaMaxMb": 5, "streaming": "partial", "replyToMode": "first", "ackReaction": "👀",
            "groups": { "*": { "requireMention": true }, "-1001900": {
                "requireMention": true, "skills": ["tea"], "topics": { "4": { "enabled": true, "systemPrompt": "Be short" } }
            } }
        })
    }

    fn second_login(&self) -> Value {
        json!({ "botToken": planted_secret("second-bot"), "webhookPath": "/second" })
    }

    fn line_settings(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("botToken", json!({ "botToken": planted_secret("other-bot") })),
            ("apiRoot", json!({ "apiRoot": "https://others.example" })),
            ("proxy", json!({ "proxy": null })),
            ("timeoutSeconds", json!({ "timeoutSeconds": 31 })),
            ("network", json!({ "network": { "autoSelectFamily": false } })),
            ("asking instead of being told", json!({ "webhookUrl": null })),
            ("webhookUrl", json!({ "webhookUrl": "https://b.example/hook" })),
            ("webhookSecret", json!({ "webhookSecret": planted_secret("other-hook") })),
            ("webhookPath", json!({ "webhookPath": "/other" })),
            ("where buttons are used", json!({ "capabilities": { "inlineButtons": "dm" } })),
            ("deeds", json!({ "actions": { "sticker": false, "createForumTopic": true } })),
            ("the menu", json!({ "customCommands": [] })),
            ("previews of links", json!({ "linkPreview": false })),
            ("the rooms that are known", json!({ "groups": { "-1001901": {} } })),
            ("a room that is heard whole", json!({ "groups": { "-1001900": { "requireMention": false } } })),
        ]
    }

    fn other_settings(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("name", json!({ "name": "Paw" })),
            ("who may write", json!({ "dmPolicy": "open", "allowFrom": ["*"] })),
            ("who may talk in rooms", json!({ "groupPolicy": "open", "groupAllowFrom": ["7002"] })),
            ("rules of rooms", json!({ "groups": { "-1001900": { "skills": [], "topics": {} } } })),
            ("how long messages are", json!({ "textChunkLimit": 100 })),
            ("drafts", json!({ "streaming": "off" })),
            ("where things go by default", json!({ "defaultTo": "@ana_lima" })),
            ("how big files are", json!({ "mediaMaxMb": 1 })),
        ]
    }

    fn broken_sections(&self) -> Vec<(Value, &'static str)> {
        let token = planted_secret("bot");
        vec![
            (json!({}), "channels.telegram.botToken"),
            (json!({ "tokenFile": "/nowhere" }), "tokenFile"),
            (json!({ "botToken": 5 }), "botToken"),
            (json!({ "accounts": { "work": {} } }), "accounts.work.botToken"),
            (json!({ "accounts": { "a": { "botToken": token }, "b": { "botToken": token } } }), "same token"),
            (json!({ "botToken": token, "webhookUrl": "https://a.example" }), "webhookSecret"),
            (json!({ "botToken": token, "apiRoot": "bots.example" }), "apiRoot"),
            (json!({ "botToken": token, "customCommands": [{ "command": "a-b" }] }), "customCommands[0]"),
        ]
    }

    fn targets(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("telegram:7001", "7001"),
            ("tg:@ana_lima", "@ana_lima"),
            ("https://t.me/ana_lima", "@ana_lima"),
            ("telegram:group:-1001900:topic:4", "-1001900:topic:4"),
            ("-1001900:4", "-1001900:topic:4"),
            ("-1001900:direct:7", "-1001900:direct:7"),
        ]
    }

    fn wrong_targets(&self) -> Vec<&'static str> {
        vec!["two words", "telegram:", "@", "0", "#room", "7001:topic:x"]
    }

    fn recordings(&self) -> Vec<&'static str> {
        RECORDINGS.iter().map(String::as_str).collect()
    }

    fn hear(&self, recording: &str, names: Names) -> Vec<Inbound> {
        let update = fixtures::read(&fixtures::folder().join(format!("{recording}.json")));
        match names {
            Names::Recorded => fixtures::meaning(&update, "claw_bot"),
            Names::Changed => fixtures::meaning(&fixtures::rename(&update), "claw_bot"),
        }
    }

    fn accepts(&self, markup: &str) -> Result<(), String> {
        read_html(markup).map(|_read| ())
    }

    async fn peer(&self) -> Box<dyn Peer> {
        Box::new(Other { fake: TelegramFake::start().await })
    }
}

/// The platform, and Ana.
struct Other {
    fake: TelegramFake,
}

fn ana() -> Value {
    json!({ "id": 7001, "is_bot": false, "first_name": "Ana", "username": "ana_lima" })
}

fn private() -> Value {
    json!({ "id": 7001, "type": "private", "first_name": "Ana", "username": "ana_lima" })
}

/// The words of a message as people see them.
fn shown(fields: &serde_json::Map<String, Value>) -> String {
    let text = fields["text"].as_str().expect("a text");
    match fields.get("parse_mode") {
        Some(_) => read_html(text).expect("markup").0,
        None => text.to_owned(),
    }
}

#[async_trait]
impl Peer for Other {
    fn section(&self) -> Value {
        json!({ "botToken": self.fake.token(), "apiRoot": self.fake.root() })
    }

    fn to(&self) -> String {
        "7001".to_owned()
    }

    fn room(&self) -> String {
        "-1001900".to_owned()
    }

    async fn file(&self) -> Option<(MediaRef, Vec<u8>)> {
        self.fake.put_file("F1", "documents/file_7.txt", b"a note");
        let media = MediaRef {
            kind: MediaKind::Document,
            handle: "F1".to_owned(),
            name: Some("note.txt".to_owned()),
            media_type: None,
            bytes: None,
        };
        Some((media, b"a note".to_vec()))
    }

    async fn say(&self, text: &str) {
        self.fake.write(&private(), &ana(), text);
    }

    async fn seen(&self, text: &str) -> usize {
        loop {
            let calls = self.fake.calls("sendMessage");
            let count = calls.iter().filter(|call| shown(&call.fields) == text).count();
            if count > 0 {
                return count;
            }
            self.fake.called("sendMessage", calls.len() + 1).await;
        }
    }

    async fn arrange(&self, trouble: Trouble) -> Option<Arranged> {
        let mut section = self.section();
        let (code, words, parameters) = match trouble {
            Trouble::Unauthorized => {
                section["botToken"] = json!(planted_secret("wrong"));
                return Some(Arranged { section, to: None });
            }
            Trouble::RateLimited => {
                (429, "Too Many Requests: retry after 9", Some(json!({ "retry_after": 9 })))
            }
            Trouble::Refused => (403, "Forbidden: bot was blocked by the user", None),
        };
        self.fake.fail("sendMessage", BotFailure::Said { code, words: words.to_owned(), parameters });
        Some(Arranged { section, to: Some(self.to()) })
    }

    async fn request(&self, text: &str) -> Option<(Value, WebhookRequest)> {
        let mut section = self.section();
        section["webhookUrl"] = json!("http://127.0.0.1:1/hook");
        section["webhookSecret"] = json!(planted_secret("hook"));
        let update = json!({ "update_id": 870_000_009, "message": {
            "message_id": 5, "date": 1_760_000_000, "chat": private(), "from": ana(), "text": text
        } });
        let request = WebhookRequest {
            method: "POST".to_owned(),
            query: String::new(),
            headers: vec![("x-telegram-bot-api-secret-token".to_owned(), planted_secret("hook"))],
            body: update.to_string().into_bytes(),
        };
        Some((section, request))
    }
}

impl Drop for Other {
    /// Everything fitted the platform's description.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(self.fake.complaints(), Vec::<String>::new());
        }
    }
}
