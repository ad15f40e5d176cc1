//! Waiting for a place: how many runs work at once over all sessions.
//!
//! Who may begin is decided in `inbound::queue`; here runs wait until they are named. A run that is dropped while it
//! waits takes its request back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openclaw_config::LaneLimits;
use openclaw_inbound::queue::{Lane, LaneAdmission, Lanes};
use tokio::sync::oneshot;

/// Where runs wait.
#[derive(Clone)]
pub(crate) struct RunSlots(Arc<Mutex<Waiting>>);

struct Waiting {
    lanes: Lanes<u64>,
    limits: LaneLimits,
    calls: HashMap<u64, oneshot::Sender<()>>,
    next: u64,
}

/// A place in a lane. Dropping it names the next run.
pub(crate) struct RunSlot {
    channel_accounts: RunSlots,
    lane: Lane,
}

impl RunSlots {
    pub(crate) fn new(limits: LaneLimits) -> Self {
        let waiting = Waiting { lanes: Lanes::new(limits), limits, calls: HashMap::new(), next: 0 };
        Self(Arc::new(Mutex::new(waiting)))
    }

    /// Waits for a place in a lane with the limits of the moment.
    pub(crate) async fn place(&self, lane: Lane, limits: LaneLimits) -> RunSlot {
        let (mut request, called) = self.request(lane, limits);
        if let Some(called) = called {
            // The sender lives in the channel_accounts until the run is named, so an error means the same as a call: go on.
            if called.await.is_err() {
                tracing::error!("a run was forgotten while it waited for its lane; it begins now");
            }
        }
        request.settled = true;
        RunSlot { channel_accounts: self.clone(), lane }
    }

    fn request(&self, lane: Lane, limits: LaneLimits) -> (Request<'_>, Option<oneshot::Receiver<()>>) {
        let mut waiting = self.waiting();
        if waiting.limits != limits {
            waiting.limits = limits;
            let begin = waiting.lanes.resize(limits);
            waiting.call(begin.into_iter().map(|(_, ticket)| ticket));
        }
        let ticket = waiting.next;
        waiting.next += 1;
        let request = Request { channel_accounts: self, lane, ticket, settled: false };
        match waiting.lanes.request(lane, ticket) {
            LaneAdmission::Start => (request, None),
            LaneAdmission::Wait { ahead } => {
                tracing::debug!(?lane, ahead, "a run waits for its lane");
                let (call, called) = oneshot::channel();
                waiting.calls.insert(ticket, call);
                (request, Some(called))
            }
        }
    }

    fn free(&self, lane: Lane) {
        let mut waiting = self.waiting();
        let begin = waiting.lanes.free(lane);
        waiting.call(begin);
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn call(&mut self, tickets: impl IntoIterator<Item = u64>) {
        for ticket in tickets {
            if let Some(call) = self.calls.remove(&ticket) {
                // Nobody there: the request is being taken back, and gives its place away itself.
                if call.send(()).is_err() {
                    tracing::debug!("a run that waited for its lane is gone");
                }
            }
        }
    }
}

/// A request that is taken back when it is dropped before its run began.
struct Request<'a> {
    channel_accounts: &'a RunSlots,
    lane: Lane,
    ticket: u64,
    settled: bool,
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        let withdrawn = {
            let mut waiting = self.channel_accounts.waiting();
            waiting.calls.remove(&self.ticket);
            waiting.lanes.withdraw(self.lane, &self.ticket)
        };
        // It was named already: the place it was given goes to the next.
        if !withdrawn {
            self.channel_accounts.free(self.lane);
        }
    }
}

impl Drop for RunSlot {
    fn drop(&mut self) {
        self.channel_accounts.free(self.lane);
    }
}
