//! `channels.pairing.*`: who waits to be let in, letting them in, sending them away. `outbox` has the same under the names
//! that our command line uses.

use std::collections::BTreeMap;
use std::sync::Arc;

use openclaw_flow::PairingFault;
use openclaw_inbound::access::{KNOWN_FOR, MOST_PENDING};
use openclaw_ports::stores::SenderRequest;
use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::strangers::{
    ChannelsPairingApprove, ChannelsPairingApproveParams, ChannelsPairingApproveResult,
    ChannelsPairingDismiss, ChannelsPairingDismissParams, ChannelsPairingDismissResult, ChannelsPairingList,
    ChannelsPairingListParams, ChannelsPairingListResult, PairingAccount, PairingLimits, WaitingStranger,
};
use openclaw_types::{DmPolicy, UnixMillis};
use serde_json::json;

use super::super::agents::AgentServices;
use super::super::registry::{Call, Registry};
use super::outbox::{account, named, pairing_fault, send_away};

/// Adds the methods of this family.
pub(super) fn bind(registry: &mut Registry, services: &Arc<AgentServices>) {
    let known = Arc::clone(services);
    registry.bind::<ChannelsPairingList, _, _>(move |_, params| list(Arc::clone(&known), params));
    let known = Arc::clone(services);
    registry
        .bind::<ChannelsPairingApprove, _, _>(move |call, params| approve(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry
        .bind::<ChannelsPairingDismiss, _, _>(move |call, params| dismiss(Arc::clone(&known), call, params));
}

async fn list(
    services: Arc<AgentServices>,
    params: ChannelsPairingListParams,
) -> Result<ChannelsPairingListResult, ErrorShape> {
    let accounts = accounts(&services);
    let channel = params.channel.as_ref().map(|channel| channel.as_str());
    let account = params.account_id.as_ref().map(|account| account.as_str());
    let requests = waiting(&services, channel, account).await?;
    let config = services.config();
    let owners = config.raw.commands.as_ref().and_then(|commands| commands.owner_allow_from.as_ref());
    Ok(ChannelsPairingListResult {
        requests: requests.into_iter().map(|request| shown(request, &accounts)).collect(),
        accounts,
        command_owner_configured: owners.is_some_and(|owners| !owners.is_empty()),
        limits: PairingLimits {
            pending_per_account: u64::try_from(MOST_PENDING).unwrap_or(u64::MAX),
            ttl_ms: u64::try_from(KNOWN_FOR.as_millis()).unwrap_or(u64::MAX),
        },
    })
}

async fn approve(
    services: Arc<AgentServices>,
    call: Call,
    params: ChannelsPairingApproveParams,
) -> Result<ChannelsPairingApproveResult, ErrorShape> {
    let place = (params.channel.as_str(), params.account_id.as_str());
    let found = one(&services, place, params.request_id.as_str()).await?;
    let let_in = services.flow.approve_pairing(Some(&found.channel), Some(&found.account), &found.code).await;
    let let_in = let_in.map_err(|fault| pairing_fault(&fault))?;
    let facts = json!({ "channel": let_in.channel, "account": let_in.account, "sender": let_in.sender });
    call.context.record(&call.client, "pairing.approve", facts).await;
    Ok(ChannelsPairingApproveResult {
        request_id: params.request_id.as_str().to_owned(),
        sender_id: let_in.sender,
        // Whoever is let in is always told.
        notification: "sent".to_owned(),
        // Who owns the assistant is written by people, not by a method.
        command_owner_bootstrap: match params.bootstrap_command_owner {
            Some(true) => "unavailable".to_owned(),
            _ => "not-requested".to_owned(),
        },
    })
}

async fn dismiss(
    services: Arc<AgentServices>,
    call: Call,
    params: ChannelsPairingDismissParams,
) -> Result<ChannelsPairingDismissResult, ErrorShape> {
    let place = (params.channel.as_str(), params.account_id.as_str());
    let found = one(&services, place, params.request_id.as_str()).await?;
    send_away(&services, &call, &found).await?;
    Ok(ChannelsPairingDismissResult {
        request_id: params.request_id.as_str().to_owned(),
        sender_id: found.sender,
    })
}

async fn waiting(
    services: &AgentServices,
    channel: Option<&str>,
    of_account: Option<&str>,
) -> Result<Vec<SenderRequest>, ErrorShape> {
    let channel = named(services, channel)?;
    let account = account(of_account)?;
    let all = services.flow.pairing_requests(channel.as_ref()).await;
    let mut all = all.map_err(|error| ErrorShape::unavailable(error.to_string()))?;
    all.retain(|request| account.as_ref().is_none_or(|account| request.account == *account));
    Ok(all)
}

async fn one(
    services: &AgentServices,
    (channel, account): (&str, &str),
    id: &str,
) -> Result<SenderRequest, ErrorShape> {
    let all = waiting(services, Some(channel), Some(account)).await?;
    let found = all.into_iter().find(|request| request_id(request) == id.trim());
    found.ok_or_else(|| pairing_fault(&PairingFault::Unknown))
}

/// Names a request without its code: who, and since when.
fn request_id(request: &SenderRequest) -> String {
    format!("{}-{}", request.created_at.0, request.sender)
}

/// The accounts where strangers get a code.
fn accounts(services: &AgentServices) -> Vec<PairingAccount> {
    let all = services.flow.channels().status();
    let pairing = all.into_iter().filter(|one| one.configured && one.dm == DmPolicy::Pairing);
    pairing
        .map(|one| PairingAccount {
            channel: one.channel.as_str().to_owned(),
            channel_label: one.label.to_owned(),
            account_id: one.account.as_str().to_owned(),
            account_label: one.name,
            notify_supported: true,
        })
        .collect()
}

fn shown(request: SenderRequest, accounts: &[PairingAccount]) -> WaitingStranger {
    let at = |moment: UnixMillis| {
        let moment = jiff::Timestamp::from_millisecond(moment.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        format!("{moment:.3}")
    };
    let place = accounts.iter().find(|account| {
        account.channel == request.channel.as_str() && account.account_id == request.account.as_str()
    });
    let metadata: BTreeMap<String, String> = request.facts.iter().cloned().collect();
    let label = ["name", "username"].into_iter().find_map(|fact| metadata.get(fact).cloned());
    WaitingStranger {
        request_id: request_id(&request),
        channel: request.channel.as_str().to_owned(),
        channel_label: place
            .map_or_else(|| request.channel.as_str().to_owned(), |place| place.channel_label.clone()),
        account_id: request.account.as_str().to_owned(),
        account_label: place.and_then(|place| place.account_label.clone()),
        sender_label: label.unwrap_or_else(|| request.sender.clone()),
        sender_id: request.sender,
        metadata: (!metadata.is_empty()).then_some(metadata),
        created_at: at(request.created_at),
        last_seen_at: at(request.seen_at),
        expires_at: at(request.created_at.plus(KNOWN_FOR)),
        notify_supported: true,
    }
}
