//! What the server says about its models, and the token that GitHub trades.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::route::Route;

/// How long a traded token is good for, in seconds.
const TOKEN_SECONDS: i64 = 1800;

/// What is needed to answer.
pub(super) struct Listing<'a> {
    pub(super) models: &'a [String],
    pub(super) base_url: &'a str,
    pub(super) headers: &'a BTreeMap<String, String>,
    /// Now, in seconds since 1970.
    pub(super) now: i64,
}

/// The answer to a request that is not for a model; nothing for paths that are not known.
pub(super) fn listing(route: &Route, listing: &Listing<'_>) -> Option<Value> {
    let each = |one: &dyn Fn(&String) -> Value| Value::Array(listing.models.iter().map(one).collect());
    Some(match route {
        Route::Models if listing.headers.contains_key("anthropic-version") => {
            let data = each(
                &|model| json!({"type": "model", "id": model, "display_name": model, "created_at": "2026-01-05T00:00:00Z"}),
            );
            json!({"data": data, "has_more": false, "first_id": null, "last_id": null})
        }
        Route::Models => {
            let one = |model: &String| json!({"id": model, "object": "model", "created": listing.now, "owned_by": "scripted"});
            json!({"object": "list", "data": each(&one)})
        }
        Route::GoogleModels => {
            let one = |model: &String| {
                json!({"name": format!("models/{model}"), "displayName": model, "inputTokenLimit": 1_048_576,
                    "outputTokenLimit": 65_536, "supportedGenerationMethods": ["generateContent"]})
            };
            json!({"models": each(&one)})
        }
        Route::OllamaTags => {
            let one = |model: &String| {
                json!({"name": model, "model": model, "modified_at": "2026-01-05T10:00:00Z",
                    "size": 4_683_075_271_u64, "digest": "scripted",
                    "details": {"parent_model": "", "format": "gguf", "family": "llama", "families": ["llama"],
                        "parameter_size": "8.0B", "quantization_level": "Q4_0"}})
            };
            json!({"models": each(&one)})
        }
        Route::OllamaShow => json!({
            "parameters": "num_ctx 8192", "template": "{{ .Prompt }}",
            "details": {"format": "gguf", "family": "llama", "parameter_size": "8.0B"},
            "model_info": {"general.architecture": "llama", "llama.context_length": 131_072},
            "capabilities": ["completion", "tools", "thinking"],
        }),
        Route::OllamaVersion => json!({"version": "0.13.0"}),
        Route::CopilotToken => {
            let expires = listing.now + TOKEN_SECONDS;
            json!({"token": format!("tid=scripted;exp={expires};sku=scripted;st=dotcom;8kp=1"),
                "expires_at": expires, "refresh_in": TOKEN_SECONDS - 300,
                "endpoints": {"api": listing.base_url}})
        }
        Route::Answer { .. } | Route::Unknown => return None,
    })
}
