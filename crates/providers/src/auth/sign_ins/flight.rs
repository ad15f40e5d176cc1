//! Joins callers that want the same thing: the first starts the work, all get its outcome.
//!
//! The work runs as a task of its own. A caller that gives up leaves it running, which matters for renewals: a vendor
//! that hands out a new renewal token has already taken the old one back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openclaw_ports::TaskScope;
use openclaw_ports::model::{CallCredential, FaultReason, ModelFault};
use tokio::sync::watch;

type Outcome = Result<CallCredential, ModelFault>;

/// The work under way, by what it is about.
#[derive(Default)]
pub(super) struct Flights(Mutex<HashMap<String, watch::Receiver<Option<Outcome>>>>);

impl Flights {
    /// Joins the flight of this name, or starts it.
    pub(super) async fn join<F>(self: &Arc<Self>, scope: &TaskScope, name: &str, work: F) -> Outcome
    where
        F: Future<Output = Outcome> + Send + 'static,
    {
        let mut landed = self.board(scope, name, work);
        let outcome = landed.wait_for(Option::is_some).await;
        match outcome.as_deref() {
            Ok(Some(outcome)) => outcome.clone(),
            // The sender is gone without a word: the work panicked, which the scope has logged.
            Ok(None) | Err(_) => {
                Err(ModelFault::new(FaultReason::Unknown, "renewing the sign-in broke off; try again"))
            }
        }
    }

    fn board<F>(self: &Arc<Self>, scope: &TaskScope, name: &str, work: F) -> watch::Receiver<Option<Outcome>>
    where
        F: Future<Output = Outcome> + Send + 'static,
    {
        let (land, landed) = watch::channel(None);
        {
            let mut flights = self.lock();
            if let Some(flying) = flights.get(name) {
                return flying.clone();
            }
            flights.insert(name.to_owned(), landed.clone());
        }
        // The board is free again here: a runtime that ends drops the work at once, and with it `leave`, which needs
        // the board.
        let leave = Leave { flights: Arc::clone(self), name: name.to_owned() };
        scope.start("renew-sign-in", async move {
            let outcome = work.await;
            // Off the board first: who comes now shall look at the store again, not at this outcome.
            drop(leave);
            land.send_replace(Some(outcome));
        });
        landed
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, watch::Receiver<Option<Outcome>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes a flight off the board, however it ends.
struct Leave {
    flights: Arc<Flights>,
    name: String,
}

impl Drop for Leave {
    fn drop(&mut self) {
        self.flights.lock().remove(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flight_that_cannot_start_any_more_breaks_off_and_leaves_the_board() {
        let ended = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let handle = ended.handle().clone();
        drop(ended);
        let (tell, told) = std::sync::mpsc::channel();
        let flights: Arc<Flights> = Arc::default();
        let board = Arc::clone(&flights);
        std::thread::spawn(move || {
            let scope = TaskScope::root("ended");
            let waiter = tokio::runtime::Builder::new_current_thread().build().unwrap();
            tell.send(waiter.block_on(async {
                let _inside = handle.enter();
                board.join(&scope, "name", std::future::pending()).await
            }))
            .unwrap();
        });
        let outcome = told.recv_timeout(std::time::Duration::from_secs(20)).expect("the board is locked up");
        assert_eq!(outcome.unwrap_err().reason, FaultReason::Unknown);
        assert!(flights.lock().is_empty());
    }
}
