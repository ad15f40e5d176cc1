//! One connection to a gateway, from `hello-ok` to its end: requests, answers, events, silence.
//!
//! A task owns the socket; `Session` is a handle that can be cloned. When the last handle is dropped the task says
//! goodbye and ends. Nothing is repeated here: `client` reconnects.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use openclaw_ports::{Clock, Deadline, TaskScope};
use openclaw_protocol::{Close, Method};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::sync::{broadcast, mpsc, oneshot, watch};

use crate::error::{ConnectError, RequestError, SessionEnd};
use crate::events::{ClientNotice, EventStream};
use crate::hello::Hello;
use crate::options::ConnectOptions;
use crate::traffic::{self, SocketCommand, Traffic};
use crate::{handshake, socket};

/// Requests that may wait for the socket; more make the caller wait.
const COMMAND_CAPACITY: usize = 64;
/// Events kept for a reader that is behind; more are dropped, oldest first, and the reader is told how many.
const EVENT_CAPACITY: usize = 1024;

/// A live connection. Cheap to clone; the connection ends when the last clone is dropped.
#[derive(Debug, Clone)]
pub struct Session {
    shared: Arc<Shared>,
}

struct Shared {
    commands: mpsc::Sender<SocketCommand>,
    events: broadcast::Sender<ClientNotice>,
    ended: watch::Receiver<Option<SessionEnd>>,
    hello: Hello,
    next_id: AtomicU64,
    clock: Arc<dyn Clock>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Session")
            .field("connection_id", &self.hello.connection_id())
            .finish_non_exhaustive()
    }
}

/// Which answer a request waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Await {
    /// The first one.
    #[default]
    First,
    /// The last one: an answer that only says `accepted` is passed over.
    Final,
}

/// How a request is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestOptions {
    /// How long to wait for the answer.
    pub limit: Duration,
    /// Which answer to wait for.
    pub until: Await,
}

impl Default for RequestOptions {
    fn default() -> Self {
        Self { limit: Duration::from_secs(10), until: Await::First }
    }
}

/// Connects once: no retry, no reconnect. The socket's task is started on `tasks` and ends with it.
///
/// Dropping the future gives up and closes the socket.
///
/// # Errors
/// Says why no session came about; `ConnectError::retry` says whether trying again can help.
pub async fn connect(
    options: &ConnectOptions,
    clock: Arc<dyn Clock>,
    tasks: &TaskScope,
) -> Result<Session, ConnectError> {
    let limit = options.connect_limit;
    let opening = async {
        let mut socket = socket::open(options).await?;
        let hello = handshake::greet(&mut socket, options, clock.as_ref()).await?;
        Ok::<_, ConnectError>((socket, hello))
    };
    let (socket, hello) = Deadline::after(clock.as_ref(), limit)
        .bound(clock.as_ref(), opening)
        .await
        .map_err(|openclaw_ports::TimedOut| ConnectError::TimedOut {
            address: options.address.authority(),
            awaited: "finish the handshake",
            limit,
        })??;
    let (commands, inbox) = mpsc::channel(COMMAND_CAPACITY);
    let (events, _) = broadcast::channel(EVENT_CAPACITY);
    let (end, ended) = watch::channel(None);
    let traffic = Traffic::new(socket, &hello, events.clone(), Arc::clone(&clock));
    let scope = tasks.child("gateway session");
    tasks.start("gateway session", traffic::run(traffic, inbox, end, scope));
    let next_id = AtomicU64::new(1);
    Ok(Session { shared: Arc::new(Shared { commands, events, ended, hello, next_id, clock }) })
}

impl Session {
    /// What the gateway said when it let us in.
    #[must_use]
    pub fn hello(&self) -> &Hello {
        &self.shared.hello
    }

    /// Calls a method with the types it is declared with.
    ///
    /// # Errors
    /// When the gateway refuses, does not answer in time, or answers in another shape.
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

    /// Calls a method by name and gives the answer back as JSON text.
    ///
    /// Dropping the future stops waiting; the gateway may still do what was asked.
    ///
    /// # Errors
    /// When the gateway refuses or does not answer in time, or the session ends first.
    pub async fn request<P: Serialize + Sync + ?Sized>(
        &self,
        method: &str,
        params: &P,
        options: RequestOptions,
    ) -> Result<Box<RawValue>, RequestError> {
        let id = self.shared.next_id.fetch_add(1, Ordering::Relaxed).to_string();
        let frame = openclaw_protocol::request(&id, method, params).map_err(|error| RequestError::Shape {
            method: method.to_owned(),
            action: "send the parameters",
            detail: error.to_string(),
        })?;
        let (reply, answer) = oneshot::channel();
        let exchange = async {
            let command = SocketCommand::Send { id, frame, until: options.until, reply };
            if self.shared.commands.send(command).await.is_err() {
                return Err(RequestError::Ended { ending: self.ending() });
            }
            answer.await.unwrap_or_else(|_| Err(RequestError::Ended { ending: self.ending() }))
        };
        let clock = self.shared.clock.as_ref();
        Deadline::after(clock, options.limit).bound(clock, exchange).await.unwrap_or_else(|_| {
            Err(RequestError::TimedOut { method: method.to_owned(), limit: options.limit })
        })
    }

    /// Everything the gateway sends from now on. Holding the stream does not keep the session alive.
    #[must_use]
    pub fn events(&self) -> EventStream {
        EventStream::new(self.shared.events.subscribe(), self.shared.ended.clone())
    }

    /// Waits until the session has ended and says how.
    pub async fn ended(&self) -> SessionEnd {
        let mut ended = self.shared.ended.clone();
        match ended.wait_for(Option::is_some).await {
            Ok(ending) => ending.clone().unwrap_or(SessionEnd::ByUs),
            Err(_) => self.ending(),
        }
    }

    /// Says goodbye and waits until the socket is closed or `limit` has passed.
    pub async fn close(self, limit: Duration) {
        // A task that has already ended takes no command, and then there is nothing left to close.
        if self.shared.commands.send(SocketCommand::Close(Close::NORMAL)).await.is_ok() {
            let clock = self.shared.clock.as_ref();
            if Deadline::after(clock, limit).bound(clock, self.ended()).await.is_err() {
                tracing::debug!("the gateway did not answer the close in time");
            }
        }
    }

    fn ending(&self) -> SessionEnd {
        self.shared.ended.borrow().clone().unwrap_or(SessionEnd::ByUs)
    }
}

/// Reads an answer into the type the caller wants.
///
/// # Errors
/// When its shape does not fit.
pub(crate) fn read_answer<R: DeserializeOwned>(method: &str, answer: &RawValue) -> Result<R, RequestError> {
    serde_json::from_str(answer.get()).map_err(|error| RequestError::Shape {
        method: method.to_owned(),
        action: "read the answer",
        detail: error.to_string(),
    })
}
