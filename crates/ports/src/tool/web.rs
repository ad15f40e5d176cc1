//! Reading the web: one client for tools that refuses private addresses, however they are written.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;

use openclaw_types::Secret;

use crate::model::ServerReach;

/// Fetches what an agent or a person asks for.
///
/// The host promises: a name is looked up once and the connection goes to the address that was checked, unless the
/// person trusts a proxy to look names up; each redirect is checked anew, against the request's hosts too, before it is
/// followed; private, loopback, link-local and metadata addresses are refused in every spelling, unless the request
/// names a place the person configured; headers with secrets never follow a redirect to another host.
#[async_trait]
pub trait WebClient: Send + Sync {
    /// Fetches, following redirects, up to a number of bytes.
    async fn fetch(&self, request: WebRequest) -> Result<WebAnswer, WebFault>;
}

/// Something to fetch.
#[derive(Debug, Clone)]
pub struct WebRequest {
    /// The address.
    pub url: String,
    /// The method; `GET` or `POST`.
    pub method: &'static str,
    /// Headers.
    pub headers: BTreeMap<String, String>,
    /// Headers that are secrets.
    pub secret_headers: BTreeMap<String, Secret<String>>,
    /// What is sent.
    pub body: Option<Vec<u8>>,
    /// How long it may take in all.
    pub timeout: Duration,
    /// How many bytes of the answer are read. What is longer is cut, and said so.
    pub most_bytes: usize,
    /// How many redirects are followed.
    pub redirects: usize,
    /// Who named the address.
    pub named_by: NamedBy,
    /// The only hosts that may be asked, on the way too; any host when there is no list.
    pub hosts: Option<HostList>,
}

/// Who named an address, which says how far it is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedBy {
    /// A model, a page, a message or a caller: whoever it was may want to lead us astray.
    Others,
    /// We did: a service whose address is part of this program.
    Us,
    /// The person configured this very address: it may be a private one.
    Owner,
}

impl NamedBy {
    /// Where such an address may lie.
    #[must_use]
    pub fn reach(self) -> ServerReach {
        match self {
            Self::Others | Self::Us => ServerReach::Public,
            Self::Owner => ServerReach::Anywhere,
        }
    }
}

/// Hosts that the person listed. `*.example.com` stands for all below `example.com`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostList {
    setting: String,
    patterns: Vec<String>,
}

impl HostList {
    /// The hosts that a setting lists; no list when it lists none.
    #[must_use]
    pub fn of(setting: &str, hosts: &[String]) -> Option<Self> {
        let patterns: Vec<String> = hosts.iter().map(|host| host.trim().to_ascii_lowercase()).collect();
        (!patterns.is_empty()).then(|| Self { setting: setting.to_owned(), patterns })
    }

    /// Checks a host, as it stands in an address that was read.
    ///
    /// # Errors
    /// It is not listed.
    pub fn check(&self, host: &str) -> Result<(), WebFault> {
        let host = host.to_ascii_lowercase();
        let is_listed = self.patterns.iter().any(|pattern| match pattern.strip_prefix("*.") {
            Some(parent) => host.strip_suffix(parent).is_some_and(|before| before.ends_with('.')),
            None => host == *pattern,
        });
        if is_listed {
            return Ok(());
        }
        Err(WebFault::Refused(format!("the host {host} is not in {}", self.setting)))
    }
}

/// What was fetched.
#[derive(Debug, Clone)]
pub struct WebAnswer {
    /// Where it came from in the end.
    pub url: String,
    /// The status.
    pub status: u16,
    /// The content type, as the server says.
    pub content_type: Option<String>,
    /// The headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The bytes.
    pub body: Vec<u8>,
    /// Whether there was more.
    pub cut: bool,
}

/// Why nothing was fetched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebFault {
    /// The address is none that may be fetched.
    #[error("{0}")]
    Refused(String),
    /// It took too long.
    #[error("the server did not answer in time")]
    TimedOut,
    /// More redirects than are followed.
    #[error("too many redirects")]
    TooManyRedirects,
    /// The server could not be reached, or broke off.
    #[error("{0}")]
    Unreachable(String),
}

#[cfg(test)]
mod tests;
