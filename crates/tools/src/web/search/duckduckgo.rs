//! DuckDuckGo by its page for browsers without scripts: no key, and fewer questions than with one.

use dom_query::Document;
use openclaw_config::Environment;
use openclaw_config::sections::{SearchProvider, WebSearch};
use openclaw_ports::tool::WebRequest;

use super::found::{Page, SearchResults};
use super::question::{Freshness, SearchQuestion};
use super::services::{Citations, Freshnesses, Reading, Rounds, Service, ServiceAccess};
use super::wire::{get, unescaped, with_query};

/// How many results are looked at.
const LOOKED_AT: usize = 40;

pub(super) const SERVICE: Service = Service {
    name: "duckduckgo",
    label: "DuckDuckGo",
    provider: SearchProvider::Duckduckgo,
    freshness: Freshnesses::Words,
    missing: "missing_search_service",
    how_to: "No search service can be asked. Set tools.web.search.provider.",
    on_refusal: " It takes few questions from one place; wait, or set a key of another service.",
    access,
    request,
    read,
};

fn access(_search: &WebSearch, _environment: &Environment) -> Option<ServiceAccess> {
    let base_url = "https://html.duckduckgo.com/html/".to_owned();
    Some(ServiceAccess {
        key: None,
        base_url,
        model: String::new(),
        configured: false,
        citations: Citations::Listed,
    })
}

fn request(question: &SearchQuestion, access: &ServiceAccess, _rounds: &Rounds) -> WebRequest {
    let country = question.country.as_deref().map(str::to_lowercase).filter(|country| country != "all");
    let region = match (country, question.language.as_deref()) {
        (Some(country), language) => format!("{country}-{}", language.unwrap_or(&country)),
        (None, _) => "wt-wt".to_owned(),
    };
    let since = question.freshness.as_ref().and_then(Freshness::word).and_then(|word| word.get(..1));
    let fields = [("q", question.query.as_str()), ("kl", &region), ("df", since.unwrap_or_default())];
    let mut request = get(with_query(&access.base_url, &fields), access);
    request.headers.insert("accept".to_owned(), "text/html".to_owned());
    let browser = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0".to_owned();
    request.headers.insert("user-agent".to_owned(), browser);
    request
}

fn read(body: &[u8], _question: &SearchQuestion, _rounds: &mut Rounds) -> Result<Reading, String> {
    let html = String::from_utf8_lossy(body);
    if html.contains("anomaly-modal") || html.contains("anomaly.js") {
        return Err("it wants to see that a person is asking; wait a while, or set a key of another service"
            .to_owned());
    }
    let document = Document::from(html.as_ref());
    let mut pages = Vec::new();
    for result in document.select(".result").iter().take(LOOKED_AT) {
        if result.has_class("result--ad") {
            continue;
        }
        let link = result.select_single("a.result__a");
        let Some(address) = link.attr("href").and_then(|href| target(&href)) else { continue };
        pages.push(Page {
            title: link.text().trim().to_owned(),
            url: address,
            text: result.select_single(".result__snippet").text().trim().to_owned(),
            published: None,
        });
    }
    if pages.is_empty() && !html.contains("no-results") && !html.contains("result") {
        return Err("its page looks different from what is known; set another service".to_owned());
    }
    Ok(Reading::Found(SearchResults::Pages(pages)))
}

/// The address a result leads to, which stands inside a link to the service itself.
fn target(href: &str) -> Option<String> {
    let address = match href.split_once("uddg=") {
        Some((_, rest)) => unescaped(rest.split('&').next()?),
        None if href.starts_with("//") => format!("https:{href}"),
        None => href.to_owned(),
    };
    // Advertisements lead back to the service.
    let is_page = address.starts_with("http://") || address.starts_with("https://");
    (is_page && !address.contains("duckduckgo.com/y.js")).then_some(address)
}
