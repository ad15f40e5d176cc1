//! Our IRC line on a real ngircd, with a plain client as the other side; what needs services is on a real InspIRCd.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails where something is wrong")]

mod inspircd;
mod ngircd;

use std::sync::{Arc, Mutex};

use openclaw_channels::kinds;
use openclaw_ports::channel::{
    ChannelContext, ChannelError, ChannelKind, Health, HealthSink, NotTaken, Sink, Surface,
};
use openclaw_ports::{SystemClock, TaskScope};
use openclaw_stores::memory::MemoryStateStore;
use openclaw_testkit::AsWritten;
use openclaw_types::{AccountId, ChannelId, Inbound, Outgoing, PiecePayload, RichText, SendTarget};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::inspircd::Network;
use crate::ngircd::{Client, Server, within};

#[derive(Default)]
struct Told(Mutex<Vec<Health>>);

impl HealthSink for Told {
    fn tell(&self, health: Health) {
        self.0.lock().unwrap().push(health);
    }
}

struct Kept(mpsc::Sender<Inbound>);

#[async_trait::async_trait]
impl Sink for Kept {
    async fn take(&self, events: Vec<Inbound>) -> Result<(), NotTaken> {
        for event in events {
            self.0.send(event).await.map_err(|_closed| NotTaken)?;
        }
        Ok(())
    }
}

/// Our side.
struct Ours {
    surface: Surface,
    context: ChannelContext,
}

fn kind() -> Box<dyn ChannelKind> {
    kinds().into_iter().find(|kind| kind.descriptor().id == "irc").expect("IRC is there")
}

async fn connect(server: &Server, more: Value) -> Result<Ours, ChannelError> {
    connect_to(server.port, more).await
}

async fn connect_to(port: u16, more: Value) -> Result<Ours, ChannelError> {
    let mut section =
        json!({ "host": "127.0.0.1", "port": port, "tls": false, "nick": "claw", "channels": ["#room"] });
    section.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let (plans, faults) = kind().accounts(&section, &AsWritten);
    assert_eq!(faults, []);
    let context = ChannelContext {
        account: plans[0].id.clone(),
        clock: Arc::new(SystemClock::new()),
        tasks: TaskScope::root("test"),
        state: Arc::new(MemoryStateStore::default()),
        namespace: "channel/irc/default".to_owned(),
        health: Arc::new(Told::default()),
        media: std::env::temp_dir(),
        public_url: None,
    };
    let account = plans[0].account.as_ref().expect("it is ready");
    let surface = within(account.connect(context.clone())).await?;
    Ok(Ours { surface, context })
}

impl Ours {
    /// Begins to hear; the end comes over the second channel.
    fn listen(&mut self) -> (mpsc::Receiver<Inbound>, mpsc::Receiver<Result<(), ChannelError>>) {
        let (events, heard) = mpsc::channel(64);
        let (end, ended) = mpsc::channel(1);
        let receive = self.surface.receive.take().expect("it can hear");
        self.context.tasks.start("receive", async move {
            let outcome = receive.run(Arc::new(Kept(events))).await;
            end.send(outcome).await.expect("the test waits");
        });
        (heard, ended)
    }

    async fn send(&self, to: &str, text: &str) -> Result<(), ChannelError> {
        let piece = Outgoing {
            key: "k/1".to_owned(),
            target: SendTarget {
                channel: ChannelId::new("irc").unwrap(),
                account: AccountId::new("default").unwrap(),
                to: to.to_owned(),
                thread: None,
            },
            payload: PiecePayload::Text { text: RichText::plain(text) },
            reply: None,
            silent: false,
            link_preview: false,
            buttons: Vec::new(),
        };
        let send = self.surface.send.as_ref().expect("it can send");
        within(send.send(&piece)).await.map(|_receipt| ())
    }
}

