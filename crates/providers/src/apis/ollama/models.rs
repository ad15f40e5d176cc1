//! Reads what the server says about its models: the list of `/api/tags`, and one model of `/api/show`.
//!
//! Pure; asking is the business of whoever looks for local servers.

use openclaw_ports::model::ModelFault;
use serde_json::Value;

use super::wire::{Shown, Tag, Tags};
use crate::apis::shared::malformed;

/// A model in the server's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OllamaModel {
    /// The name to ask for it by.
    pub name: String,
    /// The family it belongs to, for example `llama`.
    pub family: Option<String>,
    /// How many parameters it has, in the server's words, for example `8.0B`.
    pub parameters: Option<String>,
    /// How large its file is.
    pub bytes: Option<u64>,
}

/// What the server says about one model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OllamaModelDetails {
    /// The most tokens the model was made for.
    pub context_window: Option<u64>,
    /// The tokens that its maker configured it to run with.
    pub configured_context: Option<u64>,
    /// Whether it can call tools; unknown from servers that do not list capabilities.
    pub calls_tools: Option<bool>,
    /// Whether it can think.
    pub thinks: Option<bool>,
    /// Whether it can see pictures.
    pub sees_images: Option<bool>,
}

/// Reads the body of `GET /api/tags`. Models that can only embed cannot be told apart there.
///
/// # Errors
/// `Malformed` when the body is no such list.
pub fn read_ollama_models(body: &[u8]) -> Result<Vec<OllamaModel>, ModelFault> {
    let Ok(Tags { models: Some(models) }) = serde_json::from_slice::<Tags>(body) else {
        return Err(malformed("the list of models"));
    };
    Ok(models.into_iter().filter_map(model).collect())
}

/// Reads the body of `POST /api/show`.
///
/// # Errors
/// `Malformed` when the body does not describe a model.
pub fn read_ollama_model(body: &[u8]) -> Result<OllamaModelDetails, ModelFault> {
    let Ok(shown) = serde_json::from_slice::<Shown>(body) else {
        return Err(malformed("the description of a model"));
    };
    let can = |what: &str| shown.capabilities.as_ref().map(|all| all.iter().any(|one| one == what));
    Ok(OllamaModelDetails {
        context_window: shown.model_info.as_ref().and_then(|info| {
            // The field is named for the architecture; a vision part may have one of its own beside it.
            let named = info.get("general.architecture").and_then(Value::as_str);
            let own = named.and_then(|name| info.get(&format!("{name}.context_length")));
            own.or_else(|| {
                info.iter().find(|(key, _)| key.ends_with(".context_length")).map(|(_, value)| value)
            })
            .and_then(Value::as_u64)
            .filter(|tokens| *tokens > 0)
        }),
        configured_context: shown.parameters.as_deref().and_then(configured_context),
        calls_tools: can("tools"),
        thinks: can("thinking"),
        sees_images: can("vision"),
    })
}

fn model(tag: Tag) -> Option<OllamaModel> {
    let name = if tag.name.is_empty() { tag.model } else { tag.name };
    let details = tag.details.unwrap_or_default();
    let told = |text: Option<String>| text.filter(|text| !text.is_empty());
    (!name.is_empty()).then(|| OllamaModel {
        name,
        family: told(details.family),
        parameters: told(details.parameter_size),
        bytes: tag.size,
    })
}

/// The context among the parameters: lines of a name and a value.
fn configured_context(parameters: &str) -> Option<u64> {
    parameters.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some("num_ctx")).then(|| words.next()?.parse().ok()).flatten()
    })
}
