//! `/export-session`: writes the conversation to one page in the workspace.
//!
//! `page` makes the page from the transcript, `place` writes it where nothing outside of the workspace can be reached.

mod page;
mod place;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use jiff::Timestamp;
use openclaw_agent::workspace::workspace_dir;
use openclaw_ports::stores::{BranchQuery, BranchReach, StoredEntry};
use openclaw_types::{EntryBody, LineRecord, SessionEntry};

use super::wording::tokens;
use super::{CommandCall, CommandTrouble};
use page::{Heading, page};
use place::{Obstacle, target, write};

/// Writes the page and says where it is.
pub(super) async fn export(call: &CommandCall<'_>, path: Option<&str>) -> Result<String, CommandTrouble> {
    let entry = call.open().await?;
    let name = match path {
        Some(path) => path.to_owned(),
        None => default_name(call, &entry),
    };
    let target = match target(&name) {
        Ok(target) => target,
        Err(obstacle) => return Ok(told(&obstacle)),
    };
    let query = BranchQuery {
        agent: call.agent().clone(),
        session: entry.session_id.clone(),
        leaf: None,
        reach: BranchReach::Whole,
    };
    let branch = call.flow.parts.store.branch(query).await?;
    let messages = branch.iter().filter(|stored| is_message(stored)).count();
    let measured = call.flow.parts.agent.context_report(&call.order(&entry)).await;
    let (prompt, tools) = match measured {
        Ok(report) => (Some(report.system_prompt.chars), report.tools.entries.len()),
        Err(error) => {
            tracing::warn!(subsystem = "flow", %error, "the prompt of an exported session could not be measured");
            (None, 0)
        }
    };
    let heading = Heading {
        key: call.key().to_string(),
        session: entry.session_id.as_str().to_owned(),
        model: call.model(&entry.facts).to_string(),
        exported_at: call.flow.now(),
        version: call.flow.parts.agent.parts().surroundings.version.clone(),
    };
    let surroundings = &call.flow.parts.agent.parts().surroundings;
    let workspace = workspace_dir(&call.settings(), surroundings, call.agent());
    Ok(match write(workspace, target, move || page(&heading, &branch)).await {
        Ok(written) => done(&written, messages, prompt, tools),
        Err(obstacle) => told(&obstacle),
    })
}

fn done(path: &std::path::Path, messages: usize, prompt: Option<u64>, tools: usize) -> String {
    let prompt =
        prompt.map_or_else(String::new, |chars| format!(", system prompt of {} characters", tokens(chars)));
    format!("📄 Exported: {}\n{messages} messages{prompt}, {tools} tools", path.display())
}

fn default_name(call: &CommandCall<'_>, entry: &SessionEntry) -> String {
    let short: String = entry.session_id.as_str().chars().take(8).collect();
    let moment = Timestamp::from_millisecond(call.flow.now().0).unwrap_or(Timestamp::UNIX_EPOCH);
    format!("openclaw-session-{short}-{}.html", moment.strftime("%Y-%m-%dT%H-%M-%S"))
}

fn is_message(stored: &StoredEntry) -> bool {
    match &stored.line.record {
        LineRecord::Entry(entry) => matches!(entry.body, EntryBody::Message(_)),
        LineRecord::Header(_) | LineRecord::Foreign(_) => false,
    }
}

fn told(obstacle: &Obstacle) -> String {
    match obstacle {
        Obstacle::Outside => {
            "⚠️ The page is written to the workspace: give a name such as talk.html, or a folder and a name."
                .to_owned()
        }
        Obstacle::Taken(path) => {
            format!("⚠️ {} is there already. Give another name.", PathBuf::from(path).display())
        }
        Obstacle::Disk(path, error) => {
            format!("⚠️ {} could not be written: {error}. Check the folder and try again.", path.display())
        }
    }
}
