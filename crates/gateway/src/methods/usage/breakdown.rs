//! The account of a session, or of all of them: tokens, money, waiting times, messages and tools, by day and by model.
//!
//! Pure: what the ledger and a transcript know goes in, the parts of answers come out. Tokens and money are those of the
//! ledger alone; messages, tools and waiting times those of the transcript. A failure may stand in both: of each day the
//! greater number counts. Where no transcript is left, a call counts as one message of the assistant, and its duration as
//! the time that somebody waited.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use openclaw_ports::stores::UsageRecord;
use openclaw_protocol::methods::usage::{
    DailyActivity, DailyCost, DailyCounts, DailyLatency, DailyModelUsage, Latency, MessageCounts, ModelUsage,
    ToolCount, ToolUsage, UsageTotals,
};
use openclaw_types::{ModelRef, ProviderId, UnixMillis};

use super::activity::{Activity, DayActivity};
use super::latency::Durations;
use super::tally::Tally;

/// How a call is noted that ended well.
pub(super) const GOOD_END: &str = "done";
/// How a call is noted whose end nobody saw; how long it took is not known either.
const CUT_OFF: &str = "interrupted";

/// What the ledger knows of a session.
#[derive(Debug, Clone, Default)]
pub(super) struct LedgerCalls {
    days: BTreeMap<String, DayCalls>,
    /// The first and the last call.
    pub(super) span: Option<(UnixMillis, UnixMillis)>,
}

#[derive(Debug, Clone, Default)]
struct DayCalls {
    failed: u64,
    durations: Durations,
    models: BTreeMap<ModelRef, Tally>,
}

impl LedgerCalls {
    /// Counts a call on a day.
    pub(super) fn add(&mut self, record: &UsageRecord, date: &str) {
        let (first, last) = self.span.unwrap_or((record.at, record.at));
        self.span = Some((first.min(record.at), last.max(record.at)));
        if !self.days.contains_key(date) {
            self.days.insert(date.to_owned(), DayCalls::default());
        }
        let Some(day) = self.days.get_mut(date) else { return };
        day.failed += u64::from(record.outcome != GOOD_END);
        if record.outcome != CUT_OFF {
            day.durations.add(record.duration_ms);
        }
        day.models.entry(record.model.clone()).or_default().add(&Tally::of_call(record));
    }
}

/// What happened and what it cost, in all the ways clients look at it.
#[derive(Debug, Clone, Default)]
pub(super) struct UsageBreakdown {
    whole: DayBreakdown,
    days: BTreeMap<String, DayBreakdown>,
}

/// The part of one day, or the whole.
#[derive(Debug, Clone, Default)]
struct DayBreakdown {
    tally: Tally,
    models: BTreeMap<ModelRef, Tally>,
    messages: MessageCounts,
    tools: BTreeMap<String, u64>,
    waits: Durations,
}

impl DayBreakdown {
    fn of(calls: DayCalls, activity: Option<DayActivity>) -> Self {
        let DayCalls { failed, durations, models } = calls;
        let tally = models.values().fold(Tally::default(), |sum, model| sum.plus(model));
        let Some(day) = activity else {
            let (total, assistant) = (tally.calls, tally.calls);
            let messages = MessageCounts { total, assistant, errors: failed, ..MessageCounts::default() };
            return Self { tally, models, messages, tools: BTreeMap::new(), waits: durations };
        };
        let messages = MessageCounts {
            total: day.user + day.assistant,
            user: day.user,
            assistant: day.assistant,
            tool_calls: day.tools.values().sum(),
            tool_results: day.tool_results,
            errors: day.failed_tools + day.failed_answers.max(failed),
        };
        Self { tally, models, messages, tools: day.tools, waits: day.waits }
    }

    fn add(&mut self, other: &Self) {
        self.tally.add(&other.tally);
        for (model, tally) in &other.models {
            self.models.entry(model.clone()).or_default().add(tally);
        }
        self.messages = sum(&self.messages, &other.messages);
        for (tool, count) in &other.tools {
            *self.tools.entry(tool.clone()).or_default() += count;
        }
        self.waits.extend(&other.waits);
    }

    /// Models by what they cost, the dearest first.
    fn dearest(&self) -> Vec<(&ModelRef, &Tally)> {
        let mut models: Vec<_> = self.models.iter().collect();
        models.sort_by_key(|(_, tally)| dearest_first(tally));
        models
    }
}

fn sum(one: &MessageCounts, other: &MessageCounts) -> MessageCounts {
    MessageCounts {
        total: one.total + other.total,
        user: one.user + other.user,
        assistant: one.assistant + other.assistant,
        tool_calls: one.tool_calls + other.tool_calls,
        tool_results: one.tool_results + other.tool_results,
        errors: one.errors + other.errors,
    }
}

/// The order of lists by cost.
pub(super) fn dearest_first(tally: &Tally) -> impl Ord + use<> {
    Reverse((tally.cost, tally.tokens()))
}

