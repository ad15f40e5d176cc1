//! What waits to be written to one client.
//!
//! Bounded in bytes: once more than the limit is waiting, an event that may be missed is skipped and any other one
//! ends the connection, so that one client that does not read never costs the others anything. Texts are shared
//! buffers, serialised once for all clients. Writing them to the socket is the business of `serve`.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_tungstenite::tungstenite::Utf8Bytes;
use tokio_util::sync::CancellationToken;

use openclaw_protocol::Close;

/// Whether an event may be skipped for a client that lags behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// The next one replaces it anyway.
    Droppable,
    /// The client would be wrong without it.
    Required,
}

/// What became of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pushed {
    /// It will be written.
    Queued,
    /// It was skipped because the client lags behind.
    Dropped,
    /// It was refused and the connection ends because the client lags behind.
    SlowConsumer,
    /// The connection is ending already.
    Closed,
}

/// How a connection ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConnectionEnd {
    /// What the client is told.
    pub(crate) close: Close,
    /// Whether what is waiting is still written first.
    pub(crate) leftovers: Leftovers,
}

/// What happens to texts that wait when a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leftovers {
    /// They are written before the close.
    Write,
    /// They are thrown away.
    Discard,
}

/// The queue of one connection.
#[derive(Debug)]
pub(crate) struct Outbound {
    limit: usize,
    state: Mutex<State>,
    ready: Notify,
    ending: CancellationToken,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Utf8Bytes>,
    /// Bytes in `waiting` and bytes handed to the socket but not written yet.
    bytes: usize,
    ending: Option<ConnectionEnd>,
}

impl Outbound {
    /// An empty queue that calls a client slow when more than `limit` bytes wait.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, state: Mutex::default(), ready: Notify::new(), ending: CancellationToken::new() }
    }

    /// Queues a response. Never refused for its size: requests are not read while responses wait.
    pub(crate) fn respond(&self, text: Utf8Bytes) -> Pushed {
        let mut state = self.state();
        if state.ending.is_some() {
            return Pushed::Closed;
        }
        state.take(text);
        drop(state);
        self.ready.notify_one();
        Pushed::Queued
    }

    /// Queues an event, unless the client lags behind.
    pub(crate) fn event(&self, text: Utf8Bytes, pace: Pace) -> Pushed {
        let mut state = self.state();
        if state.ending.is_some() {
            return Pushed::Closed;
        }
        if state.bytes > self.limit {
            if pace == Pace::Droppable {
                return Pushed::Dropped;
            }
            drop(state);
            self.end(Close::SLOW_CONSUMER, Leftovers::Discard);
            return Pushed::SlowConsumer;
        }
        state.take(text);
        drop(state);
        self.ready.notify_one();
        Pushed::Queued
    }

    /// Ends the connection. The first reason given counts.
    pub(crate) fn end(&self, close: Close, leftovers: Leftovers) {
        let mut state = self.state();
        if state.ending.is_some() {
            return;
        }
        if leftovers == Leftovers::Discard {
            state.waiting.clear();
            state.bytes = 0;
        }
        state.ending = Some(ConnectionEnd { close, leftovers });
        drop(state);
        self.ending.cancel();
        self.ready.notify_one();
    }

    /// Takes everything that waits. The bytes count as waiting until `written` says otherwise.
    pub(crate) fn take(&self, into: &mut Vec<Utf8Bytes>) {
        into.extend(self.state().waiting.drain(..));
    }

    /// Says that so many bytes left the process.
    pub(crate) fn written(&self, bytes: usize) {
        let mut state = self.state();
        state.bytes = state.bytes.saturating_sub(bytes);
    }

    /// How the connection ends, once that is decided.
    pub(crate) fn ending(&self) -> Option<ConnectionEnd> {
        self.state().ending.clone()
    }

    /// Waits until something was queued or the end was decided. May return early.
    pub(crate) async fn ready(&self) {
        self.ready.notified().await;
    }

    /// Wakes the writer without giving it anything, so that it looks around again.
    pub(crate) fn nudge(&self) {
        self.ready.notify_one();
    }

    /// Waits until the end was decided.
    pub(crate) async fn ended(&self) {
        self.ending.cancelled().await;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic while the lock is held cannot leave the queue half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self, text: Utf8Bytes) {
        self.bytes = self.bytes.saturating_add(text.len());
        self.waiting.push_back(text);
    }
}

#[cfg(test)]
mod tests;
