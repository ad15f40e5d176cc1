//! `status`: heartbeats and sessions at a glance. Paths and models are shown to administrators only.
//!
//! Reads the configuration and the sessions. No channels exist yet, so their lists are empty because they are.

use openclaw_config::sections::ModelChoice;
use openclaw_config::{Config, Locations};
use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::AnyParams;
use openclaw_protocol::methods::status::{
    AgentHeartbeatStatus, AgentSessionsStatus, HeartbeatStatus, SessionModelDefaults, SessionsStatus, Status,
    StatusResult,
};
use openclaw_types::{AgentId, Scope, UnixMillis};

use super::agents::AgentServices;
use super::chat::session_fault;
use super::health::{interval_ms, session_path};
use super::registry::{Call, Registry};
use super::sessions::recent;

/// What stands where a path would.
const HIDDEN: &str = "[redacted]";

/// Adds the method of this family.
pub(super) fn bind(registry: &mut Registry) {
    registry.bind::<Status, _, _>(status);
}

/// How much the caller may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    Everything,
    WithoutPaths,
}

async fn status(call: Call, _: AnyParams) -> Result<StatusResult, ErrorShape> {
    let view = if call.client.principal.may(Scope::Admin) { View::Everything } else { View::WithoutPaths };
    let mut result = summarize(&call.context.config.current(), call.context.config_file.locations(), view);
    if let Some(agents) = &call.context.agents {
        result.queued_system_events =
            agents.flow.notes(&agents.main_of(&agents.config().agents.default_agent));
        // While sessions are imported, the state of the gateway is told without them.
        if agents.import_gate.is_open() {
            add_sessions(agents, call.context.clock.now(), view, &mut result.sessions).await?;
        }
    }
    for agent in &mut result.heartbeat.agents {
        agent.enabled &= call.context.heartbeats.are_on();
    }
    Ok(result)
}

/// Fills in what there is of sessions; who may not see paths is told no more than how many there are.
async fn add_sessions(
    agents: &AgentServices,
    now: UnixMillis,
    view: View,
    result: &mut SessionsStatus,
) -> Result<(), ErrorShape> {
    let sessions = recent::all(agents).await.map_err(|error| session_fault(&error))?;
    let shown = |newest| if view == View::Everything { newest } else { Vec::new() };
    for agent in &mut result.by_agent {
        let id = AgentId::sanitized(&agent.agent_id);
        let (count, newest) = recent::in_status(agents, &sessions, Some(&id), now);
        (agent.count, agent.recent) = (count, shown(newest));
    }
    let (count, newest) = recent::in_status(agents, &sessions, None, now);
    (result.count, result.recent) = (count, shown(newest));
    if view == View::Everything {
        let model = agents.models().primary(&agents.config().agents.default_agent);
        result.defaults = SessionModelDefaults {
            model: Some(model.model().to_owned()),
            context_tokens: agents.models().window(&model).map(|window| window.tokens),
        };
    }
    Ok(())
}

fn summarize(config: &Config, locations: &Locations, view: View) -> StatusResult {
    let agents = config.agents.default_first();
    let path = |agent: &openclaw_config::ResolvedAgent| match view {
        View::Everything => session_path(config, locations, &agent.id),
        View::WithoutPaths => HIDDEN.to_owned(),
    };
    let by_agent = agents.iter().map(|agent| AgentSessionsStatus {
        agent_id: agent.id.to_string(),
        path: path(agent),
        count: 0,
        recent: Vec::new(),
    });
    let heartbeats = agents.iter().map(|agent| AgentHeartbeatStatus {
        agent_id: agent.id.to_string(),
        enabled: agent.heartbeat.enabled,
        every: agent.heartbeat.every.text.clone(),
        every_ms: interval_ms(agent),
    });
    StatusResult {
        link_channel: None,
        heartbeat: HeartbeatStatus {
            default_agent_id: config.agents.default_agent.to_string(),
            agents: heartbeats.collect(),
        },
        channel_summary: Vec::new(),
        queued_system_events: Vec::new(),
        sessions: SessionsStatus {
            paths: match view {
                View::Everything => agents.iter().copied().map(path).collect(),
                View::WithoutPaths => Vec::new(),
            },
            count: 0,
            defaults: model_defaults(config, view),
            recent: Vec::new(),
            by_agent: by_agent.collect(),
        },
    }
}

fn model_defaults(config: &Config, view: View) -> SessionModelDefaults {
    let defaults = config.raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref());
    let (Some(defaults), View::Everything) = (defaults, view) else {
        return SessionModelDefaults { model: None, context_tokens: None };
    };
    let written = defaults.model.as_ref().and_then(|choice| match choice {
        ModelChoice::Name(name) => Some(name.as_str()),
        ModelChoice::WithFallbacks(choice) => choice.primary.as_deref(),
    });
    // A choice is written as vendor and model; clients show the model.
    let model = written.map(|name| name.split_once('/').map_or(name, |(_, model)| model).to_owned());
    SessionModelDefaults { model, context_tokens: defaults.context_tokens.map(|tokens| tokens.get()) }
}
