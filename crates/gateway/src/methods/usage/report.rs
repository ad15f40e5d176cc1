//! The accounts of the sessions that are listed, and the one of all of them.
//!
//! Pure: `sessions` opens the books, hands in the calls and puts the rows on the wire.

use std::collections::{BTreeMap, HashMap};

use openclaw_ports::stores::UsageRecord;
use openclaw_protocol::methods::sessions::SessionOrigin;
use openclaw_protocol::methods::usage::{
    AgentUsage, ChannelUsage, SessionUsage, SessionUsageRow, ToolUsage, UsageAggregates, UsageTotals,
};
use openclaw_types::{AgentId, ModelRef, SessionFacts, UnixMillis};
use serde::Deserialize;
use serde_json::Value;

use super::breakdown::{LedgerCalls, UsageBreakdown, dearest_first};
use super::listing::UsageCandidate;
use super::tally::Tally;

/// Whether rows say how much of the context each part takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weights {
    /// Somebody asked.
    Asked,
    /// Nobody did.
    Left,
}

/// The calls of the sessions that are listed, while they are handed in.
pub(super) struct ReportBuilder {
    books: Vec<SessionBuilder>,
    /// Where calls belong: by session, then by agent.
    places: HashMap<String, HashMap<String, usize>>,
    agents: BTreeMap<AgentId, Tally>,
}

struct SessionBuilder {
    listed: UsageCandidate,
    calls: LedgerCalls,
    model: Option<ModelRef>,
}

impl ReportBuilder {
    /// Opens a book for each session.
    pub(super) fn open(sessions: Vec<UsageCandidate>) -> Self {
        let mut places = HashMap::<String, HashMap<String, usize>>::new();
        let mut agents = BTreeMap::new();
        for (place, listed) in sessions.iter().enumerate() {
            for (agent, session) in &listed.notes {
                places.entry(session.clone()).or_default().insert(agent.clone(), place);
            }
            if let Some(agent) = listed.key.agent() {
                agents.insert(agent.clone(), Tally::default());
            }
        }
        let book = |listed| SessionBuilder { listed, calls: LedgerCalls::default(), model: None };
        Self { books: sessions.into_iter().map(book).collect(), places, agents }
    }

    /// Counts a call, if its session is listed.
    pub(super) fn add(&mut self, record: &UsageRecord, date: &str) {
        let session = record.session.as_deref().unwrap_or_default();
        let place = self.places.get(session).and_then(|agents| agents.get(record.agent.as_str()));
        let Some(book) = place.and_then(|place| self.books.get_mut(*place)) else { return };
        book.calls.add(record, date);
        book.model = Some(record.model.clone());
        self.agents.entry(record.agent.clone()).or_default().add(&Tally::of_call(record));
    }

    /// Adds up once every call is in.
    pub(super) fn close(self) -> UsageReport {
        let mut report =
            UsageReport { sessions: Vec::new(), all: UsageBreakdown::default(), agents: self.agents };
        for SessionBuilder { mut listed, calls, model } in self.books {
            let activity = listed.activity.take();
            let spans = calls.span.into_iter().chain(activity.as_ref().and_then(|activity| activity.span));
            let span = spans.reduce(|one, two| (one.0.min(two.0), one.1.max(two.1)));
            let account = UsageBreakdown::of(calls, activity);
            report.all.add(&account);
            report.sessions.push(ReportedSession { listed, account, span, model });
        }
        report
    }
}

/// What the sessions cost and what happened in them.
pub(super) struct UsageReport {
    sessions: Vec<ReportedSession>,
    all: UsageBreakdown,
    agents: BTreeMap<AgentId, Tally>,
}

struct ReportedSession {
    listed: UsageCandidate,
    account: UsageBreakdown,
    /// The first and the last thing that happened.
    span: Option<(UnixMillis, UnixMillis)>,
    /// The model of the last call.
    model: Option<ModelRef>,
}

impl UsageReport {
    /// Everything together.
    pub(super) fn totals(&self) -> UsageTotals {
        self.all.totals()
    }

    /// One row for each session.
    pub(super) fn rows(&self, weights: Weights) -> Vec<SessionUsageRow> {
        self.sessions.iter().map(|session| session.row(weights)).collect()
    }

