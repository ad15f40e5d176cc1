//! Counts what is open, and lets others wait for a count.

use tokio::sync::watch;

/// A count that goes up and down. Clones are the same count.
#[derive(Debug, Clone)]
pub(super) struct Counter(watch::Sender<usize>);

/// One that counts until it is dropped.
#[derive(Debug)]
pub(super) struct Counted(watch::Sender<usize>);

impl Counter {
    pub(super) fn new() -> Self {
        Self(watch::Sender::new(0))
    }

    pub(super) fn enter(&self) -> Counted {
        self.0.send_modify(|count| *count += 1);
        Counted(self.0.clone())
    }

    pub(super) fn now(&self) -> usize {
        *self.0.borrow()
    }

    pub(super) async fn until(&self, test: impl FnMut(&usize) -> bool) {
        self.0.subscribe().wait_for(test).await.expect("the count outlives those who wait for it");
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}
