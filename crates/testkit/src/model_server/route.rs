//! Which path means what. Only the end of a path counts, so that any prefix of a deployment works.

use std::collections::BTreeMap;

use openclaw_ports::model::ApiName;
use openclaw_types::percent_decoded;
use serde_json::Value;

use super::wire::Speech;

/// What a request is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Route {
    /// A model is to answer.
    Answer { speech: Speech, api: ApiName, model: String },
    /// The models of an OpenAI-like or Anthropic-like server.
    Models,
    /// The models of Google.
    GoogleModels,
    /// Ollama's models.
    OllamaTags,
    /// One of Ollama's models.
    OllamaShow,
    /// Ollama's version.
    OllamaVersion,
    /// A token of GitHub Copilot.
    CopilotToken,
    /// Nothing that is known here.
    Unknown,
}

/// What a request is for.
pub(super) fn route(method: &str, path: &str, headers: &BTreeMap<String, String>, body: &Value) -> Route {
    let path = path.split('?').next().unwrap_or_default();
    if method == "GET" {
        return looked_up(path);
    }
    let model = || body["model"].as_str().unwrap_or_default().to_owned();
    // Copilot speaks OpenAI's protocols and wants to know the editor.
    let openai = |own| if headers.contains_key("editor-version") { ApiName::GithubCopilot } else { own };
    if path.ends_with("/v1/messages") {
        return Route::Answer { speech: Speech::Anthropic, api: ApiName::AnthropicMessages, model: model() };
    }
    if path.ends_with("/chat/completions") {
        let api = openai(ApiName::OpenaiCompletions);
        return Route::Answer { speech: Speech::Completions, api, model: model() };
    }
    if path.ends_with("/responses") {
        let api = openai(ApiName::OpenaiResponses);
        return Route::Answer { speech: Speech::Responses, api, model: model() };
    }
    if let Some(before) = path.strip_suffix(":streamGenerateContent")
        && let Some((_, model)) = before.rsplit_once("models/")
    {
        let model = unescaped(model);
        return Route::Answer { speech: Speech::Google, api: ApiName::GoogleGenerativeAi, model };
    }
    if let Some(before) = path.strip_suffix("/converse-stream")
        && let Some((_, model)) = before.rsplit_once("/model/")
    {
        let model = unescaped(model);
        return Route::Answer { speech: Speech::Bedrock, api: ApiName::BedrockConverseStream, model };
    }
    match path {
        "/api/chat" => Route::Answer { speech: Speech::Ollama, api: ApiName::Ollama, model: model() },
        "/api/show" => Route::OllamaShow,
        _ => Route::Unknown,
    }
}

fn looked_up(path: &str) -> Route {
    match path {
        "/api/tags" => Route::OllamaTags,
        "/api/version" => Route::OllamaVersion,
        "/v1beta/models" => Route::GoogleModels,
        "/copilot_internal/v2/token" => Route::CopilotToken,
        path if path.ends_with("/models") => Route::Models,
        _ => Route::Unknown,
    }
}

/// A segment of a path without escapes.
fn unescaped(text: &str) -> String {
    String::from_utf8_lossy(&percent_decoded(text)).into_owned()
}
