//! Finds the models of LM Studio.
//!
//! Its own interface tells more than the compatible one: what kind of model, and its context, which is that of the
//! loaded copy where there is one. Version 0.4 has a newer form of the list; the older one is asked first, because both
//! know it.

use openclaw_ports::model::{FaultReason, ModelFault};
use serde::Deserialize;

use super::answers::{Asker, read};
use super::found::{FoundModel, FoundServer};
use super::servers::LocalServer;

#[derive(Debug, Deserialize)]
struct OldList {
    data: Vec<OldListed>,
}

#[derive(Debug, Deserialize)]
struct OldListed {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    /// Every entry has a state; compatible servers have none.
    #[serde(rename = "state")]
    _state: String,
    #[serde(default)]
    max_context_length: Option<u64>,
    #[serde(default)]
    loaded_context_length: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct NewList {
    models: Vec<NewListed>,
}

#[derive(Debug, Deserialize)]
struct NewListed {
    key: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    display_name: Option<String>,
    #[serde(default)]
    max_context_length: Option<u64>,
    #[serde(default)]
    capabilities: Option<Capabilities>,
    loaded_instances: Vec<Instance>,
}

#[derive(Debug, Deserialize)]
struct Capabilities {
    #[serde(default)]
    vision: bool,
}

#[derive(Debug, Deserialize)]
struct Instance {
    #[serde(default)]
    config: Option<InstanceConfig>,
}

#[derive(Debug, Deserialize)]
struct InstanceConfig {
    #[serde(default)]
    context_length: Option<u64>,
}

/// Looks for the server.
pub(super) async fn look(asker: &Asker<'_>, server: &LocalServer) -> Result<Option<FoundServer>, ModelFault> {
    let models = match asker.get(format!("{}/api/v0/models", server.root)).await {
        Ok(body) => old_models(&read::<OldList>(&body)?),
        Err(fault) if fault.status.is_some() && fault.reason != FaultReason::Auth => {
            let body = asker.get(format!("{}/api/v1/models", server.root)).await?;
            new_models(read(&body)?)
        }
        Err(fault) => return Err(fault),
    };
    // A list without a model has nothing that tells whose it is.
    if models.is_empty() && !server.named {
        return Ok(None);
    }
    Ok(FoundServer::local(server.kind, format!("{}/v1", server.root), models))
}

fn old_models(list: &OldList) -> Vec<FoundModel> {
    let writers = list.data.iter().filter(|listed| matches!(listed.kind.as_str(), "llm" | "vlm"));
    writers
        .filter_map(|listed| {
            let model = FoundModel::on_this_machine(&listed.id)?;
            let context = listed.loaded_context_length.or(listed.max_context_length);
            Some(FoundModel { context, sees_images: listed.kind == "vlm", ..model })
        })
        .collect()
}

fn new_models(list: NewList) -> Vec<FoundModel> {
    let writers = list.models.into_iter().filter(|listed| listed.kind == "llm");
    writers
        .filter_map(|listed| {
            let model = FoundModel::on_this_machine(&listed.key)?;
            let loaded = listed.loaded_instances.first().and_then(|instance| instance.config.as_ref());
            Some(FoundModel {
                name: listed.display_name.and_then(|name| FoundModel::named(&name)).map(|named| named.id),
                context: loaded.and_then(|config| config.context_length).or(listed.max_context_length),
                sees_images: listed.capabilities.is_some_and(|capabilities| capabilities.vision),
                ..model
            })
        })
        .collect()
}
