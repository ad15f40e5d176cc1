//! Finds the model of a llama.cpp server.
//!
//! Many programs listen on port 8080; this one says in its list that it owns the model. Its properties tell the
//! context it was started with, which is often less than the model was made for.

use openclaw_ports::model::ModelFault;
use serde::Deserialize;

use super::answers::{Asker, read};
use super::found::{FoundModel, FoundServer};
use super::servers::LocalServer;

#[derive(Debug, Deserialize)]
struct List {
    data: Vec<Listed>,
}

#[derive(Debug, Deserialize)]
struct Listed {
    id: String,
    #[serde(default)]
    owned_by: Option<String>,
    #[serde(default)]
    meta: Option<Meta>,
}

#[derive(Debug, Deserialize)]
struct Meta {
    #[serde(default)]
    n_ctx: Option<u64>,
    #[serde(default)]
    n_ctx_train: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Properties {
    default_generation_settings: Option<Settings>,
    modalities: Option<Modalities>,
}

#[derive(Debug, Deserialize)]
struct Settings {
    #[serde(default)]
    n_ctx: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct Modalities {
    #[serde(default)]
    vision: bool,
}

/// Looks for the server.
pub(super) async fn look(asker: &Asker<'_>, server: &LocalServer) -> Result<Option<FoundServer>, ModelFault> {
    let list: List = read(&asker.get(format!("{}/v1/models", server.root)).await?)?;
    let says_so = |listed: &Listed| listed.owned_by.as_deref() == Some("llamacpp");
    if !server.named && !list.data.iter().any(says_so) {
        return Ok(None);
    }
    // Older servers have no properties, and a key may keep them hidden; the list is enough then.
    let properties: Properties = match asker.get(format!("{}/props", server.root)).await {
        Ok(body) => read(&body).unwrap_or_default(),
        Err(_) => Properties::default(),
    };
    let running = properties.default_generation_settings.as_ref().and_then(|settings| settings.n_ctx);
    let sees_images = properties.modalities.as_ref().is_some_and(|modalities| modalities.vision);
    let models = list.data.iter().filter_map(|listed| {
        let listed_context = listed.meta.as_ref().and_then(|meta| meta.n_ctx.or(meta.n_ctx_train));
        let context = running.filter(|tokens| *tokens > 0).or(listed_context);
        let model = FoundModel::on_this_machine(&listed.id)?;
        Some(FoundModel { name: short_name(&listed.id), context, sees_images, ..model })
    });
    Ok(FoundServer::local(server.kind, format!("{}/v1", server.root), models.collect()))
}

/// The server names a model by the path of its file unless it was given another name.
fn short_name(id: &str) -> Option<String> {
    let file = id.rsplit(['/', '\\']).next()?;
    let name = file.strip_suffix(".gguf")?;
    (!name.is_empty()).then(|| name.to_owned())
}
