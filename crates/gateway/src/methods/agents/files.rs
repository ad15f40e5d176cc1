//! `agents.files.*`: the workspace files that people may read and write.
//!
//! Which files those are is a rule of the workspace. What was written is noted in the audit ledger, without its text.

use std::sync::Arc;

use openclaw_agent::workspace::{WorkspaceError, WorkspaceFile, list_files, read_file, write_file};
use openclaw_protocol::methods::agents::{
    AgentFile, AgentsFilesGetParams, AgentsFilesGetResult, AgentsFilesListParams, AgentsFilesListResult,
    AgentsFilesSetParams, AgentsFilesSetResult,
};
use openclaw_protocol::{ErrorShape, Yes};
use serde_json::json;

use super::AgentServices;
use crate::methods::registry::Call;

/// Lists the files.
pub(super) async fn list(
    services: Arc<AgentServices>,
    params: AgentsFilesListParams,
) -> Result<AgentsFilesListResult, ErrorShape> {
    let agent = services.known_agent(params.agent_id.as_str())?;
    let workspace = services.workspace_of(&agent);
    let files = list_files(&workspace).await.map_err(|error| fault(&error))?;
    Ok(AgentsFilesListResult {
        agent_id: agent.to_string(),
        workspace: workspace.display().to_string(),
        files: files.into_iter().map(shown).collect(),
    })
}

/// Reads a file.
pub(super) async fn get(
    services: Arc<AgentServices>,
    params: AgentsFilesGetParams,
) -> Result<AgentsFilesGetResult, ErrorShape> {
    let agent = services.known_agent(params.agent_id.as_str())?;
    let workspace = services.workspace_of(&agent);
    let file = read_file(&workspace, params.name.as_str()).await.map_err(|error| fault(&error))?;
    Ok(AgentsFilesGetResult {
        agent_id: agent.to_string(),
        workspace: workspace.display().to_string(),
        file: shown(file),
    })
}

/// Writes a file.
pub(super) async fn set(
    services: Arc<AgentServices>,
    call: Call,
    params: AgentsFilesSetParams,
) -> Result<AgentsFilesSetResult, ErrorShape> {
    let agent = services.known_agent(params.agent_id.as_str())?;
    let workspace = services.workspace_of(&agent);
    let file =
        write_file(&workspace, params.name.as_str(), params.content).await.map_err(|error| fault(&error))?;
    let detail = json!({"agent": agent, "file": file.name});
    call.context.record(&call.client, "agents.files.set", detail).await;
    Ok(AgentsFilesSetResult {
        ok: Yes,
        agent_id: agent.to_string(),
        workspace: workspace.display().to_string(),
        file: shown(file),
    })
}

fn shown(file: WorkspaceFile) -> AgentFile {
    AgentFile {
        name: file.name.to_owned(),
        path: file.path.display().to_string(),
        missing: file.facts.is_none(),
        size: file.facts.as_ref().map(|facts| facts.size),
        updated_at_ms: file.facts.as_ref().and_then(|facts| u64::try_from(facts.updated_at.0).ok()),
        content: file.content,
    }
}

/// What is wrong with a workspace, for the client.
pub(super) fn fault(error: &WorkspaceError) -> ErrorShape {
    match error {
        WorkspaceError::UnknownFile { name, known } => {
            ErrorShape::invalid_request(format!("unsupported file \"{name}\"; there are {known}"))
        }
        error => {
            tracing::warn!(%error, "a workspace could not be read or written");
            ErrorShape::unavailable(error.to_string())
        }
    }
}
