//! A client that stays connected: it reconnects with growing waits, restores what it kept up, and gives up only when
//! a person has to act.
//!
//! Requests are never repeated by themselves: a request cut off by a lost connection fails, since the gateway may have
//! done it. Used by programs that live long; commands that ask one thing use `connect`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openclaw_ports::{Clock, Deadline, TaskScope};
use openclaw_protocol::Method;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::{broadcast, watch};

use crate::backoff::Backoff;
use crate::error::{ConnectError, RequestError, Retry, SessionEnd};
use crate::events::{ClientNotice, EventStream};
use crate::options::ConnectOptions;
use crate::session::{RequestOptions, Session, connect, read_answer};

/// Events kept for a reader that is behind; more are dropped, oldest first, and the reader is told how many.
const EVENT_CAPACITY: usize = 1024;

/// What the client is doing.
#[derive(Debug, Clone)]
pub enum Connection {
    /// An attempt is under way.
    Connecting,
    /// There is a session.
    Connected(Session),
    /// The last attempt or session failed; the next attempt comes after a wait.
    Waiting {
        /// What failed.
        reason: String,
        /// How long the wait is.
        retry_in: Duration,
    },
    /// A person has to act; there will be no more attempts.
    Failed(Arc<ConnectError>),
}

/// A connection that is kept up until the last clone is dropped or its task scope is cancelled.
#[derive(Debug, Clone)]
pub struct Client {
    shared: Arc<Shared>,
    _alive: Arc<CancelOnDrop>,
}

struct Shared {
    options: ConnectOptions,
    clock: Arc<dyn Clock>,
    state: watch::Sender<Connection>,
    events: broadcast::Sender<ClientNotice>,
    ended: watch::Sender<Option<SessionEnd>>,
    kept: Mutex<Vec<Kept>>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Client").field("address", &self.options.address).finish_non_exhaustive()
    }
}

#[derive(Clone)]
struct Kept {
    method: String,
    params: Box<RawValue>,
}

#[derive(Debug)]
struct CancelOnDrop(TaskScope);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Client {
    /// Starts connecting at once; its task runs on a child of `tasks`.
    #[must_use]
    pub fn start(options: ConnectOptions, clock: Arc<dyn Clock>, tasks: &TaskScope) -> Self {
        let scope = tasks.child("gateway client");
        let shared = Arc::new(Shared {
            options,
            clock,
            state: watch::channel(Connection::Connecting).0,
            events: broadcast::channel(EVENT_CAPACITY).0,
            ended: watch::channel(None).0,
            kept: Mutex::new(Vec::new()),
        });
        scope.start_cancellable("gateway client", maintain(Arc::clone(&shared), scope.clone()));
        Self { shared, _alive: Arc::new(CancelOnDrop(scope)) }
    }

    /// What the client is doing, now and whenever it changes.
    #[must_use]
    pub fn connection(&self) -> watch::Receiver<Connection> {
        self.shared.state.subscribe()
    }

    /// Waits for a session, at most `limit`.
    ///
    /// # Errors
    /// When none came about in time, or none ever will.
    pub async fn session(&self, limit: Duration) -> Result<Session, RequestError> {
        let clock = self.shared.clock.as_ref();
        let mut state = self.connection();
        let found = async {
            let settled =
                state.wait_for(|state| matches!(state, Connection::Connected(_) | Connection::Failed(_)));
            match settled.await.as_deref() {
                Ok(Connection::Connected(session)) => Ok(session.clone()),
                Ok(Connection::Failed(error)) => {
                    Err(RequestError::NotConnected { reason: error.to_string() })
                }
                _ => Err(RequestError::NotConnected { reason: "the client was stopped".to_owned() }),
            }
        };
        match Deadline::after(clock, limit).bound(clock, found).await {
            Ok(session) => session,
            Err(_) => Err(RequestError::NotConnected { reason: self.trouble(limit) }),
        }
    }

    /// Calls a method with the types it is declared with, waiting for a session first. The limit covers both.
    ///
    /// # Errors
    /// When there is no session in time, or the gateway refuses or does not answer.
    pub async fn call<M: Method>(
        &self,
        params: &M::Params,
        options: RequestOptions,
    ) -> Result<M::Result, RequestError>
    where
        M::Params: Sync,
    {
        let answer = self.request(M::NAME, params, options).await?;
        read_answer(M::NAME, &answer)
    }

