//! The first ten seconds of a socket: challenge, first request, admission or refusal.
//!
//! Until a client is admitted it may send little and gets only what the failure table says. Deciding is left to
//! `handshake`; this file speaks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hyper::upgrade::Upgraded;
use openclaw_ports::Deadline;
use openclaw_protocol::events::{self, ConnectChallenge};
use openclaw_protocol::{
    Close, CloseCode, Connect, ConnectParams, EncodeError, ErrorShape, Event as _, EventStamp, FrameFault,
    HANDSHAKE_TIMEOUT_MS, Method as _, Request, response_error,
};
use openclaw_types::ConnectionId;

use super::client::Client;
use super::hello;
use super::outbound::Outbound;
use super::serve::{self, Connection};
use super::socket::{Received, Socket};
use crate::context::GatewayContext;
use crate::handshake::{AdmittedClient, Arrival, Challenge};
use crate::limits::TakenPlace;

/// How long a goodbye may take.
const FAREWELL: Duration = Duration::from_secs(2);

/// Counts a WebSocket from its upgrade to its end.
pub(crate) struct Seat(Arc<GatewayContext>);

impl Seat {
    /// One more.
    pub(crate) fn new(context: Arc<GatewayContext>) -> Self {
        context.websockets.fetch_add(1, Ordering::Relaxed);
        Self(context)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.websockets.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How an opening failed.
struct Failed {
    /// The response before the close, with the id it answers.
    answer: Option<(String, ErrorShape)>,
    close: Close,
}

/// A client that was let in and the request it asked with.
struct Admitted {
    admission: AdmittedClient,
    caps: Vec<String>,
    request_id: String,
}

/// Runs a socket from its first byte to its last.
pub(crate) async fn open(
    context: Arc<GatewayContext>,
    stranger: TakenPlace,
    upgraded: Upgraded,
    arrival: Arrival,
) {
    let mut socket = Socket::new(upgraded).await;
    let deadline = Deadline::after(context.clock.as_ref(), Duration::from_millis(HANDSHAKE_TIMEOUT_MS));
    let opening = deadline.bound(context.clock.as_ref(), handshake(&context, &mut socket, &arrival));
    // A gateway that stops does not wait for strangers.
    let opened = tokio::select! {
        opened = opening => opened,
        () = context.closing.cancelled() => return farewell(&context, &mut socket, &Close::SERVICE_RESTART).await,
    };
    let failed = match opened {
        Ok(Ok(admitted)) => {
            drop(stranger);
            return welcome(context, socket, admitted).await;
        }
        Ok(Err(Some(failed))) => failed,
        Ok(Err(None)) => return,
        Err(_timed_out) => Failed { answer: None, close: Close::NORMAL },
    };
    context.meters.refusals.add(1);
    tracing::info!(peer = %arrival.peer, secure = arrival.secure, reason = failed.close.reason(), "a connection was refused");
    if let Some((id, error)) = &failed.answer {
        let text = response_error(id, error);
        send(&context, &mut socket, text).await;
    }
    farewell(&context, &mut socket, &failed.close).await;
    // Who was refused stays a stranger until it has gone.
    drop(stranger);
}

/// `Err(None)` when the client is gone and there is nobody to answer.
async fn handshake(
    context: &GatewayContext,
    socket: &mut Socket,
    arrival: &Arrival,
) -> Result<Admitted, Option<Failed>> {
    let challenge = Challenge::new(context.clock.now());
    let payload =
        events::Challenge { nonce: challenge.nonce.clone(), ts: challenge.issued_at, capabilities: None };
    let event = ConnectChallenge::text(&payload).and_then(|event| event.frame(EventStamp::default()));
    let Ok(event) = event else { return Err(None) };
    if socket.send(&mut vec![event.into()]).await.is_err() {
        return Err(None);
    }
    let message = match socket.receive().await {
        Received::Message(message) => message,
        Received::TooBig => return Err(Some(closing(too_big()))),
        Received::Gone => return Err(None),
    };
    let request = Request::parse(&message).map_err(|fault| {
        Some(closing(match fault {
            FrameFault::NotJson => Close::NORMAL,
            FrameFault::NotRequest { .. } => Close::INVALID_REQUEST_FRAME,
        }))
    })?;
    let refuse = |error: ErrorShape| {
        let close = Close::because(CloseCode::Policy, &error.message);
        Some(Failed { answer: Some((request.id.clone(), error)), close })
    };
    if request.method != Connect::NAME {
        return Err(refuse(ErrorShape::invalid_request("invalid handshake: first request must be connect")));
    }
    let params = ConnectParams::decode(request.params.as_deref()).map_err(refuse)?;
    let caps = params.caps.iter().flatten().map(|cap| cap.as_str().to_owned()).collect();
    context.reload_if_changed().await;
    let admission = context.handshake().admit(arrival, &challenge, params).await.map_err(|refusal| {
        context.announce_pairings(&refusal.pairing_events);
        Some(Failed { answer: Some((request.id.clone(), refusal.error)), close: refusal.close })
    })?;
    context.announce_pairings(&admission.pairing_events);
    Ok(Admitted { admission, caps, request_id: request.id })
}

async fn welcome(context: Arc<GatewayContext>, mut socket: Socket, admitted: Admitted) {
    let Admitted { admission, caps, request_id } = admitted;
    let Ok(id) = ConnectionId::new(uuid::Uuid::new_v4().to_string()) else { return };
    let paired = admission.principal.device.clone().filter(|_| admission.issued_token.is_some());
    let presence = context.note_arrival(&admission.principal, &admission.client, &id);
    let hello = hello::write(&context, &id, &request_id, &admission);
    let client = Arc::new(Client {
        id,
        principal: admission.principal,
        dialect: admission.dialect,
        program: admission.client.id.as_str().to_owned(),
        mode: admission.client.mode.as_str().to_owned(),
        caps,
        outbound: Outbound::new(context.limits.outbound_bytes),
        in_flight: AtomicUsize::new(0),
        farewell: std::sync::OnceLock::new(),
    });
    let hello = match hello {
        Ok(hello) => hello,
        Err(error) => {
            tracing::error!(%error, "a welcome could not be written");
            return farewell(
                &context,
                &mut socket,
                &Close::because(CloseCode::InternalError, "internal error"),
            )
            .await;
        }
    };
    socket.admit();
    context.meters.admissions.add(1);
    // The welcome is queued before the client joins the roster, so it is the first thing the client reads.
    client.outbound.respond(hello.into());
    serve::serve(Connection { context, socket, client, presence, paired }).await;
}

fn closing(close: Close) -> Failed {
    Failed { answer: None, close }
}

/// The close for a client that sends more than it may.
pub(super) fn too_big() -> Close {
    Close::because(CloseCode::TooBig, "message too big")
}

async fn send(context: &GatewayContext, socket: &mut Socket, text: Result<String, EncodeError>) {
    match text {
        Ok(text) => {
            let deadline = Deadline::after(context.clock.as_ref(), FAREWELL);
            let mut texts = vec![text.into()];
            if deadline.bound(context.clock.as_ref(), socket.send(&mut texts)).await.is_err() {
                tracing::debug!("a refused client did not read its answer");
            }
        }
        Err(error) => tracing::error!(%error, "a response could not be written"),
    }
}

/// Closes a socket and gives the other end a moment to confirm.
pub(super) async fn farewell(context: &GatewayContext, socket: &mut Socket, close: &Close) {
    let deadline = Deadline::after(context.clock.as_ref(), FAREWELL);
    if deadline.bound(context.clock.as_ref(), socket.close(close)).await.is_err() {
        tracing::debug!("a client did not confirm the close");
    }
}
