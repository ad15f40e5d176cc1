//! A small Slack for tests: the part of the Web API that our adapter calls, Socket Mode, files, and answers to commands.
//!
//! Every call is held against a table of the methods and their arguments, made from Slack's own description: an argument
//! that Slack does not know, or one that is missing, is answered as Slack does. A test looks at what was called, scripts
//! the next answer of a method, and sends envelopes.

mod events;
mod methods;
mod mrkdwn;
mod serve;
mod socket;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openclaw_ports::{Deadline, SystemClock, TaskScope};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc};

pub use events::slack_event_fits;
pub use mrkdwn::read_mrkdwn;

/// The app's token that the fake knows.
pub const SLACK_BOT_TOKEN: &str = "xoxb-fake-bot";
/// The token for connections that the fake knows.
pub const SLACK_APP_TOKEN: &str = "xapp-fake-app";
/// The token of a person that the fake knows.
pub const SLACK_USER_TOKEN: &str = "xoxp-fake-user";

/// How long a test waits for something.
const PATIENCE: Duration = Duration::from_secs(20);

/// A call that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlackCall {
    /// The method.
    pub method: String,
    /// With which token.
    pub token: String,
    /// The arguments.
    pub arguments: BTreeMap<String, String>,
}

/// A Slack on loopback. Ends with this value.
pub struct SlackFake {
    address: String,
    state: Arc<State>,
    tasks: TaskScope,
}

#[derive(Default)]
struct State {
    inside: Mutex<Inside>,
    changed: Notify,
}

#[derive(Default)]
struct Inside {
    address: String,
    calls: Vec<SlackCall>,
    scripted: HashMap<String, VecDeque<Scripted>>,
    messages: Vec<Value>,
    uploads: HashMap<String, Vec<u8>>,
    responses: Vec<Value>,
    lines: Vec<mpsc::Sender<socket::Order>>,
    opened: usize,
    acknowledged: Vec<String>,
    envelopes: usize,
    clock: u64,
}

enum Scripted {
    Answer(Value),
    RateLimited(u64),
    /// No answer, though the call has its effect.
    Silence,
    /// Neither an answer nor an end.
    Held,
}

impl SlackFake {
    /// Starts one.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has free ports");
        let address = format!("http://{}", listener.local_addr().expect("a bound socket has an address"));
        let state = Arc::new(State::default());
        state.inside().address.clone_from(&address);
        let tasks = TaskScope::root("slack fake");
        let serving = Arc::clone(&state);
        tasks.start_cancellable("serve", async move { serve::serve(serving, listener).await });
        Self { address, state, tasks }
    }

    /// Where its Web API is.
    #[must_use]
    pub fn root(&self) -> String {
        format!("{}/api/", self.address)
    }

    /// An address of a file that it has.
    #[must_use]
    pub fn file(&self, name: &str) -> String {
        format!("{}/files/{name}", self.address)
    }

    /// An address where a command can be answered.
    #[must_use]
    pub fn response_url(&self) -> String {
        format!("{}/respond", self.address)
    }

    /// The calls so far of one method.
    #[must_use]
    pub fn calls(&self, method: &str) -> Vec<SlackCall> {
        self.state.inside().calls.iter().filter(|call| call.method == method).cloned().collect()
    }

    /// What was answered to commands.
    #[must_use]
    pub fn responses(&self) -> Vec<Value> {
        self.state.inside().responses.clone()
    }

    /// The messages of a conversation that are there.
    #[must_use]
    pub fn messages(&self, channel: &str) -> Vec<Value> {
        self.state.inside().messages.iter().filter(|message| message["channel"] == channel).cloned().collect()
    }

    /// The bytes of a file that was brought.
    #[must_use]
    pub fn uploaded(&self, file: &str) -> Option<Vec<u8>> {
        self.state.inside().uploads.get(file).cloned()
    }

    /// The next answer of a method.
    pub fn answer(&self, method: &str, answer: Value) {
        self.script(method, Scripted::Answer(answer));
    }

    /// The next answer of a method: a refusal.
    pub fn refuse(&self, method: &str, word: &str) {
        self.answer(method, json!({ "ok": false, "error": word }));
    }

    /// The next answer of a method: come back later.
    pub fn rate_limit(&self, method: &str, seconds: u64) {
        self.script(method, Scripted::RateLimited(seconds));
    }

    /// The next call of a method is never answered.
    pub fn hold_answer(&self, method: &str) {
        self.script(method, Scripted::Held);
    }

    /// The next call of a method works, but its answer is lost.
    pub fn lose_answer(&self, method: &str) {
        self.script(method, Scripted::Silence);
    }

    /// Sends an envelope over the newest line, and gives its name.
    pub async fn send(&self, kind: &str, payload: Value) -> String {
        self.wait(|inside| !inside.lines.is_empty()).await;
        let mut inside = self.state.inside();
        inside.envelopes += 1;
        let id = format!("envelope-{}", inside.envelopes);
        let envelope =
            json!({ "envelope_id": id, "type": kind, "payload": payload, "accepts_response_payload": false });
        order(&inside, socket::Order::Text(envelope.to_string()));
        id
    }

    /// Says over the newest line that it will end.
    pub fn announce_end(&self, reason: &str) {
        let text = json!({ "type": "disconnect", "reason": reason, "debug_info": {} }).to_string();
        order(&self.state.inside(), socket::Order::Text(text));
    }

    /// Cuts every line.
    pub fn cut(&self) {
        let mut inside = self.state.inside();
        for line in inside.lines.drain(..) {
            // A line whose reader is gone is cut already.
            drop(line.try_send(socket::Order::Cut));
        }
    }

    /// Waits until so many lines were opened.
    pub async fn lines(&self, count: usize) {
        self.wait(|inside| inside.opened >= count).await;
    }

    /// Waits until an envelope was acknowledged.
    pub async fn acknowledged(&self, envelope: &str) {
        self.wait(|inside| inside.acknowledged.iter().any(|each| each == envelope)).await;
    }

    /// Whether an envelope was acknowledged.
    #[must_use]
    pub fn is_acknowledged(&self, envelope: &str) -> bool {
        self.state.inside().acknowledged.iter().any(|each| each == envelope)
    }

    fn script(&self, method: &str, scripted: Scripted) {
        self.state.inside().scripted.entry(method.to_owned()).or_default().push_back(scripted);
    }

    async fn wait(&self, ready: impl Fn(&Inside) -> bool) {
        let clock = SystemClock::new();
        let waiting = async {
            loop {
                let changed = self.state.changed.notified();
                if ready(&self.state.inside()) {
                    return;
                }
                changed.await;
            }
        };
        Deadline::after(&clock, PATIENCE).bound(&clock, waiting).await.expect("it happens in time");
    }
}

fn order(inside: &Inside, order: socket::Order) {
    let line = inside.lines.last().expect("there is a line");
    line.try_send(order).expect("the line is up");
}

impl Drop for SlackFake {
    fn drop(&mut self) {
        self.tasks.cancel();
    }
}

impl State {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