impl UsageBreakdown {
    /// Joins what the ledger and the transcript of a session know; without a transcript, calls stand for messages.
    pub(super) fn of(mut calls: LedgerCalls, activity: Option<Activity>) -> Self {
        let has_transcript = activity.is_some();
        let mut spoken = activity.unwrap_or_default().days;
        let dates: BTreeSet<String> = calls.days.keys().chain(spoken.keys()).cloned().collect();
        let mut account = Self::default();
        for date in dates {
            let of_day = spoken.remove(&date).or_else(|| has_transcript.then(DayActivity::default));
            let share = DayBreakdown::of(calls.days.remove(&date).unwrap_or_default(), of_day);
            account.whole.add(&share);
            account.days.insert(date, share);
        }
        account
    }

    /// Adds another account.
    pub(super) fn add(&mut self, other: &Self) {
        self.whole.add(&other.whole);
        for (date, share) in &other.days {
            self.days.entry(date.clone()).or_default().add(share);
        }
    }

    /// Everything together.
    pub(super) fn tally(&self) -> &Tally {
        &self.whole.tally
    }

    /// Tokens and money.
    pub(super) fn totals(&self) -> UsageTotals {
        self.whole.tally.totals()
    }

    /// The days on which something happened.
    pub(super) fn dates(&self) -> Vec<String> {
        self.days.keys().cloned().collect()
    }

    /// All messages.
    pub(super) fn messages(&self) -> MessageCounts {
        self.whole.messages.clone()
    }

    /// All calls of tools, the most used tool first.
    pub(super) fn tools(&self) -> ToolUsage {
        let mut tools: Vec<ToolCount> = self
            .whole
            .tools
            .iter()
            .map(|(name, count)| ToolCount { name: name.clone(), count: *count })
            .collect();
        tools.sort_by_key(|tool| Reverse(tool.count));
        ToolUsage { total_calls: self.whole.messages.tool_calls, unique_tools: tools.len() as u64, tools }
    }

    /// All waiting times.
    pub(super) fn latency(&self) -> Option<Latency> {
        self.whole.waits.clone().summary()
    }

    /// Tokens and money by day.
    pub(super) fn daily_cost(&self) -> Vec<DailyCost> {
        let cost = |(date, day): (&String, &DayBreakdown)| DailyCost {
            date: date.clone(),
            tokens: day.tally.tokens(),
            cost: day.tally.dollars(),
        };
        self.days.iter().filter(|(_, day)| day.tally.calls > 0).map(cost).collect()
    }

    /// Messages by day.
    pub(super) fn daily_counts(&self) -> Vec<DailyCounts> {
        self.days
            .iter()
            .map(|(date, day)| DailyCounts { date: date.clone(), counts: day.messages.clone() })
            .collect()
    }

    /// Tokens, money and messages by day.
    pub(super) fn daily(&self) -> Vec<DailyActivity> {
        let activity = |(date, day): (&String, &DayBreakdown)| DailyActivity {
            date: date.clone(),
            tokens: day.tally.tokens(),
            cost: day.tally.dollars(),
            messages: day.messages.total,
            tool_calls: day.messages.tool_calls,
            errors: day.messages.errors,
        };
        self.days.iter().map(activity).collect()
    }

    /// Waiting times by day.
    pub(super) fn daily_latency(&self) -> Vec<DailyLatency> {
        let latency = |(date, day): (&String, &DayBreakdown)| {
            let latency = day.waits.clone().summary()?;
            Some(DailyLatency { date: date.clone(), latency })
        };
        self.days.iter().filter_map(latency).collect()
    }

    /// Models by day, the dearest of a day first.
    pub(super) fn daily_models(&self) -> Vec<DailyModelUsage> {
        let of_day = |(date, day): (&String, &DayBreakdown)| {
            let usage = |(model, tally): (&ModelRef, &Tally)| DailyModelUsage {
                date: date.clone(),
                provider: Some(model.provider().to_string()),
                model: Some(model.model().to_owned()),
                tokens: tally.tokens(),
                cost: tally.dollars(),
                count: tally.calls,
            };
            day.dearest().into_iter().map(usage).collect::<Vec<_>>()
        };
        self.days.iter().flat_map(of_day).collect()
    }

    /// Models, the dearest first.
    pub(super) fn models(&self) -> Vec<ModelUsage> {
        let usage = |(model, tally): (&ModelRef, &Tally)| ModelUsage {
            provider: Some(model.provider().to_string()),
            model: Some(model.model().to_owned()),
            count: tally.calls,
            totals: tally.totals(),
        };
        self.whole.dearest().into_iter().map(usage).collect()
    }

    /// Vendors, the dearest first.
    pub(super) fn providers(&self) -> Vec<ModelUsage> {
        let mut vendors = BTreeMap::<&ProviderId, Tally>::new();
        for (model, tally) in &self.whole.models {
            vendors.entry(model.provider()).or_default().add(tally);
        }
        let mut vendors: Vec<_> = vendors.into_iter().collect();
        vendors.sort_by_key(|(_, tally)| dearest_first(tally));
        let usage = |(provider, tally): (&ProviderId, Tally)| ModelUsage {
            provider: Some(provider.to_string()),
            model: None,
            count: tally.calls,
            totals: tally.totals(),
        };
        vendors.into_iter().map(usage).collect()
    }
}

#[cfg(test)]
mod tests;
