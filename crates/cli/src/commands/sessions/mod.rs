//! `openclaw sessions`: the conversations that are kept, read straight from the stores, and their upkeep.
//!
//! Needs no gateway and works beside one. Nothing is made or taken over by looking: an agent without a database has no
//! sessions. `rows` says how a session is shown, `cleanup` puts old ones away, `branch` goes on from an earlier
//! message, `export` writes the files of the original.

mod branch;
mod cleanup;
mod export;
mod rows;

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};
use openclaw_config::{Config, FileSnapshot};
use openclaw_ports::stores::SessionStore;
use openclaw_session::{Journal, SessionParts, Sessions, Zone};
use openclaw_stores::sqlite::AgentDatabases;
use openclaw_types::{AgentId, SessionEntry, SessionKey};
use serde_json::{Value, json};

use branch::BranchArgs;
use cleanup::CleanupArgs;
use export::ExportArgs;
use rows::{Row, Usual};

use crate::agents::{databases, key_context, known_agent, sessions_file_of};
use crate::call::block_on;
use crate::context::Context;
use crate::exit::{Exit, Output, answering, misuse};
use crate::print;

/// How many sessions `status` shows.
const NEWEST: usize = 10;

/// `openclaw sessions`
#[derive(Debug, Args)]
pub(crate) struct SessionsArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Show whole keys and what is set in each session
    #[arg(long)]
    verbose: bool,
    #[command(flatten)]
    whose: WhoseArgs,
    /// Only those that changed within so many minutes
    #[arg(long, value_name = "minutes", value_parser = clap::value_parser!(u64).range(1..))]
    active: Option<u64>,
    #[command(subcommand)]
    command: Option<SessionsCommand>,
}

#[derive(Debug, Subcommand)]
enum SessionsCommand {
    /// Put old sessions away now
    Cleanup(CleanupArgs),
    /// Go on from an earlier message, in place or as a new session
    Branch(BranchArgs),
    /// Write sessions as the files of the original
    Export(ExportArgs),
}

/// Whose sessions are meant.
#[derive(Debug, Clone, Default, Args)]
struct WhoseArgs {
    /// A sessions.json of an earlier installation, or the folder it is in, instead of this one's sessions
    #[arg(long, value_name = "path")]
    store: Option<String>,
    /// The agent [default: the one that answers when nothing else decides]
    #[arg(long, value_name = "id")]
    agent: Option<String>,
    /// All agents
    #[arg(long)]
    all_agents: bool,
}

/// The agents that are meant, or a file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Whose {
    Agent(AgentId),
    All(Vec<AgentId>),
    File(PathBuf),
}

/// Runs a command of the family.
pub(crate) fn run(context: &Context, arguments: &SessionsArgs) -> anyhow::Result<Exit> {
    match &arguments.command {
        None => answering(Output::of(arguments.json), || list(context, arguments)),
        Some(SessionsCommand::Cleanup(cleanup)) => {
            answering(Output::of(arguments.json || cleanup.json), || {
                cleanup::run(context, arguments, cleanup)
            })
        }
        Some(SessionsCommand::Branch(branch)) => {
            answering(Output::of(arguments.json || branch.json), || branch::run(context, branch))
        }
        Some(SessionsCommand::Export(export)) => {
            answering(Output::of(arguments.json || export.json), || export::run(context, arguments, export))
        }
    }
}

fn list(context: &Context, arguments: &SessionsArgs) -> anyhow::Result<Exit> {
    let snapshot = context.read_config();
    let whose = whose(context, &snapshot, &arguments.whose)?;
    let now = context.clock.now();
    let since = arguments.active.map(|minutes| now.0.saturating_sub_unsigned(minutes.saturating_mul(60_000)));
    let mut found = match &whose {
        Whose::File(path) => entries_of_file(context, &snapshot, path)?,
        Whose::Agent(agent) => entries_of(context, &snapshot.config, std::slice::from_ref(agent))?,
        Whose::All(agents) => entries_of(context, &snapshot.config, agents)?,
    };
    found.retain(|(_, entry)| since.is_none_or(|since| entry.updated_at.0 >= since));
    found.sort_by(|one, two| two.1.updated_at.cmp(&one.1.updated_at).then_with(|| one.0.cmp(&two.0)));
    let usual = Usual::of(context, &snapshot);
    let rows: Vec<Row> = found.iter().map(|(key, entry)| Row::new(&usual, key, entry, now.0)).collect();
    if arguments.json {
        print::json(&as_json((context, &snapshot.config), arguments, &whose, &rows))?;
    } else {
        print::line(&render((context, &snapshot.config), arguments, &whose, &rows))?;
    }
    Ok(Exit::Done)
}

/// The newest sessions of this machine as a table, for `status`; nothing when there is none.
pub(crate) fn newest(context: &Context, snapshot: &FileSnapshot) -> anyhow::Result<Option<String>> {
    let agents: Vec<AgentId> = snapshot.config.agents.list.iter().map(|agent| agent.id.clone()).collect();
    let mut found = entries_of(context, &snapshot.config, &agents)?;
    if found.is_empty() {
        return Ok(None);
    }
    found.sort_by(|one, two| two.1.updated_at.cmp(&one.1.updated_at).then_with(|| one.0.cmp(&two.0)));
    found.truncate(NEWEST);
    let (usual, now) = (Usual::of(context, snapshot), context.clock.now().0);
    let rows: Vec<Row> = found.iter().map(|(key, entry)| Row::new(&usual, key, entry, now)).collect();
    Ok(Some(rows::table(&rows, rows::Width::Short, rows::AgentColumn::Hidden)))
}

