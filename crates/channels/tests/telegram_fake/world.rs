//! A fake platform and our account on it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use openclaw_channels::kinds;
use openclaw_ports::channel::{
    ChannelContext, ChannelError, ChannelKind, Health, HealthSink, NotTaken, Sink, Surface,
};
use openclaw_ports::{Clock, Deadline, SystemClock, TaskScope};
use openclaw_stores::memory::MemoryStateStore;
use openclaw_testkit::{AsWritten, TelegramFake};
use openclaw_types::{
    AccountId, Button, ChannelId, Inbound, Outgoing, PiecePayload, Receipt, RichText, SendTarget, ThreadId,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

pub(crate) struct World {
    pub(crate) fake: TelegramFake,
    pub(crate) state: Arc<MemoryStateStore>,
    pub(crate) folder: tempfile::TempDir,
}

/// Our side.
pub(crate) struct Ours {
    pub(crate) surface: Surface,
    pub(crate) context: ChannelContext,
    pub(crate) told: Arc<Told>,
}

#[derive(Default)]
pub(crate) struct Told(Mutex<Vec<Health>>);

impl Told {
    pub(crate) fn all(&self) -> Vec<Health> {
        self.0.lock().unwrap().clone()
    }
}

impl HealthSink for Told {
    fn tell(&self, health: Health) {
        self.0.lock().unwrap().push(health);
    }
}

pub(crate) struct Kept(pub(crate) mpsc::Sender<Inbound>);

#[async_trait::async_trait]
impl Sink for Kept {
    async fn take(&self, events: Vec<Inbound>) -> Result<(), NotTaken> {
        for event in events {
            self.0.send(event).await.map_err(|_closed| NotTaken)?;
        }
        Ok(())
    }
}

impl World {
    pub(crate) async fn new() -> Self {
        Self {
            fake: TelegramFake::start().await,
            state: Arc::default(),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) async fn connect(&self, more: Value) -> Result<Ours, ChannelError> {
        self.connect_with(Arc::new(SystemClock::new()), more).await
    }

    /// Connects by another clock.
    pub(crate) async fn connect_with(
        &self,
        clock: Arc<dyn Clock>,
        more: Value,
    ) -> Result<Ours, ChannelError> {
        let mut section = json!({ "botToken": self.fake.token(), "apiRoot": self.fake.root() });
        section.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let (plans, faults) = kind().accounts(&section, &AsWritten);
        assert_eq!(faults, []);
        let told = Arc::new(Told::default());
        let context = ChannelContext {
            account: plans[0].id.clone(),
            clock,
            tasks: TaskScope::root("test"),
            state: Arc::clone(&self.state) as _,
            namespace: "channel/telegram/default".to_owned(),
            health: Arc::clone(&told) as _,
            media: self.folder.path().join("media"),
            public_url: None,
        };
        let account = plans[0].account.as_ref().expect("it is ready");
        let surface = within(account.connect(context.clone())).await?;
        Ok(Ours { surface, context, told })
    }

    /// A file on our disk.
    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Everything fitted the platform's description.
    pub(crate) fn no_complaints(&self) {
        assert_eq!(self.fake.complaints(), Vec::<String>::new());
    }
}

impl Ours {
    /// Begins to hear.
    pub(crate) fn listen(&mut self) -> mpsc::Receiver<Inbound> {
        let (events, heard) = mpsc::channel(64);
        self.hear(Arc::new(Kept(events)));
        heard
    }

    /// Begins to hear; gives how that ends.
    pub(crate) fn hear(&mut self, sink: Arc<dyn Sink>) -> mpsc::Receiver<Result<(), ChannelError>> {
        let (end, ended) = mpsc::channel(1);
        let receive = self.surface.receive.take().expect("it can hear");
        self.context.tasks.start("receive", async move {
            let outcome = receive.run(sink).await;
            // Some tests do not wait for the end.
            drop(end.send(outcome).await);
        });
        ended
    }

    pub(crate) async fn stop(&self, mut ended: mpsc::Receiver<Result<(), ChannelError>>) {
        self.context.tasks.cancel();
        assert_eq!(within(ended.recv()).await, Some(Ok(())));
    }

    pub(crate) fn target(&self, to: &str, thread: Option<&str>) -> SendTarget {
        SendTarget {
            channel: ChannelId::new("telegram").unwrap(),
            account: AccountId::new("default").unwrap(),
            to: to.to_owned(),
            thread: thread.map(|thread| ThreadId::new(thread).unwrap()),
        }
    }

    pub(crate) fn piece(&self, to: &str, text: &str) -> Outgoing {
        Outgoing {
            key: "k/1".to_owned(),
            target: self.target(to, None),
            payload: PiecePayload::Text { text: RichText::plain(text) },
            reply: None,
            silent: false,
            link_preview: true,
            buttons: Vec::new(),
        }
    }

    pub(crate) async fn send(&self, piece: &Outgoing) -> Result<Receipt, ChannelError> {
        within(self.surface.send.as_ref().expect("it can send").send(piece)).await
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        self.context.tasks.cancel();
    }
}

pub(crate) fn kind() -> Box<dyn ChannelKind> {
    kinds().into_iter().find(|kind| kind.descriptor().id == "telegram").expect("it is there")
}

pub(crate) async fn within<T>(work: impl Future<Output = T>) -> T {
    let clock = SystemClock::new();
    let deadline = Deadline::after(&clock, Duration::from_secs(30));
    deadline.bound(&clock, work).await.expect("in time")
}

pub(crate) fn ana() -> Value {
    json!({ "id": 7001, "is_bot": false, "first_name": "Ana", "username": "ana_lima" })
}

pub(crate) fn private() -> Value {
    json!({ "id": 7001, "type": "private", "first_name": "Ana", "username": "ana_lima" })
}

pub(crate) fn garden() -> Value {
    json!({ "id": -1_001_900, "type": "supergroup", "title": "Garden", "username": "garden_group" })
}

pub(crate) fn button(text: &str, data: &str) -> Button {
    Button { text: text.to_owned(), data: data.to_owned() }
}
