//! SearXNG: a search server that people run themselves. No key; it must allow the `json` format.

use openclaw_config::Environment;
use openclaw_config::sections::{SearchProvider, WebSearch};
use openclaw_ports::tool::WebRequest;

use super::found::{Page, SearchResults};
use super::question::{Freshness, SearchQuestion};
use super::services::{Citations, Freshnesses, Reading, Rounds, Service, ServiceAccess, written};
use super::wire::{get, json, list, plain, text, with_query};

pub(super) const SERVICE: Service = Service {
    name: "searxng",
    label: "SearXNG",
    provider: SearchProvider::Searxng,
    freshness: Freshnesses::Words,
    missing: "missing_searxng_base_url",
    how_to: "SearXNG needs the address of a server: set tools.web.search.searxng.baseUrl.",
    on_refusal: " The server must allow JSON: add json to search.formats in its settings.yml.",
    access,
    request,
    read,
};

fn access(search: &WebSearch, environment: &Environment) -> Option<ServiceAccess> {
    let own = search.searxng.as_ref().and_then(|own| written(own.base_url.as_ref()));
    let base_url = own.or_else(|| environment.get_trimmed("SEARXNG_BASE_URL").map(str::to_owned))?;
    Some(ServiceAccess {
        key: None,
        base_url,
        model: String::new(),
        configured: true,
        citations: Citations::Listed,
    })
}

fn request(question: &SearchQuestion, access: &ServiceAccess, _rounds: &Rounds) -> WebRequest {
    let language = question.interface.clone().or_else(|| question.language.clone()).unwrap_or_default();
    let url = with_query(
        &format!("{}/search", access.base_url.trim_end_matches('/')),
        &[
            ("q", &question.query),
            ("format", "json"),
            ("language", &language),
            ("time_range", question.freshness.as_ref().and_then(Freshness::word).unwrap_or_default()),
        ],
    );
    get(url, access)
}

fn read(body: &[u8], question: &SearchQuestion, _rounds: &mut Rounds) -> Result<Reading, String> {
    let answer = json(body)?;
    let pages = list(&answer, "/results").iter().take(question.count).map(|page| Page {
        title: plain(&text(page, "/title")),
        url: text(page, "/url"),
        text: plain(&text(page, "/content")),
        published: Some(text(page, "/publishedDate")).filter(|date| !date.is_empty()),
    });
    Ok(Reading::Found(SearchResults::Pages(pages.collect())))
}
