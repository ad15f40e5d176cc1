//! `agents.create`, `agents.update` and `agents.delete`: changes of the list of agents, and of what belongs to them.
//!
//! The list lives in the configuration file; other entries and comments stay as they are. What a removed agent leaves, its
//! workspace and its sessions, is put aside, never erased.

use std::path::Path;
use std::sync::Arc;

use openclaw_agent::workspace::{CardIdentity, expanded, prepare, write_identity};
use openclaw_config::{BaseHash, ConfigFile, FileSnapshot, KeyPath, WorkspaceSettings};
use openclaw_flow::Whose;
use openclaw_protocol::methods::agents::{
    AgentsCreateParams, AgentsCreateResult, AgentsDeleteParams, AgentsDeleteResult, AgentsUpdateParams,
    AgentsUpdateResult,
};
use openclaw_protocol::{ErrorShape, Yes};
use openclaw_types::AgentId;
use serde_json::{Map, Value, json};

use super::AgentServices;
use super::files::fault;
use super::removal::AgentRemoval;
use crate::methods::config::{off_thread, refused};
use crate::methods::registry::Call;
use crate::methods::sessions::quiet;

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
    change(&call, "agents.create", &agent, move |before, file| {
        let mut list = agents_of(&before.parsed);
        // The agent that was there without being written down stays the first, and so the default.
        if list.is_empty() {
            list.push(json!({"id": default}));
        }
        list.push(entry);
        set_list(file, list)
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
    change(&call, "agents.update", &agent, move |before, file| {
        let mut list = agents_of(&before.parsed);
        match list.iter_mut().find(|entry| is_of(entry, &of)).and_then(Value::as_object_mut) {
            Some(entry) => entry.extend(fields),
            None => {
                fields.insert("id".to_owned(), json!(of));
                list.push(Value::Object(fields));
            }
        }
        set_list(file, list)
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
    let surroundings = &services.flow.agent().parts().surroundings;
    let config_path = call.context.config_file.locations().config_path.as_path();
    let kept = [surroundings.home.as_path(), config_path];
    let around = (surroundings.state_dir.as_path(), &kept[..]);
    let folders = AgentRemoval::folders((&services.config(), &agent), around, |id| services.workspace_of(id));
    let of = agent.clone();
    let removed_bindings = change(&call, "agents.delete", &agent, move |before, file| {
        let Some(plan) = AgentRemoval::plan(&before.parsed, &of) else {
            return Err(ErrorShape::invalid_request(format!(
                "agent \"{of}\" is written in a file that the configuration includes; remove it there"
            )));
        };
        let base = BaseHash::Given(before.hash.clone());
        file.write_text(&plan.file.to_string(), &base).map(Some).map_err(refused)
    })
    .await?;
    rest(&services, &agent).await?;
    if params.delete_files != Some(false) {
        let aside = call.context.config_file.locations().state_dir.join("trash");
        let stamp = format!("{agent}-{}", call.context.clock.now().0);
        off_thread(move || folders.iter().for_each(|folder| put_aside(folder, &aside, &stamp))).await?;
    }
    Ok(AgentsDeleteResult { ok: Yes, agent_id: agent.to_string(), removed_bindings })
}

/// Has an agent do nothing more, and lets go of what it keeps: an agent of the same name begins anew.
async fn rest(services: &AgentServices, agent: &AgentId) -> Result<(), ErrorShape> {
    for key in services.flow.busy_sessions() {
        if services.agent_of(&key) == *agent {
            quiet(services, &key, Whose::SessionAndSubagents).await?;
        }
    }
    let store = &services.flow.agent().parts().sessions;
    store.release(agent).await.map_err(|error| ErrorShape::unavailable(error.to_string()))
}

fn there(services: &AgentServices, written: &str) -> Result<AgentId, ErrorShape> {
    let agent = AgentId::sanitized(written);
    match services.config().agents.get(&agent) {
        Some(_) => Ok(agent),
        None => Err(ErrorShape::invalid_request(format!("agent \"{written}\" not found"))),
    }
}

/// Changes the file and has the running configuration follow. Gives how many bindings went.
async fn change(
    call: &Call,
    action: &'static str,
    agent: &AgentId,
    edit: impl FnOnce(&FileSnapshot, &ConfigFile) -> Result<Option<FileSnapshot>, ErrorShape> + Send + 'static,
) -> Result<u64, ErrorShape> {
    let (file, live) = (call.context.config_file.clone(), call.context.config.clone());
    let gone = off_thread(move || -> Result<u64, ErrorShape> {
        let before = file.read();
        let in_step = before.hash == live.last_seen().hash;
        let Some(after) = edit(&before, &file)? else { return Ok(0) };
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

/// Writes a new list of agents.
fn set_list(file: &ConfigFile, list: Vec<Value>) -> Result<Option<FileSnapshot>, ErrorShape> {
    let path: KeyPath =
        "agents.list".parse().map_err(|_never| ErrorShape::unavailable("a path is broken"))?;
    file.set_value(&path, Value::Array(list)).map(Some).map_err(refused)
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
fn put_aside(folder: &Path, aside: &Path, stamp: &str) {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // A workspace may be called as the folders of the state are.
    let places = std::iter::once(format!("{name}-{stamp}"));
    let places = places.chain((2..100).map(|count| format!("{name}-{stamp}.{count}")));
    let place = places.map(|name| aside.join(name)).find(|place| !place.exists());
    let (Some(place), true) = (place, folder.exists()) else { return };
    match std::fs::create_dir_all(aside).and_then(|()| std::fs::rename(folder, &place)) {
        Ok(()) => tracing::info!(to = %place.display(), "a folder of a removed agent was put aside"),
        Err(error) => {
            tracing::warn!(folder = %folder.display(), %error, "a folder of a removed agent stays where it is");
        }
    }
}
