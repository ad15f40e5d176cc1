//! Finds the agent that answers. The most exact tier wins, within a tier the first binding of the file.

use openclaw_config::{BindingRule, RouteSettings, SessionSettings};
use openclaw_types::{AgentId, SessionKey};

use super::key;
use super::tier::{MatchedBy, RouteQuery, belongs, unfit};

/// Who answers, and where that is remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentRoute {
    /// Who answers.
    pub agent: AgentId,
    /// The session.
    pub key: SessionKey,
    /// The agent's main session.
    pub main: SessionKey,
    /// How the agent was found.
    pub matched: MatchedBy,
    /// The binding that decided, by its place in the file.
    pub binding: Option<usize>,
}

/// Finds the agent that answers, and the session.
#[must_use]
pub fn resolve(routes: &RouteSettings, sessions: &SessionSettings, seeker: &RouteQuery) -> AgentRoute {
    let (agent, matched, binding) = found(routes, seeker);
    AgentRoute {
        key: key::session_key(sessions, agent, seeker),
        main: key::main_session(sessions, agent),
        agent: agent.clone(),
        matched,
        binding,
    }
}

fn found<'a>(routes: &'a RouteSettings, seeker: &RouteQuery) -> (&'a AgentId, MatchedBy, Option<usize>) {
    let address = seeker.address();
    let bindings: Vec<&BindingRule> = routes
        .bindings
        .iter()
        .filter(|binding| address.has_channel(binding) && address.has_account(binding))
        .collect();
    for tier in MatchedBy::ALL {
        let Some(scope) = seeker.scope(tier) else { continue };
        let binding =
            bindings.iter().find(|binding| belongs(binding, tier) && unfit(binding, &scope).is_none());
        if let Some(binding) = binding {
            return (routes.agent_of(binding), tier, Some(binding.index));
        }
    }
    (&routes.default_agent, MatchedBy::Default, None)
}
