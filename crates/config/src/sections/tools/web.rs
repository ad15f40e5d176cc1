//! Searching and reading the web.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::{Count, Positive, SecretText};

/// Searching and reading the web.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebTools {
    /// Searching.
    pub search: Option<WebSearch>,
    /// Reading a page.
    pub fetch: Option<WebFetch>,
}

/// Searching the web.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebSearch {
    /// Whether the tool exists.
    pub enabled: Option<bool>,
    /// The search service.
    pub provider: Option<SearchProvider>,
    /// The service's key.
    pub api_key: Option<SecretText>,
    /// How many results.
    pub max_results: Option<Positive>,
    /// How long a search may take, in seconds.
    pub timeout_seconds: Option<Positive>,
    /// How long results are kept, in minutes.
    #[schemars(range(min = 0))]
    pub cache_ttl_minutes: Option<f64>,
    /// Settings of Perplexity.
    pub perplexity: Option<SearchEndpoint>,
    /// Settings of Grok.
    pub grok: Option<GrokSearch>,
    /// Settings of Gemini.
    pub gemini: Option<GeminiSearch>,
    /// Settings of Kimi.
    pub kimi: Option<SearchEndpoint>,
    /// Settings of SearXNG.
    pub searxng: Option<SearxngSearch>,
}

/// Settings of SearXNG, a search service that people run themselves.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearxngSearch {
    /// Its address.
    pub base_url: Option<String>,
}

/// Settings of a search service.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchEndpoint {
    /// Its key.
    pub api_key: Option<SecretText>,
    /// Its address.
    pub base_url: Option<String>,
    /// The model that searches.
    pub model: Option<String>,
}

/// Settings of Grok.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GrokSearch {
    /// Its key.
    pub api_key: Option<SecretText>,
    /// The model that searches.
    pub model: Option<String>,
    /// Whether sources are named in the text.
    pub inline_citations: Option<bool>,
}

/// Settings of Gemini.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GeminiSearch {
    /// Its key.
    pub api_key: Option<SecretText>,
    /// The model that searches.
    pub model: Option<String>,
}

/// Reading a web page.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebFetch {
    /// Whether the tool exists.
    pub enabled: Option<bool>,
    /// How much text is returned unless a call says otherwise.
    pub max_chars: Option<Positive>,
    /// The most a call may ask for.
    pub max_chars_cap: Option<Positive>,
    /// How long reading may take, in seconds.
    pub timeout_seconds: Option<Positive>,
    /// How long pages are kept, in minutes.
    #[schemars(range(min = 0))]
    pub cache_ttl_minutes: Option<f64>,
    /// How many redirects are followed.
    pub max_redirects: Option<Count>,
    /// What it calls itself.
    pub user_agent: Option<String>,
    /// Whether a proxy that looks names up itself may fetch addresses that others name.
    pub use_trusted_env_proxy: Option<bool>,
}

/// A search service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SearchProvider {
    /// Brave Search.
    Brave,
    /// Perplexity.
    Perplexity,
    /// Grok.
    Grok,
    /// Gemini.
    Gemini,
    /// Kimi.
    Kimi,
    /// A SearXNG server of one's own.
    Searxng,
    /// DuckDuckGo, which needs no key.
    Duckduckgo,
}
