//! Places that many callers share and none may take all of: sockets, handshakes under way.
//!
//! A place is held until it is dropped. There are only so many in all, and only so many for each source, so that one
//! machine or one web page cannot keep the others out. Who is turned away is told by the callers, `connection` and
//! `server`.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::attempts::network_of;
use crate::auth::network::is_loopback;

/// Where somebody who wants a place comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PlaceSource {
    /// This machine: a program, a page of ours, or a proxy that names nobody.
    ThisMachine,
    /// Another machine. IPv6 callers own a whole /64, so that is what is counted.
    Remote(IpAddr),
    /// A page in a browser on that machine, loaded from somewhere we do not allow. It takes nothing from the share of
    /// the machine, which is the owner's more often than not.
    ForeignPage(IpAddr),
}

impl PlaceSource {
    /// Sorts a caller by its address.
    pub(crate) fn of(address: IpAddr) -> Self {
        let address = address.to_canonical();
        if is_loopback(address) { Self::ThisMachine } else { Self::Remote(network_of(address)) }
    }

    /// The foreign pages at the same place.
    pub(crate) fn foreign_page(self) -> Self {
        match self {
            Self::ThisMachine => Self::ForeignPage(IpAddr::V4(Ipv4Addr::LOCALHOST)),
            Self::Remote(address) | Self::ForeignPage(address) => Self::ForeignPage(address),
        }
    }
}

/// The most places that each source may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shares {
    /// Each other machine.
    pub(crate) remote: usize,
    /// This machine.
    pub(crate) this_machine: usize,
    /// All foreign pages on one machine together.
    pub(crate) foreign_page: usize,
}

/// A bounded number of places.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    all: usize,
    shares: Shares,
    taken: Arc<Mutex<Taken>>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by_source: HashMap<PlaceSource, usize>,
}

impl Places {
    /// So many places, all of them free.
    pub(crate) fn new(all: usize, shares: Shares) -> Self {
        Self { all, shares, taken: Arc::default() }
    }

    /// Takes a place; `None` when there is none left, or none left for this source.
    pub(crate) fn take(&self, source: PlaceSource) -> Option<TakenPlace> {
        let mut taken = lock(&self.taken);
        let held = taken.by_source.get(&source).copied().unwrap_or_default();
        if taken.all >= self.all || held >= self.share(source) {
            return None;
        }
        taken.all += 1;
        taken.by_source.insert(source, held + 1);
        Some(TakenPlace { taken: self.taken.clone(), source })
    }

    fn share(&self, source: PlaceSource) -> usize {
        match source {
            PlaceSource::ThisMachine => self.shares.this_machine,
            PlaceSource::ForeignPage(_) => self.shares.foreign_page,
            PlaceSource::Remote(_) => self.shares.remote,
        }
    }
}

/// A place that is taken; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct TakenPlace {
    taken: Arc<Mutex<Taken>>,
    source: PlaceSource,
}

impl Drop for TakenPlace {
    fn drop(&mut self) {
        let mut taken = lock(&self.taken);
        taken.all = taken.all.saturating_sub(1);
        let left = taken.by_source.get(&self.source).copied().unwrap_or_default().saturating_sub(1);
        if left == 0 {
            taken.by_source.remove(&self.source);
        } else {
            taken.by_source.insert(self.source, left);
        }
    }
}

fn lock(taken: &Mutex<Taken>) -> MutexGuard<'_, Taken> {
    // Every change below the lock is complete before anything can panic, so a poisoned count is still sound.
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}
