//! `openclaw agents add`: an entry in the file, a workspace with its first files, and perhaps channels.

use std::path::{Path, PathBuf};

use clap::Args;
use openclaw_agent::workspace::prepare;
use openclaw_config::{BaseHash, FileSnapshot, WorkspaceSettings};
use openclaw_types::AgentId;
use serde_json::{Map, Value, json};

use super::bind::{patch, read, warn_of, written};
use super::bindings::{Joined, join};
use super::entries::with_fields;
use crate::agents::{agent_dir_of, valid_config, workspace_of, written_entry};
use crate::call::block_on;
use crate::context::Context;
use crate::exit::{Exit, misuse};
use crate::print;

/// `openclaw agents add`
#[derive(Debug, Args)]
pub(super) struct AgentAddArgs {
    /// Its name; the id is made from it
    name: Option<String>,
    /// The directory it works in [default: workspace-<id> in the state directory]
    #[arg(long, value_name = "dir")]
    workspace: Option<String>,
    /// The model that answers for it, as provider/model
    #[arg(long, value_name = "id")]
    model: Option<String>,
    /// The directory of its own state [default: agents/<id>/agent in the state directory]
    #[arg(long, value_name = "dir")]
    agent_dir: Option<String>,
    /// A channel it answers; may be given several times
    #[arg(long, value_name = "channel[:accountId]")]
    bind: Vec<String>,
    /// Do not ask
    #[arg(long)]
    non_interactive: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// What is about to be added.
struct Newcomer {
    id: AgentId,
    name: String,
    workspace: PathBuf,
    /// The directory of its state, where one was asked for.
    agent_dir: Option<PathBuf>,
    model: Option<String>,
}

/// Adds an agent.
pub(super) fn run(context: &Context, arguments: &AgentAddArgs) -> anyhow::Result<Exit> {
    let snapshot = valid_config(context)?;
    let newcomer = newcomer(context, &snapshot, arguments)?;
    let joined = join(&written(&snapshot), &newcomer.id, &read(&arguments.bind)?);
    let mut edit = with_fields(&snapshot.config, &newcomer.id, fields(&newcomer));
    if joined.changes() {
        edit["bindings"] = patch(&joined.next);
    }
    let next = context.config_file().patch(&edit.to_string(), &BaseHash::Given(snapshot.hash.clone()))?;
    let first = WorkspaceSettings::of(&next.config, &newcomer.id).first_files;
    block_on(async { Ok(prepare(&newcomer.workspace, first, context.clock.as_ref()).await?) })?;
    let agent_dir = agent_dir_of(context, &next.config, &newcomer.id);
    tell(context, arguments, (&newcomer, &agent_dir), &joined)?;
    Ok(Exit::Done)
}

fn newcomer(
    context: &Context,
    snapshot: &FileSnapshot,
    arguments: &AgentAddArgs,
) -> anyhow::Result<Newcomer> {
    let may_ask = print::can_ask() && !arguments.non_interactive && !arguments.json;
    let filled = |text: &Option<String>| {
        text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let name = match filled(&arguments.name) {
        Some(name) => name,
        None if may_ask => {
            print::read_text("Name of the agent:")?.ok_or_else(|| misuse("an agent needs a name"))?
        }
        None => return Err(misuse("an agent needs a name: openclaw agents add <name>")),
    };
    let id = AgentId::sanitized(&name);
    if id == AgentId::main() {
        anyhow::bail!("main is the agent that is always there; choose another name");
    }
    if written_entry(&snapshot.config, &id).is_some() {
        anyhow::bail!("there is an agent {id} already; `openclaw agents list` shows it");
    }
    let usual = workspace_of(context, &snapshot.config, &id);
    let workspace = match filled(&arguments.workspace) {
        Some(path) => context.environment.user_path(&path),
        None if may_ask => {
            let question = format!("Directory it works in [{}]:", context.short(&usual));
            print::read_text(&question)?.map_or(usual, |path| context.environment.user_path(&path))
        }
        None => usual,
    };
    let agent_dir = filled(&arguments.agent_dir).map(|path| context.environment.user_path(&path));
    Ok(Newcomer { id, name, workspace, agent_dir, model: filled(&arguments.model) })
}

fn fields(newcomer: &Newcomer) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("name".to_owned(), json!(newcomer.name));
    fields.insert("workspace".to_owned(), json!(newcomer.workspace));
    if let Some(agent_dir) = &newcomer.agent_dir {
        fields.insert("agentDir".to_owned(), json!(agent_dir));
    }
    if let Some(model) = &newcomer.model {
        fields.insert("model".to_owned(), json!(model));
    }
    fields
}

fn tell(
    context: &Context,
    arguments: &AgentAddArgs,
    (newcomer, agent_dir): (&Newcomer, &Path),
    joined: &Joined,
) -> anyhow::Result<()> {
    if arguments.json {
        let mut out = json!({
            "agentId": newcomer.id, "name": newcomer.name, "workspace": newcomer.workspace,
            "agentDir": agent_dir,
        });
        if let Some(model) = &newcomer.model {
            out["model"] = json!(model);
        }
        out["bindings"] = json!({
            "added": joined.added, "updated": joined.updated, "skipped": joined.skipped,
            "conflicts": joined.conflicts,
        });
        return Ok(print::json(&out)?);
    }
    let mut table = print::TextTable::pairs();
    table.row(["Agent", &print::accent(newcomer.id.as_str())]);
    table.row(["Workspace", &context.short(&newcomer.workspace)]);
    table.row(["State", &context.short(agent_dir)]);
    if let Some(model) = &newcomer.model {
        table.row(["Model", model]);
    }
    for place in &joined.added {
        table.row(["Answers", place]);
    }
    print::line(&table.render())?;
    warn_of(&joined.conflicts)?;
    print::note("Talk to it with `openclaw agent --agent <id> --message <text>`, or in the web page.")?;
    Ok(())
}
