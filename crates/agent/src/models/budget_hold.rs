//! Money of one attempt: set aside before it is sent, settled when it ended, however it ended.

use std::time::Duration;

use openclaw_ports::model::{FaultReason, Prices};
use openclaw_ports::stores::{Hold, HoldId, Reservation, StoreError, UsageRecord};
use openclaw_types::{AuthProfileId, ModelRef, Money, UnixMillis, Usage};

use super::call::ModelCall;
use super::open::Shared;
use super::unsettled::Closing;
use crate::BudgetRefusal;
use crate::budget::{Estimate, Progress, limits_of};

/// Money set aside for one attempt.
#[derive(Debug)]
pub(super) struct BudgetHold {
    hold: Option<HoldId>,
    sent_at: UnixMillis,
    /// The same on the clock that never jumps.
    began: Duration,
    pub(super) estimate: Estimate,
}

/// Why an attempt may not be sent.
#[derive(Debug)]
pub(super) enum NoMoney {
    Refused(Box<BudgetRefusal>),
    /// The books cannot be kept while limits hold.
    Books(StoreError),
}

/// What became of an attempt, for the books.
#[derive(Debug, Clone, Copy)]
pub(super) struct HoldOutcome<'a> {
    pub(super) model: &'a ModelRef,
    pub(super) profile: &'a AuthProfileId,
    pub(super) prices: Option<Prices>,
    /// `done`, `cancelled`, or the reason of the fault.
    pub(super) word: &'a str,
}

/// Sets aside what a call can cost.
///
/// What costs nothing or has no known price is entered without a limit: it is counted, never stopped. Planning keeps
/// what has no known price and may cost something from getting here while a limit holds.
pub(super) async fn open(
    shared: &Shared,
    call: &ModelCall,
    model: &ModelRef,
    estimate: Estimate,
) -> Result<BudgetHold, NoMoney> {
    let parts = &shared.parts;
    // What is still set aside for calls that ended must not stand in the way.
    shared.unsettled.retry(parts.ledger.as_ref()).await;
    let now = parts.clock.now();
    let limits = match estimate.most {
        Money::ZERO => Vec::new(),
        _ => limits_of(&(parts.settings)().models.budgets, &call.agent, &parts.zone, now),
    };
    let limited = !limits.is_empty();
    let hold = Hold {
        run: call.run.clone(),
        agent: call.agent.clone(),
        session: call.session.clone(),
        model: model.clone(),
        at: now,
        most: estimate.most,
        least: estimate.least,
    };
    let hold = match parts.ledger.reserve(hold, limits).await {
        Ok(Reservation::Granted(hold)) => Some(hold),
        Ok(Reservation::Refused { limit, spending }) => {
            let refusal = BudgetRefusal::new(limit, spending, estimate.most, &parts.zone, now);
            return Err(NoMoney::Refused(Box::new(refusal)));
        }
        Err(fault) if limited => return Err(NoMoney::Books(fault)),
        Err(fault) => {
            tracing::error!(subsystem = "models", %fault, "a model call could not be entered into the books; no budget holds, so it is sent");
            None
        }
    };
    Ok(BudgetHold { hold, sent_at: now, began: parts.clock.elapsed(), estimate })
}

/// What an answer or a part of it cost.
pub(super) fn priced(prices: Option<Prices>, mut usage: Usage) -> Usage {
    usage.cost = prices.map(|prices| prices.cost(&usage));
    usage
}

impl BudgetHold {
    /// Enters what the attempt took.
    pub(super) async fn settle(
        self,
        shared: &Shared,
        call: &ModelCall,
        outcome: HoldOutcome<'_>,
        usage: Usage,
    ) {
        let Some(hold) = self.hold else { return };
        let took = shared.parts.clock.elapsed().saturating_sub(self.began);
        let record = UsageRecord {
            run: call.run.clone(),
            agent: call.agent.clone(),
            session: call.session.clone(),
            model: outcome.model.clone(),
            profile: Some(outcome.profile.clone()),
            at: self.sent_at,
            duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            cost: outcome.prices.map(|prices| prices.amount(&usage)),
            usage: priced(outcome.prices, usage),
            outcome: outcome.word.to_owned(),
        };
        shared.unsettled.close(shared.parts.ledger.as_ref(), Closing::Settle(hold, Box::new(record))).await;
    }

    /// Enters a failed attempt: what the server may have charged, or nothing when it turned the call away.
    pub(super) async fn settle_failed(
        self,
        shared: &Shared,
        call: &ModelCall,
        outcome: HoldOutcome<'_>,
        (reason, progress): (FaultReason, Progress),
    ) {
        if progress.begun || (progress.sent && may_be_charged(reason)) {
            let usage = progress.usage(self.estimate.input_tokens);
            return self.settle(shared, call, outcome, usage).await;
        }
        if let Some(hold) = self.hold {
            shared.unsettled.close(shared.parts.ledger.as_ref(), Closing::Release(hold)).await;
        }
    }
}

/// Whether a server that had not begun to answer may have read the request all the same.
fn may_be_charged(reason: FaultReason) -> bool {
    match reason {
        FaultReason::Timeout
        | FaultReason::Truncated
        | FaultReason::Malformed
        | FaultReason::Empty
        | FaultReason::Refused
        | FaultReason::Cancelled => true,
        FaultReason::RateLimit
        | FaultReason::Auth
        | FaultReason::Billing
        | FaultReason::Overloaded
        | FaultReason::ContextOverflow
        | FaultReason::Format
        | FaultReason::ModelNotFound
        | FaultReason::Network
        // Before anything came, it is the request that was too large to be sent.
        | FaultReason::TooLarge
        | FaultReason::Unknown => false,
    }
}
