//! `outbox.*` and `pairing.*`: what waits to be sent, and strangers who asked to talk to us.

use std::sync::Arc;

use openclaw_flow::{OutboxFault, PairingFault};
use openclaw_ports::stores::{OutboxId, OutboxQuery, OutboxRow, OutboxState, SenderRequest};
use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::outbox::{
    OutboxDrop, OutboxList, OutboxListParams, OutboxListResult, OutboxPiece, OutboxPieceParams,
    OutboxPieceResult, OutboxRetry, PairingApprove, PairingApproveParams, PairingApproveResult,
    PairingDismiss, PairingDismissParams, PairingList, PairingListParams, PairingListResult, PairingRemove,
    PairingRemoveParams, PairingRemoveResult, PairingRequest,
};
use openclaw_types::{AccountId, ChannelId, PiecePayload, ThreadId};
use serde_json::{Value, json};

use super::super::agents::AgentServices;
use super::super::registry::{Call, Registry};
use super::meant;

/// How many messages are listed where nobody says.
const LISTED: u64 = 50;
/// The most that is listed.
const MOST: u64 = 1_000;
/// How much of a message is shown, in characters.
const SHOWN: usize = 80;

/// Adds the methods of this family.
pub(in crate::methods) fn bind(registry: &mut Registry, services: &Arc<AgentServices>) {
    let known = Arc::clone(services);
    registry.bind::<OutboxList, _, _>(move |_, params| list(Arc::clone(&known), params));
    let known = Arc::clone(services);
    registry.bind::<OutboxRetry, _, _>(move |call, params| retry(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry.bind::<OutboxDrop, _, _>(move |call, params| drop_piece(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry.bind::<PairingList, _, _>(move |_, params| requests(Arc::clone(&known), params));
    let known = Arc::clone(services);
    registry.bind::<PairingApprove, _, _>(move |call, params| approve(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry.bind::<PairingDismiss, _, _>(move |call, params| dismiss(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry.bind::<PairingRemove, _, _>(move |call, params| remove(Arc::clone(&known), call, params));
}

async fn list(
    services: Arc<AgentServices>,
    params: OutboxListParams,
) -> Result<OutboxListResult, ErrorShape> {
    let state = match params.state {
        None => None,
        Some(word) => Some(serde_json::from_value::<OutboxState>(Value::String(word)).map_err(|_word| {
            ErrorShape::invalid_request("state is one of waiting, sending, sent, failed, dropped")
        })?),
    };
    let limit = usize::try_from(params.limit.unwrap_or(LISTED).min(MOST)).ok();
    let query = OutboxQuery { state, target: None, limit };
    let rows = services.flow.outbox().list(query).await.map_err(|fault| outbox_fault(&fault))?;
    Ok(OutboxListResult { pieces: rows.into_iter().map(piece).collect() })
}

async fn retry(
    services: Arc<AgentServices>,
    call: Call,
    params: OutboxPieceParams,
) -> Result<OutboxPieceResult, ErrorShape> {
    services.flow.outbox().retry(OutboxId(params.id)).await.map_err(|fault| outbox_fault(&fault))?;
    call.context.record(&call.client, "outbox.retry", json!({ "id": params.id })).await;
    Ok(OutboxPieceResult { id: params.id })
}

async fn drop_piece(
    services: Arc<AgentServices>,
    call: Call,
    params: OutboxPieceParams,
) -> Result<OutboxPieceResult, ErrorShape> {
    services.flow.outbox().drop(OutboxId(params.id)).await.map_err(|fault| outbox_fault(&fault))?;
    call.context.record(&call.client, "outbox.drop", json!({ "id": params.id })).await;
    Ok(OutboxPieceResult { id: params.id })
}

async fn requests(
    services: Arc<AgentServices>,
    params: PairingListParams,
) -> Result<PairingListResult, ErrorShape> {
    let channel = named(&services, params.channel.as_deref())?;
    let all = services.flow.pairing_requests(channel.as_ref()).await;
    let all = all.map_err(|error| ErrorShape::unavailable(error.to_string()))?;
    Ok(PairingListResult { requests: all.into_iter().map(request).collect() })
}

async fn approve(
    services: Arc<AgentServices>,
    call: Call,
    params: PairingApproveParams,
) -> Result<PairingApproveResult, ErrorShape> {
    let channel = named(&services, params.channel.as_deref())?;
    let account = account(params.account_id.as_deref())?;
    let found = services.flow.approve_pairing(channel.as_ref(), account.as_ref(), params.code.as_str()).await;
    let found = found.map_err(|fault| pairing_fault(&fault))?;
    let facts = json!({ "channel": found.channel, "account": found.account, "sender": found.sender });
    call.context.record(&call.client, "pairing.approve", facts).await;
    Ok(PairingApproveResult {
        channel: found.channel.as_str().to_owned(),
        account_id: found.account.as_str().to_owned(),
        id: found.sender,
    })
}

async fn dismiss(
    services: Arc<AgentServices>,
    call: Call,
    params: PairingDismissParams,
) -> Result<PairingApproveResult, ErrorShape> {
    let channel = named(&services, Some(params.channel.as_str()))?;
    let account = account(params.account_id.as_deref())?;
    let written = params.id.as_str().trim();
    let all = services.flow.pairing_requests(channel.as_ref()).await;
    let all = all.map_err(|error| ErrorShape::unavailable(error.to_string()))?;
    let of_account = all.into_iter().filter(|one| account.as_ref().is_none_or(|id| one.account == *id));
    let mut found: Vec<SenderRequest> =
        of_account.filter(|one| one.sender == written || one.code.eq_ignore_ascii_case(written)).collect();
    let waiting = match (found.pop(), found.is_empty()) {
        (Some(only), true) => only,
        (Some(_), false) => {
            return Err(ErrorShape::invalid_request("they wait at several accounts; name one of them"));
        }
        (None, _) => return Err(pairing_fault(&PairingFault::Unknown)),
    };
    send_away(&services, &call, &waiting).await?;
    Ok(PairingApproveResult {
        channel: waiting.channel.as_str().to_owned(),
        account_id: waiting.account.as_str().to_owned(),
        id: waiting.sender,
    })
}

/// Sends somebody away who waits, and notes who did it.
pub(super) async fn send_away(
    services: &AgentServices,
    call: &Call,
    waiting: &SenderRequest,
) -> Result<(), ErrorShape> {
    services.flow.dismiss_pairing(waiting).await.map_err(|fault| pairing_fault(&fault))?;
    let facts = json!({ "channel": waiting.channel, "account": waiting.account, "sender": waiting.sender });
    call.context.record(&call.client, "pairing.dismiss", facts).await;
    Ok(())
}

pub(super) fn pairing_fault(fault: &PairingFault) -> ErrorShape {
    match fault {
        PairingFault::Store(_) => ErrorShape::unavailable(fault.to_string()),
        PairingFault::Unknown | PairingFault::TooMany { .. } => {
            ErrorShape::invalid_request(fault.to_string())
        }
    }
}

async fn remove(
    services: Arc<AgentServices>,
    call: Call,
    params: PairingRemoveParams,
) -> Result<PairingRemoveResult, ErrorShape> {
    let (channel, account) = meant(&services, Some(params.channel.as_str()), params.account_id.as_deref())?;
    let id = params.id.as_str().trim().to_owned();
    let removed = services.flow.remove_pairing(&channel, &account, &id).await;
    let removed = removed.map_err(|error| ErrorShape::unavailable(error.to_string()))?;
    let facts = json!({ "channel": channel, "account": account, "sender": id, "removed": removed });
    call.context.record(&call.client, "pairing.remove", facts).await;
    let (channel, account_id) = (channel.as_str().to_owned(), account.as_str().to_owned());
    Ok(PairingRemoveResult { channel, account_id, id, removed })
}

/// The platform that is meant by a name or another name of it. One that is not there any more may still have requests.
pub(super) fn named(
    services: &AgentServices,
    channel: Option<&str>,
) -> Result<Option<ChannelId>, ErrorShape> {
    let channel = channel.map(str::trim).filter(|channel| !channel.is_empty());
    let read = |name: &str| match services.flow.channels().channel_named(name) {
        Some(channel) => Ok(channel),
        None => ChannelId::new(name.to_lowercase())
            .map_err(|error| ErrorShape::invalid_request(error.to_string())),
    };
    channel.map(read).transpose()
}

pub(super) fn account(written: Option<&str>) -> Result<Option<AccountId>, ErrorShape> {
    let written = written.map(|id| id.trim().to_lowercase()).filter(|id| !id.is_empty());
    let read =
        |id: String| AccountId::new(id).map_err(|error| ErrorShape::invalid_request(error.to_string()));
    written.map(read).transpose()
}

fn outbox_fault(fault: &OutboxFault) -> ErrorShape {
    match fault {
        OutboxFault::Unknown | OutboxFault::Sent => ErrorShape::invalid_request(fault.to_string()),
        OutboxFault::Store(_) => ErrorShape::unavailable(fault.to_string()),
    }
}

fn piece(row: OutboxRow) -> OutboxPiece {
    let state = match row.state {
        OutboxState::Waiting => "waiting",
        OutboxState::Sending => "sending",
        OutboxState::Sent => "sent",
        OutboxState::Failed => "failed",
        OutboxState::Dropped => "dropped",
    };
    let words = match &row.piece.payload {
        // Nobody sends nothing: it is there to take another message back.
        PiecePayload::Text { text } if text.text().is_empty() => "[takes a message back]".to_owned(),
        PiecePayload::Text { text } => text.text().to_owned(),
        PiecePayload::Panel(panel) => panel.text.text().to_owned(),
        PiecePayload::Media { caption, .. } | PiecePayload::Album { caption, .. } => {
            let files = row.piece.payload.files();
            let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
            format!("[{}] {}", names.join(", "), caption.text())
        }
        PiecePayload::Poll(poll) => poll.question.clone(),
    };
    let target = row.piece.target;
    OutboxPiece {
        id: row.id.0,
        channel: target.channel.as_str().to_owned(),
        account_id: target.account.as_str().to_owned(),
        to: target.to,
        thread_id: target.thread.as_ref().map(ThreadId::as_str).map(str::to_owned),
        state: state.to_owned(),
        source: row.source,
        text: words.chars().take(SHOWN).collect(),
        attempts: row.attempts,
        last_error: row.last_error,
        created_at: row.at,
        due_at: row.due,
    }
}

fn request(request: SenderRequest) -> PairingRequest {
    let fact = |name: &str| {
        let found = request.facts.iter().find(|(each, _)| each == name);
        found.map(|(_, value)| value.clone())
    };
    PairingRequest {
        name: fact("name"),
        username: fact("username"),
        channel: request.channel.as_str().to_owned(),
        account_id: request.account.as_str().to_owned(),
        id: request.sender,
        code: request.code,
        created_at: request.created_at,
        last_seen_at: request.seen_at,
    }
}
