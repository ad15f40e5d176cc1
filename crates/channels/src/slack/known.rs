//! What is known of people, rooms and conversations while the line is up. Bounded, and old knowledge fades.
//!
//! Names are looked up once and decide nothing. Direct chats are remembered by person, so that answers need no question
//! to Slack; who asked in a thread, so that a stream can name whom it is for.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openclaw_ports::Clock;
use openclaw_types::ChatKind;

/// How many of each are remembered.
const MOST: usize = 2_000;
/// How long names are believed.
const NAMES: Duration = Duration::from_secs(60 * 60);
/// How long the address in a command can be answered, and how often.
const ANSWERABLE: Duration = Duration::from_secs(29 * 60);
const ANSWERS: u8 = 5;

/// Somebody.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PersonFacts {
    /// What they call themselves.
    pub(super) name: Option<String>,
    /// Their handle.
    pub(super) handle: Option<String>,
    /// Whether it is a program.
    pub(super) bot: bool,
}

/// A conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RoomFacts {
    /// What people call it.
    pub(super) name: Option<String>,
    /// What kind it is.
    pub(super) kind: Option<ChatKind>,
    /// What stands over it.
    pub(super) topic: Option<String>,
    /// What it is for.
    pub(super) purpose: Option<String>,
    /// The other one in a direct chat.
    pub(super) with: Option<String>,
}

/// What is known. Cloning is cheap.
#[derive(Clone)]
pub(super) struct SlackKnown {
    shelves: Arc<Mutex<Shelves>>,
    clock: Arc<dyn Clock>,
}

#[derive(Default)]
struct Shelves {
    people: Shelf<String, PersonFacts>,
    rooms: Shelf<String, RoomFacts>,
    chats: Shelf<String, String>,
    askers: Shelf<(String, String), String>,
    threads: Shelf<(String, String), ()>,
    answers: Shelf<(String, String), (String, u8)>,
}

struct Shelf<K, V> {
    entries: HashMap<K, (V, Duration)>,
    order: VecDeque<K>,
}

impl<K, V> Default for Shelf<K, V> {
    fn default() -> Self {
        Self { entries: HashMap::new(), order: VecDeque::new() }
    }
}

impl<K: Clone + Eq + Hash, V> Shelf<K, V> {
    fn put(&mut self, key: K, value: V, now: Duration) {
        if self.entries.insert(key.clone(), (value, now)).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.entries.remove(&oldest);
        }
    }

    fn get(&self, key: &K, now: Duration, lasts: Duration) -> Option<&V> {
        let (value, since) = self.entries.get(key)?;
        (now.saturating_sub(*since) < lasts).then_some(value)
    }
}

impl SlackKnown {
    /// Nothing is known yet.
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { shelves: Arc::default(), clock }
    }

    /// Somebody.
    pub(super) fn person(&self, id: &str) -> Option<PersonFacts> {
        self.shelves().people.get(&id.to_owned(), self.now(), NAMES).cloned()
    }

    /// Remembers somebody.
    pub(super) fn meet(&self, id: &str, facts: PersonFacts) {
        self.shelves().people.put(id.to_owned(), facts, self.now());
    }

    /// A conversation.
    pub(super) fn room(&self, id: &str) -> Option<RoomFacts> {
        self.shelves().rooms.get(&id.to_owned(), self.now(), NAMES).cloned()
    }

    /// Remembers a conversation.
    pub(super) fn see(&self, id: &str, facts: RoomFacts) {
        self.shelves().rooms.put(id.to_owned(), facts, self.now());
    }

    /// Forgets a conversation whose name or topic changed.
    pub(super) fn forget(&self, id: &str) {
        let mut shelves = self.shelves();
        shelves.rooms.entries.remove(id);
        shelves.rooms.order.retain(|each| each != id);
    }

    /// The direct chat with a person, or the channel with a name.
    pub(super) fn chat(&self, person: &str) -> Option<String> {
        self.shelves().chats.get(&person.to_owned(), self.now(), Duration::MAX).cloned()
    }

    /// Remembers the direct chat with a person, or the channel with a name.
    pub(super) fn chats(&self, person: &str, room: &str) {
        self.shelves().chats.put(person.to_owned(), room.to_owned(), self.now());
    }

    /// Who last said something that is answered in a thread.
    pub(super) fn asker(&self, to: &str, thread: &str) -> Option<String> {
        let key = (to.to_owned(), thread.to_owned());
        self.shelves().askers.get(&key, self.now(), Duration::MAX).cloned()
    }

    /// Remembers who said something that is answered in a thread.
    pub(super) fn asked(&self, to: &str, thread: &str, person: &str) {
        self.shelves().askers.put((to.to_owned(), thread.to_owned()), person.to_owned(), self.now());
    }

    /// Whether it is known what was said in a thread before.
    pub(super) fn has_read(&self, room: &str, thread: &str) -> bool {
        let key = (room.to_owned(), thread.to_owned());
        self.shelves().threads.get(&key, self.now(), Duration::MAX).is_some()
    }

    /// Remembers that what was said in a thread before was told.
    pub(super) fn read(&self, room: &str, thread: &str) {
        self.shelves().threads.put((room.to_owned(), thread.to_owned()), (), self.now());
    }

    /// Remembers where a command of somebody can be answered.
    pub(super) fn answerable(&self, room: &str, person: &str, address: String) {
        self.shelves().answers.put((room.to_owned(), person.to_owned()), (address, ANSWERS), self.now());
    }

    /// Where a command of somebody can be answered; uses one of the times that can be done.
    pub(super) fn answer(&self, room: &str, person: &str) -> Option<String> {
        let now = self.now();
        let mut shelves = self.shelves();
        let ((address, left), since) =
            shelves.answers.entries.get_mut(&(room.to_owned(), person.to_owned()))?;
        if *left == 0 || now.saturating_sub(*since) >= ANSWERABLE {
            return None;
        }
        *left -= 1;
        Some(address.clone())
    }

    fn now(&self) -> Duration {
        self.clock.elapsed()
    }

    fn shelves(&self) -> MutexGuard<'_, Shelves> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