    /// The sums over all sessions.
    pub(super) fn aggregates(&self) -> UsageAggregates {
        let mut channels = BTreeMap::<String, Tally>::new();
        for session in &self.sessions {
            if let Some(channel) = session.channel() {
                channels.entry(channel).or_default().add(session.account.tally());
            }
        }
        let mut agents: Vec<_> = self.agents.iter().collect();
        agents.sort_by_key(|(_, tally)| dearest_first(tally));
        let mut channels: Vec<_> = channels.into_iter().collect();
        channels.sort_by_key(|(_, tally)| dearest_first(tally));
        let by_agent = |(agent, tally): (&AgentId, &Tally)| AgentUsage {
            agent_id: agent.to_string(),
            totals: tally.totals(),
        };
        let by_channel = |(channel, tally): (String, Tally)| ChannelUsage { channel, totals: tally.totals() };
        UsageAggregates {
            messages: self.all.messages(),
            tools: self.all.tools(),
            by_model: self.all.models(),
            by_provider: self.all.providers(),
            by_agent: agents.into_iter().map(by_agent).collect(),
            by_channel: channels.into_iter().map(by_channel).collect(),
            latency: self.all.latency(),
            daily_latency: Some(self.all.daily_latency()),
            model_daily: Some(self.all.daily_models()),
            daily: self.all.daily(),
        }
    }
}

impl ReportedSession {
    fn row(&self, weights: Weights) -> SessionUsageRow {
        let key = &self.listed.key;
        let facts = self.facts();
        let last_model = self.model.as_ref();
        let stored = |fact: fn(&SessionFacts) -> &Option<String>| facts.and_then(|facts| fact(facts).clone());
        SessionUsageRow {
            key: key.to_string(),
            label: stored(|facts| &facts.label),
            session_id: self.session_id(),
            updated_at: Some(self.listed.updated_at),
            agent_id: key.agent().map(ToString::to_string),
            channel: self.channel(),
            chat_type: stored(|facts| &facts.chat_type)
                .or_else(|| self.origin()?.chat_type)
                .or_else(|| Some(key.scope().chat_kind()?.as_str().to_owned())),
            origin: self.origin(),
            model_override: stored(|facts| &facts.model_override),
            provider_override: stored(|facts| &facts.provider_override),
            model_provider: stored(|facts| &facts.model_provider)
                .or_else(|| last_model.map(|model| model.provider().to_string())),
            model: stored(|facts| &facts.model).or_else(|| last_model.map(|model| model.model().to_owned())),
            usage: Some(self.usage()),
            context_weight: match weights {
                Weights::Asked => Some(facts.and_then(|facts| facts.system_prompt_report.clone())),
                Weights::Left => None::<Option<Value>>,
            },
        }
    }

    fn facts(&self) -> Option<&SessionFacts> {
        self.listed.entry.as_ref().map(|entry| &entry.facts)
    }

    /// Where the session came from. What nobody understands counts as absent.
    fn origin(&self) -> Option<SessionOrigin> {
        Deserialize::deserialize(self.facts()?.origin.as_ref()?).ok()
    }

    /// The platform: that of the session, else where it came from, else the one its key names.
    fn channel(&self) -> Option<String> {
        let stored = self.facts().and_then(|facts| facts.channel.clone());
        stored
            .or_else(|| self.origin()?.provider)
            .or_else(|| self.listed.key.channel().map(ToString::to_string))
    }

    fn session_id(&self) -> Option<String> {
        self.listed.session_id.as_ref().map(ToString::to_string)
    }

    fn usage(&self) -> SessionUsage {
        let account = &self.account;
        let tools = account.tools();
        SessionUsage {
            session_id: self.session_id(),
            session_file: self.facts().and_then(|facts| facts.session_file.clone()),
            first_activity: self.span.map(|(first, _)| first),
            last_activity: self.span.map(|(_, last)| last),
            duration_ms: self.span.map(|(first, last)| last.0.abs_diff(first.0)),
            activity_dates: Some(account.dates()),
            daily_breakdown: Some(account.daily_cost()),
            daily_message_counts: Some(account.daily_counts()),
            daily_latency: some(account.daily_latency()),
            daily_model_usage: some(account.daily_models()),
            message_counts: Some(account.messages()),
            tool_usage: Some(tools).filter(|tools: &ToolUsage| tools.total_calls > 0),
            model_usage: some(account.models()),
            latency: account.latency(),
            totals: account.totals(),
        }
    }
}

/// A list, unless it is empty.
fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}
