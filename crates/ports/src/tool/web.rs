//! Reading the web: one door to the outside that refuses private addresses, however they are written.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;

use openclaw_types::Secret;

/// Fetches what an agent or a person asks for.
///
/// The host promises: a name is looked up once and the connection goes to the address that was checked; each redirect
/// is checked anew; private, loopback, link-local and metadata addresses are refused in every spelling, unless the
/// request names a place the person configured; headers with secrets never follow a redirect to another host.
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
    /// Whether a person configured this very address: only then may it be a private one.
    pub configured: bool,
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
