//! What was asked of the server: every request, in order, and a way to wait for the next one.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use openclaw_ports::model::ApiName;
use openclaw_types::UnixMillis;
use serde_json::Value;
use tokio::sync::watch;

use super::tls::HttpVersion;

/// One request as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct CapturedRequest {
    /// The protocol; nothing for lists of models, token exchanges and unknown paths.
    pub protocol: Option<ApiName>,
    /// The method, in capitals.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body; `Null` when there is none or it is no JSON.
    pub body: Value,
    /// The version of HTTP it came in.
    pub version: HttpVersion,
    /// When it was whole.
    pub at: UnixMillis,
    /// The connection it came on: requests with the same number shared one.
    pub connection: u64,
}

impl CapturedRequest {
    /// The text of a header, empty when it is not there.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(String::as_str).unwrap_or_default()
    }
}

#[derive(Debug)]
pub(super) struct Log {
    state: Mutex<State>,
    count: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct State {
    requests: Vec<CapturedRequest>,
    taken: usize,
}

impl Log {
    pub(super) fn new() -> Self {
        Self { state: Mutex::new(State::default()), count: watch::Sender::new(0) }
    }

    pub(super) fn add(&self, request: CapturedRequest) {
        let count = {
            let mut state = self.lock();
            state.requests.push(request);
            state.requests.len()
        };
        self.count.send_replace(count);
    }

    pub(super) fn all(&self) -> Vec<CapturedRequest> {
        self.lock().requests.clone()
    }

    /// The first request that was not taken yet; waits for it.
    pub(super) async fn next(&self) -> CapturedRequest {
        let mut count = self.count.subscribe();
        loop {
            if let Some(request) = self.take() {
                return request;
            }
            count.changed().await.expect("the log outlives those who wait for it");
        }
    }

    fn take(&self) -> Option<CapturedRequest> {
        let mut state = self.lock();
        let request = state.requests.get(state.taken).cloned()?;
        state.taken += 1;
        Some(request)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
