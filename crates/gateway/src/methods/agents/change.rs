//! `agents.create`, `agents.update` and `agents.delete`: changes of the list of agents, and of what belongs to them.
//!
//! The list lives in the configuration file; other entries and comments stay as they are. A removed agent's workspace
//! is put aside, never erased, and its sessions stay where they are.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use openclaw_agent::workspace::{CardIdentity, expanded, prepare, write_identity};
use openclaw_config::{FileSnapshot, KeyPath, WorkspaceSettings};
use openclaw_protocol::methods::agents::{
    AgentsCreateParams, AgentsCreateResult, AgentsDeleteParams, AgentsDeleteResult, AgentsUpdateParams,
    AgentsUpdateResult,
};
use openclaw_protocol::{ErrorShape, Yes};
use openclaw_types::AgentId;
use serde_json::{Map, Value, json};

use super::AgentServices;
use super::files::fault;
use crate::methods::config::{off_thread, refused};
use crate::methods::registry::Call;

/// Makes an agent.
pub(super) async fn create(
    services: Arc<AgentServices>,
    call: Call,
    params: AgentsCreateParams,
) -> Result<AgentsCreateResult, ErrorShape> {
    let name = params.name.as_str().trim().to_owned();
    let agent = AgentId::sanitized(&name);
    if agent == AgentId::main() {
        return Err(ErrorShape::invalid_request(format!("\"{agent}\" is reserved; choose another name")));
    }
    if services.config().agents.get(&agent).is_some() {
        return Err(ErrorShape::invalid_request(format!("agent \"{agent}\" already exists")));
    }
    let surroundings = &services.flow.agent().parts().surroundings;
    let workspace = expanded(params.workspace.as_str(), &surroundings.home);
    let first = WorkspaceSettings::of(&services.config(), &agent).first_files;
    prepare(&workspace, first, call.context.clock.as_ref()).await.map_err(|error| fault(&error))?;
    let card = CardIdentity {
        name: Some(name.clone()),
        emoji: said(params.emoji.as_deref()),
        avatar: said(params.avatar.as_deref()),
        ..CardIdentity::default()
    };
    write_identity(&workspace, card).await.map_err(|error| fault(&error))?;
    let entry = json!({"id": agent, "name": name, "workspace": workspace.display().to_string()});
    let default = services.config().agents.default_agent.clone();
    change(&call, "agents.create", &agent, move |file| {
        let mut list = agents_of(file);
        // The agent that was there without being written down stays the first, and so the default.
        if list.is_empty() {
            list.push(json!({"id": default}));
        }
        list.push(entry);
        Ok(vec![("agents.list", Value::Array(list))])
    })
    .await?;
    let workspace = workspace.display().to_string();
    Ok(AgentsCreateResult { ok: Yes, agent_id: agent.to_string(), name, workspace })
}

/// Changes an agent.
pub(super) async fn update(
    services: Arc<AgentServices>,
    call: Call,
    params: AgentsUpdateParams,
) -> Result<AgentsUpdateResult, ErrorShape> {
    let agent = there(&services, params.agent_id.as_str())?;
    let mut fields = Map::new();
    if let Some(name) = &params.name {
        fields.insert("name".to_owned(), name.as_str().trim().into());
    }
    if let Some(model) = &params.model {
        fields.insert("model".to_owned(), model.as_str().trim().into());
    }
    if let Some(written) = &params.workspace {
        let surroundings = &services.flow.agent().parts().surroundings;
        let workspace = expanded(written.as_str(), &surroundings.home);
        let first = WorkspaceSettings::of(&services.config(), &agent).first_files;
        prepare(&workspace, first, call.context.clock.as_ref()).await.map_err(|error| fault(&error))?;
        fields.insert("workspace".to_owned(), workspace.display().to_string().into());
    }
    let of = agent.clone();
    change(&call, "agents.update", &agent, move |file| {
        let mut list = agents_of(file);
        match list.iter_mut().find(|entry| is_of(entry, &of)).and_then(Value::as_object_mut) {
            Some(entry) => entry.extend(fields),
            None => {
                fields.insert("id".to_owned(), json!(of));
                list.push(Value::Object(fields));
            }
        }
        Ok(vec![("agents.list", Value::Array(list))])
    })
    .await?;
    if let Some(avatar) = said(params.avatar.as_deref()) {
        let card = CardIdentity { avatar: Some(avatar), ..CardIdentity::default() };
        write_identity(&services.workspace_of(&agent), card).await.map_err(|error| fault(&error))?;
    }
    Ok(AgentsUpdateResult { ok: Yes, agent_id: agent.to_string() })
}

