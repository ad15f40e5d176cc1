//! `channels.logout`: takes what an account signs in with out of the configuration, so that it does not sign in again.
//!
//! Its line ends first. What the environment gives stays, since the gateway cannot change that: the answer says so. A
//! file that a key names is left alone; only the key goes.

use std::sync::Arc;

use openclaw_config::{BaseHash, ConfigFile, FileSnapshot, own_part};
use openclaw_ports::channel::AccountCredentials;
use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::channels::{ChannelsLogoutParams, ChannelsLogoutResult};
use openclaw_types::{AccountId, ChannelId};
use serde_json::{Map, Value, json};

use super::super::agents::AgentServices;
use super::super::config::{off_thread, refused};
use super::super::registry::Call;
use super::meant;

/// The account that takes what its platform's section says.
const DEFAULT: &str = "default";

pub(super) async fn logout(
    services: Arc<AgentServices>,
    call: Call,
    params: ChannelsLogoutParams,
) -> Result<ChannelsLogoutResult, ErrorShape> {
    let channel_accounts = services.flow.channels();
    let (channel, account) = meant(&services, Some(params.channel.as_str()), params.account_id.as_deref())?;
    let credentials = channel_accounts.credentials_of(&channel);
    if credentials.keys.is_empty() {
        return Err(ErrorShape::invalid_request(format!("channel {channel} does not support logout")));
    }
    channel_accounts
        .stop(&channel, &account)
        .await
        .map_err(|error| ErrorShape::unavailable(error.to_string()))?;
    let env_token = account.as_str() == DEFAULT && from_environment(&call, credentials);
    let place = (channel.clone(), account.clone());
    let (file, live) = (call.context.config_file.clone(), call.context.config.clone());
    let (cleared, left) = off_thread(move || -> Result<_, ErrorShape> {
        let before = file.read();
        let in_step = before.hash == live.last_seen().hash;
        let cleared = match take_out(&file, &before, (&place.0, &place.1), credentials)? {
            // Whoever watches the file takes it over in any case; nobody need wait for that.
            Some(after) if in_step => {
                live.offer(after);
                true
            }
            Some(_after) => true,
            None => false,
        };
        let now = file.read();
        Ok((cleared, written(&now.resolved, (&place.0, &place.1), credentials)))
    })
    .await??;
    let facts = json!({ "channel": channel, "account": account, "cleared": cleared });
    call.context.record(&call.client, "channels.logout", facts).await;
    if left {
        return Err(ErrorShape::invalid_request(format!(
            "{channel} {account} is stopped, but what it signs in with is written in a file that the configuration \
             includes; remove it there"
        )));
    }
    Ok(ChannelsLogoutResult {
        channel: channel.as_str().to_owned(),
        account_id: account.as_str().to_owned(),
        cleared,
        logged_out: Some(!env_token),
        env_token: Some(env_token),
        rest: Map::new(),
    })
}

fn from_environment(call: &Call, credentials: AccountCredentials) -> bool {
    let environment = call.context.config_file.environment();
    credentials
        .variables
        .iter()
        .any(|name| environment.get_trimmed(name).is_some_and(|text| !text.is_empty()))
}

/// Takes the credentials out of the file; nothing where there are none.
fn take_out(
    file: &ConfigFile,
    before: &FileSnapshot,
    of: (&ChannelId, &AccountId),
    credentials: AccountCredentials,
) -> Result<Option<FileSnapshot>, ErrorShape> {
    let Some(patch) = patch(&before.parsed, of, credentials) else { return Ok(None) };
    let base = BaseHash::Given(before.hash.clone());
    file.patch(&patch.to_string(), &base).map(Some).map_err(refused)
}

fn written(config: &Value, of: (&ChannelId, &AccountId), credentials: AccountCredentials) -> bool {
    patch(config, of, credentials).is_some()
}

/// What takes the credentials of an account out: its own, and for the default account those of its platform.
fn patch(
    config: &Value,
    (channel, account): (&ChannelId, &AccountId),
    of: AccountCredentials,
) -> Option<Value> {
    let section = config.get("channels")?.get(channel.as_str())?;
    let gone = |settings: &Value| -> Map<String, Value> {
        let said = |key: &&&str| settings.get(**key).is_some_and(|value| !value.is_null());
        of.keys.iter().filter(said).map(|key| ((*key).to_owned(), Value::Null)).collect()
    };
    let mut changes = if account.as_str() == DEFAULT { gone(section) } else { Map::new() };
    if let Some((name, own)) = own_part(section, account) {
        let own = gone(own);
        if !own.is_empty() {
            changes.insert("accounts".to_owned(), json!({ name: own }));
        }
    }
    (!changes.is_empty()).then(|| json!({ "channels": { channel.as_str(): changes } }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_an_account_go_and_those_of_others_stay() {
        let keys = AccountCredentials { keys: &["botToken", "tokenFile"], variables: &[] };
        let config = json!({ "channels": { "post": {
            "botToken": "a", "name": "x",
            "accounts": { "Work": { "tokenFile": "/t", "name": "w" }, "home": { "name": "h" } },
        } } });
        let channel = ChannelId::new("post").unwrap();
        let of = |account: &str| patch(&config, (&channel, &AccountId::new(account).unwrap()), keys);
        assert_eq!(of("default"), Some(json!({ "channels": { "post": { "botToken": null } } })));
        assert_eq!(
            of("work"),
            Some(json!({ "channels": { "post": { "accounts": { "Work": { "tokenFile": null } } } } }))
        );
        assert_eq!(of("home"), None);
    }
}
