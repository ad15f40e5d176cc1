//! The search services, and which of them is asked.
//!
//! One that was chosen is asked, key or no key, so that a missing key is told. Otherwise the first one with a key is, in
//! the documented order; then a server of the person's own, and at last the one that needs no key.

use openclaw_config::Environment;
use openclaw_config::sections::{SearchProvider, SecretText, WebSearch};
use openclaw_ports::tool::WebRequest;
use openclaw_types::Secret;
use serde_json::Value;

use super::found::SearchResults;
use super::question::SearchQuestion;
use super::{brave, duckduckgo, gemini, grok, kimi, perplexity, searxng};

/// A search service.
pub(super) struct Service {
    /// As the configuration writes it.
    pub(super) name: &'static str,
    /// Its name for people.
    pub(super) label: &'static str,
    pub(super) provider: SearchProvider,
    pub(super) freshness: Freshnesses,
    /// The code and the text for a key that is missing.
    pub(super) missing: &'static str,
    pub(super) how_to: &'static str,
    /// What to add when the service refuses.
    pub(super) on_refusal: &'static str,
    /// How it is reached, when it can be.
    pub(super) access: fn(&WebSearch, &Environment) -> Option<ServiceAccess>,
    /// The request for a question. The time it may take is set by the caller.
    pub(super) request: fn(&SearchQuestion, &ServiceAccess, &Rounds) -> WebRequest,
    /// What an answer says.
    pub(super) read: fn(&[u8], &SearchQuestion, &mut Rounds) -> Result<Reading, String>,
}

/// Which wishes for new results a service understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Freshnesses {
    None,
    Words,
    WordsAndDays,
}

/// How a service is reached.
#[derive(Debug, Clone)]
pub(super) struct ServiceAccess {
    pub(super) key: Option<Secret<String>>,
    pub(super) base_url: String,
    pub(super) model: String,
    /// Whether a person wrote the address.
    pub(super) configured: bool,
    pub(super) citations: Citations,
}

/// Where an answer that a service writes itself names its sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Citations {
    /// In a list beside it.
    Listed,
    /// In the list, and as links in the text.
    Inline,
}

impl ServiceAccess {
    /// The key; empty for services without one.
    pub(super) fn key(&self) -> Secret<String> {
        self.key.clone().unwrap_or_else(|| Secret::new(String::new()))
    }

    /// A text without the key.
    pub(super) fn conceal(&self, text: &str) -> String {
        match &self.key {
            Some(key) if key.reveal().len() > 3 => text.replace(key.reveal().as_str(), "[key]"),
            _ => text.to_owned(),
        }
    }
}

/// What an answer says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reading {
    /// The search is done.
    Found(SearchResults),
    /// The service wants to be asked again, with what `Rounds` holds now.
    AskAgain,
}

/// What was said so far to a service that works in rounds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Rounds {
    pub(super) messages: Vec<Value>,
    pub(super) sources: Vec<String>,
    pub(super) model: String,
}

/// In the order in which keys are looked for.
const SERVICES: &[&Service] = &[
    &brave::SERVICE,
    &gemini::SERVICE,
    &kimi::SERVICE,
    &perplexity::SERVICE,
    &grok::SERVICE,
    &searxng::SERVICE,
    &duckduckgo::SERVICE,
];

/// The service that is asked, and how it is reached.
pub(super) fn choose(
    raw: &WebSearch,
    chosen: Option<SearchProvider>,
    environment: &Environment,
) -> (&'static Service, Option<ServiceAccess>) {
    let fits = |service: &&&'static Service| chosen.is_none_or(|chosen| chosen == service.provider);
    let mut candidates = SERVICES.iter().filter(fits);
    let found = candidates.clone().find_map(|service| Some((*service, (service.access)(raw, environment)?)));
    match found {
        Some((service, access)) => (service, Some(access)),
        None => (candidates.next().copied().unwrap_or(&duckduckgo::SERVICE), None),
    }
}

/// A key from the configuration, or from the first variable that has one.
pub(super) fn key(
    written: Option<&SecretText>,
    environment: &Environment,
    variables: &[&str],
) -> Option<Secret<String>> {
    let written = written.map(|key| key.reveal().trim()).filter(|key| !key.is_empty());
    let key = written.or_else(|| variables.iter().find_map(|name| environment.get_trimmed(name)))?;
    Some(Secret::new(key.to_owned()))
}

/// A text of the configuration that is not blank.
pub(super) fn written(text: Option<&String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}
