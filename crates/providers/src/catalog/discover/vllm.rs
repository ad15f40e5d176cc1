//! Finds the models of a vLLM server.
//!
//! Many programs listen on port 8000; this one says in its list that it owns the models.

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
    max_model_len: Option<u64>,
}

/// Looks for the server.
pub(super) async fn look(asker: &Asker<'_>, server: &LocalServer) -> Result<Option<FoundServer>, ModelFault> {
    let list: List = read(&asker.get(format!("{}/v1/models", server.root)).await?)?;
    let says_so = |listed: &Listed| listed.owned_by.as_deref() == Some("vllm");
    if !server.named && !list.data.iter().any(says_so) {
        return Ok(None);
    }
    let models = list.data.iter().filter_map(|listed| {
        let lower = listed.id.to_ascii_lowercase();
        let thinks = ["r1", "reasoning", "think"].iter().any(|word| lower.contains(word));
        let model = FoundModel::on_this_machine(&listed.id)?;
        Some(FoundModel { context: listed.max_model_len, thinks, ..model })
    });
    Ok(FoundServer::local(server.kind, format!("{}/v1", server.root), models.collect()))
}
