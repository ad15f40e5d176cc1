//! `route.explain`: which agent a message would reach, and why.

use std::sync::Arc;

use openclaw_flow::{ExplainedTier, RouteQuestion};
use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::accounts::{
    RouteExplain, RouteExplainParams, RouteExplainResult, RouteMiss, RouteTier,
};

use super::super::agents::AgentServices;
use super::super::registry::Registry;

/// Adds the method.
pub(super) fn bind(registry: &mut Registry, services: &Arc<AgentServices>) {
    let known = Arc::clone(services);
    registry.bind::<RouteExplain, _, _>(move |_, params| {
        let answer = explain(&known, params);
        async move { answer }
    });
}

fn explain(services: &AgentServices, params: RouteExplainParams) -> Result<RouteExplainResult, ErrorShape> {
    let question = RouteQuestion {
        channel: params.channel.as_str().to_owned(),
        account: params.account_id,
        peer: params.peer,
        parent: params.parent,
        thread: params.thread_id,
        guild: params.guild_id,
        team: params.team_id,
        roles: params.roles.unwrap_or_default(),
    };
    let (explained, lines) = services
        .flow
        .explain_route(&question)
        .map_err(|fault| ErrorShape::invalid_request(fault.to_string()))?;
    let route = &explained.route;
    Ok(RouteExplainResult {
        agent_id: route.agent.as_str().to_owned(),
        session_key: route.key.to_string(),
        matched_by: route.matched.as_str().to_owned(),
        binding: route.binding.map(|index| index as u64),
        tiers: explained.tiers.iter().map(tier).collect(),
        broadcast: explained.broadcast.iter().map(|agent| agent.as_str().to_owned()).collect(),
        lines,
    })
}

fn tier(tier: &ExplainedTier) -> RouteTier {
    let miss = |(index, miss): &(usize, openclaw_flow::Miss)| RouteMiss {
        binding: *index as u64,
        reason: miss.sentence().to_owned(),
    };
    RouteTier {
        tier: tier.tier.as_str().to_owned(),
        decided: tier.decided,
        fits: tier.fits.map(|index| index as u64),
        idle: tier.idle,
        misses: tier.misses.iter().map(miss).collect(),
    }
}
