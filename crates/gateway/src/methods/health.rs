//! `health`: whether the gateway and its agents are well, kept in memory and refreshed in the background.
//!
//! A call is answered from memory when that is younger than a minute; the refresh behind it happens at most once a
//! second, however many clients ask and even when they ask for a probe. Every refresh is told to everybody. There are no channels yet, so there is
//! nobody to probe and their maps are empty.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openclaw_config::{Config, HEARTBEAT_PROMPT, Locations, ResolvedAgent};
use openclaw_protocol::Yes;
use openclaw_protocol::methods::health::{
    AgentHealth, Health, HealthParams, HealthResult, HeartbeatHealth, SessionStoreHealth,
};
use openclaw_types::{AgentId, UnixMillis};
use serde_json::Value;

use super::agents::AgentServices;
use super::outcome::{JsonPayload, MethodOutcome};
use super::registry::{Call, Registry};
use super::sessions::recent;
use crate::context::GatewayContext;

/// How long an answer from memory is good, and how often it is refreshed without being asked.
pub(crate) const REFRESH_EVERY: Duration = Duration::from_secs(60);
/// How much time lies at least between two refreshes that calls bring about.
const CALL_REFRESH_GAP: Duration = Duration::from_secs(1);

/// Adds the method of this family.
pub(super) fn bind(registry: &mut Registry) {
    registry.bind_text::<Health, _, _>(health);
}

/// The last known state of health.
#[derive(Debug, Default)]
pub(crate) struct HealthBoard(Mutex<Board>);

#[derive(Debug, Default)]
struct Board {
    known: Option<Known>,
    /// When a call last brought a refresh about, on the monotonic clock; it may still be under way.
    called_at: Option<Duration>,
}

#[derive(Debug, Clone)]
struct Known {
    payload: JsonPayload,
    value: Arc<Value>,
    /// On the monotonic clock.
    at: Duration,
}

impl HealthBoard {
    /// What new clients are told: the last state, or an empty object before there is one.
    pub(crate) fn snapshot(&self) -> Value {
        let board = self.board();
        board
            .known
            .as_ref()
            .map_or_else(|| Value::Object(serde_json::Map::new()), |known| (*known.value).clone())
    }

