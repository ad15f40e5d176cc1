//! Our Slack account over signed HTTP events in the simulator of the package `emulate`; the person it talks to is Slack's
//! official client. Run by `cargo xtask peers`, which starts both (`xtask/peers/slack.mjs`).
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails where something is wrong")]

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use openclaw_channels::kinds;
use openclaw_ports::channel::{
    ActionRequest, ChannelContext, ChannelError, DirectoryKind, Health, HealthSink, NotTaken, Resolver, Sent,
    Sink, Surface, Webhook, WebhookRequest,
};
use openclaw_ports::{Deadline, SystemClock, TaskScope};
use openclaw_stores::memory::MemoryStateStore;
use openclaw_types::{
    AccountId, ChannelId, ChatKind, Inbound, InboundKind, MediaFile, MediaKind, MediaRef, MessageId,
    Outgoing, PiecePayload, ReplyPlace, RichText, Secret, SendTarget, Style, StyleSpan,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// The simulator and the person in it.
struct Peer {
    address: String,
    facts: Value,
    http: reqwest::Client,
}

impl Peer {
    async fn meet() -> Self {
        // Another test of this process may have chosen how to encrypt already.
        drop(rustls::crypto::ring::default_provider().install_default());
        let address = address();
        let http = reqwest::Client::new();
        let facts = http.get(&address).send().await.unwrap().json().await.unwrap();
        Self { address, facts, http }
    }

    fn fact(&self, name: &str) -> &str {
        self.facts[name].as_str().unwrap()
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        let answer = self.http.post(format!("{}{path}", self.address)).json(&body).send().await.unwrap();
        answer.json().await.unwrap()
    }

    /// A call of the person, made by the official client.
    async fn call(&self, method: &str, arguments: Value) -> Value {
        let answer = self.post("/call", json!({ "method": method, "arguments": arguments })).await;
        assert_eq!(answer["ok"], json!(true), "{method}: {answer}");
        answer
    }
}

#[expect(clippy::disallowed_methods, reason = "the address of the peer comes from the step that started it")]
fn address() -> String {
    std::env::var("OPENCLAW_PEER_SLACK").expect("`cargo xtask peers` starts the simulator")
}

struct Leads(String);

impl Resolver for Leads {
    fn variable(&self, name: &str) -> Option<Secret<String>> {
        (name == "SLACK_API_URL").then(|| Secret::new(self.0.clone()))
    }

    fn file(&self, path: &str) -> Result<Secret<String>, String> {
        Err(format!("there is no {path}"))
    }

    fn secret(&self, value: &Value) -> Result<Secret<String>, String> {
        value.as_str().map(|text| Secret::new(text.to_owned())).ok_or_else(|| "not a text".to_owned())
    }
}

struct Nobody;

impl HealthSink for Nobody {
    fn tell(&self, _health: Health) {}
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

/// Our side: an account, and an address where the simulator's events come in.
struct Ours {
    surface: Surface,
    heard: mpsc::Receiver<Inbound>,
    tasks: TaskScope,
    folder: tempfile::TempDir,
}

async fn connect(peer: &Peer, token: &str) -> Result<(Surface, tempfile::TempDir, TaskScope), ChannelError> {
    let section = json!({ "mode": "http", "botToken": token, "signingSecret": peer.fact("secret") });
    let kind = kinds().into_iter().find(|kind| kind.descriptor().id == "slack").expect("Slack is there");
    let (plans, faults) = kind.accounts(&section, &Leads(peer.fact("api").to_owned()));
    assert_eq!(faults, []);
    let folder = tempfile::tempdir().unwrap();
    let tasks = TaskScope::root("peer");
    let context = ChannelContext {
        account: plans[0].id.clone(),
        clock: Arc::new(SystemClock::new()),
        tasks: tasks.clone(),
        state: Arc::new(MemoryStateStore::default()),
        namespace: "channel/slack/default".to_owned(),
        health: Arc::new(Nobody),
        media: folder.path().join("in"),
        public_url: None,
    };
    let surface = within(plans[0].account.as_ref().expect("it is ready").connect(context)).await?;
    Ok((surface, folder, tasks))
}

async fn start(peer: &Peer) -> Ours {
    let (surface, folder, tasks) = connect(peer, peer.fact("token")).await.unwrap();
    let webhook = surface.webhook.clone().expect("it takes requests");
    let (events, heard) = mpsc::channel(64);
    let sink: Arc<dyn Sink> = Arc::new(Kept(events));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}{}", listener.local_addr().unwrap(), webhook.path());
    let take =
        move |headers: HeaderMap, body: Bytes| handle(Arc::clone(&webhook), Arc::clone(&sink), headers, body);
    let router = axum::Router::new().route("/slack/events", post(take));
    tasks.start_cancellable("events", async move { axum::serve(listener, router).await.unwrap() });
    peer.post("/events", json!({ "url": url })).await;
    Ours { surface, heard, tasks, folder }
}

async fn handle(
    webhook: Arc<dyn Webhook>,
    sink: Arc<dyn Sink>,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, String) {
    let headers: Vec<(String, String)> = headers
        .iter()
        .map(|(name, value)| (name.as_str().to_owned(), value.to_str().unwrap().to_owned()))
        .collect();
    if !webhook.admits(&headers) {
        return (StatusCode::UNAUTHORIZED, String::new());
    }
    let request =
        WebhookRequest { method: "POST".to_owned(), query: String::new(), headers, body: body.to_vec() };
    let answer = webhook.handle(request, sink).await;
    (StatusCode::from_u16(answer.status).unwrap(), answer.body)
}

async fn within<T>(work: impl Future<Output = T>) -> T {
    let clock = SystemClock::new();
    Deadline::after(&clock, Duration::from_secs(60)).bound(&clock, work).await.expect("in time")
}

impl Ours {
    /// The next event that fits.
    async fn hear(&mut self, fits: impl Fn(&Inbound) -> bool) -> Inbound {
        within(async {
            loop {
                let event = self.heard.recv().await.expect("the line is up");
                if fits(&event) {
                    return event;
                }
            }
        })
        .await
    }

    async fn send(&self, piece: &Outgoing) -> Result<MessageId, ChannelError> {
        within(self.surface.send.as_ref().unwrap().send(piece)).await.map(|receipt| receipt.message)
    }
}

fn target(to: &str) -> SendTarget {
    SendTarget {
        channel: ChannelId::new("slack").unwrap(),
        account: AccountId::new("default").unwrap(),
        to: to.to_owned(),
        thread: None,
    }
}

fn piece(key: &str, to: &str, text: RichText) -> Outgoing {
    Outgoing {
        key: key.to_owned(),
        target: target(to),
        payload: PiecePayload::Text { text },
        reply: None,
        silent: false,
        link_preview: true,
        buttons: Vec::new(),
    }
}

fn last(answer: &Value) -> &Value {
    answer["messages"].as_array().unwrap().last().unwrap()
}

#[tokio::test]
async fn a_conversation_with_the_official_client_goes_both_ways() {
    let peer = Peer::meet().await;
    let mut ours = start(&peer).await;
    let (lab, alice, bot) = (peer.fact("lab"), peer.fact("alice"), peer.fact("bot"));
    assert_eq!(ours.surface.identity.id.as_str(), bot);

    // What she writes reaches us, with who and where.
    let asked = peer
        .call("chat.postMessage", json!({ "channel": lab, "text": format!("<@{bot}> is 1 &lt; 2?") }))
        .await;
    let event = ours.hear(|event| event.kind == InboundKind::Message).await;
    assert_eq!(event.text, format!("<@{bot}> is 1 < 2?"));
    assert_eq!((event.place.kind, event.place.name.as_deref()), (ChatKind::Channel, Some("lab")));
    assert_eq!((event.from.id.as_str(), event.from.handle.as_deref()), (alice, Some("alice")));
    assert!(event.attention.mentions_us && event.message.as_ref().unwrap().as_str() == asked["ts"]);

    // Our answer stands in the thread of her message, and can be found again by its key.
    let bold =
        RichText::new("yes & no", vec![StyleSpan { start: 0, end: 3, style: Style::Bold }], Vec::new());
    let mut answer = piece("run/0", &event.place.to, bold);
    answer.reply = Some(ReplyPlace { message: event.message.clone().unwrap(), quote: None });
    let sent = ours.send(&answer).await.unwrap();
    let seen = peer.call("conversations.replies", json!({ "channel": lab, "ts": asked["ts"] })).await;
    assert_eq!((&last(&seen)["text"], &last(&seen)["thread_ts"]), (&json!("*yes* &amp; no"), &asked["ts"]));
    assert_eq!(last(&seen)["ts"], json!(sent.as_str()));
    let find = ours.surface.send.as_ref().unwrap();
    assert!(
        matches!(within(find.find(&answer, openclaw_types::UnixMillis(0))).await.unwrap(), Sent::Yes(found) if found.message == sent)
    );
    let never = Outgoing { key: "run/9".to_owned(), ..answer.clone() };
    assert_eq!(within(find.find(&never, openclaw_types::UnixMillis(0))).await.unwrap(), Sent::No);

    // It is changed, reacted to and taken back.
    let here = target(&event.place.to);
    let edit = ours.surface.edit.as_ref().unwrap();
    within(edit.edit(&here, &sent, &RichText::plain("perhaps"))).await.unwrap();
    let seen = peer.call("conversations.replies", json!({ "channel": lab, "ts": asked["ts"] })).await;
    assert_eq!(last(&seen)["text"], json!("perhaps"));
    let react = ours.surface.react.as_ref().unwrap();
    let hers = event.message.clone().unwrap();
    within(react.react(&here, &hers, "👀")).await.unwrap();
    within(react.react(&here, &hers, "eyes")).await.unwrap();
    let seen =
        peer.call("reactions.get", json!({ "channel": lab, "timestamp": hers.as_str(), "full": true })).await;
    assert_eq!(seen["message"]["reactions"][0]["name"], json!("eyes"));
    within(react.unreact(&here, &hers, Some("eyes"))).await.unwrap();
    within(react.unreact(&here, &hers, Some("eyes"))).await.unwrap();
    let delete = ours.surface.delete.as_ref().unwrap();
    within(delete.delete(&here, &sent)).await.unwrap();
    within(delete.delete(&here, &sent)).await.unwrap();

    // What she changes, reacts to and takes back reaches us.
    peer.call("reactions.add", json!({ "channel": lab, "timestamp": hers.as_str(), "name": "tada" })).await;
    let event = ours.hear(|event| matches!(event.kind, InboundKind::Reaction(_))).await;
    assert!(
        matches!(event.kind, InboundKind::Reaction(reaction) if reaction.emoji == "tada" && reaction.on == hers)
    );
    peer.call("chat.update", json!({ "channel": lab, "ts": hers.as_str(), "text": "never mind" })).await;
    let event = ours.hear(|event| event.kind == InboundKind::Edited).await;
    assert_eq!((event.text.as_str(), event.message.as_ref()), ("never mind", Some(&hers)));
    peer.call("chat.delete", json!({ "channel": lab, "ts": hers.as_str() })).await;
    let event = ours.hear(|event| event.kind == InboundKind::Happening).await;
    assert!(event.text.ends_with(&format!("deleted message {hers}")), "{}", event.text);
    ours.tasks.cancel();
}

#[tokio::test]
async fn direct_chats_and_files_go_both_ways() {
    let peer = Peer::meet().await;
    let mut ours = start(&peer).await;
    let (alice, bot) = (peer.fact("alice"), peer.fact("bot"));
    ours.send(&piece("dm/0", &format!("user:{alice}"), RichText::plain("hello Alice"))).await.unwrap();
    let chat = peer.call("conversations.open", json!({ "users": bot })).await["channel"]["id"].clone();
    let seen = peer.call("conversations.history", json!({ "channel": chat })).await;
    assert_eq!(seen["messages"][0]["text"], json!("hello Alice"));
    peer.call("chat.postMessage", json!({ "channel": chat, "text": "hello Claw" })).await;
    let event = ours.hear(|event| event.text == "hello Claw").await;
    assert_eq!(
        (event.place.kind, event.place.to.as_str()),
        (ChatKind::Direct, format!("user:{alice}").as_str())
    );

    // A file of ours is there, byte by byte.
    let path = ours.folder.path().join("note.txt");
    std::fs::write(&path, "the bytes of a note").unwrap();
    let mut sent = piece("dm/1", &event.place.to, RichText::default());
    sent.payload = PiecePayload::Media {
        file: MediaFile {
            path: path.to_string_lossy().into_owned(),
            name: "note.txt".to_owned(),
            media_type: "text/plain".to_owned(),
        },
        kind: MediaKind::Document,
        caption: RichText::plain("read this"),
    };
    ours.send(&sent).await.unwrap();
    let files = peer.call("files.list", json!({ "channel": chat })).await;
    assert_eq!((&files["files"][0]["name"], &files["files"][0]["size"]), (&json!("note.txt"), &json!(19)));

    // A file of hers is fetched with our token.
    let upload = json!({ "channel_id": chat, "filename": "hers.txt", "content": "from Alice", "initial_comment": "for you" });
    let uploaded = peer.call("filesUploadV2", upload).await;
    let file = uploaded["files"][0]["files"][0].clone();
    let media = MediaRef {
        kind: MediaKind::Document,
        handle: format!("file:{}", file["id"].as_str().unwrap()),
        name: Some("hers.txt".to_owned()),
        media_type: None,
        bytes: None,
    };
    let fetched = within(ours.surface.fetch.as_ref().unwrap().fetch(&media, 1_000)).await.unwrap();
    assert_eq!(std::fs::read_to_string(fetched.path).unwrap(), "from Alice");
    ours.tasks.cancel();
}

#[tokio::test]
async fn refusals_lookups_and_pins_are_as_slack_has_them() {
    let peer = Peer::meet().await;
    let refused = connect(&peer, "xoxb-nobody").await.err().expect("refused");
    assert!(matches!(refused, ChannelError::Unauthorized { .. }), "{refused:?}");
    let ours = start(&peer).await;
    let nowhere = ours.send(&piece("x/0", "channel:C0NOWHERE", RichText::plain("hello?"))).await.unwrap_err();
    assert_eq!(nowhere, ChannelError::Refused { reason: "chat.postMessage: channel_not_found".to_owned() });
    let directory = ours.surface.directory.as_ref().unwrap();
    let people = within(directory.search(DirectoryKind::People, "alic", 5)).await.unwrap();
    assert_eq!(people[0].id, format!("user:{}", peer.fact("alice")));
    let rooms = within(directory.search(DirectoryKind::Rooms, "lab", 5)).await.unwrap();
    assert_eq!(rooms[0].id, format!("channel:{}", peer.fact("lab")));
    let said =
        peer.call("chat.postMessage", json!({ "channel": peer.fact("lab"), "text": "keep this" })).await;
    let request = ActionRequest {
        name: "pin".to_owned(),
        target: Some(target(&rooms[0].id)),
        requester: None,
        parameters: json!({ "messageId": said["ts"] }).as_object().unwrap().clone(),
    };
    within(ours.surface.actions.as_ref().unwrap().act(request)).await.unwrap();
    let pins = peer.call("pins.list", json!({ "channel": peer.fact("lab") })).await;
    assert!(pins["items"].as_array().unwrap().iter().any(|pin| pin["message"]["ts"] == said["ts"]), "{pins}");
    let probe = within(ours.surface.probe.as_ref().unwrap().probe()).await.unwrap();
    assert_eq!(probe["bot"]["id"], json!(peer.fact("bot")));
    ours.tasks.cancel();
}
