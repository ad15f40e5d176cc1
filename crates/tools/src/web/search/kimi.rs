//! Kimi with its built-in search: an answer with sources, in rounds.
//!
//! The service asks for its own tool and wants back what it found by itself; only then does it answer.

use openclaw_config::Environment;
use openclaw_config::sections::{SearchProvider, WebSearch};
use openclaw_ports::tool::WebRequest;
use serde_json::{Value, json};

use super::found::{SearchAnswer, SearchResults, SourceLink};
use super::question::SearchQuestion;
use super::services::{Citations, Freshnesses, Reading, Rounds, Service, ServiceAccess, key, written};
use super::wire::{self, list, post, text, with_bearer};

const BASE: &str = "https://api.moonshot.ai/v1";
const MODEL: &str = "moonshot-v1-128k";

pub(super) const SERVICE: Service = Service {
    name: "kimi",
    label: "Kimi",
    provider: SearchProvider::Kimi,
    freshness: Freshnesses::None,
    missing: "missing_kimi_api_key",
    how_to: "Searching with Kimi needs a key of Moonshot: set tools.web.search.kimi.apiKey, or one of the variables \
             KIMI_API_KEY and MOONSHOT_API_KEY.",
    on_refusal: " Check tools.web.search.kimi.apiKey, KIMI_API_KEY or MOONSHOT_API_KEY.",
    access,
    request,
    read,
};

fn access(search: &WebSearch, environment: &Environment) -> Option<ServiceAccess> {
    let own = search.kimi.as_ref();
    let written_key = own.and_then(|own| own.api_key.as_ref());
    let key = key(written_key, environment, &["KIMI_API_KEY", "MOONSHOT_API_KEY"])?;
    let base_url = written(own.and_then(|own| own.base_url.as_ref()));
    let model = written(own.and_then(|own| own.model.as_ref())).unwrap_or_else(|| MODEL.to_owned());
    Some(ServiceAccess {
        key: Some(key),
        configured: base_url.is_some(),
        base_url: base_url.unwrap_or_else(|| BASE.to_owned()),
        model,
        citations: Citations::Listed,
    })
}

fn request(question: &SearchQuestion, access: &ServiceAccess, rounds: &Rounds) -> WebRequest {
    let mut messages = vec![json!({ "role": "user", "content": question.query })];
    messages.extend(rounds.messages.iter().cloned());
    let body = json!({
        "model": access.model,
        "messages": messages,
        "tools": [{ "type": "builtin_function", "function": { "name": "$web_search" } }],
    });
    let url = format!("{}/chat/completions", access.base_url.trim_end_matches('/'));
    with_bearer(post(url, access, &body), access)
}

fn read(body: &[u8], _question: &SearchQuestion, rounds: &mut Rounds) -> Result<Reading, String> {
    let answer = wire::json(body)?;
    note_sources(&answer, rounds);
    rounds.model = text(&answer, "/model");
    let calls = list(&answer, "/choices/0/message/tool_calls");
    let ids: Vec<String> = calls.iter().map(|call| text(call, "/id")).filter(|id| !id.is_empty()).collect();
    if text(&answer, "/choices/0/finish_reason") == "tool_calls" && !ids.is_empty() {
        rounds.messages.push(answer.pointer("/choices/0/message").cloned().unwrap_or(Value::Null));
        for (id, call) in ids.into_iter().zip(calls) {
            // The service searches by itself and wants its own words back.
            let content = match list(&answer, "/search_results") {
                [] => text(call, "/function/arguments"),
                results => json!({ "search_results": results }).to_string(),
            };
            rounds.messages.push(
                json!({ "role": "tool", "tool_call_id": id, "name": "$web_search", "content": content }),
            );
        }
        return Ok(Reading::AskAgain);
    }
    let said =
        [text(&answer, "/choices/0/message/content"), text(&answer, "/choices/0/message/reasoning_content")];
    let Some(content) = said.into_iter().find(|text| !text.is_empty()) else {
        return Err("the answer is empty".to_owned());
    };
    let sources = rounds.sources.iter().map(|url| SourceLink { url: url.clone(), title: None }).collect();
    Ok(Reading::Found(SearchResults::Answer(SearchAnswer {
        model: rounds.model.clone(),
        text: content,
        sources,
    })))
}

/// Notes the addresses that an answer or its calls name.
fn note_sources(answer: &Value, rounds: &mut Rounds) {
    let mut urls: Vec<String> =
        list(answer, "/search_results").iter().map(|found| text(found, "/url")).collect();
    for call in list(answer, "/choices/0/message/tool_calls") {
        let Ok(arguments) = serde_json::from_str::<Value>(&text(call, "/function/arguments")) else {
            continue;
        };
        urls.push(text(&arguments, "/url"));
        urls.extend(list(&arguments, "/search_results").iter().map(|found| text(found, "/url")));
    }
    for url in urls {
        if !url.is_empty() && !rounds.sources.contains(&url) {
            rounds.sources.push(url);
        }
    }
}
