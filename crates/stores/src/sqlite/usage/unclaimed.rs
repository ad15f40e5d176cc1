//! Reservations whose caller was cancelled before it heard of them.
//!
//! A run that is stopped while its reservation waits to be committed would leave money set aside that nobody can
//! release. Each reservation is written with a mark that its caller knows beforehand. A caller that is dropped unheard
//! leaves its mark on a list, and the next reservation clears what is marked so, in its own transaction: it stands
//! behind the first in the writer's queue, so what it is to clear has been written, or never will be.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Tells the reservations of one open database apart, before they have an id. Never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark(pub(super) i64);

/// Marks of reservations to take back.
#[derive(Debug, Default)]
pub(crate) struct Unclaimed {
    last: AtomicI64,
    marks: Mutex<Vec<Mark>>,
}

impl Unclaimed {
    /// Begins a reservation that the caller is expected to hear of.
    pub(super) fn expect(self: &Arc<Self>) -> Claim {
        let mark = Mark(self.last.fetch_add(1, Ordering::Relaxed) + 1);
        Claim { list: Arc::clone(self), mark, heard: false }
    }

    /// What is to be taken back now.
    pub(super) fn marks(&self) -> Vec<Mark> {
        self.lock().clone()
    }

    /// Strikes what was taken back, durably, off the list.
    pub(super) fn forget(&self, taken_back: &[Mark]) {
        self.lock().retain(|mark| !taken_back.contains(mark));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Mark>> {
        self.marks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A caller that waits for its reservation.
pub(super) struct Claim {
    list: Arc<Unclaimed>,
    mark: Mark,
    heard: bool,
}

impl Claim {
    /// What its reservation is written with.
    pub(super) fn mark(&self) -> Mark {
        self.mark
    }

    /// The caller got its answer.
    pub(super) fn heard(mut self) {
        self.heard = true;
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if !self.heard {
            self.list.lock().push(self.mark);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Unclaimed;

    #[test]
    fn a_caller_that_leaves_unheard_is_on_the_list_until_its_reservation_is_taken_back() {
        let list = Arc::new(Unclaimed::default());
        let (one, other) = (list.expect(), list.expect());
        let mark = one.mark();
        drop(one);
        other.heard();
        assert_eq!(list.marks(), [mark]);
        list.forget(&[mark]);
        assert_eq!(list.marks(), []);
        assert_ne!(list.expect().mark(), mark);
    }
}
