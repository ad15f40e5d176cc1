//! Conversations that several agents answer. Each has a session of its own; who is let in is decided as always.

use openclaw_config::sections::BroadcastStrategy;
use openclaw_config::{RouteSettings, SessionSettings};

use super::key;
use super::resolve::{AgentRoute, resolve};
use super::tier::RouteQuery;

/// Everybody who answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broadcast {
    /// A route for each agent, in order.
    pub routes: Vec<AgentRoute>,
    /// Whether they answer at once or in turn.
    pub strategy: BroadcastStrategy,
}

/// Everybody who answers in a conversation: the agents of its group, else the one that routing finds.
#[must_use]
pub fn broadcast(routes: &RouteSettings, sessions: &SessionSettings, seeker: &RouteQuery) -> Broadcast {
    let one = resolve(routes, sessions, seeker);
    let Some(group) = routes.broadcast.get(seeker.place.id.as_str().trim()) else {
        return Broadcast { routes: vec![one], strategy: BroadcastStrategy::Parallel };
    };
    let routes = group.agents.iter().map(|agent| AgentRoute {
        agent: agent.clone(),
        key: key::session_key(sessions, agent, seeker),
        main: key::main_session(sessions, agent),
        ..one.clone()
    });
    Broadcast { routes: routes.collect(), strategy: group.strategy }
}
