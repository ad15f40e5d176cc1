//! The platform's side: keeps what people wrote until it is acknowledged, brings it again, out of order between
//! conversations and sometimes twice, says now and then that it is too much, and loses answers.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use openclaw_ports::TaskScope;
use openclaw_testkit::Random;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// Maximum number of events in flight before the first is acknowledged.
const BATCH: u64 = 6;

/// What somebody wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TestMessage {
    pub(crate) event: String,
    pub(crate) from: String,
    pub(crate) text: String,
}

/// What a platform does with a piece that comes again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeats {
    /// It drops it.
    Dropped,
    /// It shows it again, and says what is there when it is asked.
    Shown,
}

/// A platform with people on it.
#[derive(Clone)]
pub(crate) struct Platform(Arc<Inside>);

struct Inside {
    address: SocketAddr,
    repeats: Repeats,
    held: Mutex<Held>,
    changed: Notify,
    tasks: TaskScope,
}

struct Held {
    /// By account and person, in order.
    waiting: BTreeMap<(String, String), Vec<TestMessage>>,
    acknowledged: Vec<(String, TestMessage)>,
    keys: BTreeSet<String>,
    /// Where, and what; nothing for what was taken back.
    shown: Vec<(String, String)>,
    /// The names of what is shown, one for each.
    names: Vec<String>,
    connects: BTreeMap<String, usize>,
    random: Random,
}

impl Platform {
    /// A platform that does this with what comes again.
    pub(crate) async fn start(repeats: Repeats) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let held = Held {
            waiting: BTreeMap::new(),
            acknowledged: Vec::new(),
            keys: BTreeSet::new(),
            shown: Vec::new(),
            names: Vec::new(),
            connects: BTreeMap::new(),
            random: Random::new(),
        };
        let platform = Self(Arc::new(Inside {
            address: listener.local_addr().unwrap(),
            repeats,
            held: Mutex::new(held),
            changed: Notify::new(),
            tasks: TaskScope::root("platform"),
        }));
        let serving = platform.clone();
        platform.0.tasks.start("platform", async move {
            while let Ok((stream, _)) = listener.accept().await {
                let one = serving.clone();
                serving
                    .0
                    .tasks
                    .start("line", async move { one.serve(BufReader::new(stream)).await.unwrap_or(()) });
            }
        });
        platform
    }

    pub(crate) fn address(&self) -> String {
        self.0.address.to_string()
    }

    /// Somebody writes to an account.
    pub(crate) fn write(&self, account: &str, letter: TestMessage) {
        let key = (account.to_owned(), letter.from.clone());
        self.held().waiting.entry(key).or_default().push(letter);
        self.0.changed.notify_waiters();
    }

    /// What people were shown, in order, with who was.
    pub(crate) fn shown(&self) -> Vec<(String, String)> {
        self.held().shown.clone()
    }

    /// How often an account was let in or turned away.
    pub(crate) fn connects(&self, account: &str) -> usize {
        self.held().connects.get(account).copied().unwrap_or(0)
    }

    /// Waits until what people were shown is as wanted.
    pub(crate) async fn until(&self, wanted: impl Fn(&[(String, String)]) -> bool) {
        loop {
            let changed = self.0.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if wanted(&self.held().shown) {
                return;
            }
            changed.await;
        }
    }

    /// Waits until people were shown so many messages.
    pub(crate) async fn until_shown(&self, count: usize) {
        self.until(|shown| shown.len() >= count).await;
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.held.lock().unwrap()
    }

    async fn serve(&self, mut stream: BufReader<TcpStream>) -> Option<()> {
        let asked = hear(&mut stream).await?;
        if let Some(account) = asked["hear"].as_str() {
            *self.held().connects.entry(account.to_owned()).or_default() += 1;
            let welcome = asked["token"] != json!("revoked");
            say(&mut stream, &json!({ "welcome": welcome })).await?;
            if welcome {
                self.bring(account, &mut stream).await?;
            }
            return Some(());
        }
        if let Some(key) = asked["find"].as_str() {
            return say(&mut stream, &self.find(key)?).await;
        }
        if let Some(message) = asked["change"].as_str() {
            return say(&mut stream, &self.change(message, asked["text"].as_str())?).await;
        }
        let answer = self.take(asked["send"].as_str()?, asked["to"].as_str()?, asked["text"].as_str()?)?;
        say(&mut stream, &answer).await
    }

    /// Brings what waits: the first of some conversations, in any order, and some that were brought before.
    async fn bring(&self, account: &str, stream: &mut BufReader<TcpStream>) -> Option<()> {
        loop {
            let changed = self.0.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let batch = self.held().batch(account);
            if batch.is_empty() {
                // Nothing to say; a line that is gone is noticed when there is.
                changed.await;
                continue;
            }
            for letter in &batch {
                let TestMessage { event, from, text } = letter;
                say(stream, &json!({ "event": event, "from": from, "text": text })).await?;
            }
            for letter in &batch {
                let ack = hear(stream).await?;
                assert_eq!(ack["ack"], json!(letter.event), "acknowledged in the order they were brought");
                self.held().acknowledge(account, letter);
            }
        }
    }

    /// Takes a piece. Nothing means that the line breaks before the gateway hears of it.
    fn take(&self, key: &str, to: &str, text: &str) -> Option<Value> {
        let mut held = self.held();
        if held.random.below(12) == 0 {
            return Some(json!({ "limited": 20 }));
        }
        let new = held.keys.insert(key.to_owned());
        if new || self.0.repeats == Repeats::Shown {
            held.shown.push((to.to_owned(), text.to_owned()));
            held.names.push(format!("p-{key}"));
        }
        let lost = held.random.below(25) == 0;
        drop(held);
        self.0.changed.notify_waiters();
        (!lost).then(|| json!({ "id": format!("p-{key}") }))
    }

    /// Changes a message, or takes it back. Nothing means that the line breaks before the gateway hears of it.
    fn change(&self, message: &str, text: Option<&str>) -> Option<Value> {
        let mut held = self.held();
        if held.random.below(12) == 0 {
            return Some(json!({ "limited": 20 }));
        }
        let Some(at) = held.names.iter().position(|name| name == message) else {
            return Some(json!({ "ok": false }));
        };
        held.shown[at].1 = text.unwrap_or_default().to_owned();
        let lost = held.random.below(25) == 0;
        drop(held);
        self.0.changed.notify_waiters();
        (!lost).then(|| json!({ "ok": true }))
    }

    /// Says whether a piece is there. Nothing means that the line breaks before the gateway hears of it.
    fn find(&self, key: &str) -> Option<Value> {
        let mut held = self.held();
        match (held.random.below(12), held.keys.contains(key)) {
            (0, _) => Some(json!({ "limited": 20 })),
            (1, _) => None,
            (_, true) => Some(json!({ "id": format!("p-{key}") })),
            (_, false) => Some(json!({ "none": true })),
        }
    }
}

