//! `openclaw sessions cleanup`: puts old sessions away as the configuration says, or tells which ones would go.
//!
//! What goes is decided by `session`; sessions with a run under way and main sessions stay. Works beside a gateway,
//! since each removal is one transaction of the store.

use std::collections::HashSet;
use std::sync::Arc;

use clap::Args;
use openclaw_config::{Care, Config, FileSnapshot};
use openclaw_ports::stores::SessionStore as _;
use openclaw_session::{Leaving, RemovalCause, Sessions};
use openclaw_stores::sqlite::AgentDatabases;
use openclaw_types::{AgentId, KeyContext, SessionId, SessionKey};
use serde_json::{Value, json};

use super::rows::shortened;
use super::{SessionsArgs, Whose, WhoseArgs, sessions_over, whose, with_stores};
use crate::agents::{key_context, sessions_file_of};
use crate::context::Context;
use crate::exit::{Exit, misuse};
use crate::print::{self, TextTable};

/// A session without a transcript that is younger than this may just be beginning.
const BEGINNING_MS: i64 = 60_000;

/// `openclaw sessions cleanup`
#[derive(Debug, Args)]
pub(super) struct CleanupArgs {
    #[command(flatten)]
    whose: WhoseArgs,
    /// Only tell what would happen
    #[arg(long)]
    dry_run: bool,
    /// Do it even where session.maintenance.mode is "warn"
    #[arg(long)]
    enforce: bool,
    /// Also remove sessions whose transcript is missing
    #[arg(long)]
    fix_missing: bool,
    /// A session that stays whatever happens
    #[arg(long, value_name = "key")]
    active_key: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Why a session goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    Missing,
    Age,
    Count,
}

impl Cause {
    fn words(self) -> &'static str {
        match self {
            Self::Missing => "has no transcript",
            Self::Age => "is too old",
            Self::Count => "is one too many",
        }
    }
}

/// What would happen to one agent's sessions.
struct Plan {
    agent: AgentId,
    before: usize,
    sessions: Vec<(SessionKey, Cause)>,
    transcripts: Vec<SessionId>,
}

impl Plan {
    fn count(&self, cause: Cause) -> usize {
        self.sessions.iter().filter(|(_, why)| *why == cause).count()
    }

    fn is_empty(&self) -> bool {
        self.sessions.is_empty() && self.transcripts.is_empty()
    }
}

/// Whether it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doing {
    Told,
    Done,
}

/// Cleans up.
pub(super) fn run(context: &Context, above: &SessionsArgs, arguments: &CleanupArgs) -> anyhow::Result<Exit> {
    let snapshot = context.read_config();
    let agents = match whose(context, &snapshot, &joined(&above.whose, &arguments.whose))? {
        Whose::Agent(agent) => vec![agent],
        Whose::All(agents) => agents,
        Whose::File(_) => {
            return Err(misuse("files of an earlier installation are left alone; leave --store out"));
        }
    };
    let mode = if arguments.enforce { Care::Enforce } else { snapshot.config.session.maintenance.care };
    let doing = if arguments.dry_run || mode == Care::Warn { Doing::Told } else { Doing::Done };
    let stays = stays(&snapshot, arguments)?;
    let keys = key_context(&snapshot.config);
    let plans = with_stores(context, &snapshot.config, async |stores| {
        let mut config = Config::clone(&snapshot.config);
        // Deciding and doing are apart here, since not every agent may be meant.
        config.session.maintenance.care = Care::Warn;
        let sessions = sessions_over(context, stores, Arc::new(config));
        let plans = plan(
            context,
            stores,
            &sessions,
            Wanted { agents: &agents, stays: &stays, keys: &keys, arguments },
        )
        .await?;
        if doing == Doing::Done {
            for plan in &plans {
                carry_out(stores, &sessions, plan).await?;
            }
        }
        Ok(plans)
    })?;
    if above.json || arguments.json {
        print::json(&as_json((context, &snapshot.config), &plans, (mode, doing, arguments.dry_run)))?;
    } else {
        print::line(&render(&plans, doing))?;
        if doing == Doing::Told && !arguments.dry_run {
            print::note(
                "Nothing was removed, since session.maintenance.mode is \"warn\"; --enforce does it.",
            )?;
        }
    }
    Ok(Exit::Done)
}

/// Options may stand before or after the word `cleanup`.
pub(super) fn joined(above: &WhoseArgs, own: &WhoseArgs) -> WhoseArgs {
    WhoseArgs {
        store: own.store.clone().or_else(|| above.store.clone()),
        agent: own.agent.clone().or_else(|| above.agent.clone()),
        all_agents: own.all_agents || above.all_agents,
    }
}