    /// What a call at this time is answered with.
    fn answer(&self, wish: HealthQuery, now: Duration) -> Answer {
        let mut board = self.board();
        let Some(known) = board.known.clone() else { return Answer::Refreshed };
        let age = now.saturating_sub(known.at);
        let called_lately = board.called_at.is_some_and(|at| now.saturating_sub(at) < CALL_REFRESH_GAP);
        if age < CALL_REFRESH_GAP || called_lately {
            return Answer::Known(known.payload);
        }
        board.called_at = Some(now);
        match wish {
            HealthQuery::Known if age < REFRESH_EVERY => Answer::KnownAndRefresh(known.payload),
            HealthQuery::Known | HealthQuery::Probe => Answer::Refreshed,
        }
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a caller wants to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HealthQuery {
    /// What is known.
    Known,
    /// How things are right now.
    Probe,
}

/// How a call is answered.
#[derive(Debug)]
enum Answer {
    /// From memory.
    Known(JsonPayload),
    /// From memory, and memory is refreshed afterwards.
    KnownAndRefresh(JsonPayload),
    /// After a refresh.
    Refreshed,
}

async fn health(call: Call, params: HealthParams) -> MethodOutcome {
    let context = &call.context;
    let wish = if params.probe == Some(true) { HealthQuery::Probe } else { HealthQuery::Known };
    match context.health.answer(wish, context.clock.elapsed()) {
        Answer::Known(payload) => Ok(payload),
        Answer::KnownAndRefresh(payload) => {
            refresh_soon(context);
            Ok(payload)
        }
        Answer::Refreshed => refresh(context).await,
    }
}

/// Refreshes in a task of its own.
pub(crate) fn refresh_soon(context: &Arc<GatewayContext>) {
    let refreshing = context.clone();
    context.tasks.start("health refresh", async move {
        if let Err(error) = refresh(&refreshing).await {
            tracing::error!(%error, "the state of health could not be refreshed");
        }
    });
}

/// Looks at everything anew and tells everybody.
pub(crate) async fn refresh(context: &GatewayContext) -> MethodOutcome {
    let started = context.clock.elapsed();
    let config = context.config.current();
    let mut result = examine(&config, context.config_file.locations(), context.clock.now());
    for agent in &mut result.agents {
        agent.heartbeat.enabled &= context.heartbeats.are_on();
    }
    // While sessions are imported, health answers without them. They are told as soon as they can be read.
    if let Some(agents) = &context.agents
        && agents.import_gate.is_open()
    {
        add_sessions(agents, context.clock.now(), &mut result).await;
    }
    let took = context.clock.elapsed().saturating_sub(started);
    result.duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    let payload = JsonPayload::of(&result)?;
    let value = Arc::new(serde_json::to_value(&result).unwrap_or(Value::Null));
    let at = context.clock.elapsed();
    context.health.board().known = Some(Known { payload: payload.clone(), value, at });
    context.roster.announce_health(payload.raw(), context.bump_health());
    context.roster.copy_health(&context.runs.subscribers.all(), payload.raw());
    Ok(payload)
}

/// Fills in what there is of sessions. Sessions that cannot be read are told in the log and left out.
async fn add_sessions(agents: &AgentServices, now: UnixMillis, result: &mut HealthResult) {
    let sessions = match recent::all(agents).await {
        Ok(sessions) => sessions,
        Err(error) => {
            tracing::error!(%error, "the sessions could not be read for the state of health");
            return;
        }
    };
    for agent in &mut result.agents {
        let id = AgentId::sanitized(&agent.agent_id);
        recent::in_health(agents, &sessions, &id, now, &mut agent.sessions);
        if agent.is_default {
            result.sessions = agent.sessions.clone();
        }
    }
}

/// Pure: what the configuration says about agents and their sessions.
fn examine(config: &Config, locations: &Locations, now: UnixMillis) -> HealthResult {
    let agents: Vec<AgentHealth> = config
        .agents
        .list
        .iter()
        .map(|agent| AgentHealth {
            agent_id: agent.id.to_string(),
            name: agent.name.clone(),
            is_default: config.agents.is_default(&agent.id),
            heartbeat: heartbeat(agent),
            sessions: session_store(config, locations, &agent.id),
        })
        .collect();
    let default_interval =
        config.agents.get(&config.agents.default_agent).and_then(|agent| agent.heartbeat.every.interval);
    HealthResult {
        ok: Yes,
        ts: now,
        duration_ms: 0,
        channels: BTreeMap::new(),
        channel_order: Vec::new(),
        channel_labels: BTreeMap::new(),
        heartbeat_seconds: default_interval.map_or(0, |interval| interval.as_secs()),
        default_agent_id: config.agents.default_agent.to_string(),
        agents,
        sessions: session_store(config, locations, &config.agents.default_agent),
    }
}

fn heartbeat(agent: &ResolvedAgent) -> HeartbeatHealth {
    let heartbeat = &agent.heartbeat;
    HeartbeatHealth {
        enabled: heartbeat.enabled,
        every: heartbeat.every.text.clone(),
        every_ms: interval_ms(agent),
        prompt: heartbeat.prompt.clone().unwrap_or_else(|| HEARTBEAT_PROMPT.to_owned()),
        target: heartbeat.target.clone(),
        model: heartbeat.model.clone(),
        ack_max_chars: heartbeat.ack_max_chars,
    }
}

/// The time between two heartbeats in milliseconds.
pub(super) fn interval_ms(agent: &ResolvedAgent) -> Option<u64> {
    agent.heartbeat.every.interval.map(|interval| u64::try_from(interval.as_millis()).unwrap_or(u64::MAX))
}

fn session_store(config: &Config, locations: &Locations, agent: &AgentId) -> SessionStoreHealth {
    SessionStoreHealth { path: session_path(config, locations, agent), count: 0, recent: Vec::new() }
}

/// Where the sessions of an agent are, as clients know the place.
pub(super) fn session_path(config: &Config, locations: &Locations, agent: &AgentId) -> String {
    config.places.session_list(&locations.state_dir, agent).display().to_string()
}
