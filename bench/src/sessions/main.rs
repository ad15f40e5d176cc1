//! What a long conversation costs: opening it for the next answer, paging through it, adding to it.
//!
//! Over the SQLite store in a folder of its own, without a gateway. Processor time of the whole process counts, so that
//! a busy machine does not. Called by `cargo xtask bench`.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use bench::{Row, cpu_micros_of};
use openclaw_config::{Config, Context, Environment, Locations, Overrides, ProfileChoice};
use openclaw_ports::stores::{BranchQuery, BranchReach, Flush, SessionStore};
use openclaw_ports::{Clock, SystemClock};
use openclaw_session::{Journal, Opening, SessionParts, Sessions, Writing, Zone, project};
use openclaw_stores::sqlite::AgentDatabases;
use openclaw_types::{
    AgentId, AssistantMessage, Content, Cost, EntryBody, Message, ProviderId, SessionId, SessionKey,
    StopReason, ToolCall, ToolCallId, ToolOutcome, ToolResultMessage, UnixMillis, Usage, UserMessage,
};
use serde_json::json;

const MESSAGES: usize = 2_000;
const ROUNDS: usize = 60;

fn main() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let rows = runtime.block_on(measure())?;
    bench::report(&rows, std::env::args().nth(1).as_deref())
}

async fn measure() -> anyhow::Result<Vec<Row>> {
    let home = tempfile::tempdir()?;
    let world = World::filled(home.path()).await?;
    let mut rows = Vec::new();
    let read = Costs::of(async || world.branch(BranchReach::SinceCompaction).await).await?;
    rows.push(Row::new("2,000 messages read from the store, CPU", read, "ms", ""));
    let open = Costs::of(async || {
        let branch = world.branch(BranchReach::SinceCompaction).await?;
        let seen = project(&branch).len();
        ensure!(seen == MESSAGES, "{seen} messages are seen");
        Ok(branch)
    });
    rows.push(Row::new("2,000 messages opened for the next answer, CPU", open.await?, "ms", "12"));
    let page = Costs::of(async || {
        let history = world.sessions.history(&world.key, None).await?;
        ensure!(history.messages.len() == 200, "the page is not whole");
        Ok(history)
    });
    rows.push(Row::new("the newest 200 of 2,000 messages, CPU", page.await?, "ms", "2"));
    let tail = Costs::of(async || world.branch(BranchReach::Newest(200)).await).await?;
    rows.push(Row::new("the newest 200 of 2,000 read from the store, CPU", tail, "ms", ""));
    let added = Costs::of(async || world.say(vec![question(0)]).await).await?;
    rows.push(Row::new("one message added to 2,000, CPU", added, "ms", ""));
    Ok(rows)
}

/// What an action takes.
struct Costs;

impl Costs {
    /// The median of many rounds in milliseconds; dropping what was read counts as well.
    async fn of<T>(mut action: impl AsyncFnMut() -> anyhow::Result<T>) -> anyhow::Result<f64> {
        let mut spans = Vec::with_capacity(ROUNDS);
        for _ in 0..ROUNDS {
            let before = cpu_micros_of(std::process::id())?;
            drop(action().await?);
            spans.push((cpu_micros_of(std::process::id())? - before) / 1000.0);
        }
        spans.sort_by(f64::total_cmp);
        spans.get(ROUNDS / 2).copied().context("nothing was measured")
    }
}

/// A store with one long conversation.
struct World {
    sessions: Sessions,
    store: Arc<dyn SessionStore>,
    agent: AgentId,
    session: SessionId,
    key: SessionKey,
}

