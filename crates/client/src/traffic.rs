//! The task that owns a session's socket: writes requests, matches answers, hands out events, notices silence.
//!
//! One loop, no locks. Anything heard from the gateway counts as life, since a busy gateway may skip ticks for a slow
//! client; when nothing at all was heard for two tick intervals the socket is closed with 4000.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use openclaw_ports::{Clock, Deadline, TaskScope};
use openclaw_protocol::{Close, ServerFrame, ServerResponse};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Error as SocketError, Message};

use crate::error::{RequestError, SessionEnd};
use crate::events::ClientNotice;
use crate::hello::Hello;
use crate::session::Await;
use crate::socket::Socket;

/// Requests that may wait for an answer at the same time.
const MAX_WAITING: usize = 1024;
/// How long a goodbye may take.
const CLOSE_LIMIT: Duration = Duration::from_secs(2);

/// What a session asks of its socket.
pub(crate) enum SocketCommand {
    /// Write a request and answer `reply`.
    Send { id: String, frame: String, until: Await, reply: oneshot::Sender<SocketReply> },
    /// Say goodbye and end.
    Close(Close),
}

pub(crate) type SocketReply = Result<Box<RawValue>, RequestError>;

struct Waiting {
    until: Await,
    reply: oneshot::Sender<SocketReply>,
}

pub(crate) struct Traffic {
    socket: Socket,
    events: broadcast::Sender<ClientNotice>,
    clock: Arc<dyn Clock>,
    silence_limit: Duration,
    waiting: HashMap<String, Waiting>,
    last_seq: Option<u64>,
}

impl Traffic {
    pub(crate) fn new(
        socket: Socket,
        hello: &Hello,
        events: broadcast::Sender<ClientNotice>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let silence_limit = hello.tick_interval().saturating_mul(2);
        Self { socket, events, clock, silence_limit, waiting: HashMap::new(), last_seq: None }
    }
}

/// Runs until the session ends, then tells everyone who waits.
pub(crate) async fn run(
    mut traffic: Traffic,
    mut inbox: mpsc::Receiver<SocketCommand>,
    end: watch::Sender<Option<SessionEnd>>,
    scope: TaskScope,
) {
    let ending = traffic.serve(&mut inbox, &scope).await;
    inbox.close();
    end.send_replace(Some(ending.clone()));
    for (_, waiting) in traffic.waiting.drain() {
        answer(waiting.reply, Err(RequestError::Ended { ending: ending.clone() }));
    }
    while let Ok(command) = inbox.try_recv() {
        if let SocketCommand::Send { reply, .. } = command {
            answer(reply, Err(RequestError::Ended { ending: ending.clone() }));
        }
    }
}

impl Traffic {
    async fn serve(&mut self, inbox: &mut mpsc::Receiver<SocketCommand>, scope: &TaskScope) -> SessionEnd {
        let clock = Arc::clone(&self.clock);
        let mut silence = Deadline::after(clock.as_ref(), self.silence_limit);
        loop {
            // `recv` and `next` lose nothing when another branch wins; the sleep starts anew with what is left.
            let step = tokio::select! {
                () = scope.cancelled() => Err(self.say_goodbye(Close::NORMAL, SessionEnd::ByUs).await),
                command = inbox.recv() => self.obey(command).await,
                message = self.socket.next() => {
                    silence = Deadline::after(clock.as_ref(), self.silence_limit);
                    self.hear(message)
                }
                () = clock.sleep(silence.left(clock.as_ref())) => {
                    Err(self.say_goodbye(Close::TICK_TIMEOUT, SessionEnd::Silent).await)
                }
            };
            if let Err(ending) = step {
                return ending;
            }
        }
    }

    async fn obey(&mut self, command: Option<SocketCommand>) -> Result<(), SessionEnd> {
        let (id, frame, until, reply) = match command {
            None => return Err(self.say_goodbye(Close::NORMAL, SessionEnd::ByUs).await),
            Some(SocketCommand::Close(close)) => return Err(self.say_goodbye(close, SessionEnd::ByUs).await),
            Some(SocketCommand::Send { id, frame, until, reply }) => (id, frame, until, reply),
        };
        self.waiting.retain(|_, waiting| !waiting.reply.is_closed());
        if self.waiting.len() >= MAX_WAITING {
            answer(reply, Err(RequestError::Busy));
            return Ok(());
        }
        self.waiting.insert(id, Waiting { until, reply });
        let clock = Arc::clone(&self.clock);
        let limit = Deadline::after(clock.as_ref(), self.silence_limit);
        match limit.bound(clock.as_ref(), self.socket.send(Message::text(frame))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(lost(&error)),
            // The gateway reads nothing; a goodbye would not be read either.
            Err(_) => Err(SessionEnd::Silent),
        }
    }

