//! The account of a session, or of all of them: tokens, money, waiting times and messages, by day and by model.
//!
//! Pure: calls go in, the parts of answers come out.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use openclaw_ports::stores::UsageRecord;
use openclaw_protocol::methods::usage::{
    DailyActivity, DailyCost, DailyCounts, DailyLatency, DailyModelUsage, Latency, MessageCounts, ModelUsage,
    UsageTotals,
};
use openclaw_types::{ModelRef, ProviderId};

use super::latency::Durations;
use super::tally::Tally;

/// How a call is noted that ended well.
pub(super) const GOOD_END: &str = "done";
/// How a call is noted whose end nobody saw; how long it took is not known either.
const CUT_OFF: &str = "interrupted";

/// What calls took, in all the ways clients look at it.
#[derive(Debug, Clone, Default)]
pub(super) struct Account {
    whole: Share,
    days: BTreeMap<String, Share>,
}

/// The part of one day, or the whole.
#[derive(Debug, Clone, Default)]
struct Share {
    tally: Tally,
    errors: u64,
    durations: Durations,
    models: BTreeMap<ModelRef, Tally>,
}

impl Share {
    fn add(&mut self, record: &UsageRecord) {
        let call = Tally::of_call(record);
        self.tally.add(&call);
        self.errors += u64::from(record.outcome != GOOD_END);
        if record.outcome != CUT_OFF {
            self.durations.add(record.duration_ms);
        }
        self.models.entry(record.model.clone()).or_default().add(&call);
    }

    /// A call is a message of the assistant; of others the ledger knows nothing.
    fn messages(&self) -> MessageCounts {
        MessageCounts {
            total: self.tally.calls,
            assistant: self.tally.calls,
            errors: self.errors,
            ..MessageCounts::default()
        }
    }

    /// Models by what they cost, the dearest first.
    fn dearest(&self) -> Vec<(&ModelRef, &Tally)> {
        let mut models: Vec<_> = self.models.iter().collect();
        models.sort_by_key(|(_, tally)| dearest_first(tally));
        models
    }
}

/// The order of lists by cost.
pub(super) fn dearest_first(tally: &Tally) -> impl Ord + use<> {
    Reverse((tally.cost, tally.tokens()))
}

impl Account {
    /// Counts a call on a day.
    pub(super) fn add(&mut self, record: &UsageRecord, date: &str) {
        self.whole.add(record);
        match self.days.get_mut(date) {
            Some(day) => day.add(record),
            None => self.days.entry(date.to_owned()).or_default().add(record),
        }
    }

    /// Everything together.
    pub(super) fn totals(&self) -> UsageTotals {
        self.whole.tally.totals()
    }

    /// The days on which there were calls.
    pub(super) fn dates(&self) -> Vec<String> {
        self.days.keys().cloned().collect()
    }

    /// All messages.
    pub(super) fn messages(&self) -> MessageCounts {
        self.whole.messages()
    }

    /// All waiting times.
    pub(super) fn latency(&self) -> Option<Latency> {
        self.whole.durations.clone().summary()
    }

    /// Tokens and money by day.
    pub(super) fn daily_cost(&self) -> Vec<DailyCost> {
        let cost = |(date, day): (&String, &Share)| DailyCost {
            date: date.clone(),
            tokens: day.tally.tokens(),
            cost: day.tally.dollars(),
        };
        self.days.iter().map(cost).collect()
    }

    /// Messages by day.
    pub(super) fn daily_counts(&self) -> Vec<DailyCounts> {
        self.days
            .iter()
            .map(|(date, day)| DailyCounts { date: date.clone(), counts: day.messages() })
            .collect()
    }

    /// Tokens, money and messages by day.
    pub(super) fn daily(&self) -> Vec<DailyActivity> {
        let activity = |(date, day): (&String, &Share)| DailyActivity {
            date: date.clone(),
            tokens: day.tally.tokens(),
            cost: day.tally.dollars(),
            messages: day.tally.calls,
            tool_calls: 0,
            errors: day.errors,
        };
        self.days.iter().map(activity).collect()
    }

    /// Waiting times by day.
    pub(super) fn daily_latency(&self) -> Vec<DailyLatency> {
        let latency = |(date, day): (&String, &Share)| {
            let latency = day.durations.clone().summary()?;
            Some(DailyLatency { date: date.clone(), latency })
        };
        self.days.iter().filter_map(latency).collect()
    }

    /// Models by day, the dearest of a day first.
    pub(super) fn daily_models(&self) -> Vec<DailyModelUsage> {
        let of_day = |(date, day): (&String, &Share)| {
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
