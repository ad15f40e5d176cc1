//! Adding up tokens and money. Money is added exactly and becomes a number of dollars at the very end.

use openclaw_ports::stores::{UsageRecord, UsageSum};
use openclaw_protocol::Num;
use openclaw_protocol::methods::usage::{DailyTotals, UsageTotals};
use openclaw_types::{Cost, Money, Usage};

/// What calls took together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Tally {
    pub(super) calls: u64,
    usage: Usage,
    tokens: u64,
    parts: Parts,
    pub(super) cost: Money,
    unpriced: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Parts {
    input: Money,
    output: Money,
    cache_read: Money,
    cache_write: Money,
}

impl Parts {
    fn of(cost: Option<Cost>) -> Self {
        let cost = cost.unwrap_or_default();
        Self {
            input: Money::from_dollars(cost.input),
            output: Money::from_dollars(cost.output),
            cache_read: Money::from_dollars(cost.cache_read),
            cache_write: Money::from_dollars(cost.cache_write),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            input: self.input + other.input,
            output: self.output + other.output,
            cache_read: self.cache_read + other.cache_read,
            cache_write: self.cache_write + other.cache_write,
        }
    }
}

impl Tally {
    /// What one call took.
    pub(super) fn of_call(record: &UsageRecord) -> Self {
        Self::of(&record.usage, record.cost.unwrap_or_default(), 1, u64::from(record.cost.is_none()))
    }

    /// What the calls of a sum took.
    pub(super) fn of_sum(sum: &UsageSum) -> Self {
        Self::of(&sum.usage, sum.cost, sum.calls, sum.unpriced)
    }

    fn of(usage: &Usage, cost: Money, calls: u64, unpriced: u64) -> Self {
        Self { calls, usage: *usage, tokens: tokens(usage), parts: Parts::of(usage.cost), cost, unpriced }
    }

    /// Both together.
    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            usage: self.usage.plus(&other.usage),
            tokens: self.tokens.saturating_add(other.tokens),
            parts: self.parts.plus(other.parts),
            cost: self.cost + other.cost,
            unpriced: self.unpriced.saturating_add(other.unpriced),
        }
    }

    /// Adds one more.
    pub(super) fn add(&mut self, other: &Self) {
        *self = self.plus(other);
    }

    /// All tokens.
    pub(super) fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Tokens read and written, without and with caches.
    pub(super) fn usage(&self) -> &Usage {
        &self.usage
    }

    /// The money as clients read it.
    pub(super) fn dollars(&self) -> Num {
        Num(self.cost.dollars())
    }

    /// Everything as clients read it.
    pub(super) fn totals(&self) -> UsageTotals {
        let dollars = |amount: Money| Num(amount.dollars());
        UsageTotals {
            input: self.usage.input,
            output: self.usage.output,
            cache_read: self.usage.cache_read,
            cache_write: self.usage.cache_write,
            total_tokens: self.tokens,
            total_cost: dollars(self.cost),
            input_cost: dollars(self.parts.input),
            output_cost: dollars(self.parts.output),
            cache_read_cost: dollars(self.parts.cache_read),
            cache_write_cost: dollars(self.parts.cache_write),
            missing_cost_entries: self.unpriced,
        }
    }

    /// The same for a day.
    pub(super) fn on(&self, date: &str) -> DailyTotals {
        DailyTotals { date: date.to_owned(), totals: self.totals() }
    }
}

/// All tokens as the vendor counts, or the sum of the parts where it does not say.
pub(super) fn tokens(usage: &Usage) -> u64 {
    if usage.total_tokens == 0 { usage.sum() } else { usage.total_tokens }
}
