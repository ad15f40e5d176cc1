//! When messages that come in quick succession go on, and which of them together. Pure: time comes with every call.
//!
//! Words of one person in one conversation wait until it was quiet for so long. What goes at once takes what waits
//! before it along, as a burst of its own, so that nothing overtakes. Bounded: a burst that is full or has waited long
//! enough goes on, and when too many people write at once, the oldest burst does.

use std::time::Duration;

use openclaw_types::{AccountId, ChannelId, Inbound, PeerId, ThreadId, UnixMillis};

use super::bundle::Nature;

/// The most messages of a burst.
const MOST_TOGETHER: usize = 32;
/// The most bursts that wait.
const MOST_WAITING: usize = 1000;
/// How often a burst's wait may begin anew before it goes on.
const LONGEST_WAITS: u32 = 10;
/// How long the parts of an album are waited for.
const ALBUM_WAIT: Duration = Duration::from_millis(500);

/// Whose messages wait together.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BurstKey {
    /// The platform.
    pub channel: ChannelId,
    /// Our login there.
    pub account: AccountId,
    /// The conversation.
    pub place: PeerId,
    /// The thread in it.
    pub thread: Option<ThreadId>,
    /// Who writes.
    pub from: PeerId,
}

/// A message that comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BurstMessage<T> {
    /// Whose it is.
    pub key: BurstKey,
    /// The message.
    pub item: T,
    /// What it is as far as waiting goes.
    pub nature: Nature,
    /// How long words wait, as the configuration says.
    pub wait: Duration,
}

/// Messages that go on together, in order. Never empty.
pub type Burst<T> = Vec<T>;

/// The messages that wait.
#[derive(Debug, Clone)]
pub struct Debounce<T> {
    waiting: Vec<Waiting<T>>,
}

#[derive(Debug, Clone)]
struct Waiting<T> {
    key: BurstKey,
    nature: Nature,
    items: Burst<T>,
    due: UnixMillis,
    latest: UnixMillis,
}

impl BurstKey {
    /// Whose message it is.
    #[must_use]
    pub fn of(inbound: &Inbound) -> Self {
        Self {
            channel: inbound.channel.clone(),
            account: inbound.account.clone(),
            place: inbound.place.id.clone(),
            thread: inbound.place.session_thread.clone().or_else(|| inbound.place.thread.clone()),
            from: inbound.from.id.clone(),
        }
    }
}

impl<T> Default for Debounce<T> {
    fn default() -> Self {
        Self { waiting: Vec::new() }
    }
}

impl<T> Debounce<T> {
    /// Takes a message and gives the bursts that go on now, in order.
    pub fn arrive(&mut self, arrival: BurstMessage<T>, now: UnixMillis) -> Vec<Burst<T>> {
        let BurstMessage { key, item, nature, wait } = arrival;
        let wait = match nature {
            Nature::AtOnce => Duration::ZERO,
            Nature::Words => wait,
            Nature::Part(_) => ALBUM_WAIT,
        };
        let mut out = self.take(|waiting| waiting.key == key && waiting.nature != nature);
        if wait.is_zero() {
            out.extend(self.take(|waiting| waiting.key == key));
            out.push(vec![item]);
            return out;
        }
        let due = now.plus(wait);
        match self.waiting.iter_mut().find(|waiting| waiting.key == key) {
            Some(waiting) => {
                waiting.items.push(item);
                waiting.due = due.min(waiting.latest);
            }
            None => {
                let latest = now.plus(wait.saturating_mul(LONGEST_WAITS));
                self.waiting.push(Waiting { key, nature, items: vec![item], due, latest });
            }
        }
        out.extend(self.take(|waiting| waiting.items.len() >= MOST_TOGETHER));
        if self.waiting.len() > MOST_WAITING {
            out.push(self.waiting.remove(0).items);
        }
        out
    }

    /// The bursts that have waited long enough, the earliest first.
    pub fn due(&mut self, now: UnixMillis) -> Vec<Burst<T>> {
        self.waiting.sort_by_key(|waiting| waiting.due);
        self.take(|waiting| waiting.due <= now)
    }

    /// Everything that waits, for the end of the program.
    pub fn all(&mut self) -> Vec<Burst<T>> {
        self.take(|_| true)
    }

    /// When the next burst goes on; nothing when none waits.
    #[must_use]
    pub fn next_due(&self) -> Option<UnixMillis> {
        self.waiting.iter().map(|waiting| waiting.due).min()
    }

    fn take(&mut self, wanted: impl Fn(&Waiting<T>) -> bool) -> Vec<Burst<T>> {
        self.waiting.extract_if(.., |waiting| wanted(waiting)).map(|waiting| waiting.items).collect()
    }
}
