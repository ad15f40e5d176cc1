//! A gate that holds answers back until somebody opens it. Tests use it to look at an answer that is half given.

use tokio::sync::watch;

/// Holds back whoever comes by while it is shut. Clones are the same gate.
#[derive(Debug, Clone)]
pub struct Gate {
    state: watch::Sender<State>,
}

#[derive(Debug, Clone, Copy)]
struct State {
    door: Door,
    arrived: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Door {
    Shut,
    Open,
}

impl Gate {
    /// A gate that is shut.
    #[must_use]
    pub fn new() -> Self {
        Self { state: watch::Sender::new(State { door: Door::Shut, arrived: 0 }) }
    }

    /// Lets everybody through, now and later.
    pub fn open(&self) {
        self.state.send_modify(|state| state.door = Door::Open);
    }

    /// Holds back those who come from now on.
    pub fn shut(&self) {
        self.state.send_modify(|state| state.door = Door::Shut);
    }

    /// How many have come to the gate so far.
    #[must_use]
    pub fn arrived(&self) -> usize {
        self.state.borrow().arrived
    }

    /// Waits until `count` have come to the gate.
    pub async fn until_arrived(&self, count: usize) {
        self.until(|state| state.arrived >= count).await;
    }

    /// Comes to the gate and waits until it is open.
    pub async fn pass(&self) {
        self.state.send_modify(|state| state.arrived += 1);
        self.until(|state| state.door == Door::Open).await;
    }

    async fn until(&self, test: impl FnMut(&State) -> bool) {
        let mut seen = self.state.subscribe();
        if seen.wait_for(test).await.is_err() {
            // We hold a sender: the channel cannot be closed while we wait.
            std::future::pending::<()>().await;
        }
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}
