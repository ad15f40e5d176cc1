//! Brave Search: pages with short texts.

use openclaw_config::Environment;
use openclaw_config::sections::{SearchProvider, WebSearch};
use openclaw_ports::tool::WebRequest;

use super::found::{Page, SearchResults};
use super::question::{Freshness, SearchQuestion};
use super::services::{Citations, Freshnesses, Reading, Rounds, Service, ServiceAccess, key};
use super::wire::{get, json, list, plain, text, with_query};

pub(super) const SERVICE: Service = Service {
    name: "brave",
    label: "Brave Search",
    provider: SearchProvider::Brave,
    freshness: Freshnesses::WordsAndDays,
    missing: "missing_brave_api_key",
    how_to: "Brave Search needs a key: set tools.web.search.apiKey or the variable BRAVE_API_KEY. Without any key, \
             set tools.web.search.provider to duckduckgo.",
    on_refusal: " Check tools.web.search.apiKey or BRAVE_API_KEY.",
    access,
    request,
    read,
};

fn access(search: &WebSearch, environment: &Environment) -> Option<ServiceAccess> {
    let key = key(search.api_key.as_ref(), environment, &["BRAVE_API_KEY"])?;
    let base_url = "https://api.search.brave.com/res/v1/web/search".to_owned();
    Some(ServiceAccess {
        key: Some(key),
        base_url,
        model: String::new(),
        configured: false,
        citations: Citations::Listed,
    })
}

fn request(question: &SearchQuestion, access: &ServiceAccess, _rounds: &Rounds) -> WebRequest {
    let count = question.count.to_string();
    let field = |value: &Option<String>| value.clone().unwrap_or_default();
    let url = with_query(
        &access.base_url,
        &[
            ("q", &question.query),
            ("count", &count),
            ("country", &field(&question.country)),
            ("search_lang", &field(&question.language)),
            ("ui_lang", &field(&question.interface)),
            ("freshness", question.freshness.as_ref().map(Freshness::as_str).unwrap_or_default()),
        ],
    );
    let mut request = get(url, access);
    request.secret_headers.insert("x-subscription-token".to_owned(), access.key());
    request
}

fn read(body: &[u8], _question: &SearchQuestion, _rounds: &mut Rounds) -> Result<Reading, String> {
    let answer = json(body)?;
    let pages = list(&answer, "/web/results").iter().map(|page| Page {
        title: plain(&text(page, "/title")),
        url: text(page, "/url"),
        text: plain(&text(page, "/description")),
        published: Some(text(page, "/age")).filter(|age| !age.is_empty()),
    });
    Ok(Reading::Found(SearchResults::Pages(pages.collect())))
}
