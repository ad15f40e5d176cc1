//! What was said in rooms while nobody asked us, until the next question there. Memory only, and bounded.
//!
//! An album comes as several messages of which one may name us: the others are kept for a moment, to go with it.
//! Also which events were dealt with lately, so that what a platform brings again is not noted twice. What must not be
//! lost is a submission.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openclaw_inbound::access::AuthorRights;
use openclaw_inbound::conversation::{HistoryPlace, OverheardMessage, remember};
use openclaw_types::{AccountId, ChannelId, EventId, Inbound, PeerId, UnixMillis};

use super::admit::{Admitted, Overheard};

/// How many conversations have something waiting.
const MOST_PLACES: usize = 2_000;
/// How many events are remembered.
const MOST_EVENTS: usize = 20_000;

/// How many parts of albums are kept, and for how long.
const MOST_PARTS: usize = 500;
const ALBUM: Duration = Duration::from_secs(10);

type EventKey = (ChannelId, AccountId, EventId);

/// What was heard.
#[derive(Default)]
pub(crate) struct UnansweredHistory(Mutex<Pages>);

#[derive(Default)]
struct Pages {
    places: HashMap<HistoryPlace, Vec<OverheardMessage>>,
    order: VecDeque<HistoryPlace>,
    events: HashSet<EventKey>,
    event_order: VecDeque<EventKey>,
    /// Parts of albums of which none named us so far, the oldest first.
    parts: VecDeque<(Album, UnixMillis, Overheard)>,
    /// Albums of which a part was let in.
    albums: VecDeque<(Album, UnixMillis, AuthorRights)>,
}

/// An album: where, whose, and which.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Album {
    place: HistoryPlace,
    from: PeerId,
    bundle: String,
}

impl Album {
    fn of(inbound: &Inbound) -> Option<Self> {
        let place = HistoryPlace::of(inbound);
        Some(Self { place, from: inbound.from.id.clone(), bundle: inbound.bundle.clone()? })
    }
}

impl Pages {
    /// Forgets parts and albums that nothing belongs to any more.
    fn tidy_albums(&mut self, now: UnixMillis) {
        self.parts.retain(|(_, at, _)| now.since(*at) < ALBUM);
        self.albums.retain(|(_, at, _)| now.since(*at) < ALBUM);
        self.parts.drain(..self.parts.len().saturating_sub(MOST_PARTS));
        self.albums.drain(..self.albums.len().saturating_sub(MOST_PARTS));
    }
}

impl UnansweredHistory {
    /// Keeps what was said, as long as no more than `limit` is kept there.
    pub(super) fn keep(&self, inbound: &Inbound, limit: usize) {
        let Some(heard) = OverheardMessage::of(inbound).filter(|_| limit > 0) else { return };
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

    /// What was said in a conversation and not told yet.
    pub(super) fn waiting(&self, inbound: &Inbound) -> Vec<OverheardMessage> {
        self.pages().places.get(&HistoryPlace::of(inbound)).cloned().unwrap_or_default()
    }

    /// Notes that this was told: it is in a submission that is kept.
    pub(super) fn told(&self, inbound: &Inbound, told: &[OverheardMessage]) {
        let place = HistoryPlace::of(inbound);
        let mut pages = self.pages();
        let Some(waiting) = pages.places.get_mut(&place) else { return };
        waiting.retain(|each| !told.contains(each));
        if waiting.is_empty() {
            pages.places.remove(&place);
            pages.order.retain(|each| *each != place);
        }
    }

    /// How the album was let in that a part belongs to; nothing as long as none of its parts was.
    pub(super) fn album(&self, inbound: &Inbound, now: UnixMillis) -> Option<AuthorRights> {
        let album = Album::of(inbound)?;
        let mut pages = self.pages();
        pages.tidy_albums(now);
        pages.albums.iter().find(|(each, ..)| *each == album).map(|(_, _, admission)| admission.clone())
    }

    /// Keeps a part of an album until another one names us.
    pub(super) fn keep_part(&self, part: Overheard, now: UnixMillis) {
        let Some(album) = Album::of(part.inbound()) else { return };
        let mut pages = self.pages();
        pages.parts.push_back((album, now, part));
        pages.tidy_albums(now);
    }

    /// Notes how an album was let in with one of its parts. Gives those that came before it; as context they are
    /// forgotten. They are given again when the part comes again, since a submission is taken once anyway.
    pub(super) fn let_in(
        &self,
        inbound: &Inbound,
        admission: &AuthorRights,
        now: UnixMillis,
    ) -> Vec<Admitted> {
        let Some(album) = Album::of(inbound) else { return Vec::new() };
        let parts: Vec<Overheard> = {
            let mut pages = self.pages();
            pages.tidy_albums(now);
            pages.albums.push_back((album.clone(), now, admission.clone()));
            let own = pages.parts.iter().filter(|(each, ..)| *each == album);
            own.map(|(_, _, part)| part.clone()).collect()
        };
        for part in &parts {
            self.told(part.inbound(), OverheardMessage::of(part.inbound()).as_slice());
        }
        parts.into_iter().map(|part| part.admitted_with(admission.clone())).collect()
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
