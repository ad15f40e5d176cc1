//! Grok with its own web search: an answer with sources.

use openclaw_config::Environment;
use openclaw_config::sections::{SearchProvider, WebSearch};
use openclaw_ports::tool::WebRequest;
use serde_json::{Value, json};

use super::found::{SearchAnswer, SearchResults, SourceLink};
use super::question::SearchQuestion;
use super::services::{Citations, Freshnesses, Reading, Rounds, Service, ServiceAccess, key, written};
use super::wire::{self, list, post, text, with_bearer};

const ADDRESS: &str = "https://api.x.ai/v1/responses";
const MODEL: &str = "grok-4-1-fast";

pub(super) const SERVICE: Service = Service {
    name: "grok",
    label: "Grok",
    provider: SearchProvider::Grok,
    freshness: Freshnesses::None,
    missing: "missing_xai_api_key",
    how_to: "Searching with Grok needs a key of xAI: set tools.web.search.grok.apiKey or the variable XAI_API_KEY.",
    on_refusal: " Check tools.web.search.grok.apiKey or XAI_API_KEY.",
    access,
    request,
    read,
};

fn access(search: &WebSearch, environment: &Environment) -> Option<ServiceAccess> {
    let own = search.grok.as_ref();
    let key = key(own.and_then(|own| own.api_key.as_ref()), environment, &["XAI_API_KEY"])?;
    let model = written(own.and_then(|own| own.model.as_ref())).unwrap_or_else(|| MODEL.to_owned());
    let citations = match own.and_then(|own| own.inline_citations) {
        Some(true) => Citations::Inline,
        Some(false) | None => Citations::Listed,
    };
    Some(ServiceAccess { key: Some(key), base_url: ADDRESS.to_owned(), model, configured: false, citations })
}

fn request(question: &SearchQuestion, access: &ServiceAccess, _rounds: &Rounds) -> WebRequest {
    let mut body = json!({
        "model": access.model,
        "input": [{ "role": "user", "content": question.query }],
        "tools": [{ "type": "web_search" }],
    });
    if access.citations == Citations::Listed {
        // Links in the text are what xAI does by itself (docs.x.ai/developers/tools/citations, 2026-11).
        body["include"] = json!(["no_inline_citations"]);
    }
    with_bearer(post(access.base_url.clone(), access, &body), access)
}

fn read(body: &[u8], _question: &SearchQuestion, _rounds: &mut Rounds) -> Result<Reading, String> {
    let answer = wire::json(body)?;
    let blocks = list(&answer, "/output").iter().flat_map(|output| match output.get("content") {
        Some(Value::Array(blocks)) => blocks.as_slice(),
        _ => std::slice::from_ref(output),
    });
    let block = blocks
        .into_iter()
        .find(|block| text(block, "/type") == "output_text" && !text(block, "/text").is_empty());
    let content = block.map_or_else(|| text(&answer, "/output_text"), |block| text(block, "/text"));
    if content.is_empty() {
        return Err("the answer is empty".to_owned());
    }
    let mut urls: Vec<String> =
        list(&answer, "/citations").iter().filter_map(Value::as_str).map(str::to_owned).collect();
    if urls.is_empty() {
        let notes = block.map(|block| list(block, "/annotations")).unwrap_or_default();
        urls = notes
            .iter()
            .filter(|note| text(note, "/type") == "url_citation")
            .map(|note| text(note, "/url"))
            .collect();
    }
    let mut sources: Vec<SourceLink> = Vec::new();
    for url in urls.into_iter().filter(|url| !url.is_empty()) {
        if !sources.iter().any(|source| source.url == url) {
            sources.push(SourceLink { url, title: None });
        }
    }
    Ok(Reading::Found(SearchResults::Answer(SearchAnswer {
        model: text(&answer, "/model"),
        text: content,
        sources,
    })))
}