#[tokio::test]
async fn messages_go_both_ways_in_rooms_and_alone() {
    let server = Server::start(None).await;
    let mut ana = Client::join(&server, "ana", "#room").await;
    let mut ours = connect(&server, json!({})).await.unwrap();
    let declared: std::collections::BTreeSet<_> = kind().descriptor().capabilities.iter().copied().collect();
    assert_eq!(ours.surface.capabilities(), declared);
    let (mut heard, _ended) = ours.listen();
    ana.until("JOIN").await;
    ana.say("PRIVMSG #room :claw: hello wörld").await;
    let event = within(heard.recv()).await.unwrap();
    assert_eq!((event.text.as_str(), event.place.to.as_str()), ("claw: hello wörld", "#room"));
    assert!(event.attention.mentions_us && event.from.id.as_str().starts_with("ana!"));
    ana.say("PRIVMSG claw :just us").await;
    let event = within(heard.recv()).await.unwrap();
    assert_eq!((event.text.as_str(), event.place.to.as_str()), ("just us", "ana"));
    ours.send(&event.place.to, "back to you\nsecond line").await.unwrap();
    assert!(ana.until("PRIVMSG ana").await.ends_with(":back to you"));
    assert!(ana.until("PRIVMSG ana").await.ends_with(":second line"));
    ours.send("#room", &"lange wörter ".repeat(60)).await.unwrap();
    let first = ana.until("PRIVMSG #room").await;
    assert!(first.len() <= 510 && first.contains("lange wörter"), "{}", first.len());
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn what_the_server_refuses_is_told() {
    let server = Server::start(None).await;
    let mut ours = connect(&server, json!({})).await.unwrap();
    let (_heard, _ended) = ours.listen();
    let refused = ours.send("nobody", "hello?").await.unwrap_err();
    assert!(matches!(refused, ChannelError::Refused { .. }), "{refused:?}");
    ours.send("claw", "to ourselves works").await.unwrap();
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_taken_nick_gets_a_tail_and_a_wrong_password_is_told() {
    let server = Server::start(None).await;
    let _holder = Client::join(&server, "claw", "#room").await;
    let ours = connect(&server, json!({})).await.unwrap();
    assert_eq!(ours.surface.identity.handle.as_deref(), Some("claw_"));
    let closed = Server::start(Some("sesame")).await;
    let refused = connect(&closed, json!({ "password": "wrong" })).await.err().expect("refused");
    assert!(matches!(refused, ChannelError::Unauthorized { .. }), "{refused:?}");
    assert!(connect(&closed, json!({ "password": "sesame" })).await.is_ok());
}

#[tokio::test]
async fn a_server_that_goes_away_ends_the_line_and_cancelling_ends_it_at_once() {
    let mut server = Server::start(None).await;
    let mut ours = connect(&server, json!({})).await.unwrap();
    let (_heard, mut ended) = ours.listen();
    server.stop();
    let end = within(ended.recv()).await.unwrap();
    assert!(matches!(end, Err(ChannelError::Unreachable { .. })), "{end:?}");
    server.start_again().await;
    let mut ours = connect(&server, json!({})).await.unwrap();
    let (_heard, mut ended) = ours.listen();
    ours.context.tasks.cancel();
    assert_eq!(within(ended.recv()).await.unwrap(), Ok(()));
}

#[tokio::test]
async fn a_probe_says_how_the_server_answers() {
    let server = Server::start(None).await;
    let ours = connect(&server, json!({})).await.unwrap();
    let probe = within(ours.surface.probe.as_ref().expect("it can be tested").probe()).await.unwrap();
    assert_eq!((&probe["ok"], &probe["port"]), (&json!(true), &json!(server.port)));
}

#[tokio::test]
async fn a_nick_is_registered_and_a_room_for_the_registered_lets_us_in() {
    let network = Network::start().await;
    let mut ana = Client::come(network.port, "ana").await;
    ana.say("JOIN #room").await;
    ana.until(" 366 ").await;
    ana.say("MODE #room +R").await;
    ana.until("MODE #room").await;
    let nickserv = json!({ "password": "sesame-opens", "register": true, "registerEmail": "claw@a.example" });
    let mut ours = connect_to(network.port, json!({ "nickserv": nickserv })).await.unwrap();
    let (_heard, _ended) = ours.listen();
    ana.until(":claw!claw@127.0.0.1 JOIN").await;
    ours.context.tasks.cancel();
    ana.until(":claw!claw@127.0.0.1 QUIT").await;
    // From now on the nick is known, and nobody has to be asked again.
    let mut ours =
        connect_to(network.port, json!({ "nickserv": { "password": "sesame-opens" } })).await.unwrap();
    let (mut heard, _ended) = ours.listen();
    ana.until(":claw!claw@127.0.0.1 JOIN").await;
    ana.say("PRIVMSG #room :claw: hello").await;
    assert_eq!(within(heard.recv()).await.unwrap().text, "claw: hello");
    ours.context.tasks.cancel();
    let wrong = connect_to(network.port, json!({ "nickserv": { "password": "wrong" } })).await;
    assert!(matches!(wrong.err(), Some(ChannelError::Unauthorized { .. })));
}

/// Names the port to a process that was started to trust the certificate behind it.
const TRUSTING: &str = "OPENCLAW_TEST_TRUSTED_IRC_PORT";

/// Which certificates are trusted is asked of the machine once for a process: the test starts itself again in one that
/// is told of its certificate.
#[tokio::test]
async fn an_encrypted_line_is_up_only_where_the_certificate_is_trusted() {
    #[expect(clippy::disallowed_methods, reason = "this is how a process is told that it is the other one")]
    let trusting = std::env::var(TRUSTING);
    if let Ok(port) = trusting {
        let mut ours = connect_to(port.parse().unwrap(), json!({ "tls": true })).await.unwrap();
        let (_heard, _ended) = ours.listen();
        ours.send("claw", "to ourselves").await.unwrap();
        return ours.context.tasks.cancel();
    }
    let authority_key = rcgen::KeyPair::generate().unwrap();
    let mut authority = rcgen::CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let authority_certificate = authority.self_signed(&authority_key).unwrap();
    let issuer = rcgen::Issuer::new(authority, authority_key);
    let key = rcgen::KeyPair::generate().unwrap();
    let own = rcgen::CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    let own = own.signed_by(&key, &issuer).unwrap();
    let server = Server::encrypted(&own.pem(), &key.serialize_pem()).await;
    let stranger = connect(&server, json!({ "tls": true })).await;
    assert!(matches!(stranger.err(), Some(ChannelError::Unreachable { .. })));
    let folder = tempfile::tempdir().unwrap();
    let trusted = folder.path().join("trusted.pem");
    std::fs::write(&trusted, authority_certificate.pem()).unwrap();
    let name = "an_encrypted_line_is_up_only_where_the_certificate_is_trusted";
    let outcome = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name])
        .env("SSL_CERT_FILE", &trusted)
        .env(TRUSTING, server.port.to_string())
        .output();
    let outcome = within(outcome).await.unwrap();
    assert!(outcome.status.success(), "{}", String::from_utf8_lossy(&outcome.stdout));
}
