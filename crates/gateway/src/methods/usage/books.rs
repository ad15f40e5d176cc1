//! The accounts of the sessions that are listed, and the one of all of them.
//!
//! Pure: `sessions` opens the books, hands in the calls and puts the rows on the wire.

use std::collections::{BTreeMap, HashMap};

use openclaw_ports::stores::UsageRecord;
use openclaw_protocol::methods::usage::{
    AgentUsage, ChannelUsage, SessionUsage, SessionUsageRow, ToolUsage, UsageAggregates, UsageTotals,
};
use openclaw_types::{AgentId, ChannelId, ModelRef, UnixMillis};
use serde_json::Value;

use super::account::{Account, dearest_first};
use super::tally::Tally;
use super::whose::Whose;

/// A session that is listed.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    /// Which one.
    pub(super) whose: Whose,
    /// How the ledger notes it: agents and names. More than one note can mean the same session.
    pub(super) notes: Vec<(String, String)>,
    /// When it was active last.
    pub(super) last: UnixMillis,
}

/// Whether rows say how much of the context each part takes. It is not known yet, and so it is null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weights {
    /// Somebody asked.
    Asked,
    /// Nobody did.
    Left,
}

/// All accounts.
pub(super) struct Books {
    books: Vec<Book>,
    /// Where calls belong: by session, then by agent.
    places: HashMap<String, HashMap<String, usize>>,
    all: Account,
    agents: BTreeMap<AgentId, Tally>,
    channels: BTreeMap<ChannelId, Tally>,
}

struct Book {
    listed: Listed,
    account: Account,
    active: Option<(UnixMillis, UnixMillis)>,
    model: Option<ModelRef>,
}

impl Books {
    /// Opens a book for each session.
    pub(super) fn open(sessions: Vec<Listed>) -> Self {
        let mut places = HashMap::<String, HashMap<String, usize>>::new();
        for (place, listed) in sessions.iter().enumerate() {
            for (agent, session) in &listed.notes {
                places.entry(session.clone()).or_default().insert(agent.clone(), place);
            }
        }
        let book = |listed| Book { listed, account: Account::default(), active: None, model: None };
        Self {
            books: sessions.into_iter().map(book).collect(),
            places,
            all: Account::default(),
            agents: BTreeMap::new(),
            channels: BTreeMap::new(),
        }
    }

    /// Counts a call, if its session is listed.
    pub(super) fn add(&mut self, record: &UsageRecord, date: &str) {
        let session = record.session.as_deref().unwrap_or_default();
        let place = self.places.get(session).and_then(|agents| agents.get(record.agent.as_str()));
        let Some(book) = place.and_then(|place| self.books.get_mut(*place)) else { return };
        book.account.add(record, date);
        let (first, last) = book.active.unwrap_or((record.at, record.at));
        book.active = Some((first.min(record.at), last.max(record.at)));
        book.model = Some(record.model.clone());
        let call = Tally::of_call(record);
        self.all.add(record, date);
        self.agents.entry(record.agent.clone()).or_default().add(&call);
        if let Some(channel) = book.listed.whose.channel() {
            self.channels.entry(channel.clone()).or_default().add(&call);
        }
    }

    /// Everything together.
    pub(super) fn totals(&self) -> UsageTotals {
        self.all.totals()
    }

    /// One row for each session.
    pub(super) fn rows(&self, weights: Weights) -> Vec<SessionUsageRow> {
        self.books.iter().map(|book| book.row(weights)).collect()
    }

    /// The sums over all sessions.
    pub(super) fn aggregates(&self) -> UsageAggregates {
        let mut agents: Vec<_> = self.agents.iter().collect();
        agents.sort_by_key(|(_, tally)| dearest_first(tally));
        let mut channels: Vec<_> = self.channels.iter().collect();
        channels.sort_by_key(|(_, tally)| dearest_first(tally));
        let by_agent = |(agent, tally): (&AgentId, &Tally)| AgentUsage {
            agent_id: agent.to_string(),
            totals: tally.totals(),
        };
        let by_channel = |(channel, tally): (&ChannelId, &Tally)| ChannelUsage {
            channel: channel.to_string(),
            totals: tally.totals(),
        };
        UsageAggregates {
            messages: self.all.messages(),
            tools: ToolUsage::default(),
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

impl Book {
    fn row(&self, weights: Weights) -> SessionUsageRow {
        let whose = &self.listed.whose;
        SessionUsageRow {
            key: whose.key.to_string(),
            label: None,
            session_id: whose.session_id.clone(),
            updated_at: Some(self.listed.last),
            agent_id: whose.key.agent().map(ToString::to_string),
            channel: whose.channel().map(ToString::to_string),
            chat_type: whose.key.scope().chat_kind().map(|kind| kind.as_str().to_owned()),
            origin: None,
            model_override: None,
            provider_override: None,
            model_provider: self.model.as_ref().map(|model| model.provider().to_string()),
            model: self.model.as_ref().map(|model| model.model().to_owned()),
            usage: Some(self.usage()),
            context_weight: match weights {
                Weights::Asked => Some(None::<Value>),
                Weights::Left => None,
            },
        }
    }

    fn usage(&self) -> SessionUsage {
        let account = &self.account;
        SessionUsage {
            session_id: self.listed.whose.session_id.clone(),
            session_file: None,
            first_activity: self.active.map(|(first, _)| first),
            last_activity: self.active.map(|(_, last)| last),
            duration_ms: self.active.map(|(first, last)| last.0.abs_diff(first.0)),
            activity_dates: Some(account.dates()),
            daily_breakdown: Some(account.daily_cost()),
            daily_message_counts: Some(account.daily_counts()),
            daily_latency: some(account.daily_latency()),
            daily_model_usage: some(account.daily_models()),
            message_counts: Some(account.messages()),
            tool_usage: None,
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
