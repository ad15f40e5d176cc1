//! Threads that a session answers in which is not their own: `/focus`, and sub-agents with a thread.
//!
//! Kept durably, by thread. A binding ends when its time is over or somebody takes it back. Where threads are rooms of
//! their own they can be bound; what is said in one that is bound is routed to its session, and answered in the thread.

use std::time::Duration;

use openclaw_inbound::route::Broadcast;
use openclaw_ports::stores::StoreError;
use openclaw_types::{AccountId, ChannelId, Inbound, SendTarget, SessionKey, ThreadId, UnixMillis};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::channels::own_part;
use crate::error::FlowError;
use crate::flow::Inner;

const NAMESPACE: &str = "thread-bindings";
/// How long a thread is bound where nothing is said.
const USUAL_HOURS: f64 = 24.0;

/// A thread, and the session that answers in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThreadBinding {
    /// The session.
    pub(crate) session: SessionKey,
    /// What people call the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// When it ends; never when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) until: Option<UnixMillis>,
    /// Where the thread is, where it was made for the session: what the session says by itself goes there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) target: Option<SendTarget>,
}

/// A thread that can be bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BoundPlace {
    channel: ChannelId,
    account: AccountId,
    thread: ThreadId,
}

impl BoundPlace {
    /// The thread of an event; nothing where there is none, or it is no room of its own.
    pub(crate) fn of(inbound: &Inbound) -> Option<Self> {
        let place = &inbound.place;
        let thread = place.thread.clone().filter(|_| place.parent.is_some())?;
        Some(Self { channel: inbound.channel.clone(), account: inbound.account.clone(), thread })
    }

    /// A thread that was made.
    pub(crate) fn made(target: &SendTarget) -> Option<Self> {
        let SendTarget { channel, account, thread, .. } = target.clone();
        Some(Self { channel, account, thread: thread? })
    }

    fn key(&self) -> String {
        format!("{}/{}/{}", self.channel, self.account, self.thread)
    }
}

impl Inner {
    /// The session that answers in a thread instead of its own.
    pub(crate) async fn bound(&self, place: &BoundPlace) -> Result<Option<ThreadBinding>, StoreError> {
        let state = self.parts.channels.state();
        let Some(kept) = state.get(NAMESPACE, &place.key()).await? else { return Ok(None) };
        let binding = read(kept, self.now());
        if binding.is_none() {
            state.remove(NAMESPACE, &place.key()).await?;
        }
        Ok(binding)
    }

    /// Binds a thread.
    pub(crate) async fn bind(&self, place: &BoundPlace, binding: &ThreadBinding) -> Result<(), StoreError> {
        self.parts.channels.state().put(NAMESPACE, &place.key(), json!(binding)).await
    }

    /// Gives a thread its own session back. Says whether it was bound.
    pub(crate) async fn unbind(&self, place: &BoundPlace) -> Result<bool, StoreError> {
        self.parts.channels.state().remove(NAMESPACE, &place.key()).await
    }

    /// Every thread that is bound on an account.
    pub(crate) async fn all_bound(
        &self,
        channel: &ChannelId,
        account: &AccountId,
    ) -> Result<Vec<ThreadBinding>, StoreError> {
        let begin = format!("{channel}/{account}/");
        let kept = self.parts.channels.state().list(NAMESPACE).await?;
        let here = kept.into_iter().filter(|(key, _)| key.starts_with(&begin));
        Ok(here.filter_map(|(_, kept)| read(kept, self.now())).collect())
    }

    /// The thread that was made for a session, as long as it is bound to it.
    pub(crate) async fn thread_of(&self, session: &SessionKey) -> Result<Option<SendTarget>, StoreError> {
        let kept = self.parts.channels.state().list(NAMESPACE).await?;
        let bound = kept.into_iter().filter_map(|(_, kept)| read(kept, self.now()));
        Ok(bound.filter(|binding| binding.session == *session).find_map(|binding| binding.target))
    }

    /// Gives the thread that was made for a session back to itself: the session is over.
    pub(crate) async fn release_thread(&self, session: &SessionKey) {
        let released = async {
            if let Some(place) = self.thread_of(session).await?.as_ref().and_then(BoundPlace::made) {
                self.unbind(&place).await?;
            }
            Ok::<(), StoreError>(())
        };
        if let Err(error) = released.await {
            tracing::warn!(subsystem = "subagents", %session, %error, "a thread stays bound until its time is over");
        }
    }

    /// Whether sub-agents may have threads of their own there (`spawnSubagentSessions`).
    pub(crate) fn spawns_threads(&self, channel: &ChannelId, account: &AccountId) -> bool {
        let config = self.settings();
        let section = config.raw.channels.get(channel.as_str()).map(|section| section.value());
        let own = section.and_then(|section| own_part(section, account)).map(|(_, own)| own);
        let said = |part: &Value| part.get("threadBindings")?.get("spawnSubagentSessions")?.as_bool();
        own.and_then(said).or_else(|| section.and_then(said)).unwrap_or(false)
    }

    /// How long a thread is bound by itself: what the account says, its channel, or all; nothing for ever. `Err` where it
    /// is switched off, with the key that does it.
    pub(crate) fn binding_time(
        &self,
        channel: &ChannelId,
        account: &AccountId,
    ) -> Result<Option<Duration>, String> {
        let config = self.settings();
        let general = config.raw.session.as_ref().and_then(|session| session.thread_bindings.as_ref());
        let section = config.raw.channels.get(channel.as_str()).map(|section| section.value());
        let own = section
            .and_then(|section| own_part(section, account))
            .and_then(|(_, own)| own.get("threadBindings"));
        let written = own.or_else(|| section?.get("threadBindings"));
        let said = |key: &str| written.and_then(|written| written.get(key));
        if said("enabled").and_then(Value::as_bool) == Some(false) {
            return Err(format!("channels.{channel}.threadBindings.enabled"));
        }
        if general.and_then(|general| general.enabled) == Some(false) && said("enabled").is_none() {
            return Err("session.threadBindings.enabled".to_owned());
        }
        let hours = said("ttlHours").and_then(Value::as_f64);
        let hours = hours.or_else(|| general.and_then(|general| general.ttl_hours)).unwrap_or(USUAL_HOURS);
        Ok((hours > 0.0).then(|| Duration::from_secs_f64((hours * 3_600.0).min(1e9))))
    }

    /// Who answers an event, where its thread is bound to a session.
    pub(crate) async fn answering_bound(
        &self,
        inbound: &Inbound,
        usual: Broadcast,
    ) -> Result<Broadcast, FlowError> {
        let Some(place) = BoundPlace::of(inbound) else { return Ok(usual) };
        if self.binding_time(&place.channel, &place.account).is_err() {
            return Ok(usual);
        }
        let Some(binding) = self.bound(&place).await? else { return Ok(usual) };
        // A sub-agent whose session was put away is not brought back by what is said in its thread.
        if binding.session.is_subagent() && self.parts.sessions.entry(&binding.session).await?.is_none() {
            return Ok(usual);
        }
        let mut routes = usual.routes;
        routes.truncate(1);
        for route in &mut routes {
            route.agent = self.parts.sessions.agent_of(&binding.session);
            route.key = binding.session.clone();
        }
        Ok(Broadcast { routes, ..usual })
    }
}

/// A binding that is kept; nothing when it is over or makes no sense.
fn read(kept: Value, now: UnixMillis) -> Option<ThreadBinding> {
    let binding: ThreadBinding = serde_json::from_value(kept).ok()?;
    binding.until.is_none_or(|until| until > now).then_some(binding)
}