fn whose(context: &Context, snapshot: &FileSnapshot, arguments: &WhoseArgs) -> anyhow::Result<Whose> {
    let agent = arguments.agent.as_deref().map(str::trim).filter(|agent| !agent.is_empty());
    match (&arguments.store, agent, arguments.all_agents) {
        (_, Some(_), true) => Err(misuse("--agent and --all-agents exclude each other")),
        (Some(_), Some(_), _) | (Some(_), _, true) => {
            Err(misuse("--store names one file; leave --agent and --all-agents out"))
        }
        (Some(path), None, false) => {
            let path = context.environment.user_path(path);
            Ok(Whose::File(if path.is_dir() { path.join("sessions.json") } else { path }))
        }
        (None, _, true) => {
            Ok(Whose::All(snapshot.config.agents.list.iter().map(|agent| agent.id.clone()).collect()))
        }
        (None, agent, false) => Ok(Whose::Agent(known_agent(snapshot, agent)?)),
    }
}

/// What is stored about the sessions of these agents.
fn entries_of(
    context: &Context,
    config: &Config,
    agents: &[AgentId],
) -> anyhow::Result<Vec<(SessionKey, SessionEntry)>> {
    with_stores(context, config, async |stores| {
        let mut found = Vec::new();
        for agent in agents {
            found.extend(stores.entries(agent).await?);
        }
        Ok(found)
    })
}

/// What a file of an earlier installation holds. Entries that cannot be read are told and left out.
fn entries_of_file(
    context: &Context,
    snapshot: &FileSnapshot,
    path: &std::path::Path,
) -> anyhow::Result<Vec<(SessionKey, SessionEntry)>> {
    let shown = context.short(path);
    let text = std::fs::read(path).map_err(|error| anyhow::anyhow!("{shown} cannot be read: {error}"))?;
    let file: serde_json::Map<String, Value> = serde_json::from_slice(&text)
        .map_err(|error| anyhow::anyhow!("{shown} holds no list of sessions: {error}"))?;
    let keys = key_context(&snapshot.config);
    let mut found = Vec::new();
    for (text, value) in file {
        let key = SessionKey::resolve(&text, &keys);
        match (key, serde_json::from_value::<SessionEntry>(value)) {
            (Ok(key), Ok(entry)) => found.push((key, entry)),
            (Err(error), _) => tell_left_out(&text, &error)?,
            (_, Err(error)) => tell_left_out(&text, &error)?,
        }
    }
    Ok(found)
}

fn tell_left_out(key: &str, error: &dyn std::error::Error) -> anyhow::Result<()> {
    Ok(print::note(&format!("{} {key} is left out: {error}", print::warn("warning:")))?)
}

/// Opens the databases, does the work and closes them.
fn with_stores<T>(
    context: &Context,
    config: &Config,
    work: impl AsyncFnOnce(&Arc<AgentDatabases>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    block_on(async {
        let stores = Arc::new(databases(context, config));
        let done = work(&stores).await;
        let closed = stores.close().await;
        let done = done?;
        closed?;
        Ok(done)
    })
}

/// The rules about sessions over open databases.
fn sessions_over(context: &Context, stores: &Arc<AgentDatabases>, config: Arc<Config>) -> Sessions {
    let store: Arc<dyn SessionStore> = stores.clone();
    Sessions::new(SessionParts {
        journal: Arc::new(Journal::new(Arc::clone(&store), Arc::clone(&context.clock))),
        store,
        settings: Arc::new(move || Arc::clone(&config)),
        clock: Arc::clone(&context.clock),
        zone: Zone::system(),
    })
}

fn path_of(context: &Context, config: &Config, whose: &Whose) -> Option<PathBuf> {
    match whose {
        Whose::Agent(agent) => Some(sessions_file_of(context, config, agent)),
        Whose::File(path) => Some(path.clone()),
        Whose::All(_) => None,
    }
}

fn as_json(
    (context, config): (&Context, &Config),
    arguments: &SessionsArgs,
    whose: &Whose,
    rows: &[Row],
) -> Value {
    let mut out = json!({ "path": path_of(context, config, whose) });
    if let Whose::All(agents) = whose {
        let stores: Vec<Value> = agents
            .iter()
            .map(|agent| json!({ "agentId": agent, "path": sessions_file_of(context, config, agent) }))
            .collect();
        out["stores"] = json!(stores);
        out["allAgents"] = json!(true);
    }
    out["count"] = json!(rows.len());
    out["activeMinutes"] = json!(arguments.active);
    out["sessions"] = rows.iter().map(Row::as_json).collect();
    out
}

fn render(
    (context, config): (&Context, &Config),
    arguments: &SessionsArgs,
    whose: &Whose,
    rows: &[Row],
) -> String {
    let place = match whose {
        Whose::All(agents) => {
            let names: Vec<&str> = agents.iter().map(AgentId::as_str).collect();
            format!("Agents: {}", names.join(", "))
        }
        Whose::Agent(_) | Whose::File(_) => {
            format!(
                "Kept in: {}",
                path_of(context, config, whose).map(|path| context.short(&path)).unwrap_or_default()
            )
        }
    };
    let when = arguments.active.map(|minutes| format!(", changed within {minutes} min")).unwrap_or_default();
    let head = print::muted(&format!("{place}\nSessions: {}{when}", rows.len()));
    if rows.is_empty() {
        return format!("{head}\nThere is none yet; one begins with the first message.");
    }
    let width = if arguments.verbose { rows::Width::Whole } else { rows::Width::Short };
    let column =
        if matches!(whose, Whose::All(_)) { rows::AgentColumn::Shown } else { rows::AgentColumn::Hidden };
    format!("{head}\n{}", rows::table(rows, width, column))
}
