//! `openclaw setup`: a configuration file and a workspace, so that the first start finds everything.
//!
//! Safe to repeat: what is there stays. Where a gateway runs elsewhere, its address is written instead.

use clap::Args;
use openclaw_agent::workspace::{WorkspaceAge, prepare};
use openclaw_config::{BaseHash, FileSnapshot, WorkspaceSettings};
use serde_json::{Value, json};

use crate::agents::{sessions_file_of, valid_config, workspace_of};
use crate::call::block_on;
use crate::context::Context;
use crate::exit::{Exit, misuse};
use crate::print;

/// `openclaw setup`
#[derive(Debug, Args)]
pub(crate) struct SetupArgs {
    /// The directory the agent works in; kept as agents.defaults.workspace [default: ~/.openclaw/workspace]
    #[arg(long, value_name = "dir")]
    workspace: Option<String>,
    /// Ask step by step; this build does not have that
    #[arg(long)]
    wizard: bool,
    /// Do not ask; nothing is asked anyway
    #[arg(long)]
    non_interactive: bool,
    /// Where the gateway runs
    #[arg(long, value_name = "mode")]
    mode: Option<Mode>,
    /// Address of the gateway on another machine, ws:// or wss://
    #[arg(long, value_name = "url")]
    remote_url: Option<String>,
    /// Its token
    #[arg(long, value_name = "token", hide_env_values = true)]
    remote_token: Option<String>,
}

/// Where the gateway runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Mode {
    Local,
    Remote,
}

/// Sets up.
pub(crate) fn run(context: &Context, arguments: &SetupArgs) -> anyhow::Result<Exit> {
    if arguments.wizard {
        return Err(misuse(
            "the wizard is not in this build; `openclaw setup` without --wizard makes configuration and workspace, \
             `openclaw models auth add` signs in at a vendor of models",
        ));
    }
    let mode = match (arguments.mode, &arguments.remote_url) {
        (Some(Mode::Remote), None) => return Err(misuse("--mode remote needs --remote-url <url>")),
        (Some(Mode::Local), Some(_)) => return Err(misuse("--remote-url belongs to --mode remote")),
        (None, Some(_)) => Some(Mode::Remote),
        (mode, _) => mode,
    };
    if arguments.remote_token.is_some() && mode != Some(Mode::Remote) {
        return Err(misuse("--remote-token belongs to --mode remote"));
    }
    let before = valid_config(context)?;
    let after = write(context, arguments, mode, &before)?;
    if mode == Some(Mode::Remote) {
        print::line(
            "The gateway on the other machine answers from now on; `openclaw status` tells whether it is reachable.",
        )?;
        return Ok(Exit::Done);
    }
    let agent = after.config.agents.default_agent.clone();
    let workspace = workspace_of(context, &after.config, &agent);
    let first = WorkspaceSettings::of(&after.config, &agent).first_files;
    let prepared = block_on(async { Ok(prepare(&workspace, first, context.clock.as_ref()).await?) })?;
    let made = match (prepared.made.is_empty(), prepared.age) {
        (true, _) => "is there".to_owned(),
        (false, WorkspaceAge::New) => format!("was made: {}", prepared.made.join(", ")),
        (false, WorkspaceAge::Known) => format!("got what was missing: {}", prepared.made.join(", ")),
    };
    let mut table = print::TextTable::pairs();
    table.row(["Config", &format!("{} {}", context.short(&after.path), config_words(&before, &after))]);
    table.row(["Workspace", &format!("{} {made}", context.short(&workspace))]);
    table.row(["Sessions", &context.short(&sessions_file_of(context, &after.config, &agent))]);
    print::line(&table.render())?;
    print::note("Next: start with `openclaw gateway`.")?;
    Ok(Exit::Done)
}

fn config_words(before: &FileSnapshot, after: &FileSnapshot) -> &'static str {
    match (before.exists, before.hash == after.hash) {
        (false, _) => "was made",
        (true, true) => "is as it should be",
        (true, false) => "was brought up to date",
    }
}

/// Writes what is missing. A workspace that is written stays unless another one is asked for.
fn write(
    context: &Context,
    arguments: &SetupArgs,
    mode: Option<Mode>,
    before: &FileSnapshot,
) -> anyhow::Result<FileSnapshot> {
    let mut patch = json!({});
    match mode {
        Some(Mode::Local) => patch["gateway"] = json!({ "mode": "local" }),
        Some(Mode::Remote) => {
            let remote = json!({ "url": arguments.remote_url, "token": arguments.remote_token });
            patch["gateway"] = json!({ "mode": "remote", "remote": without_absent(remote) });
        }
        None => {}
    }
    let asked = arguments.workspace.as_deref().map(str::trim).filter(|path| !path.is_empty());
    let agents = before.config.raw.agents.as_ref();
    let written = agents
        .and_then(|agents| agents.defaults.as_ref())
        .is_some_and(|defaults| defaults.workspace.is_some());
    if let Some(path) = asked {
        patch["agents"] = json!({ "defaults": { "workspace": context.environment.user_path(path) } });
    } else if !written && mode != Some(Mode::Remote) {
        let usual = workspace_of(context, &before.config, &before.config.agents.default_agent);
        patch["agents"] = json!({ "defaults": { "workspace": usual } });
    }
    if patch.as_object().is_none_or(serde_json::Map::is_empty) {
        return Ok(before.clone());
    }
    Ok(context.config_file().patch(&patch.to_string(), &BaseHash::Given(before.hash.clone()))?)
}

fn without_absent(value: Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(map.into_iter().filter(|(_, value)| !value.is_null()).collect()),
        other => other,
    }
}
