//! `channels.start`, `channels.stop` and `channels.capabilities`: an account's line, and what can be done over it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use openclaw_flow::AccountStatus;
use openclaw_ports::channel::{Capability, ChannelDescriptor};
use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::accounts::{
    AccountCapabilities, ChannelAccountParams, ChannelAccountResult, ChannelSupport, ChannelsCapabilities,
    ChannelsCapabilitiesParams, ChannelsCapabilitiesResult, ChannelsStart, ChannelsStop,
};
use serde_json::{Value, json};

use super::super::agents::AgentServices;
use super::super::registry::{Call, Registry};
use super::act::permissions;
use super::{PATIENCE, meant, probed};

/// Adds the methods of this family.
pub(super) fn bind(registry: &mut Registry, services: &Arc<AgentServices>) {
    let known = Arc::clone(services);
    registry.bind::<ChannelsStart, _, _>(move |call, params| start(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry.bind::<ChannelsStop, _, _>(move |call, params| stop(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry.bind::<ChannelsCapabilities, _, _>(move |_, params| capabilities(Arc::clone(&known), params));
}

async fn start(
    services: Arc<AgentServices>,
    call: Call,
    params: ChannelAccountParams,
) -> Result<ChannelAccountResult, ErrorShape> {
    let (channel, account) = meant(&services, Some(params.channel.as_str()), params.account_id.as_deref())?;
    let channel_accounts = services.flow.channels();
    let started = channel_accounts.start(&channel, &account).await;
    started.map_err(|error| ErrorShape::invalid_request(error.to_string()))?;
    let now =
        channel_accounts.status().into_iter().find(|one| one.channel == channel && one.account == account);
    if let Some(why) = now.as_ref().filter(|one| !one.running).map(not_running) {
        return Err(ErrorShape::invalid_request(why));
    }
    let facts = json!({ "channel": channel, "account": account });
    call.context.record(&call.client, "channels.start", facts).await;
    let (channel, account_id) = (channel.as_str().to_owned(), account.as_str().to_owned());
    Ok(ChannelAccountResult { channel, account_id, running: true })
}

/// Why an account does not run that was told to.
fn not_running(one: &AccountStatus) -> String {
    match (one.enabled, &one.trouble) {
        (false, _) => format!("{} {} is switched off in the configuration", one.channel, one.account),
        (true, Some(trouble)) => format!("{} {}: {trouble}", one.channel, one.account),
        (true, None) => format!("{} {} cannot be started", one.channel, one.account),
    }
}

async fn stop(
    services: Arc<AgentServices>,
    call: Call,
    params: ChannelAccountParams,
) -> Result<ChannelAccountResult, ErrorShape> {
    let (channel, account) = meant(&services, Some(params.channel.as_str()), params.account_id.as_deref())?;
    let stopped = services.flow.channels().stop(&channel, &account).await;
    stopped.map_err(|error| ErrorShape::invalid_request(error.to_string()))?;
    let facts = json!({ "channel": channel, "account": account });
    call.context.record(&call.client, "channels.stop", facts).await;
    let (channel, account_id) = (channel.as_str().to_owned(), account.as_str().to_owned());
    Ok(ChannelAccountResult { channel, account_id, running: false })
}

async fn capabilities(
    services: Arc<AgentServices>,
    params: ChannelsCapabilitiesParams,
) -> Result<ChannelsCapabilitiesResult, ErrorShape> {
    let channel_accounts = services.flow.channels();
    let named = params.channel.as_deref().map(str::trim).filter(|name| !name.is_empty() && *name != "all");
    let only = match named {
        Some(name) => Some(
            channel_accounts
                .channel_named(name)
                .ok_or_else(|| ErrorShape::invalid_request(format!("there is no channel {name}")))?,
        ),
        None => None,
    };
    let patience = params.timeout_ms.map_or(PATIENCE, Duration::from_millis);
    let account = params.account_id.as_deref().map(|id| id.trim().to_lowercase());
    let kinds = channel_accounts.kinds();
    let wanted = channel_accounts.status().into_iter().filter(|one| {
        only.as_ref().is_none_or(|only| one.channel == *only)
            && account.as_ref().is_none_or(|id| one.account.as_str() == id)
    });
    let services = &services;
    let room = params.target.as_deref().map(str::trim).filter(|room| !room.is_empty());
    let asked = wanted.filter_map(|one| {
        let kind = *kinds.iter().find(|kind| kind.id == one.channel.as_str())?;
        Some(async move {
            let probe = match one.connected {
                true => Some(probed(channel_accounts.probe(&one.channel, &one.account, patience).await)),
                false => None,
            };
            let there = match room {
                Some(room) => Some(permissions(services, (&one.channel, &one.account), room).await),
                None => None,
            };
            let own = channel_accounts.action_names(&one.channel, &one.account);
            AccountCapabilities { channel_permissions: there, ..shown(kind, &one, own, probe) }
        })
    });
    Ok(ChannelsCapabilitiesResult { channels: join_all(asked).await })
}

fn shown(
    kind: &ChannelDescriptor,
    one: &AccountStatus,
    own: Vec<&'static str>,
    probe: Option<Value>,
) -> AccountCapabilities {
    AccountCapabilities {
        channel: kind.id.to_owned(),
        label: kind.label.to_owned(),
        account_id: one.account.as_str().to_owned(),
        account_name: one.name.clone(),
        configured: one.configured,
        enabled: one.enabled,
        support: support(kind),
        actions: actions(kind, &own),
        probe,
        channel_permissions: None,
    }
}

fn support(kind: &ChannelDescriptor) -> ChannelSupport {
    let has = |capability: Capability| kind.capabilities.contains(&capability).then_some(true);
    ChannelSupport {
        chat_types: kind.chats.iter().map(|chat| chat.as_str().to_owned()).collect(),
        polls: has(Capability::Polls),
        reactions: has(Capability::React),
        edit: has(Capability::Edit),
        unsend: has(Capability::Delete),
        reply: has(Capability::Reply),
        threads: has(Capability::Threads),
        media: has(Capability::SendMedia),
        native_commands: has(Capability::NativeCommands),
        block_streaming: has(Capability::Send),
    }
}

/// What the `message` tool can do there, in its words.
fn actions(kind: &ChannelDescriptor, own: &[&'static str]) -> Vec<String> {
    let general = [
        (Capability::Send, "send"),
        (Capability::Polls, "poll"),
        (Capability::React, "react"),
        (Capability::Edit, "edit"),
        (Capability::Delete, "delete"),
        (Capability::Threads, "thread-create"),
    ];
    let mut all: Vec<String> = Vec::new();
    let general = general.into_iter().filter(|(capability, _)| kind.capabilities.contains(capability));
    for name in general.map(|(_, name)| name).chain(own.iter().copied()) {
        if !all.iter().any(|known| known == name) {
            all.push(name.to_owned());
        }
    }
    all
}
