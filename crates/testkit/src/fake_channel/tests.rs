//! The fake is held to the same suite as the real platforms.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelError, ChannelKind, WebhookRequest};
use openclaw_ports::{Clock as _, SystemClock, TaskScope};
use openclaw_types::{
    Inbound, InboundKind, MediaKind, MediaRef, NativeCommand, Press, Quoted, Reaction, ThreadId, UnixMillis,
};
use serde_json::{Value, json};

use super::{FakePlatform, SendFailure};
use crate::conformance::channel::{Arranged, ChannelProof, Names, Peer, Trouble};
use crate::planted_secret;

struct Proof;

async fn proof() -> (Arc<Proof>, ()) {
    (Arc::new(Proof), ())
}

crate::channel_conformance!(proof);

#[async_trait]
impl ChannelProof for Proof {
    fn kind(&self) -> Box<dyn ChannelKind> {
        // A peer of a case shares its platform with the kind; cases without one need none.
        PLATFORM.with(FakePlatform::kind)
    }

    fn section(&self) -> Value {
        json!({ "token": planted_secret("fake"), "allowFrom": ["ana"], "dmPolicy": "open", "groupPolicy": "open" })
    }

    fn second_login(&self) -> Value {
        json!({ "token": planted_secret("second") })
    }

    fn line_settings(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("token", json!({ "token": planted_secret("other") })),
            ("webhook", json!({ "webhook": "/hook" })),
        ]
    }

    fn other_settings(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("allowFrom", json!({ "allowFrom": ["bob"] })),
            ("textLimit", json!({ "textLimit": 10 })),
            ("dmPolicy", json!({ "dmPolicy": "disabled" })),
        ]
    }

    fn broken_sections(&self) -> Vec<(Value, &'static str)> {
        vec![(json!({}), "channels.fake"), (json!({ "accounts": { "": {} } }), "account")]
    }

    fn targets(&self) -> Vec<(&'static str, &'static str)> {
        vec![("ana", "ana"), (" fake:ana ", "ana")]
    }

    fn wrong_targets(&self) -> Vec<&'static str> {
        vec!["fake:"]
    }

    fn recordings(&self) -> Vec<&'static str> {
        vec![
            "direct",
            "room",
            "answer with a file",
            "press",
            "edited",
            "command",
            "reaction",
            "reaction taken back",
            "happening",
        ]
    }

    fn hear(&self, recording: &str, names: Names) -> Vec<Inbound> {
        let mut event = FakePlatform::direct("default", "ana", recording, "hello", UnixMillis(1));
        event.from.name = Some(if names == Names::Changed { "Other" } else { "Ana" }.to_owned());
        match recording {
            "room" => vec![FakePlatform::in_room("default", "kitchen", event)],
            "answer with a file" => vec![answer_with_a_file(event)],
            "press" => {
                let press = Press { data: "yes".to_owned(), on: event.message.clone() };
                vec![Inbound { kind: InboundKind::Press(press), ..event }]
            }
            "edited" => vec![Inbound { kind: InboundKind::Edited, ..event }],
            "command" => {
                let command = NativeCommand { name: "status".to_owned(), arguments: String::new() };
                vec![Inbound { kind: InboundKind::Command(command), ..event }]
            }
            "reaction" | "reaction taken back" => {
                let removed = recording != "reaction";
                let on = event.message.clone().expect("a message");
                let reaction = Reaction { emoji: "👍".to_owned(), on, on_ours: true, removed };
                vec![Inbound { kind: InboundKind::Reaction(reaction), ..event }]
            }
            "happening" => vec![Inbound { kind: InboundKind::Happening, ..event }],
            _ => vec![event],
        }
    }

    fn accepts(&self, _markup: &str) -> Result<(), String> {
        Ok(())
    }

    async fn peer(&self) -> Box<dyn Peer> {
        Box::new(Other { platform: PLATFORM.with(Clone::clone), tasks: TaskScope::root("fake platform") })
    }
}

fn answer_with_a_file(mut event: Inbound) -> Inbound {
    event.place.thread = ThreadId::new("7").ok();
    event.reply = Some(Quoted {
        message: event.message.clone(),
        from: None,
        text: "what?".to_owned(),
        part: false,
        media: Vec::new(),
    });
    event.media = vec![MediaRef {
        kind: MediaKind::Image,
        handle: "picture".to_owned(),
        name: None,
        media_type: None,
        bytes: None,
    }];
    event
}

thread_local! {
    // Each test has a thread and a runtime of its own.
    static PLATFORM: FakePlatform = FakePlatform::new();
}

struct Other {
    platform: FakePlatform,
    tasks: TaskScope,
}

#[async_trait]
impl Peer for Other {
    fn section(&self) -> Value {
        Proof.section()
    }

    fn to(&self) -> String {
        "ana".to_owned()
    }

    async fn file(&self) -> Option<(MediaRef, Vec<u8>)> {
        self.platform.file("note", b"a note");
        let media = MediaRef {
            kind: MediaKind::Document,
            handle: "note".to_owned(),
            name: None,
            media_type: None,
            bytes: None,
        };
        Some((media, b"a note".to_vec()))
    }

    async fn say(&self, text: &str) {
        let event = FakePlatform::direct("default", "ana", text, text, SystemClock::new().now());
        let platform = self.platform.clone();
        self.tasks.start("delivery", async move {
            while platform.receive(event.clone()).await.is_err() {
                tokio::task::yield_now().await;
            }
        });
    }

    async fn seen(&self, text: &str) -> usize {
        self.platform.words_to("ana").iter().filter(|words| *words == text).count()
    }

    async fn arrange(&self, trouble: Trouble) -> Option<Arranged> {
        let error = match trouble {
            Trouble::Unauthorized => {
                return Some(Arranged { section: json!({ "token": "revoked" }), to: None });
            }
            Trouble::RateLimited => ChannelError::RateLimited { after: Duration::from_secs(3) },
            Trouble::Refused => ChannelError::Refused { reason: "there is nobody of that name".to_owned() },
        };
        self.platform.fail(SendFailure::Before(error));
        Some(Arranged { section: self.section(), to: Some(self.to()) })
    }

    async fn request(&self, text: &str) -> Option<(Value, WebhookRequest)> {
        let mut section = self.section();
        section["webhook"] = json!("/hook");
        let request = WebhookRequest {
            method: "POST".to_owned(),
            query: String::new(),
            headers: vec![("x-fake-token".to_owned(), planted_secret("fake"))],
            body: json!({ "event": "1", "from": "ana", "text": text }).to_string().into_bytes(),
        };
        Some((section, request))
    }
}
