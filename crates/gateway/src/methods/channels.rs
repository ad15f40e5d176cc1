//! `channels.status` and `channels.logout`: how the accounts on platforms are, and signing one out.
//!
//! The hall of the flow knows; here answers take their shape. `send` takes messages for platforms, `outbox` shows what
//! waits to be sent and who waits to be let in.

mod outbox;
mod send;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use openclaw_flow::AccountStatus;
use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::channels::{
    ChannelAccount, ChannelMeta, ChannelsLogout, ChannelsLogoutParams, ChannelsLogoutResult, ChannelsStatus,
    ChannelsStatusParams, ChannelsStatusResult,
};
use openclaw_types::{AccountId, ChannelId, UnixMillis};
use serde_json::{Map, Value, json};

use super::agents::AgentServices;
use super::registry::{Call, Registry};

/// How long the platforms have to answer where nobody says.
const PATIENCE: Duration = Duration::from_secs(10);

/// Adds the methods of this family.
pub(super) fn bind(registry: &mut Registry, services: &Arc<AgentServices>) {
    let known = Arc::clone(services);
    registry.bind::<ChannelsStatus, _, _>(move |call, params| status(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry.bind::<ChannelsLogout, _, _>(move |call, params| logout(Arc::clone(&known), call, params));
    send::bind(registry, services);
    outbox::bind(registry, services);
}

async fn status(
    services: Arc<AgentServices>,
    call: Call,
    params: ChannelsStatusParams,
) -> Result<ChannelsStatusResult, ErrorShape> {
    let hall = services.flow.channels();
    let patience = params.timeout_ms.and_then(|span| u64::try_from(span.get()).ok());
    let patience = patience.map_or(PATIENCE, Duration::from_millis);
    let mut accounts: BTreeMap<String, Vec<ChannelAccount>> = BTreeMap::new();
    for one in hall.status() {
        let probe = match params.probe {
            Some(true) => Some(probed(hall.probe(&one.channel, &one.account, patience).await)),
            _ => None,
        };
        accounts.entry(one.channel.as_str().to_owned()).or_default().push(account(&one, probe));
    }
    let kinds: Vec<_> = hall.kinds().into_iter().filter(|kind| accounts.contains_key(kind.id)).collect();
    let first = |list: &Vec<ChannelAccount>| {
        let chosen = list.iter().find(|one| one.account_id == "default").or_else(|| list.first());
        chosen.map(|one| one.account_id.clone()).unwrap_or_default()
    };
    Ok(ChannelsStatusResult {
        ts: call.context.clock.now(),
        channel_order: kinds.iter().map(|kind| kind.id.to_owned()).collect(),
        channel_labels: kinds.iter().map(|kind| (kind.id.to_owned(), kind.label.to_owned())).collect(),
        channel_detail_labels: None,
        channel_system_images: None,
        channel_meta: Some(
            kinds
                .iter()
                .map(|kind| ChannelMeta {
                    id: kind.id.to_owned(),
                    label: kind.label.to_owned(),
                    detail_label: kind.label.to_owned(),
                    system_image: None,
                })
                .collect(),
        ),
        channels: accounts.iter().map(|(id, list)| (id.clone(), summary(list))).collect(),
        channel_default_account_id: accounts.iter().map(|(id, list)| (id.clone(), first(list))).collect(),
        channel_accounts: accounts,
    })
}

async fn logout(
    services: Arc<AgentServices>,
    call: Call,
    params: ChannelsLogoutParams,
) -> Result<ChannelsLogoutResult, ErrorShape> {
    let wrong = |text: String| ErrorShape::invalid_request(text);
    let hall = services.flow.channels();
    let channel = ChannelId::new(params.channel.as_str()).map_err(|error| wrong(error.to_string()))?;
    let account =
        params.account_id.as_deref().map(str::trim).filter(|id| !id.is_empty()).unwrap_or("default");
    let account = AccountId::new(account).map_err(|error| wrong(error.to_string()))?;
    if !hall.status().iter().any(|one| one.channel == channel && one.account == account) {
        return Err(wrong(format!("there is no account {account} of {channel}")));
    }
    let cleared =
        hall.logout(&channel, &account).await.map_err(|error| ErrorShape::unavailable(error.to_string()))?;
    let facts = json!({ "channel": channel, "account": account });
    call.context.record(&call.client, "channels.logout", facts).await;
    Ok(ChannelsLogoutResult {
        channel: channel.as_str().to_owned(),
        account_id: account.as_str().to_owned(),
        cleared,
        logged_out: Some(cleared),
        env_token: None,
        rest: Map::new(),
    })
}

fn probed(answer: Result<Option<Value>, openclaw_ports::channel::ChannelError>) -> Value {
    match answer {
        Ok(Some(Value::Object(mut facts))) => {
            facts.insert("ok".to_owned(), Value::Bool(true));
            Value::Object(facts)
        }
        Ok(_) => json!({ "ok": true }),
        Err(error) => json!({ "ok": false, "error": error.to_string() }),
    }
}

/// What a channel as a whole says: what its default account does.
fn summary(list: &[ChannelAccount]) -> Value {
    let one = list.iter().find(|one| one.account_id == "default").or_else(|| list.first());
    let flag = |read: fn(&ChannelAccount) -> Option<bool>| one.and_then(read).unwrap_or(false);
    json!({
        "configured": flag(|one| one.configured),
        "linked": flag(|one| one.linked),
        "running": flag(|one| one.running),
        "connected": flag(|one| one.connected),
        "lastError": one.and_then(|one| one.last_error.clone().flatten()),
    })
}

fn account(one: &AccountStatus, probe: Option<Value>) -> ChannelAccount {
    let mut rest: Map<String, Value> = one.facts.clone().into_iter().collect();
    if let Some(trouble) = &one.trouble {
        rest.insert("statusMessage".to_owned(), json!(trouble));
    }
    if let Some(identity) = &one.identity {
        rest.insert("self".to_owned(), json!({ "id": identity.id, "username": identity.handle }));
    }
    ChannelAccount {
        account_id: one.account.as_str().to_owned(),
        name: one.name.clone(),
        enabled: Some(one.enabled),
        configured: Some(one.configured),
        linked: Some(one.linked),
        running: Some(one.running),
        connected: Some(one.connected),
        reconnect_attempts: Some(u64::from(one.reconnect_attempts)),
        last_connected_at: Some(moment(one.last_connected_at)),
        last_error: Some(one.last_error.clone()),
        last_start_at: Some(moment(one.last_start_at)),
        last_stop_at: Some(moment(one.last_stop_at)),
        last_inbound_at: Some(moment(one.last_inbound_at)),
        last_outbound_at: Some(moment(one.last_outbound_at)),
        probe,
        rest,
        ..ChannelAccount::default()
    }
}

fn moment(at: Option<UnixMillis>) -> Option<u64> {
    at.and_then(|at| u64::try_from(at.0).ok())
}
