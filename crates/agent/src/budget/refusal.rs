//! Says why a budget stopped a call, in words that tell a person what to do.

use std::fmt;

use openclaw_ports::stores::{BudgetScope, BudgetWindow, Limit, Spending};
use openclaw_types::{Money, UnixMillis};

use super::Zone;

/// A call that was not sent because it could pass a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetRefusal {
    /// The limit.
    pub limit: Limit,
    /// What is spent and set aside within it.
    pub spending: Spending,
    /// What the call could have cost.
    pub most: Money,
    /// When the limit starts over.
    pub resets: UnixMillis,
    resets_shown: String,
}

impl BudgetRefusal {
    pub(crate) fn new(limit: Limit, spending: Spending, most: Money, zone: &Zone, now: UnixMillis) -> Self {
        let resets = zone.ends(limit.window, now);
        Self { limit, spending, most, resets, resets_shown: zone.show(resets) }
    }

    /// The key of the configuration that raises the limit.
    #[must_use]
    pub fn key(&self) -> String {
        let window = match self.limit.window {
            BudgetWindow::Day => "daily",
            BudgetWindow::Month => "monthly",
        };
        match &self.limit.scope {
            BudgetScope::Total => format!("models.budgets.{window}"),
            BudgetScope::Agent(agent) => format!("models.budgets.agents.{agent}.{window}"),
        }
    }
}

impl fmt::Display for BudgetRefusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let window = match self.limit.window {
            BudgetWindow::Day => "daily",
            BudgetWindow::Month => "monthly",
        };
        match &self.limit.scope {
            BudgetScope::Total => write!(out, "The {window} model budget of {}", self.limit.cap)?,
            BudgetScope::Agent(agent) => {
                write!(out, "The {window} model budget of agent {agent}, {},", self.limit.cap)?;
            }
        }
        write!(out, " leaves no room for this call: {} spent", self.spending.spent)?;
        if self.spending.held > Money::ZERO {
            write!(out, ", {} set aside for calls under way", self.spending.held)?;
        }
        write!(
            out,
            ", and this call could cost up to {}. The budget starts over at {}. To allow more now, raise {}.",
            self.most,
            self.resets_shown,
            self.key()
        )
    }
}
