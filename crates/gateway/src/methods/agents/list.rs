//! `agents.list` and `agent.identity.get`: which agents there are and how they present themselves.
//!
//! What the configuration says about an agent wins over the card in its workspace.

use std::sync::Arc;

use openclaw_agent::workspace::{CardIdentity, read_identity};
use openclaw_config::sections::SessionScope as Breadth;
use openclaw_config::{Config, SessionSettings};
use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::agents::{
    AgentIdentity, AgentIdentityParams, AgentIdentityResult, AgentSummary, AgentsListResult, SessionScope,
};
use openclaw_types::AgentId;

use super::AgentServices;
use crate::http::{names_picture, shown_avatar};

/// How many letters an avatar has at most that is shown as it is written.
const AVATAR_LETTERS: usize = 4;

/// What an agent without a name is called.
const NAMELESS: &str = "Assistant";

/// Lists agents.
pub(super) fn list(services: &AgentServices) -> Result<AgentsListResult, ErrorShape> {
    let config = services.config();
    let agents = config.agents.default_first().into_iter().map(|agent| {
        let card = configured(&config, &agent.id);
        let avatar_url = card.avatar.as_deref().map(|written| shown(&config, &agent.id, written));
        let identity = AgentIdentity {
            name: card.name,
            theme: card.theme,
            emoji: card.emoji,
            avatar: card.avatar,
            avatar_url,
        };
        AgentSummary {
            id: agent.id.to_string(),
            name: agent.name.clone(),
            identity: (identity != AgentIdentity::default()).then_some(identity),
        }
    });
    Ok(AgentsListResult {
        default_id: config.agents.default_agent.to_string(),
        main_key: SessionSettings::MAIN_KEY.to_owned(),
        scope: match config.session.scope {
            Breadth::Global => SessionScope::Global,
            Breadth::PerSender => SessionScope::PerSender,
        },
        agents: agents.collect(),
    })
}

/// The name and picture of an agent.
pub(super) async fn identity(
    services: Arc<AgentServices>,
    params: AgentIdentityParams,
) -> Result<AgentIdentityResult, ErrorShape> {
    let config = services.config();
    let agent = meant(&services, &config, &params)?;
    let written = configured(&config, &agent);
    let card = match read_identity(&services.workspace_of(&agent)).await {
        Ok(card) => card,
        Err(error) => {
            tracing::warn!(%agent, %error, "the card of an agent cannot be read");
            CardIdentity::default()
        }
    };
    let called = config.agents.get(&agent).and_then(|agent| agent.name.clone());
    let name = written.name.or(card.name).or(called).unwrap_or_else(|| NAMELESS.to_owned());
    let emoji = written.emoji.or(card.emoji);
    let avatar = written
        .avatar
        .or_else(|| card.avatar.filter(|written| names_picture(written) || is_short_avatar(written)))
        .map(|picture| shown(&config, &agent, &picture))
        .or_else(|| emoji.clone())
        .unwrap_or_else(|| first_letter(&name));
    Ok(AgentIdentityResult { agent_id: agent.to_string(), name: Some(name), avatar: Some(avatar), emoji })
}

/// Whether an avatar is a few letters or an emoji that stand for themselves.
fn is_short_avatar(written: &str) -> bool {
    !written.is_empty() && written.chars().count() <= AVATAR_LETTERS && !written.contains(char::is_whitespace)
}

fn meant(
    services: &AgentServices,
    config: &Config,
    params: &AgentIdentityParams,
) -> Result<AgentId, ErrorShape> {
    let session = params.session_key.as_deref().map(str::trim).filter(|key| !key.is_empty());
    let of_session = match session {
        Some(text) => Some(services.agent_of(&services.key(text)?)),
        None => None,
    };
    match (&params.agent_id, of_session) {
        (Some(named), of_session) => {
            let named = AgentId::sanitized(named.as_str());
            if of_session.is_some_and(|agent| agent != named) {
                return Err(ErrorShape::invalid_request(
                    "invalid agent.identity.get params: sessionKey belongs to another agent than agentId",
                ));
            }
            Ok(named)
        }
        (None, Some(agent)) => Ok(agent),
        (None, None) => Ok(config.agents.default_agent.clone()),
    }
}

/// What the configuration says about how an agent presents itself.
fn configured(config: &Config, agent: &AgentId) -> CardIdentity {
    let entries = config.raw.agents.as_ref().and_then(|agents| agents.list.as_deref()).unwrap_or_default();
    let entry = entries.iter().find(|entry| AgentId::sanitized(&entry.id) == *agent);
    let identity = entry.and_then(|entry| entry.identity.as_ref());
    let said = |text: Option<&String>| {
        text.map(|text| text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    CardIdentity {
        name: said(identity.and_then(|identity| identity.name.as_ref())),
        emoji: said(identity.and_then(|identity| identity.emoji.as_ref())),
        theme: said(identity.and_then(|identity| identity.theme.as_ref())),
        avatar: said(identity.and_then(|identity| identity.avatar.as_ref())),
        ..CardIdentity::default()
    }
}

fn shown(config: &Config, agent: &AgentId, written: &str) -> String {
    shown_avatar(written, &config.gateway.control_ui.base_path, agent.as_str())
}

fn first_letter(name: &str) -> String {
    name.chars().next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default()
}
