//! The approvals file: read, replaced and shown, here or over a gateway.
//!
//! A change names the state it was made from, so that two people do not undo each other's work.

use std::io::Read as _;

use clap::Args;
use openclaw_exec::{ApprovalsFile, ApprovalsSnapshot, BaseHash};
use serde_json::{Value, json};

use crate::call::{GatewayQuestion, ask, block_on, millis};
use crate::context::Context;
use crate::exit::{Exit, misuse};
use crate::print::{self, TextTable};
use crate::target::{GatewayTarget, TargetArgs};

/// The most that is read as a file of approvals.
const LONGEST: u64 = 1024 * 1024;

/// Whose approvals are meant.
#[derive(Debug, Clone, Args)]
pub(super) struct PlaceArgs {
    /// Those of a node; this build has no nodes yet
    #[arg(long, value_name = "node")]
    node: Option<String>,
    /// Those of the gateway instead of the file on this machine
    #[arg(long)]
    gateway: bool,
    #[command(flatten)]
    target: TargetArgs,
    /// How long the gateway may take, in milliseconds
    #[arg(long, value_name = "ms", default_value_t = 10_000)]
    timeout: u64,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// An approvals file at one moment.
pub(super) struct Snapshot {
    /// As clients know it: path, exists, hash, file.
    pub(super) shown: Value,
    /// Where it is: `local` or `gateway`.
    pub(super) place: &'static str,
}

/// Shows the file.
pub(super) fn get(context: &Context, place: &PlaceArgs) -> anyhow::Result<Exit> {
    let snapshot = load(context, place)?;
    show(context, place, &snapshot)
}

/// Replaces the file.
pub(super) fn set(
    context: &Context,
    place: &PlaceArgs,
    path: Option<&str>,
    stdin: bool,
) -> anyhow::Result<Exit> {
    let text = match (path, stdin) {
        (Some(path), _) => {
            let path = context.environment.user_path(path);
            std::fs::read_to_string(&path)
                .map_err(|error| anyhow::anyhow!("{} cannot be read: {error}", context.short(&path)))?
        }
        (None, true) => {
            let mut text = String::new();
            std::io::stdin().lock().take(LONGEST).read_to_string(&mut text)?;
            text
        }
        (None, false) => return Err(misuse("say what to write with --file <path> or --stdin")),
    };
    let mut file: Value =
        json5::from_str(&text).map_err(|error| anyhow::anyhow!("this is no JSON: {error}"))?;
    if !file.is_object() {
        anyhow::bail!("an approvals file is an object; `openclaw approvals get --json` shows one");
    }
    file["version"] = json!(1);
    let before = load(context, place)?;
    let after = save(context, place, &before, file)?;
    show(context, place, &after)
}

/// Reads the file as it is now.
pub(super) fn load(context: &Context, place: &PlaceArgs) -> anyhow::Result<Snapshot> {
    if place.node.is_some() {
        return Err(misuse("there are no nodes in this build; leave --node out, or use --gateway"));
    }
    if place.gateway {
        return Ok(Snapshot {
            shown: over_gateway(context, place, "exec.approvals.get", json!({}))?,
            place: "gateway",
        });
    }
    let file = local_file(context);
    let snapshot = block_on(async { Ok(file.snapshot().await?) })?;
    Ok(Snapshot { shown: as_json(&snapshot), place: "local" })
}

/// Writes the file, unless it changed since it was read.
pub(super) fn save(
    context: &Context,
    place: &PlaceArgs,
    before: &Snapshot,
    file: Value,
) -> anyhow::Result<Snapshot> {
    let hash = before.shown["hash"].as_str().unwrap_or_default().to_owned();
    if place.gateway {
        let shown =
            over_gateway(context, place, "exec.approvals.set", json!({ "file": file, "baseHash": hash }))?;
        return Ok(Snapshot { shown, place: "gateway" });
    }
    let local = local_file(context);
    let after = block_on(async { Ok(local.replace(file, &BaseHash::Read(hash)).await?) })?;
    Ok(Snapshot { shown: as_json(&after), place: "local" })
}

/// Prints the file.
pub(super) fn show(context: &Context, place: &PlaceArgs, snapshot: &Snapshot) -> anyhow::Result<Exit> {
    if place.json {
        print::json(&snapshot.shown)?;
    } else {
        print::line(&render(snapshot, context.clock.now().0))?;
    }
    Ok(Exit::Done)
}

fn local_file(context: &Context) -> ApprovalsFile {
    ApprovalsFile::new(context.locations.state_dir.join("exec-approvals.json"))
}

fn over_gateway(context: &Context, place: &PlaceArgs, method: &str, params: Value) -> anyhow::Result<Value> {
    let target = GatewayTarget::resolve(context, &place.target)?;
    ask(context, &target, &GatewayQuestion::new(method, params, millis(place.timeout)))
}

fn as_json(snapshot: &ApprovalsSnapshot) -> Value {
    json!({ "path": snapshot.path, "exists": snapshot.exists, "hash": snapshot.hash, "file": snapshot.file })
}

fn render(snapshot: &Snapshot, now: i64) -> String {
    let (shown, file) = (&snapshot.shown, &snapshot.shown["file"]);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut table = TextTable::pairs();
    table.row(["Of", if snapshot.place == "local" { "this machine" } else { "the gateway" }]);
    table.row(["File", &text(&shown["path"])]);
    if shown["exists"] != json!(true) {
        table.row(["", &print::muted("not there yet; the configuration's tools.exec applies")]);
    }
    let usual: Vec<String> = ["security", "ask", "askFallback"]
        .into_iter()
        .filter_map(|key| Some(format!("{key}={}", file["defaults"][key].as_str()?)))
        .collect();
    let usual = if usual.is_empty() { "none".to_owned() } else { usual.join(", ") };
    table.row(["Defaults", &usual]);
    let head = table.render();
    let mut rows = TextTable::new(&["Agent", "Pattern", "Last used"]);
    let mut count = 0;
    for (agent, entry) in file["agents"].as_object().into_iter().flatten() {
        for allowed in entry["allowlist"].as_array().into_iter().flatten() {
            let used =
                allowed["lastUsedAt"].as_i64().map_or_else(|| "never".to_owned(), |at| print::ago(now, at));
            rows.row([agent.clone(), text(&allowed["pattern"]), used]);
            count += 1;
        }
    }
    let list = if count == 0 { print::muted("No command is always allowed.") } else { rows.render() };
    format!("{head}\n\n{list}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_shown_with_its_defaults_and_patterns() {
        let shown = json!({
            "path": "/state/exec-approvals.json", "exists": true, "hash": "0",
            "file": { "version": 1, "defaults": { "security": "allowlist", "ask": "on-miss" }, "agents": {
                "main": { "allowlist": [{ "id": "1", "pattern": "/usr/bin/rg", "lastUsedAt": 1_000 }] },
                "*": { "allowlist": [{ "id": "2", "pattern": "/usr/bin/uname" }] },
            } },
        });
        let text = render(&Snapshot { shown, place: "local" }, 65_000);
        insta::assert_snapshot!(print::without_colours(&text), @r"
        Of        this machine
        File      /state/exec-approvals.json
        Defaults  security=allowlist, ask=on-miss

        Agent  Pattern         Last used
        main   /usr/bin/rg     1m 4s ago
        *      /usr/bin/uname  never
        ");
    }
}
