//! Looks at what agents keep: their sessions, and the directories they work in.
//!
//! Databases are only read. Files of an earlier installation are taken over when the gateway starts, not here; it is
//! told that they wait.

use openclaw_agent::workspace::list_files;
use openclaw_config::{FileSnapshot, FirstFiles, WorkspaceSettings};
use openclaw_types::AgentId;

use super::{DoctorFinding, Severity};
use crate::agents::{databases, workspace_of};
use crate::call::block_on;
use crate::context::Context;

/// Whether advice about workspaces is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hints {
    Wanted,
    Unwanted,
}

/// The findings about all agents.
pub(super) fn check(
    context: &Context,
    config: &FileSnapshot,
    hints: Hints,
) -> anyhow::Result<Vec<DoctorFinding>> {
    let agents: Vec<&AgentId> = config.config.agents.list.iter().map(|agent| &agent.id).collect();
    let mut findings: Vec<DoctorFinding> =
        agents.iter().map(|agent| sessions(context, config, agent)).collect();
    if hints == Hints::Wanted {
        for agent in agents {
            findings.extend(workspace(context, config, agent)?);
        }
    }
    Ok(findings)
}

fn sessions(context: &Context, config: &FileSnapshot, agent: &AgentId) -> DoctorFinding {
    let topic = "sessions";
    let stores = databases(context, &config.config);
    let (file, wanted) = (stores.file(agent), stores.wanted_file(agent));
    let old = config.config.places.session_list(&context.locations.state_dir, agent);
    if let Err(error) = stores.examine(agent) {
        return DoctorFinding::new(topic, Severity::Failure, format!("{agent}: {error}"));
    }
    if file != wanted {
        let text = format!(
            "those of {agent} stay in {}, where they are already, though its agentDir says {}; to take them along, stop \
             the gateway and move the file there, with those beside it that end in -wal and -shm",
            context.short(&file),
            context.short(&wanted)
        );
        return DoctorFinding::new(topic, Severity::Warning, text);
    }
    match (file.exists(), old.exists()) {
        (true, _) => DoctorFinding::new(topic, Severity::Fine, format!("the database of {agent} is whole")),
        (false, true) => {
            let text = format!(
                "{} is of an earlier installation; its sessions are taken over when the gateway starts",
                context.short(&old)
            );
            DoctorFinding::new(topic, Severity::Note, text)
        }
        (false, false) => DoctorFinding::new(topic, Severity::Note, format!("{agent} has none yet")),
    }
}

fn workspace(
    context: &Context,
    config: &FileSnapshot,
    agent: &AgentId,
) -> anyhow::Result<Option<DoctorFinding>> {
    let topic = "workspace";
    let path = workspace_of(context, &config.config, agent);
    let shown = context.short(&path);
    if !path.exists() {
        let text =
            format!("{shown} is not there yet; it is made with the first message, or by `openclaw setup`");
        return Ok(Some(DoctorFinding::new(topic, Severity::Note, text)));
    }
    if WorkspaceSettings::of(&config.config, agent).first_files == FirstFiles::Skipped {
        return Ok(None);
    }
    let files = match block_on(async { Ok(list_files(&path).await) })? {
        Ok(files) => files,
        Err(error) => {
            return Ok(Some(DoctorFinding::new(topic, Severity::Warning, format!("{agent}: {error}"))));
        }
    };
    // The memory and the first day's file come and go; the others belong there.
    let passing = |name: &str| name.eq_ignore_ascii_case("MEMORY.md") || name == "BOOTSTRAP.md";
    let missing: Vec<&str> = files
        .iter()
        .filter(|file| file.facts.is_none() && !passing(file.name))
        .map(|file| file.name)
        .collect();
    Ok(Some(match missing.is_empty() {
        true => DoctorFinding::new(topic, Severity::Fine, format!("{shown} has its files")),
        false => {
            let text = format!("{shown} lacks {}; they are made with the next message", missing.join(", "));
            DoctorFinding::new(topic, Severity::Note, text)
        }
    }))
}
