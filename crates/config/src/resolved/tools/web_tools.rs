//! How the web is searched and read. The same for all agents.
//!
//! Keys and addresses of the search services stay in the raw section: each service's own file reads its own.

use std::time::Duration;

use crate::resolved::Config;
use crate::sections::{Positive, SearchProvider, WebFetch, WebSearch};

const RESULTS: u64 = 5;
const TIMEOUT: Duration = Duration::from_secs(30);
const KEPT: Duration = Duration::from_secs(15 * 60);
const MOST_CHARS: u64 = 50_000;
const REDIRECTS: u64 = 3;

/// How the web is searched and read.
#[derive(Debug, Clone, PartialEq)]
pub struct WebToolSettings {
    /// Searching.
    pub search: WebSearchSettings,
    /// Reading a page.
    pub fetch: WebFetchSettings,
}

/// How the web is searched.
#[derive(Debug, Clone, PartialEq)]
pub struct WebSearchSettings {
    /// Whether the tool is there.
    pub enabled: bool,
    /// The service that was chosen; otherwise the first one with a key.
    pub provider: Option<SearchProvider>,
    /// How many results, unless a call says otherwise.
    pub results: u64,
    /// How long a search may take.
    pub timeout: Duration,
    /// How long results are kept.
    pub kept: Duration,
}

/// How a page is read.
#[derive(Debug, Clone, PartialEq)]
pub struct WebFetchSettings {
    /// Whether the tool is there.
    pub enabled: bool,
    /// How many characters come back, unless a call says otherwise.
    pub chars: u64,
    /// The most characters a call may ask for.
    pub most_chars: u64,
    /// How long reading may take.
    pub timeout: Duration,
    /// How long pages are kept.
    pub kept: Duration,
    /// How many redirects are followed.
    pub redirects: u64,
    /// What we call ourselves, where the person chose something.
    pub user_agent: Option<String>,
    /// Whether a proxy that looks names up itself may fetch what others name. Holds for everything that is fetched for
    /// an agent or a caller, not for pages alone.
    pub trusts_proxy: bool,
}

impl WebToolSettings {
    /// The settings of a configuration.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        let web = config.raw.tools.as_ref().and_then(|tools| tools.web.as_ref());
        Self {
            search: search(web.and_then(|web| web.search.as_ref())),
            fetch: fetch(web.and_then(|web| web.fetch.as_ref())),
        }
    }
}

fn search(raw: Option<&WebSearch>) -> WebSearchSettings {
    WebSearchSettings {
        enabled: raw.and_then(|raw| raw.enabled).unwrap_or(true),
        provider: raw.and_then(|raw| raw.provider),
        results: raw.and_then(|raw| raw.max_results).map_or(RESULTS, Positive::get).min(10),
        timeout: raw.and_then(|raw| raw.timeout_seconds).map_or(TIMEOUT, seconds),
        kept: raw.and_then(|raw| raw.cache_ttl_minutes).map_or(KEPT, minutes),
    }
}

fn fetch(raw: Option<&WebFetch>) -> WebFetchSettings {
    let most_chars = raw.and_then(|raw| raw.max_chars_cap).map_or(MOST_CHARS, Positive::get);
    let user_agent = raw.and_then(|raw| raw.user_agent.as_deref()).map(str::trim);
    WebFetchSettings {
        enabled: raw.and_then(|raw| raw.enabled).unwrap_or(true),
        chars: raw.and_then(|raw| raw.max_chars).map_or(MOST_CHARS, Positive::get).min(most_chars),
        most_chars,
        timeout: raw.and_then(|raw| raw.timeout_seconds).map_or(TIMEOUT, seconds),
        kept: raw.and_then(|raw| raw.cache_ttl_minutes).map_or(KEPT, minutes),
        redirects: raw.and_then(|raw| raw.max_redirects).map_or(REDIRECTS, |most| most.get().min(20)),
        user_agent: user_agent.filter(|text| !text.is_empty()).map(str::to_owned),
        trusts_proxy: raw.and_then(|raw| raw.use_trusted_env_proxy).unwrap_or(false),
    }
}

fn seconds(value: Positive) -> Duration {
    Duration::from_secs(value.get().min(600))
}

/// Minutes may be written as a fraction; nonsense counts as none.
fn minutes(value: f64) -> Duration {
    Duration::try_from_secs_f64(value.clamp(0.0, 24.0 * 60.0) * 60.0).unwrap_or(Duration::ZERO)
}

#[cfg(test)]
mod tests;