    fn hear(&mut self, message: Option<Result<Message, SocketError>>) -> Result<(), SessionEnd> {
        match message {
            Some(Ok(Message::Text(text))) => self.take(text.as_bytes()),
            Some(Ok(Message::Binary(bytes))) => self.take(&bytes),
            Some(Ok(Message::Close(frame))) => {
                let (code, reason) = frame
                    .map_or((1005, String::new()), |frame| (frame.code.into(), frame.reason.to_string()));
                return Err(SessionEnd::ByGateway { code, reason });
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
            Some(Err(error)) => return Err(lost(&error)),
            None => return Err(SessionEnd::Lost { detail: "the stream ended".to_owned() }),
        }
        Ok(())
    }

    fn take(&mut self, bytes: &[u8]) {
        match ServerFrame::parse(bytes) {
            Ok(ServerFrame::Response(response)) => self.match_answer(response),
            Ok(ServerFrame::Event(event)) => {
                if let Some(seq) = event.seq {
                    if let Some(last) = self.last_seq.filter(|last| seq > last.saturating_add(1)) {
                        self.publish(ClientNotice::Gap { expected: last + 1, received: seq });
                    }
                    self.last_seq = Some(seq);
                }
                self.publish(ClientNotice::Event(Arc::new(event)));
            }
            Err(error) => tracing::debug!(%error, "a message of the gateway was passed over"),
        }
    }

    fn match_answer(&mut self, response: ServerResponse) {
        let Some(waiting) = self.waiting.remove(&response.id) else { return };
        if waiting.until == Await::Final && is_only_accepted(&response) {
            self.waiting.insert(response.id, waiting);
            return;
        }
        let reply = match response.outcome {
            Ok(payload) => Ok(payload.unwrap_or_else(|| RawValue::NULL.to_owned())),
            Err(failed) => Err(RequestError::Refused(failed.error)),
        };
        answer(waiting.reply, reply);
    }

    fn publish(&self, notice: ClientNotice) {
        // Nobody reading events is no trouble.
        if self.events.receiver_count() > 0 && self.events.send(notice).is_err() {
            tracing::trace!("the last reader of events left");
        }
    }

    async fn say_goodbye(&mut self, close: Close, ending: SessionEnd) -> SessionEnd {
        let clock = Arc::clone(&self.clock);
        let frame =
            CloseFrame { code: close.code().number().into(), reason: close.reason().to_owned().into() };
        let goodbye = async {
            self.socket.close(Some(frame)).await?;
            // The answer to our close is enough; waiting for the end of the stream would trust the other side to hang up.
            while let Some(message) = self.socket.next().await {
                if matches!(message?, Message::Close(_)) {
                    break;
                }
            }
            Ok::<(), SocketError>(())
        };
        match Deadline::after(clock.as_ref(), CLOSE_LIMIT).bound(clock.as_ref(), goodbye).await {
            Ok(Ok(()) | Err(SocketError::ConnectionClosed | SocketError::AlreadyClosed)) => {}
            Ok(Err(error)) => tracing::debug!(%error, "the goodbye was cut short"),
            Err(_) => tracing::debug!("the gateway did not answer the goodbye"),
        }
        ending
    }
}

/// Whoever asked may have stopped waiting; then the answer is for nobody.
fn answer(reply: oneshot::Sender<SocketReply>, value: SocketReply) {
    if reply.send(value).is_err() {
        tracing::trace!("an answer came after its asker had left");
    }
}

#[derive(Deserialize)]
struct Status<'a> {
    #[serde(borrow)]
    status: Option<&'a str>,
}

fn is_only_accepted(response: &ServerResponse) -> bool {
    let Ok(Some(payload)) = &response.outcome else { return false };
    serde_json::from_str::<Status<'_>>(payload.get()).is_ok_and(|status| status.status == Some("accepted"))
}

fn lost(error: &SocketError) -> SessionEnd {
    SessionEnd::Lost { detail: error.to_string() }
}
