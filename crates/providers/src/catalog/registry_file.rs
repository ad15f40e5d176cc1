//! Reads `models.json`, the list of vendors and models that an older installation keeps for each agent.
//!
//! It is read and never written. One vendor in it that makes no sense is left out; the others stay. Anything that runs
//! as this user could have written it, so it may add models and servers and never changes where keys go or what a
//! call costs.

use std::collections::BTreeMap;

use openclaw_config::sections::{ModelProvider, ProviderAuth};
use serde_json::{Map, Value};

/// What the file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RegistryFile {
    /// The vendors, by the name that is written.
    pub providers: BTreeMap<String, ModelProvider>,
    /// The vendors that were left out because they could not be read.
    pub left_out: Vec<String>,
}

/// A file that is not a list of vendors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("models.json is no list of vendors; correct or delete it")]
pub struct NotARegistry;

/// Names of protocols that newer ones include.
const OLD_APIS: &[(&str, &str)] = &[
    ("azure-openai-responses", "openai-responses"),
    ("google-vertex", "google-generative-ai"),
    ("google-gemini-cli", "google-generative-ai"),
];

/// Reads the text of the file.
///
/// # Errors
/// When it is no JSON object with `providers`.
pub fn read_registry_file(text: &[u8]) -> Result<RegistryFile, NotARegistry> {
    let Ok(Value::Object(mut root)) = serde_json::from_slice::<Value>(text) else { return Err(NotARegistry) };
    let Some(Value::Object(providers)) = root.remove("providers") else { return Err(NotARegistry) };
    let mut file = RegistryFile::default();
    for (name, provider) in providers {
        match provider_of(provider) {
            Some(provider) => {
                file.providers.insert(name, provider);
            }
            None => file.left_out.push(name),
        }
    }
    Ok(file)
}

fn provider_of(value: Value) -> Option<ModelProvider> {
    let Value::Object(mut provider) = value else { return None };
    provider.entry("baseUrl").or_insert_with(|| Value::String(String::new()));
    let models = provider.entry("models").or_insert_with(|| Value::Array(Vec::new()));
    for model in models.as_array_mut()? {
        let model = model.as_object_mut()?;
        let id = model.get("id")?.clone();
        model.entry("name").or_insert(id);
        rename_api(model);
    }
    rename_api(&mut provider);
    serde_json::from_value(Value::Object(provider)).ok()
}

fn rename_api(object: &mut Map<String, Value>) {
    let Some(Value::String(api)) = object.get_mut("api") else { return };
    if let Some((_, new)) = OLD_APIS.iter().find(|(old, _)| old == api) {
        *api = (*new).to_owned();
    }
}

/// What the list may add to a vendor that the program knows: models, which are called where that vendor's are.
pub(super) fn additions(written: &ModelProvider) -> ModelProvider {
    let mut kept = written.clone();
    kept.base_url.clear();
    kept.api_key = None;
    kept.auth = None;
    kept.api = None;
    kept.headers.clear();
    kept.auth_header = None;
    for model in &mut kept.models {
        model.api = None;
        model.headers.clear();
        model.cost = None;
    }
    kept
}

/// What the list may say about a vendor of its own: all but that the keys of Amazon sign its calls.
pub(super) fn own_vendor(written: &ModelProvider) -> ModelProvider {
    let mut kept = written.clone();
    if kept.auth == Some(ProviderAuth::AwsSdk) {
        kept.auth = Some(ProviderAuth::ApiKey);
    }
    kept
}
