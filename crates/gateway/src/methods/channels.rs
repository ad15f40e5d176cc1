//! `channels.status`: how the accounts on platforms are.
//!
//! The channel_accounts of the flow knows; here answers take their shape. `logout` signs an account out, `accounts` starts and stops accounts and says what they can
//! do, `lookup` finds people and rooms, `route` says who answers whom. `send` takes messages for platforms, `act` does
//! with them what people want, `outbox` and `strangers` show what waits to be sent and who
//! waits to be let in.

mod accounts;
mod act;
mod logout;
mod lookup;
mod outbox;
mod route;
mod send;
mod strangers;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use openclaw_flow::AccountStatus;
use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::channels::{
    ChannelAccount, ChannelMeta, ChannelsLogout, ChannelsStatus, ChannelsStatusParams, ChannelsStatusResult,
    WebLoginStart, WebLoginWait,
};
use openclaw_types::{AccountId, ChannelId, DmPolicy, UnixMillis};
use serde_json::{Map, Value, json};

use super::agents::AgentServices;
use super::registry::{Call, Registry};

/// How long the platforms have to answer where nobody says.
const PATIENCE: Duration = Duration::from_secs(10);
/// The least time they have.
const LEAST_PATIENCE: Duration = Duration::from_secs(1);

/// Adds the methods of this family.
pub(super) fn bind(registry: &mut Registry, services: &Arc<AgentServices>) {
    let known = Arc::clone(services);
    registry.bind::<ChannelsStatus, _, _>(move |call, params| status(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry
        .bind::<ChannelsLogout, _, _>(move |call, params| logout::logout(Arc::clone(&known), call, params));
    registry.bind::<WebLoginStart, _, _>(|_, _| std::future::ready(Err(no_web_login())));
    registry.bind::<WebLoginWait, _, _>(|_, _| std::future::ready(Err(no_web_login())));
    accounts::bind(registry, services);
    lookup::bind(registry, services);
    route::bind(registry, services);
    send::bind(registry, services);
    act::bind(registry, services);
    outbox::bind(registry, services);
    strangers::bind(registry, services);
}

async fn status(
    services: Arc<AgentServices>,
    call: Call,
    params: ChannelsStatusParams,
) -> Result<ChannelsStatusResult, ErrorShape> {
    let channel_accounts = services.flow.channels();
    let patience = params.timeout_ms.and_then(|span| u64::try_from(span.get()).ok());
    let patience = patience.map_or(PATIENCE, Duration::from_millis).max(LEAST_PATIENCE);
    let mut accounts: BTreeMap<String, Vec<ChannelAccount>> = BTreeMap::new();
    // Side by side: a platform that is slow delays nobody else's answer.
    let asked = channel_accounts.status().into_iter().map(|one| async move {
        let probe = match params.probe {
            Some(true) if one.connected => {
                Some(probed(channel_accounts.probe(&one.channel, &one.account, patience).await))
            }
            Some(true) if one.enabled && one.configured => Some(unprobed(&one)),
            _ => None,
        };
        (one, probe)
    });
    let now = call.context.clock.now();
    for (one, probe) in join_all(asked).await {
        let mut shown = account(&one, probe);
        shown.last_probe_at = shown.probe.as_ref().map(|_| moment(Some(now)));
        accounts.entry(one.channel.as_str().to_owned()).or_default().push(shown);
    }
    let kinds: Vec<_> =
        channel_accounts.kinds().into_iter().filter(|kind| accounts.contains_key(kind.id)).collect();
    let first =
        |list: &Vec<ChannelAccount>| list.first().map(|one| one.account_id.clone()).unwrap_or_default();
    Ok(ChannelsStatusResult {
        ts: now,
        channel_order: kinds.iter().map(|kind| kind.id.to_owned()).collect(),
        channel_labels: kinds.iter().map(|kind| (kind.id.to_owned(), kind.label.to_owned())).collect(),
        channel_detail_labels: Some(
            kinds.iter().map(|kind| (kind.id.to_owned(), kind.label.to_owned())).collect(),
        ),
        channel_system_images: Some(BTreeMap::new()),
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

/// No platform here links an account by a code to scan.
fn no_web_login() -> ErrorShape {
    ErrorShape::invalid_request("web login provider is not available")
}

/// The account that a client means: one of the channel that is named, or of the only channel there is; the default one
/// where none is named.
pub(in crate::methods) fn meant(
    services: &AgentServices,
    channel: Option<&str>,
    account: Option<&str>,
) -> Result<(ChannelId, AccountId), ErrorShape> {
    let given = |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let channel_accounts = services.flow.channels();
    let all = channel_accounts.status();
    let channel = match given(channel) {
        Some(name) => channel_accounts
            .channel_named(&name)
            .ok_or_else(|| ErrorShape::invalid_request(format!("there is no channel {name}")))?,
        None => {
            let named: BTreeSet<&ChannelId> = all.iter().map(|one| &one.channel).collect();
            match named.into_iter().collect::<Vec<_>>().as_slice() {
                [only] => (*only).clone(),
                _ => {
                    return Err(ErrorShape::invalid_request(
                        "name a channel: none or several are configured",
                    ));
                }
            }
        }
    };
    let mut of_channel = all.iter().filter(|one| one.channel == channel);
    let found = match given(account) {
        Some(id) => of_channel.find(|one| one.account.as_str() == id.to_lowercase()),
        None => of_channel.next(),
    };
    found.map(|one| (channel.clone(), one.account.clone())).ok_or_else(|| {
        let id = given(account).unwrap_or_else(|| "default".to_owned());
        ErrorShape::invalid_request(format!("there is no account {id} of {channel}"))
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

/// What is told of a line that is down: nothing can be asked over it.
fn unprobed(one: &AccountStatus) -> Value {
    let why = one.last_error.as_deref().or(one.trouble.as_deref()).unwrap_or("not connected");
    json!({ "ok": false, "error": why })
}

/// What a channel as a whole says: what its default account, the first, does.
fn summary(list: &[ChannelAccount]) -> Value {
    let one = list.first();
    let flag = |read: fn(&ChannelAccount) -> Option<bool>| one.and_then(read).unwrap_or(false);
    let time = |read: fn(&ChannelAccount) -> Option<Option<u64>>| one.and_then(read).flatten();
    let mut told = json!({
        "configured": flag(|one| one.configured),
        "linked": flag(|one| one.linked),
        "running": flag(|one| one.running),
        "connected": flag(|one| one.connected),
        "lastStartAt": time(|one| one.last_start_at),
        "lastStopAt": time(|one| one.last_stop_at),
        "lastError": one.and_then(|one| one.last_error.clone().flatten()),
        "lastProbeAt": time(|one| one.last_probe_at),
    });
    for fact in ["tokenSource", "mode"] {
        if let Some(value) = one.and_then(|one| one.rest.get(fact)) {
            told[fact] = value.clone();
        }
    }
    if let Some(probe) = one.and_then(|one| one.probe.as_ref()) {
        told["probe"] = probe.clone();
    }
    told
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
        dm_policy: Some(policy(one.dm).to_owned()),
        allow_from: (!one.allow_from.is_empty()).then(|| one.allow_from.clone()),
        probe,
        rest,
        ..ChannelAccount::default()
    }
}

fn policy(dm: DmPolicy) -> &'static str {
    match dm {
        DmPolicy::Pairing => "pairing",
        DmPolicy::Allowlist => "allowlist",
        DmPolicy::Open => "open",
        DmPolicy::Disabled => "disabled",
    }
}

fn moment(at: Option<UnixMillis>) -> Option<u64> {
    at.and_then(|at| u64::try_from(at.0).ok())
}
