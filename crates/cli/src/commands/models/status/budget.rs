//! What is spent of the budgets, and which models no budget can count.

use openclaw_ports::model::SpendingLimits as _;
use openclaw_ports::stores::{BudgetScope, BudgetWindow};
use openclaw_types::{AgentId, ModelRef, UnixMillis};
use serde::Serialize;

use super::super::desk::ModelCommand;

/// A limit and what is gone of it, in dollars.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Budget {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) agent: Option<AgentId>,
    pub(super) window: &'static str,
    pub(super) cap: f64,
    pub(super) spent: f64,
    pub(super) held: f64,
    pub(super) resets_at: i64,
}

/// The budgets of all agents.
pub(super) async fn budgets(session: &ModelCommand<'_>, now: UnixMillis) -> anyhow::Result<Vec<Budget>> {
    let ledger = session.desk.ledger();
    let mut budgets = Vec::new();
    for open in session.desk.models.limits(now) {
        let spending = ledger.spent(&open.limit.scope, open.limit.within()).await?;
        budgets.push(Budget {
            agent: match open.limit.scope {
                BudgetScope::Total => None,
                BudgetScope::Agent(agent) => Some(agent),
            },
            window: match open.limit.window {
                BudgetWindow::Day => "day",
                BudgetWindow::Month => "month",
            },
            cap: open.limit.cap.dollars(),
            spent: spending.spent.dollars(),
            held: spending.held.dollars(),
            resets_at: open.resets_at.0,
        });
    }
    Ok(budgets)
}

/// The models without a known price, where a budget should count what the agent spends.
pub(super) fn unpriced(
    session: &ModelCommand<'_>,
    budgets: &[Budget],
    in_use: impl Iterator<Item = ModelRef>,
) -> Vec<String> {
    let counts = |budget: &Budget| budget.agent.as_ref().is_none_or(|agent| *agent == session.agent);
    if !budgets.iter().any(counts) {
        return Vec::new();
    }
    let known = |model: &ModelRef| session.desk.models.facts(model);
    let unpriced = in_use.filter(|model| known(model).is_some_and(|facts| facts.prices.is_none()));
    unpriced.map(|model| model.to_string()).collect()
}
