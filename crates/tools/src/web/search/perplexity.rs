//! Perplexity: an answer with sources, from Perplexity itself or through OpenRouter, by the key there is.

use openclaw_config::Environment;
use openclaw_config::sections::{SearchProvider, WebSearch};
use openclaw_ports::tool::WebRequest;
use serde_json::{Value, json};

use super::found::{SearchAnswer, SearchResults, SourceLink};
use super::question::{Freshness, SearchQuestion};
use super::services::{Citations, Freshnesses, Reading, Rounds, Service, ServiceAccess, key, written};
use super::wire::{self, list, post, text, with_bearer};

const DIRECT: &str = "https://api.perplexity.ai";
const ROUTER: &str = "https://openrouter.ai/api/v1";
const MODEL: &str = "perplexity/sonar-pro";

pub(super) const SERVICE: Service = Service {
    name: "perplexity",
    label: "Perplexity",
    provider: SearchProvider::Perplexity,
    freshness: Freshnesses::Words,
    missing: "missing_perplexity_api_key",
    how_to: "Perplexity needs a key: set tools.web.search.perplexity.apiKey, or one of the variables \
             PERPLEXITY_API_KEY and OPENROUTER_API_KEY.",
    on_refusal: " Check tools.web.search.perplexity.apiKey, PERPLEXITY_API_KEY or OPENROUTER_API_KEY.",
    access,
    request,
    read,
};

fn access(search: &WebSearch, environment: &Environment) -> Option<ServiceAccess> {
    let own = search.perplexity.as_ref();
    let from_file = key(own.and_then(|own| own.api_key.as_ref()), environment, &[]);
    let direct = key(None, environment, &["PERPLEXITY_API_KEY"]);
    let router = key(None, environment, &["OPENROUTER_API_KEY"]);
    let (key, usual) = match (from_file, direct, router) {
        (Some(key), _, _) if key.reveal().to_ascii_lowercase().starts_with("pplx-") => (key, DIRECT),
        (Some(key), _, _) => (key, ROUTER),
        (None, Some(key), _) => (key, DIRECT),
        (None, None, Some(key)) => (key, ROUTER),
        (None, None, None) => return None,
    };
    let base_url = written(own.and_then(|own| own.base_url.as_ref()));
    let model = written(own.and_then(|own| own.model.as_ref())).unwrap_or_else(|| MODEL.to_owned());
    Some(ServiceAccess {
        key: Some(key),
        configured: base_url.is_some(),
        base_url: base_url.unwrap_or_else(|| usual.to_owned()),
        model,
        citations: Citations::Listed,
    })
}

fn request(question: &SearchQuestion, access: &ServiceAccess, _rounds: &Rounds) -> WebRequest {
    let base = access.base_url.trim_end_matches('/');
    let model = match access.model.strip_prefix("perplexity/") {
        Some(short) if base == DIRECT => short,
        _ => &access.model,
    };
    let mut body = json!({ "model": model, "messages": [{ "role": "user", "content": question.query }] });
    if let Some(word) = question.freshness.as_ref().and_then(Freshness::word) {
        body["search_recency_filter"] = json!(word);
    }
    with_bearer(post(format!("{base}/chat/completions"), access, &body), access)
}

fn read(body: &[u8], _question: &SearchQuestion, _rounds: &mut Rounds) -> Result<Reading, String> {
    let answer = wire::json(body)?;
    let content = text(&answer, "/choices/0/message/content");
    if content.is_empty() {
        return Err("the answer is empty".to_owned());
    }
    let plain = list(&answer, "/citations").iter().filter_map(Value::as_str);
    let plain = plain.map(|url| SourceLink { url: url.to_owned(), title: None });
    // OpenRouter gives sources as notes on the message.
    let noted = list(&answer, "/choices/0/message/annotations").iter().map(|note| SourceLink {
        url: text(note, "/url_citation/url"),
        title: Some(text(note, "/url_citation/title")).filter(|title| !title.is_empty()),
    });
    let mut sources: Vec<SourceLink> = plain.collect();
    if sources.is_empty() {
        sources = noted.filter(|source| !source.url.is_empty()).collect();
    }
    Ok(Reading::Found(SearchResults::Answer(SearchAnswer {
        model: text(&answer, "/model"),
        text: content,
        sources,
    })))
}
