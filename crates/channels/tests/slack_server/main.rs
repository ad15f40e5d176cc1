//! Our Slack line on real sockets: Socket Mode, signed requests, and everything we send, against the fake of the test kit.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails where something is wrong")]

mod fates;
mod hearing;
mod signed;
mod writing;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use openclaw_channels::kinds;
use openclaw_ports::channel::{
    ChannelContext, ChannelError, ChannelKind, Health, HealthSink, NotTaken, Resolver, Sink, Surface,
};
use openclaw_ports::{Deadline, SystemClock, TaskScope};
use openclaw_stores::memory::MemoryStateStore;
use openclaw_testkit::{SLACK_APP_TOKEN, SLACK_BOT_TOKEN, SlackFake};
use openclaw_types::{
    AccountId, ChannelId, Inbound, MessageId, Outgoing, PiecePayload, ReplyPlace, RichText, Secret,
    SendTarget, ThreadId,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

const SECRET: &str = "signing-secret-of-the-tests";

/// Leads calls to the fake.
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

#[derive(Default)]
struct Told(Mutex<Vec<Health>>);

impl HealthSink for Told {
    fn tell(&self, health: Health) {
        self.0.lock().unwrap().push(health);
    }
}

/// Keeps events; refuses as many as it was told to.
struct Kept {
    events: mpsc::Sender<Inbound>,
    refusals: Mutex<usize>,
}

#[async_trait::async_trait]
impl Sink for Kept {
    async fn take(&self, events: Vec<Inbound>) -> Result<(), NotTaken> {
        {
            let mut refusals = self.refusals.lock().unwrap();
            if *refusals > 0 {
                *refusals -= 1;
                return Err(NotTaken);
            }
        }
        for event in events {
            self.events.send(event).await.map_err(|_closed| NotTaken)?;
        }
        Ok(())
    }
}

fn kept(refusals: usize) -> (Arc<Kept>, mpsc::Receiver<Inbound>) {
    let (events, heard) = mpsc::channel(64);
    (Arc::new(Kept { events, refusals: Mutex::new(refusals) }), heard)
}

/// Our side.
struct Ours {
    surface: Surface,
    context: ChannelContext,
    told: Arc<Told>,
    _media: tempfile::TempDir,
}

fn kind() -> Box<dyn ChannelKind> {
    kinds().into_iter().find(|kind| kind.descriptor().id == "slack").expect("Slack is there")
}

async fn connect(fake: &SlackFake, more: Value) -> Result<Ours, ChannelError> {
    connect_with(fake, more, Arc::default()).await
}

/// Connects with what earlier lines of the account have kept.
async fn connect_with(
    fake: &SlackFake,
    more: Value,
    state: Arc<MemoryStateStore>,
) -> Result<Ours, ChannelError> {
    let mut section = json!({ "botToken": SLACK_BOT_TOKEN, "appToken": SLACK_APP_TOKEN });
    section.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let (plans, faults) = kind().accounts(&section, &Leads(fake.root()));
    assert_eq!(faults, []);
    let told = Arc::new(Told::default());
    let media = tempfile::tempdir().unwrap();
    let context = ChannelContext {
        account: plans[0].id.clone(),
        clock: Arc::new(SystemClock::new()),
        tasks: TaskScope::root("test"),
        state,
        namespace: "channel/slack/default".to_owned(),
        health: told.clone(),
        media: media.path().join("in"),
        public_url: None,
    };
    let account = plans[0].account.as_ref().expect("it is ready");
    let surface = within(account.connect(context.clone())).await?;
    Ok(Ours { surface, context, told, _media: media })
}

impl Ours {
    /// Begins to hear; the end comes over the second channel.
    fn listen(
        &mut self,
        refusals: usize,
    ) -> (mpsc::Receiver<Inbound>, mpsc::Receiver<Result<(), ChannelError>>) {
        let (sink, heard) = kept(refusals);
        let (end, ended) = mpsc::channel(1);
        let receive = self.surface.receive.take().expect("it can hear");
        self.context.tasks.start("receive", async move {
            let outcome = receive.run(sink).await;
            end.send(outcome).await.expect("the test waits");
        });
        (heard, ended)
    }

    async fn send(&self, piece: &Outgoing) -> Result<String, ChannelError> {
        let send = self.surface.send.as_ref().expect("it can send");
        within(send.send(piece)).await.map(|receipt| receipt.message.as_str().to_owned())
    }
}

async fn within<T>(work: impl Future<Output = T>) -> T {
    let clock = SystemClock::new();
    Deadline::after(&clock, Duration::from_secs(30)).bound(&clock, work).await.expect("in time")
}

fn target(to: &str, thread: Option<&str>) -> SendTarget {
    SendTarget {
        channel: ChannelId::new("slack").unwrap(),
        account: AccountId::new("default").unwrap(),
        to: to.to_owned(),
        thread: thread.map(|thread| ThreadId::new(thread).unwrap()),
    }
}

fn piece(key: &str, to: &str, text: &str) -> Outgoing {
    Outgoing {
        key: key.to_owned(),
        target: target(to, None),
        payload: PiecePayload::Text { text: RichText::plain(text) },
        reply: None,
        silent: false,
        link_preview: true,
        buttons: Vec::new(),
    }
}

fn answering(mut piece: Outgoing, message: &str) -> Outgoing {
    piece.reply = Some(ReplyPlace { message: MessageId::new(message).unwrap(), quote: None });
    piece
}

/// A message of Ana's as Slack brings it.
fn said(channel: &str, ts: &str, text: &str) -> Value {
    let channel_type = if channel.starts_with('D') { "im" } else { "channel" };
    event(&json!({
        "type": "message", "user": "U0ANA", "text": text, "ts": ts, "channel": channel, "channel_type": channel_type,
        "event_ts": ts,
    }))
}

fn event(event: &Value) -> Value {
    let id = format!("Ev{}", event["event_ts"].as_str().unwrap_or("0").replace('.', ""));
    json!({
        "type": "event_callback", "team_id": "T0FAKE", "api_app_id": "A0FAKE", "event_id": id, "event": event,
    })
}

/// A file of a test.
fn file(folder: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}