    /// Calls a method by name, waiting for a session first. The limit covers both.
    ///
    /// # Errors
    /// When there is no session in time, or the gateway refuses or does not answer.
    pub async fn request<P: Serialize + Sync + ?Sized>(
        &self,
        method: &str,
        params: &P,
        options: RequestOptions,
    ) -> Result<Box<RawValue>, RequestError> {
        let clock = self.shared.clock.as_ref();
        let deadline = Deadline::after(clock, options.limit);
        let session = self.session(options.limit).await?;
        session.request(method, params, RequestOptions { limit: deadline.left(clock), ..options }).await
    }

    /// Makes a request now if there is a session, and again on every later one: for subscriptions.
    ///
    /// # Errors
    /// When the parameters cannot be sent, or the gateway refuses them now.
    pub async fn keep<P: Serialize + Sync + ?Sized>(
        &self,
        method: &str,
        params: &P,
        options: RequestOptions,
    ) -> Result<(), RequestError> {
        let params = serde_json::value::to_raw_value(params).map_err(|error| RequestError::Shape {
            method: method.to_owned(),
            action: "send the parameters",
            detail: error.to_string(),
        })?;
        let connected = match &*self.shared.state.borrow() {
            Connection::Connected(session) => Some(session.clone()),
            _ => None,
        };
        self.shared.kept().push(Kept { method: method.to_owned(), params: params.clone() });
        match connected {
            Some(session) => session.request(method, &params, options).await.map(drop),
            None => Ok(()),
        }
    }

    /// Everything gateways send from now on, across sessions.
    #[must_use]
    pub fn events(&self) -> EventStream {
        EventStream::new(self.shared.events.subscribe(), self.shared.ended.subscribe())
    }

    fn trouble(&self, limit: Duration) -> String {
        match &*self.shared.state.borrow() {
            Connection::Waiting { reason, .. } => reason.clone(),
            _ => format!("no session within {limit:?}"),
        }
    }
}

impl Shared {
    fn kept(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn maintain(shared: Arc<Shared>, scope: TaskScope) {
    let mut backoff = Backoff::new();
    let mut sessions = 0_u64;
    loop {
        shared.state.send_replace(Connection::Connecting);
        let reason = match connect(&shared.options, Arc::clone(&shared.clock), &scope).await {
            Ok(session) => {
                backoff.reset();
                sessions += 1;
                live(&shared, session, sessions).await.to_string()
            }
            Err(error) if error.retry() == Retry::Never => {
                tracing::warn!(%error, "the gateway cannot be connected to; not trying again");
                shared.ended.send_replace(Some(SessionEnd::Lost { detail: error.to_string() }));
                shared.state.send_replace(Connection::Failed(Arc::new(error)));
                return;
            }
            Err(error) => error.to_string(),
        };
        let retry_in = backoff.next(random());
        tracing::debug!(%reason, ?retry_in, "no connection to the gateway");
        shared.state.send_replace(Connection::Waiting { reason, retry_in });
        shared.clock.sleep(retry_in).await;
    }
}

/// Restores what is kept up, announces the session and passes its events on until it ends.
async fn live(shared: &Shared, session: Session, sessions: u64) -> SessionEnd {
    let mut events = session.events();
    let kept: Vec<Kept> = shared.kept().clone();
    for Kept { method, params } in kept {
        if let Err(error) = session.request(&method, &params, RequestOptions::default()).await {
            tracing::warn!(%error, method, "a subscription could not be restored");
        }
    }
    if sessions > 1 {
        publish(shared, ClientNotice::Reconnected);
    }
    shared.state.send_replace(Connection::Connected(session));
    loop {
        match events.next().await {
            Ok(notice) => publish(shared, notice),
            Err(ending) => return ending,
        }
    }
}

fn publish(shared: &Shared, notice: ClientNotice) {
    // Nobody reading events is no trouble.
    if shared.events.receiver_count() > 0 && shared.events.send(notice).is_err() {
        tracing::trace!("the last reader of events left");
    }
}

/// Spreads clients; without randomness they merely wait alike.
fn random() -> u16 {
    let mut bytes = [0_u8; 2];
    match getrandom::fill(&mut bytes) {
        Ok(()) => u16::from_ne_bytes(bytes),
        Err(_) => u16::MAX / 2,
    }
}
