//! Serves an admitted client until it leaves or is put out.
//!
//! One task for each client both reads and writes, so a client that does not read its answers is not asked for more
//! requests. While a write is stuck, the decision to put the client out still gets through.

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::Deadline;
use openclaw_protocol::{Close, CloseCode, FrameFault, Request, response_error};
use openclaw_types::DeviceId;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::client::Client;
use super::dispatch::{Dispatched, dispatch};
use super::opening::{farewell, too_big};
use super::outbound::{ConnectionEnd, Leftovers};
use super::socket::{Broken, Received, Socket};
use crate::context::GatewayContext;
use crate::limits::{FloodVerdict, WrongRoleStreak};
use crate::methods::refresh_health_soon;
use crate::presence::PresenceKey;

/// How long what waits may take to be written when a connection ends.
const DRAIN: Duration = Duration::from_secs(5);

/// An admitted client and its socket.
pub(super) struct Connection {
    pub(super) context: Arc<GatewayContext>,
    pub(super) socket: Socket,
    pub(super) client: Arc<Client>,
    /// Its entry among those who are here.
    pub(super) presence: Option<PresenceKey>,
    /// Its device, when that is paired.
    pub(super) paired: Option<DeviceId>,
}

/// Why the loop ended.
enum End {
    /// The client left or the socket broke.
    Gone,
    /// The gateway ends the connection.
    Close(ConnectionEnd),
}

/// Serves a client from its welcome to its end.
pub(super) async fn serve(mut connection: Connection) {
    let context = connection.context.clone();
    let client = connection.client.clone();
    tracing::debug!(
        connection = %client.id,
        program = client.program,
        role = %client.principal.role,
        method = client.principal.method.as_str(),
        "a client connected"
    );
    enter(&context, &client, connection.paired.as_ref()).await;
    refresh_health_soon(&context);
    let end = run(&mut connection).await;
    context.note_departure(&client, connection.presence.as_ref());
    if let End::Close(ending) = end {
        finish(&mut connection, &ending).await;
    }
    tracing::debug!(connection = %client.id, "a client disconnected");
}

/// Adds a client to those who are connected. Whoever was put out between its admission and now is not forgotten: those
/// who put clients out only find the ones that have joined.
pub(super) async fn enter(context: &GatewayContext, client: &Arc<Client>, paired: Option<&DeviceId>) {
    context.roster.join(client.clone());
    if context.closing.is_cancelled() {
        return client.outbound.end(Close::SERVICE_RESTART, Leftovers::Write);
    }
    if let Some(device) = paired
        && !context.devices.still_welcomes(device, client.principal.role).await
    {
        client.leave_when_answered(Close::because(CloseCode::Policy, "device token revoked"));
    }
}

async fn run(connection: &mut Connection) -> End {
    let Connection { context, socket, client, .. } = connection;
    let mut streak = WrongRoleStreak::default();
    let mut texts = Vec::new();
    loop {
        client.outbound.take(&mut texts);
        if !texts.is_empty() && write(context, socket, client, &mut texts).await.is_err() {
            return End::Gone;
        }
        if let Some(ending) = client.outbound.ending() {
            return End::Close(ending);
        }
        // Both branches may be dropped at any time without losing a message or a text.
        let received = tokio::select! {
            () = client.outbound.ready() => {
                // What happens at once leaves in one piece: the others who hear of it get their turn first.
                tokio::task::yield_now().await;
                continue;
            }
            received = socket.receive(), if client.has_room() => received,
        };
        match received {
            Received::Message(message) => take_message(context, client, &mut streak, &message).await,
            Received::TooBig => client.outbound.end(too_big(), Leftovers::Discard),
            Received::Gone => return End::Gone,
        }
    }
}

/// Writes what waits, unless the client is put out while the write is stuck.
async fn write(
    context: &GatewayContext,
    socket: &mut Socket,
    client: &Client,
    texts: &mut Vec<Utf8Bytes>,
) -> Result<(), Broken> {
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let stuck = async {
        client.outbound.ended().await;
        // An orderly end gives the write a little time; a client that must go is cut short at once.
        if client.outbound.ending().is_some_and(|ending| ending.leftovers == Leftovers::Write) {
            context.clock.sleep(DRAIN).await;
        }
    };
    // Dropping a write half way is fine: the library keeps what it took, and the rest is not wanted any more.
    tokio::select! {
        biased;
        written = socket.send(texts) => written?,
        () = stuck => texts.clear(),
    }
    client.outbound.written(bytes);
    Ok(())
}

async fn take_message(
    context: &Arc<GatewayContext>,
    client: &Arc<Client>,
    streak: &mut WrongRoleStreak,
    message: &[u8],
) {
    let request = match Request::parse(message) {
        Ok(request) => request,
        Err(fault) => return answer_fault(client, &fault),
    };
    match dispatch(context, client, request).await {
        Dispatched::Handled => streak.answered(),
        Dispatched::WrongRole if streak.refused() == FloodVerdict::Close => {
            tracing::warn!(connection = %client.id, "a client keeps calling methods of another role; closing it");
            client.outbound.end(Close::REPEATED_UNAUTHORIZED, Leftovers::Write);
        }
        Dispatched::WrongRole => {}
    }
}

/// Answers a message that is no request; what is no JSON is ignored.
fn answer_fault(client: &Client, fault: &FrameFault) {
    let Some((id, error)) = fault.to_answer() else { return };
    match response_error(id, &error) {
        Ok(text) => drop(client.outbound.respond(text.into())),
        Err(error) => tracing::error!(%error, "a response could not be written"),
    }
}

/// Writes what is left, if it should be, and closes.
async fn finish(connection: &mut Connection, ending: &ConnectionEnd) {
    let Connection { context, socket, client, .. } = connection;
    if ending.leftovers == Leftovers::Write {
        let mut texts = Vec::new();
        client.outbound.take(&mut texts);
        let deadline = Deadline::after(context.clock.as_ref(), DRAIN);
        match deadline.bound(context.clock.as_ref(), socket.send(&mut texts)).await {
            Ok(Ok(())) => {}
            Ok(Err(Broken)) => return,
            Err(_timed_out) => {
                tracing::debug!(connection = %client.id, "a client did not read its last messages")
            }
        }
    }
    farewell(context, socket, &ending.close).await;
}