/// Removes an agent.
pub(super) async fn delete(
    services: Arc<AgentServices>,
    call: Call,
    params: AgentsDeleteParams,
) -> Result<AgentsDeleteResult, ErrorShape> {
    let agent = AgentId::sanitized(params.agent_id.as_str());
    if agent == AgentId::main() {
        return Err(ErrorShape::invalid_request(format!("\"{agent}\" cannot be deleted")));
    }
    let agent = there(&services, agent.as_str())?;
    let workspace = services.workspace_of(&agent);
    let config = services.config();
    let shared = config
        .agents
        .list
        .iter()
        .any(|other| other.id != agent && services.workspace_of(&other.id) == workspace);
    let of = agent.clone();
    let removed_bindings = change(&call, "agents.delete", &agent, move |file| {
        let mut list = agents_of(file);
        list.retain(|entry| !is_of(entry, &of));
        let mut bindings = array_of(file, "/bindings");
        let before = bindings.len();
        bindings.retain(|binding| binding["agentId"].as_str().is_none_or(|id| AgentId::sanitized(id) != of));
        let mut edits = vec![("agents.list", Value::Array(list))];
        if bindings.len() < before {
            edits.push(("bindings", Value::Array(bindings)));
        }
        Ok(edits)
    })
    .await?;
    if params.delete_files != Some(false) && !shared {
        let aside = call.context.config_file.locations().state_dir.join("trash");
        let name = format!("workspace-{agent}-{}", call.context.clock.now().0);
        off_thread(move || put_aside(&workspace, &aside, &name)).await?;
    }
    Ok(AgentsDeleteResult { ok: Yes, agent_id: agent.to_string(), removed_bindings })
}

fn there(services: &AgentServices, written: &str) -> Result<AgentId, ErrorShape> {
    let agent = AgentId::sanitized(written);
    match services.config().agents.get(&agent) {
        Some(_) => Ok(agent),
        None => Err(ErrorShape::invalid_request(format!("agent \"{written}\" not found"))),
    }
}

/// New values for parts of the file.
type Edits = Vec<(&'static str, Value)>;

/// Changes parts of the file and has the running configuration follow. Gives how many bindings went.
async fn change(
    call: &Call,
    action: &'static str,
    agent: &AgentId,
    decide: impl FnOnce(&Value) -> Result<Edits, ErrorShape> + Send + 'static,
) -> Result<u64, ErrorShape> {
    let (file, live) = (call.context.config_file.clone(), call.context.config.clone());
    let gone = off_thread(move || -> Result<u64, ErrorShape> {
        let before = file.read();
        let in_step = before.hash == live.last_seen().hash;
        let mut after: Option<FileSnapshot> = None;
        for (path, value) in decide(&before.parsed)? {
            let path: KeyPath = path.parse().map_err(|_never| ErrorShape::unavailable("a path is broken"))?;
            after = Some(file.set_value(&path, value).map_err(refused)?);
        }
        let Some(after) = after else { return Ok(0) };
        let bindings = |snapshot: &FileSnapshot| array_of(&snapshot.parsed, "/bindings").len();
        let gone = bindings(&before).saturating_sub(bindings(&after));
        // Whoever watches the file takes it over in any case; a change that only touches agents need not wait.
        if in_step {
            live.offer(after);
        }
        Ok(u64::try_from(gone).unwrap_or(u64::MAX))
    })
    .await??;
    call.context.record(&call.client, action, json!({"agent": agent})).await;
    Ok(gone)
}

fn agents_of(file: &Value) -> Vec<Value> {
    array_of(file, "/agents/list")
}

fn array_of(file: &Value, pointer: &str) -> Vec<Value> {
    file.pointer(pointer).and_then(Value::as_array).cloned().unwrap_or_default()
}

fn is_of(entry: &Value, agent: &AgentId) -> bool {
    entry["id"].as_str().is_some_and(|id| AgentId::sanitized(id) == *agent)
}

fn said(text: Option<&str>) -> Option<String> {
    text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Moves a folder aside. What cannot be moved stays where it is: nothing of a person's is erased.
fn put_aside(folder: &Path, aside: &PathBuf, name: &str) {
    let moved = std::fs::create_dir_all(aside).and_then(|()| std::fs::rename(folder, aside.join(name)));
    match moved {
        Ok(()) => {
            tracing::info!(to = %aside.join(name).display(), "the workspace of a removed agent was put aside")
        }
        Err(error) => {
            tracing::warn!(folder = %folder.display(), %error, "the workspace of a removed agent stays where it is");
        }
    }
}
