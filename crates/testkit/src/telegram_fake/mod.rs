//! A Bot API server on a real socket: hands out updates as the real one does, takes calls, keeps files, fails as told.
//!
//! `serve` accepts, `form` reads bodies, `methods` answers, `updates` keeps what is not confirmed, `push` brings updates
//! to a webhook, `html` reads markup, `scenario` is a story for every client. Every call, answer and update is held against `spec`; what does not fit is kept in
//! `complaints`, which tests expect to be empty.

mod form;
mod html;
mod methods;
mod push;
mod scenario;
mod serve;
mod spec;
mod updates;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openclaw_ports::{SystemClock, TaskScope};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::sync::Notify;

pub use form::SentFile;
pub use html::read_html;
use spec::Spec;
use updates::Updates;

/// The token the fake knows.
const TOKEN: &str = "4242:fake-token-for-tests";

/// A Bot API server for tests. It ends when it is dropped.
pub struct TelegramFake {
    inside: Arc<Inside>,
}

/// A call that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct BotCall {
    /// The method.
    pub method: String,
    /// Its fields.
    pub fields: Map<String, Value>,
    /// The files that came with it.
    pub files: Vec<SentFile>,
}

/// How a call fails.
#[derive(Debug, Clone, PartialEq)]
pub enum BotFailure {
    /// The platform says no.
    Said {
        /// Its number for it.
        code: u16,
        /// Its words.
        words: String,
        /// What it says beside them.
        parameters: Option<Value>,
    },
    /// The line is cut before an answer, after the call had its effect.
    CutAfter,
    /// An answer that is no JSON, with this status.
    Nonsense(u16),
}

pub(crate) struct Inside {
    root: String,
    tasks: TaskScope,
    clock: Arc<SystemClock>,
    spec: Spec,
    world: Mutex<World>,
    /// Something changed: an update, a call, a webhook.
    changed: Notify,
}

/// What the platform knows.
#[derive(Default)]
struct World {
    updates: Updates,
    calls: Vec<BotCall>,
    failures: BTreeMap<String, VecDeque<BotFailure>>,
    complaints: Vec<String>,
    messages: BTreeMap<(i64, i64), Value>,
    last_message: i64,
    files: BTreeMap<String, (String, Vec<u8>)>,
    commands: Vec<Value>,
    webhook: Option<Hook>,
    chats: BTreeMap<i64, Value>,
}

/// Where updates are brought.
#[derive(Debug, Clone, Default)]
struct Hook {
    url: String,
    secret: Option<String>,
}

/// What is wrong with an update, held against the platform's description.
#[must_use]
pub fn check_bot_update(update: &Value) -> Vec<String> {
    Spec::read().check("Update", update)
}

impl TelegramFake {
    /// Starts a server on a free port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let inside = Arc::new(Inside {
            root: format!("http://127.0.0.1:{port}"),
            tasks: TaskScope::root("fake bot api"),
            clock: Arc::new(SystemClock::new()),
            spec: Spec::read(),
            world: Mutex::default(),
            changed: Notify::new(),
        });
        serve::start(&inside, listener);
        push::start(&inside);
        Self { inside }
    }

    /// Its address, as `apiRoot` takes it.
    #[must_use]
    pub fn root(&self) -> &str {
        &self.inside.root
    }

    /// The token it knows.
    #[must_use]
    pub fn token(&self) -> &'static str {
        TOKEN
    }

    /// Lets something happen. The update gets its number, which is given back; what nobody asked to hear is left out.
    pub fn happen(&self, update: Value) -> i64 {
        self.inside.happen(update)
    }

    /// Somebody writes to the bot.
    pub fn write(&self, chat: &Value, from: &Value, text: &str) -> i64 {
        self.happen(self.inside.message(chat, from, text))
    }

    /// Puts a file where it can be fetched.
    pub fn put_file(&self, id: &str, path: &str, bytes: &[u8]) {
        self.inside.world().files.insert(id.to_owned(), (path.to_owned(), bytes.to_vec()));
    }

    /// Lets the next call of a method fail.
    pub fn fail(&self, method: &str, failure: BotFailure) {
        self.inside.world().failures.entry(method.to_owned()).or_default().push_back(failure);
    }

    /// The calls of a method so far.
    #[must_use]
    pub fn calls(&self, method: &str) -> Vec<BotCall> {
        self.inside.world().calls.iter().filter(|call| call.method == method).cloned().collect()
    }

    /// Waits until a method was called so often, and gives the last of those calls.
    pub async fn called(&self, method: &str, times: usize) -> BotCall {
        loop {
            let changed = self.inside.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(call) = self.calls(method).get(times.saturating_sub(1)) {
                return call.clone();
            }
            changed.await;
        }
    }

    /// The updates that were not confirmed yet.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.inside.world().updates.waiting()
    }

    /// The menu of commands.
    #[must_use]
    pub fn commands(&self) -> Vec<Value> {
        self.inside.world().commands.clone()
    }

    /// The address updates are brought to.
    #[must_use]
    pub fn webhook(&self) -> Option<String> {
        self.inside.world().webhook.as_ref().map(|hook| hook.url.clone())
    }

    /// Plays the story that every client lives through. The error says what went wrong.
    ///
    /// # Errors
    /// Something did not happen in time, or did not fit the platform's description.
    pub async fn play(&self) -> Result<(), String> {
        scenario::play(&self.inside).await
    }

    /// Somebody else takes the webhook away.
    pub fn forget_webhook(&self) {
        self.inside.world().webhook = None;
    }

    /// What did not fit the platform's description.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        self.inside.world().complaints.clone()
    }
}

impl Drop for TelegramFake {
    fn drop(&mut self) {
        self.inside.tasks.cancel();
    }
}

impl Inside {
    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn happen(&self, mut update: Value) -> i64 {
        let mut world = self.world();
        let number = world.updates.next_number();
        update["update_id"] = json!(number);
        world.complaints.extend(self.spec.check("Update", &update));
        let chat = update
            .as_object()
            .into_iter()
            .flatten()
            .find_map(|(_, part)| part.get("chat").or_else(|| part.get("message")?.get("chat")).cloned());
        if let Some((id, chat)) = chat.and_then(|chat| Some((chat.get("id")?.as_i64()?, chat))) {
            world.chats.insert(id, chat);
        }
        world.updates.add(number, update);
        drop(world);
        self.changed.notify_waiters();
        number
    }

    /// A message of somebody, as an update.
    fn message(&self, chat: &Value, from: &Value, text: &str) -> Value {
        let number = {
            let mut world = self.world();
            world.last_message += 1;
            world.last_message
        };
        json!({ "message": { "message_id": number, "date": self.seconds(), "chat": chat, "from": from, "text": text } })
    }

    fn seconds(&self) -> i64 {
        use openclaw_ports::Clock as _;
        self.clock.now().0 / 1000
    }
}