impl Held {
    fn batch(&mut self, account: &str) -> Vec<TestMessage> {
        let heads: Vec<TestMessage> = self
            .waiting
            .iter()
            .filter(|((to, _), _)| to == account)
            .filter_map(|(_, letters)| letters.first().cloned())
            .collect();
        let wanted = 1 + self.random.below(BATCH);
        let mut batch = pick(heads, wanted, &mut self.random);
        if !batch.is_empty() && self.random.below(3) == 0 {
            let before: Vec<TestMessage> = self
                .acknowledged
                .iter()
                .filter(|(to, _)| to == account)
                .map(|(_, letter)| letter.clone())
                .collect();
            batch.extend(pick(before, 2, &mut self.random));
        }
        batch
    }

    fn acknowledge(&mut self, account: &str, letter: &TestMessage) {
        let key = (account.to_owned(), letter.from.clone());
        if let Some(letters) = self.waiting.get_mut(&key).filter(|letters| letters.first() == Some(letter)) {
            letters.remove(0);
            self.acknowledged.push((account.to_owned(), letter.clone()));
        }
    }
}

/// Some of them, in any order.
fn pick(mut from: Vec<TestMessage>, wanted: u64, random: &mut Random) -> Vec<TestMessage> {
    let mut picked = Vec::new();
    while !from.is_empty() && (picked.len() as u64) < wanted {
        let at = usize::try_from(random.below(from.len() as u64)).unwrap();
        picked.push(from.swap_remove(at));
    }
    picked
}

async fn hear(stream: &mut BufReader<TcpStream>) -> Option<Value> {
    let mut line = String::new();
    let read = stream.read_line(&mut line).await.ok().filter(|read| *read > 0);
    read.and_then(|_| serde_json::from_str(&line).ok())
}

async fn say(stream: &mut BufReader<TcpStream>, value: &Value) -> Option<()> {
    stream.write_all(format!("{value}\n").as_bytes()).await.ok()
}
