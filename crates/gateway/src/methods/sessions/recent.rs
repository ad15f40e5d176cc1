//! Sessions at a glance, for `health` and `status`: how many there are, and which changed last.

use openclaw_protocol::methods::health::{RecentSession, SessionStoreHealth};
use openclaw_protocol::methods::status::SessionStatus;
use openclaw_session::{ListQuery, Listed, SessionError};
use openclaw_types::{AgentId, SessionFacts, UnixMillis};

use super::row::model_of;
use crate::methods::agents::AgentServices;

/// How many sessions `health` names of an agent.
const IN_HEALTH: usize = 5;
/// How many `status` shows.
const IN_STATUS: usize = 10;

/// Every session, the one that changed last first.
pub(in crate::methods) async fn all(services: &AgentServices) -> Result<Vec<Listed>, SessionError> {
    let query = ListQuery { include_global: true, include_unknown: true, ..ListQuery::default() };
    services.sessions().list(&query).await
}

/// The sessions of one agent, for `health`.
pub(in crate::methods) fn in_health(
    services: &AgentServices,
    sessions: &[Listed],
    agent: &AgentId,
    now: UnixMillis,
    store: &mut SessionStoreHealth,
) {
    let own = || sessions.iter().filter(|listed| services.agent_of(&listed.key) == *agent);
    store.count = count(own().count());
    store.recent = own()
        .take(IN_HEALTH)
        .map(|listed| RecentSession {
            key: listed.key.to_string(),
            updated_at: Some(listed.entry.updated_at),
            age: Some(age(listed, now)),
        })
        .collect();
}

/// Sessions for `status`: how many there are, and the newest, of one agent or of all.
pub(in crate::methods) fn in_status(
    services: &AgentServices,
    sessions: &[Listed],
    agent: Option<&AgentId>,
    now: UnixMillis,
) -> (u64, Vec<SessionStatus>) {
    let own = || {
        let of = |listed: &&Listed| agent.is_none_or(|agent| services.agent_of(&listed.key) == *agent);
        sessions.iter().filter(of)
    };
    let recent = own().take(IN_STATUS).map(|listed| status(services, listed, now)).collect();
    (count(own().count()), recent)
}

fn status(services: &AgentServices, listed: &Listed, now: UnixMillis) -> SessionStatus {
    let agent = services.agent_of(&listed.key);
    let facts = &listed.entry.facts;
    let model = model_of(facts).unwrap_or_else(|| services.models().primary(&agent));
    let context_tokens =
        facts.context_tokens.or_else(|| services.models().window(&model).map(|window| window.tokens));
    let fresh = facts.total_tokens.is_some() && facts.total_tokens_fresh != Some(false);
    let total_tokens = facts.total_tokens.filter(|_| fresh);
    let used = total_tokens.zip(context_tokens).filter(|(_, most)| *most > 0);
    SessionStatus {
        agent_id: Some(agent.to_string()),
        key: listed.key.to_string(),
        kind: listed.kind.as_str().to_owned(),
        session_id: Some(listed.entry.session_id.to_string()),
        updated_at: Some(listed.entry.updated_at),
        age: Some(age(listed, now)),
        thinking_level: facts.thinking_level.clone(),
        verbose_level: facts.verbose_level.clone(),
        reasoning_level: facts.reasoning_level.clone(),
        elevated_level: facts.elevated_level.clone(),
        system_sent: facts.system_sent,
        aborted_last_run: facts.aborted_last_run,
        input_tokens: facts.input_tokens,
        output_tokens: facts.output_tokens,
        cache_read: facts.cache_read,
        cache_write: facts.cache_write,
        total_tokens,
        total_tokens_fresh: fresh,
        remaining_tokens: used.map(|(total, most)| most.saturating_sub(total)),
        percent_used: used
            .map(|(total, most)| (total.saturating_mul(100) + most / 2) / most)
            .map(|share| share.min(999)),
        model: Some(model.model().to_owned()),
        context_tokens,
        flags: flags(facts, listed.entry.session_id.as_str()),
    }
}

fn flags(facts: &SessionFacts, session: &str) -> Vec<String> {
    let level = |name: &str, level: &Option<String>| level.as_ref().map(|level| format!("{name}:{level}"));
    [
        level("think", &facts.thinking_level),
        level("verbose", &facts.verbose_level),
        level("reasoning", &facts.reasoning_level),
        level("elevated", &facts.elevated_level),
        (facts.system_sent == Some(true)).then(|| "system".to_owned()),
        (facts.aborted_last_run == Some(true)).then(|| "aborted".to_owned()),
        Some(format!("id:{session}")),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn age(listed: &Listed, now: UnixMillis) -> u64 {
    u64::try_from(now.0.saturating_sub(listed.entry.updated_at.0)).unwrap_or(0)
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
