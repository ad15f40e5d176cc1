//! The limits that hold for a call: the agent's own first, then those of all agents, days before months.

use openclaw_config::{BudgetCaps, Budgets};
use openclaw_ports::stores::{BudgetScope, BudgetWindow, Limit};
use openclaw_types::{AgentId, UnixMillis};

use super::Zone;

/// The limits that hold for an agent at a moment.
#[must_use]
pub fn limits_of(budgets: &Budgets, agent: &AgentId, zone: &Zone, now: UnixMillis) -> Vec<Limit> {
    let own = budgets.agents.get(agent).copied().unwrap_or_default();
    let of = |scope: BudgetScope, caps: BudgetCaps| {
        [(BudgetWindow::Day, caps.daily), (BudgetWindow::Month, caps.monthly)].into_iter().filter_map(
            move |(window, cap)| {
                let (since, until) = (zone.began(window, now), zone.ends(window, now));
                cap.map(|cap| Limit { scope: scope.clone(), window, since, until, cap })
            },
        )
    };
    of(BudgetScope::Agent(agent.clone()), own).chain(of(BudgetScope::Total, budgets.total)).collect()
}

/// Whether any limit holds for an agent.
pub(crate) fn is_limited(budgets: &Budgets, agent: &AgentId) -> bool {
    let limits = |caps: &BudgetCaps| caps.daily.is_some() || caps.monthly.is_some();
    limits(&budgets.total) || budgets.agents.get(agent).is_some_and(limits)
}