fn stays(snapshot: &FileSnapshot, arguments: &CleanupArgs) -> anyhow::Result<HashSet<SessionKey>> {
    let Some(written) = &arguments.active_key else { return Ok(HashSet::new()) };
    let key = SessionKey::resolve(written, &key_context(&snapshot.config))
        .map_err(|error| misuse(format!("--active-key {written}: {error}")))?;
    Ok(HashSet::from([key]))
}

/// What is looked at.
struct Wanted<'a> {
    agents: &'a [AgentId],
    stays: &'a HashSet<SessionKey>,
    keys: &'a KeyContext,
    arguments: &'a CleanupArgs,
}

async fn plan(
    context: &Context,
    stores: &Arc<AgentDatabases>,
    sessions: &Sessions,
    wanted: Wanted<'_>,
) -> anyhow::Result<Vec<Plan>> {
    let decided = sessions.maintain(wanted.stays).await?;
    let mut plans = Vec::new();
    for agent in wanted.agents {
        let entries = stores.entries(agent).await?;
        let mut going: Vec<(SessionKey, Cause)> = Vec::new();
        if wanted.arguments.fix_missing {
            let unfinished = stores.unfinished(agent).await?;
            let running: HashSet<&SessionKey> = unfinished.iter().map(|run| &run.start.key).collect();
            let beginning = context.clock.now().0 - BEGINNING_MS;
            for (key, entry) in &entries {
                let stays = key.is_main(wanted.keys) || running.contains(key) || wanted.stays.contains(key);
                if !stays
                    && entry.updated_at.0 < beginning
                    && stores.leaf(agent, &entry.session_id).await?.is_none()
                {
                    going.push((key.clone(), Cause::Missing));
                }
            }
        }
        let known: HashSet<SessionKey> = going.iter().map(|(key, _)| key.clone()).collect();
        let old = decided.sessions.iter().filter(|removal| sessions.agent_of(&removal.key) == *agent);
        going.extend(old.filter(|removal| !known.contains(&removal.key)).map(|removal| {
            let cause = match removal.cause {
                RemovalCause::Age => Cause::Age,
                RemovalCause::Count => Cause::Count,
            };
            (removal.key.clone(), cause)
        }));
        let transcripts = decided.transcripts.iter().filter(|(of, _)| of == agent).map(|(_, id)| id.clone());
        plans.push(Plan {
            agent: agent.clone(),
            before: entries.len(),
            sessions: going,
            transcripts: transcripts.collect(),
        });
    }
    Ok(plans)
}

async fn carry_out(stores: &AgentDatabases, sessions: &Sessions, plan: &Plan) -> anyhow::Result<()> {
    for (key, _) in &plan.sessions {
        sessions.delete(key, Leaving::Archive).await?;
    }
    for session in &plan.transcripts {
        stores.erase(&plan.agent, session).await?;
    }
    Ok(())
}

fn as_json(
    (context, config): (&Context, &Config),
    plans: &[Plan],
    (mode, doing, dry): (Care, Doing, bool),
) -> Value {
    let mode = if mode == Care::Enforce { "enforce" } else { "warn" };
    let summaries: Vec<Value> = plans
        .iter()
        .map(|plan| {
            let after = plan.before - plan.sessions.len();
            let mut out = json!({
                "agentId": plan.agent, "storePath": sessions_file_of(context, config, &plan.agent), "mode": mode,
                "dryRun": dry, "beforeCount": plan.before, "afterCount": after,
                "missing": plan.count(Cause::Missing), "pruned": plan.count(Cause::Age),
                "capped": plan.count(Cause::Count), "removedTranscripts": plan.transcripts.len(),
                "wouldMutate": !plan.is_empty(),
            });
            if !dry {
                out["applied"] = json!(doing == Doing::Done);
                out["appliedCount"] = json!(if doing == Doing::Done { after } else { plan.before });
            }
            out
        })
        .collect();
    match summaries.as_slice() {
        [one] => one.clone(),
        _ => json!({ "allAgents": true, "mode": mode, "dryRun": dry, "stores": summaries }),
    }
}

fn render(plans: &[Plan], doing: Doing) -> String {
    if plans.iter().all(Plan::is_empty) {
        return "Nothing is old enough to go.".to_owned();
    }
    let mut table =
        TextTable::new(&["Agent", if doing == Doing::Done { "Removed" } else { "Would go" }, "Because it"]);
    for plan in plans {
        for (key, cause) in &plan.sessions {
            table.row([plan.agent.to_string(), shortened(key.as_str()), cause.words().to_owned()]);
        }
        if !plan.transcripts.is_empty() {
            let count = format!("{} archived transcript(s)", plan.transcripts.len());
            table.row([plan.agent.to_string(), count, "kept long enough".to_owned()]);
        }
    }
    table.render()
}
