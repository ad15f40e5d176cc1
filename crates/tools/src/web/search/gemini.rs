//! Gemini with Google Search: an answer with sources.

use openclaw_config::Environment;
use openclaw_config::sections::{SearchProvider, WebSearch};
use openclaw_ports::tool::WebRequest;
use serde_json::json;

use super::found::{SearchAnswer, SearchResults, SourceLink};
use super::question::SearchQuestion;
use super::services::{Citations, Freshnesses, Reading, Rounds, Service, ServiceAccess, key, written};
use super::wire::{self, list, post, text};

const BASE: &str = "https://generativelanguage.googleapis.com/v1beta";
const MODEL: &str = "gemini-2.5-flash";

pub(super) const SERVICE: Service = Service {
    name: "gemini",
    label: "Gemini",
    provider: SearchProvider::Gemini,
    freshness: Freshnesses::None,
    missing: "missing_gemini_api_key",
    how_to: "Searching with Gemini needs a key: set tools.web.search.gemini.apiKey or the variable GEMINI_API_KEY.",
    on_refusal: " Check tools.web.search.gemini.apiKey or GEMINI_API_KEY.",
    access,
    request,
    read,
};

fn access(search: &WebSearch, environment: &Environment) -> Option<ServiceAccess> {
    let own = search.gemini.as_ref();
    let key = key(own.and_then(|own| own.api_key.as_ref()), environment, &["GEMINI_API_KEY"])?;
    let model = written(own.and_then(|own| own.model.as_ref())).unwrap_or_else(|| MODEL.to_owned());
    Some(ServiceAccess {
        key: Some(key),
        base_url: BASE.to_owned(),
        model,
        configured: false,
        citations: Citations::Listed,
    })
}

fn request(question: &SearchQuestion, access: &ServiceAccess, _rounds: &Rounds) -> WebRequest {
    let body = json!({
        "contents": [{ "parts": [{ "text": question.query }] }],
        "tools": [{ "google_search": {} }],
    });
    let mut request =
        post(format!("{}/models/{}:generateContent", access.base_url, access.model), access, &body);
    request.secret_headers.insert("x-goog-api-key".to_owned(), access.key());
    request
}

fn read(body: &[u8], _question: &SearchQuestion, _rounds: &mut Rounds) -> Result<Reading, String> {
    let answer = wire::json(body)?;
    let trouble = text(&answer, "/error/message");
    if !trouble.is_empty() {
        return Err(trouble);
    }
    let parts = list(&answer, "/candidates/0/content/parts").iter().map(|part| text(part, "/text"));
    let content = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
    if content.is_empty() {
        return Err("the answer is empty".to_owned());
    }
    let chunks = list(&answer, "/candidates/0/groundingMetadata/groundingChunks").iter();
    let sources = chunks.map(|chunk| SourceLink {
        url: text(chunk, "/web/uri"),
        title: Some(text(chunk, "/web/title")).filter(|title| !title.is_empty()),
    });
    let sources = sources.filter(|source| !source.url.is_empty()).collect();
    Ok(Reading::Found(SearchResults::Answer(SearchAnswer {
        model: text(&answer, "/modelVersion"),
        text: content,
        sources,
    })))
}
