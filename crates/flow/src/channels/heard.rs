//! What was said in rooms while nobody asked us, until the next question there. Memory only, and bounded.
//!
//! Also which events were dealt with lately, so that what a platform brings again is not noted twice. What must not be
//! lost is a letter.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use openclaw_inbound::conversation::{Heard, HistoryPlace, remember};
use openclaw_types::{AccountId, ChannelId, EventId, Inbound};

/// How many conversations have something waiting.
const MOST_PLACES: usize = 2_000;
/// How many events are remembered.
const MOST_EVENTS: usize = 20_000;

type EventKey = (ChannelId, AccountId, EventId);

/// What was heard.
#[derive(Default)]
pub(crate) struct HeardBook(Mutex<Pages>);

#[derive(Default)]
struct Pages {
    places: HashMap<HistoryPlace, Vec<Heard>>,
    order: VecDeque<HistoryPlace>,
    events: HashSet<EventKey>,
    event_order: VecDeque<EventKey>,
}

impl HeardBook {
    /// Keeps what was said, as long as no more than `limit` is kept there.
    pub(super) fn keep(&self, inbound: &Inbound, limit: usize) {
        let Some(heard) = Heard::of(inbound).filter(|_| limit > 0) else { return };
        let place = HistoryPlace::of(inbound);
        let mut pages = self.pages();
        if !pages.places.contains_key(&place) {
            pages.order.push_back(place.clone());
            if pages.order.len() > MOST_PLACES
                && let Some(oldest) = pages.order.pop_front()
            {
                pages.places.remove(&oldest);
            }
        }
        remember(pages.places.entry(place).or_default(), heard, limit);
    }

    /// What was said in a conversation since it was taken last; it is taken.
    pub(super) fn take(&self, inbound: &Inbound) -> Vec<Heard> {
        let place = HistoryPlace::of(inbound);
        let mut pages = self.pages();
        pages.order.retain(|each| *each != place);
        pages.places.remove(&place).unwrap_or_default()
    }

    /// Whether an event was dealt with lately.
    pub(super) fn knows(&self, inbound: &Inbound) -> bool {
        self.pages().events.contains(&key(inbound))
    }

    /// Notes that an event is dealt with.
    pub(super) fn done(&self, key: EventKey) {
        let mut pages = self.pages();
        if !pages.events.insert(key.clone()) {
            return;
        }
        pages.event_order.push_back(key);
        if pages.event_order.len() > MOST_EVENTS
            && let Some(oldest) = pages.event_order.pop_front()
        {
            pages.events.remove(&oldest);
        }
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Names an event.
pub(super) fn key(inbound: &Inbound) -> EventKey {
    (inbound.channel.clone(), inbound.account.clone(), inbound.event.clone())
}