impl World {
    async fn filled(home: &Path) -> anyhow::Result<Self> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let store: Arc<dyn SessionStore> = Arc::new(AgentDatabases::within(home, Arc::clone(&clock)));
        let config = Arc::new(config()?);
        let sessions = Sessions::new(SessionParts {
            store: Arc::clone(&store),
            journal: Arc::new(Journal::new(Arc::clone(&store), Arc::clone(&clock))),
            settings: Arc::new(move || Arc::clone(&config)),
            clock,
            zone: Zone::system(),
        });
        let key: SessionKey = "agent:main:main".parse()?;
        let opened = sessions.open(Opening::new(key.clone(), None)).await?;
        let session = opened.entry.session_id.clone();
        let world = Self { sessions, store, agent: AgentId::main(), session, key };
        for round in 0..MESSAGES / 4 {
            let id = ToolCallId::new(format!("call_{round}"))?;
            world
                .say(vec![question(round), call(round, id.clone()), result(round, id), answer(round)])
                .await?;
        }
        Ok(world)
    }

    async fn say(&self, messages: Vec<Message>) -> anyhow::Result<()> {
        let bodies = messages.into_iter().map(EntryBody::from).collect();
        let writing = Writing {
            agent: self.agent.clone(),
            session: self.session.clone(),
            run: None,
            begins: None,
            flush: Flush::Now,
            bodies,
        };
        self.sessions.journal().append(writing).await?;
        Ok(())
    }

    async fn branch(&self, reach: BranchReach) -> anyhow::Result<Vec<openclaw_ports::stores::StoredEntry>> {
        let query =
            BranchQuery { agent: self.agent.clone(), session: self.session.clone(), leaf: None, reach };
        Ok(self.store.branch(query).await?)
    }
}

fn config() -> anyhow::Result<Config> {
    let nothing: [(&str, &str); 0] = [];
    let environment = Environment::fake(nothing, "/");
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment)?;
    let overrides = Overrides::default();
    let context = Context { environment: &environment, locations: &locations, overrides: &overrides };
    Ok(Config::resolve(serde_json::from_value(json!({}))?, &context).0)
}

fn at(round: usize) -> Option<UnixMillis> {
    i64::try_from(round).ok().map(|round| UnixMillis(1_794_830_400_000 + round * 1000))
}

fn question(round: usize) -> Message {
    Message::User(UserMessage {
        content: vec![Content::text(format!(
            "Question {round}: what does the log of this morning say, and is there \"anything\" we should mend?"
        ))],
        at: at(round),
        idempotency_key: Some(format!("question-{round}")),
        ..UserMessage::default()
    })
}

fn call(round: usize, id: ToolCallId) -> Message {
    let call = ToolCall {
        id,
        name: "exec".to_owned(),
        arguments: json!({ "command": format!("tail -n 20 /var/log/service-{round}.log"), "timeout": 30 }),
        signature: None,
    };
    spoken(
        round,
        vec![Content::text("I look at the log first."), Content::ToolCall(call)],
        StopReason::ToolUse,
    )
}

fn result(round: usize, id: ToolCallId) -> Message {
    let lines = "2026-11-16T07:31:09Z info  request done in 12 ms, nothing to report\n".repeat(12);
    Message::ToolResult(ToolResultMessage {
        call: id,
        tool: "exec".to_owned(),
        content: vec![Content::text(lines)],
        outcome: ToolOutcome::Done,
        details: Some(json!({ "exitCode": 0, "durationMs": 12, "cwd": "/srv/assistant" })),
        at: at(round),
    })
}

fn answer(round: usize) -> Message {
    let words = "The log is quiet: every request was answered within a few milliseconds.\n\n- no errors\n- no warnings";
    spoken(round, vec![Content::text(words)], StopReason::Stop)
}

fn spoken(round: usize, content: Vec<Content>, stop: StopReason) -> Message {
    let cost = Cost { input: 0.003, output: 0.0015, cache_read: 0.0, cache_write: 0.0, total: 0.0045 };
    Message::Assistant(AssistantMessage {
        content,
        api: Some("vendor-messages".to_owned()),
        provider: ProviderId::new("vendor").ok(),
        model: Some("large".to_owned()),
        usage: Some(Usage {
            input: 1200,
            output: 90,
            cache_read: 12_000,
            total_tokens: 13_290,
            cost: Some(cost),
            ..Usage::default()
        }),
        stop: Some(stop),
        at: at(round),
        ..AssistantMessage::default()
    })
}
