//! What IRC claims, held to the suite of all platforms; the other side is a real ngircd.

#[path = "../../tests/ngircd/mod.rs"]
#[expect(dead_code, reason = "the tests on real sockets use more of it")]
mod ngircd;

use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelKind, WebhookRequest};
use openclaw_testkit::conformance::channel::{Arranged, ChannelProof, Names, Peer, Trouble};
use openclaw_testkit::{planted_secret, read_codes};
use openclaw_types::Inbound;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use self::ngircd::{Client, Server};
use super::Irc;
use super::tests::recorded;

struct Proof;

async fn proof() -> (Arc<Proof>, ()) {
    (Arc::new(Proof), ())
}

openclaw_testkit::channel_conformance!(proof);

#[async_trait]
impl ChannelProof for Proof {
    fn kind(&self) -> Box<dyn ChannelKind> {
        Box::new(Irc)
    }

    fn section(&self) -> Value {
        json!({
            "host": "irc.example", "port": 6697, "tls": true, "nick": "claw", "username": "claw", "realname": "Claw",
            "password": planted_secret("server"), "channels": ["#kitchen", "&local"],
            "nickserv": { "enabled": true, "service": "NickServ", "password": planted_secret("nickserv"),
                "register": true, "registerEmail": "claw@a.example" },
            "dmPolicy": "allowlist", "allowFrom": ["ana!ana@host.example"], "groupPolicy": "allowlist",
            "groupAllowFrom": ["bob!~bob@10.0.0.7"], "groups": { "#kitchen": { "requireMention": true } },
            "textChunkLimit": 300, "historyLimit": 20
        })
    }

    fn second_login(&self) -> Value {
        json!({ "nick": "paw", "username": "paw" })
    }

    fn line_settings(&self) -> Vec<(&'static str, Value)> {
        let nickserv = self.section()["nickserv"].clone();
        let with = |key: &str, value: Value| {
            let mut nickserv = nickserv.clone();
            nickserv[key] = value;
            json!({ "nickserv": nickserv })
        };
        vec![
            ("host", json!({ "host": "other.example" })),
            ("port", json!({ "port": 7000 })),
            ("tls", json!({ "tls": false })),
            ("nick", json!({ "nick": "paw" })),
            ("username", json!({ "username": "paw" })),
            ("realname", json!({ "realname": "Paw" })),
            ("password", json!({ "password": planted_secret("server-two") })),
            ("rooms", json!({ "channels": ["#garden"] })),
            ("nickserv.password", with("password", json!(planted_secret("nickserv-two")))),
            ("nickserv.service", with("service", json!("Q"))),
            ("nickserv.enabled", with("enabled", json!(false))),
            ("nickserv.registerEmail", with("registerEmail", json!("paw@a.example"))),
        ]
    }

    fn other_settings(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("name", json!({ "name": "Claw" })),
            ("who may write", json!({ "dmPolicy": "open", "allowFrom": ["*"] })),
            ("rules of rooms", json!({ "groups": { "#kitchen": { "requireMention": false } } })),
            ("who may talk in rooms", json!({ "groupPolicy": "open", "groupAllowFrom": ["*"] })),
            ("how long messages are", json!({ "textChunkLimit": 100 })),
            ("where things go by default", json!({ "defaultTo": "#kitchen" })),
        ]
    }

    fn broken_sections(&self) -> Vec<(Value, &'static str)> {
        vec![
            (json!({}), "channels.irc.host"),
            (json!({ "host": "irc.example" }), "channels.irc.nick"),
            (json!({ "host": "irc.example", "nick": "claw", "passwordFile": "/nowhere" }), "password"),
            (json!({ "accounts": { "work": { "host": "irc.example" } } }), "accounts.work.nick"),
        ]
    }

    fn targets(&self) -> Vec<(&'static str, &'static str)> {
        vec![("irc:#Kitchen", "#kitchen"), ("channel:kitchen", "#kitchen"), ("user:Ana", "Ana")]
    }

    fn wrong_targets(&self) -> Vec<&'static str> {
        vec!["two words", "irc:", "#a,#b"]
    }

    fn recordings(&self) -> Vec<&'static str> {
        recorded::NAMES.iter().map(String::as_str).collect()
    }

    /// A line holds no name beside ids: a nick is a part of who somebody is, a room's name is the room.
    fn hear(&self, recording: &str, _names: Names) -> Vec<Inbound> {
        let line = recorded::read(recording)["line"].as_str().expect("a line").to_owned();
        recorded::meaning(recording, &line).into_iter().collect()
    }

    fn accepts(&self, markup: &str) -> Result<(), String> {
        read_codes(markup)
    }

    async fn peer(&self) -> Box<dyn Peer> {
        let server = Server::start(None).await;
        let closed = Server::start(Some("sesame")).await;
        let ana = Mutex::new(Client::join(&server, "ana", "#room").await);
        Box::new(Other { server, closed, ana })
    }
}

struct Other {
    server: Server,
    /// One that wants a password.
    closed: Server,
    ana: Mutex<Client>,
}

fn section(server: &Server) -> Value {
    json!({ "host": "127.0.0.1", "port": server.port, "tls": false, "nick": "claw" })
}

#[async_trait]
impl Peer for Other {
    fn section(&self) -> Value {
        section(&self.server)
    }

    fn to(&self) -> String {
        "ana".to_owned()
    }

    async fn say(&self, text: &str) {
        self.ana.lock().await.say(&format!("PRIVMSG claw :{text}")).await;
    }

    async fn seen(&self, text: &str) -> usize {
        self.ana.lock().await.until(text).await;
        1
    }

    async fn arrange(&self, trouble: Trouble) -> Option<Arranged> {
        match trouble {
            Trouble::Unauthorized => {
                let mut section = section(&self.closed);
                section["password"] = json!(planted_secret("wrong"));
                Some(Arranged { section, to: None })
            }
            // A server that finds us too quick closes the line.
            Trouble::RateLimited => None,
            Trouble::Refused => Some(Arranged { section: self.section(), to: Some("nobody".to_owned()) }),
        }
    }

    async fn request(&self, _text: &str) -> Option<(Value, WebhookRequest)> {
        None
    }
}
