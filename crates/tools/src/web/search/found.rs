//! What a search service gave, in the shape that is documented. Pure.

use std::time::Duration;

use serde_json::{Value, json};

use super::question::SearchQuestion;
use super::wire::host;
use crate::fence::{FenceSource, marked};

/// How long the parts of a result may be.
const LONGEST_TITLE: usize = 300;
const LONGEST_TEXT: usize = 2000;
const LONGEST_ANSWER: usize = 30_000;

/// What a search gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SearchResults {
    /// Pages.
    Pages(Vec<Page>),
    /// An answer that the service wrote itself.
    Answer(SearchAnswer),
}

/// A page that was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) title: String,
    pub(super) url: String,
    pub(super) text: String,
    pub(super) published: Option<String>,
}

/// An answer with its sources.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SearchAnswer {
    pub(super) model: String,
    pub(super) text: String,
    pub(super) sources: Vec<SourceLink>,
}

/// A source of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceLink {
    pub(super) url: String,
    pub(super) title: Option<String>,
}

/// The result for the model.
pub(super) fn shaped(
    question: &SearchQuestion,
    service: &str,
    found: SearchResults,
    took: Duration,
) -> Value {
    let mut value = json!({
        "query": question.query,
        "provider": service,
        "tookMs": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        "externalContent": { "untrusted": true, "source": "web_search", "provider": service, "wrapped": true },
    });
    match found {
        SearchResults::Pages(pages) => {
            let pages: Vec<Value> = pages.into_iter().take(question.count).map(page).collect();
            value["count"] = json!(pages.len());
            value["results"] = json!(pages);
        }
        SearchResults::Answer(answer) => {
            value["model"] = json!(answer.model);
            value["content"] = json!(marked(FenceSource::Search, &cut(&answer.text, LONGEST_ANSWER)));
            value["citations"] = answer.sources.into_iter().map(source).collect();
        }
    }
    value
}

fn page(page: Page) -> Value {
    let fence = |text: &str, most| {
        let text = cut(text.trim(), most);
        if text.is_empty() { String::new() } else { marked(FenceSource::Search, &text) }
    };
    let mut value = json!({
        "title": fence(&page.title, LONGEST_TITLE),
        "url": page.url,
        "description": fence(&page.text, LONGEST_TEXT),
    });
    if let Some(published) = page.published.filter(|text| !text.is_empty()) {
        value["published"] = json!(cut(&published, 100));
    }
    if let Some(host) = host(&page.url) {
        value["siteName"] = json!(host);
    }
    value
}

fn source(link: SourceLink) -> Value {
    match link.title {
        Some(title) => json!({ "url": link.url, "title": cut(&title, LONGEST_TITLE) }),
        None => json!(link.url),
    }
}

fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
