//! Calls over HTTP to a platform: one client for an account, with deadlines and a limit on what is read.
//!
//! The platform's address comes from the person's configuration or is built in; addresses that come inside messages are
//! never called. A fault's text holds no address, since some platforms put the token there.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::channel::{ChannelError, Landed};
use openclaw_ports::{Clock, Deadline};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Proxy, Response};
use tokio::io::AsyncWriteExt as _;

use super::upload::{UploadField, file_stream, multipart};

pub(crate) use reqwest::Method;

const CONNECT: Duration = Duration::from_secs(15);
/// How much of an answer is read that is not a file.
const ANSWER_BYTES: usize = 8 * 1024 * 1024;

/// Carries calls of one account. Cloning is cheap.
#[derive(Clone)]
pub(crate) struct Http {
    client: Client,
    clock: Arc<dyn Clock>,
}

/// A call.
pub(crate) struct HttpRequest {
    /// The method.
    pub(crate) method: Method,
    /// The address; may hold a secret and is never shown.
    pub(crate) address: String,
    /// The headers.
    pub(crate) headers: Vec<(&'static str, String)>,
    /// The body.
    pub(crate) body: Body,
    /// How long the whole call may take.
    pub(crate) deadline: Duration,
}

/// The body of a call.
pub(crate) enum Body {
    /// None.
    Empty,
    /// JSON.
    Json(serde_json::Value),
    /// A form.
    Form(Vec<(String, String)>),
    /// A file as it is.
    File(PathBuf),
    /// A form with files.
    Parts(Vec<UploadField>),
}

/// What came of fetching a file.
pub(crate) enum Downloaded {
    /// It is there.
    File {
        /// Its size.
        bytes: u64,
        /// The media type the platform said.
        media_type: Option<String>,
    },
    /// It is larger than allowed; nothing is kept.
    TooLarge,
    /// The platform did not give it.
    Refused(HttpResponse),
}

/// What came back.
pub(crate) struct HttpResponse {
    /// The status.
    pub(crate) status: u16,
    /// The headers.
    pub(crate) headers: HeaderMap,
    /// The body.
    pub(crate) body: Vec<u8>,
}

/// Why nothing came back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HttpFault {
    /// More came back than is read.
    #[error("the answer is too large")]
    TooLarge,
    /// The call or its answer did not get through.
    #[error("{reason}")]
    Broken {
        /// What happened, without the address.
        reason: String,
        /// Whether the platform may have taken the call.
        landed: Landed,
    },
}

impl From<HttpFault> for ChannelError {
    fn from(fault: HttpFault) -> Self {
        let landed = match &fault {
            HttpFault::TooLarge => Landed::Maybe,
            HttpFault::Broken { landed, .. } => *landed,
        };
        Self::Unreachable { reason: fault.to_string(), landed }
    }
}

/// Where calls of an account go through, and what is trusted there.
#[derive(Debug, Clone, Default)]
pub(crate) struct HttpSettings {
    /// The address of a proxy from the account's own settings.
    pub(crate) proxy: Option<String>,
    /// Which kinds of address are used.
    pub(crate) family: AddressFamily,
}

/// Which kinds of address of a server are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum AddressFamily {
    /// All, in the order the network names them.
    #[default]
    AsNamed,
    /// All, the older kind first.
    Ipv4First,
    /// The older kind alone.
    Ipv4Only,
}

impl Http {
    /// A client for an account.
    ///
    /// # Errors
    /// When the proxy's address makes no sense, or the machine's certificates cannot be read.
    pub(crate) fn new(clock: Arc<dyn Clock>, settings: &HttpSettings) -> Result<Self, ChannelError> {
        if rustls::crypto::CryptoProvider::get_default().is_none()
            && rustls::crypto::ring::default_provider().install_default().is_err()
        {
            tracing::debug!("another part of the process chose how to encrypt");
        }
        let mut builder = Client::builder()
            .user_agent(concat!("openclaw/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT)
            .pool_max_idle_per_host(4)
            .pool_idle_timeout(Duration::from_secs(60));
        if let Some(proxy) = &settings.proxy {
            let proxy = Proxy::all(proxy).map_err(|error| ChannelError::Wrong {
                reason: format!("the proxy's address cannot be used: {}", bare(error)),
            })?;
            builder = builder.proxy(proxy);
        }
        builder = match settings.family {
            AddressFamily::AsNamed => builder,
            AddressFamily::Ipv4First => builder.dns_resolver(Arc::new(OlderFirst)),
            AddressFamily::Ipv4Only => builder.local_address(IpAddr::V4(Ipv4Addr::UNSPECIFIED)),
        };
        let client = builder.build().map_err(|error| ChannelError::Wrong {
            reason: format!("no connection can be made: {}", bare(error)),
        })?;
        Ok(Self { client, clock })
    }

    /// Makes a call and reads the whole answer.
    pub(crate) async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        let deadline = Deadline::after(self.clock.as_ref(), request.deadline);
        let call = async {
            let response = self.build(request).await?.send().await.map_err(fault)?;
            let status = response.status().as_u16();
            let headers = response.headers().clone();
            let body = read(response, ANSWER_BYTES).await?;
            Ok(HttpResponse { status, headers, body })
        };
        deadline.bound(self.clock.as_ref(), call).await.unwrap_or_else(|_| Err(too_late()))
    }

    /// Fetches a file into `path`, at most `limit` bytes. Gives its size and the media type the platform said; an answer
    /// that is no success is given as it is.
    pub(crate) async fn download(
        &self,
        request: HttpRequest,
        path: &Path,
        limit: u64,
    ) -> Result<Downloaded, HttpFault> {
        let deadline = Deadline::after(self.clock.as_ref(), request.deadline);
        let call = async {
            let response = self.build(request).await?.send().await.map_err(fault)?;
            if !response.status().is_success() {
                let status = response.status().as_u16();
                let headers = response.headers().clone();
                return Ok(Downloaded::Refused(HttpResponse {
                    status,
                    headers,
                    body: read(response, 64 * 1024).await?,
                }));
            }
            let media_type = header(response.headers(), "content-type");
            if response.content_length().is_some_and(|length| length > limit) {
                return Ok(Downloaded::TooLarge);
            }
            write_file(response, path, limit, media_type).await
        };
        deadline.bound(self.clock.as_ref(), call).await.unwrap_or_else(|_| Err(too_late()))
    }

    async fn build(&self, request: HttpRequest) -> Result<reqwest::RequestBuilder, HttpFault> {
        let mut headers = HeaderMap::new();
        for (name, value) in &request.headers {
            let value = HeaderValue::from_str(value).map_err(|_unsendable| HttpFault::Broken {
                reason: format!("the header {name} holds characters that cannot be sent"),
                landed: Landed::No,
            })?;
            headers.insert(HeaderName::from_static(name), value);
        }
        let call = self.client.request(request.method, &request.address).headers(headers);
        Ok(match request.body {
            Body::Empty => call,
            Body::Json(value) => call.json(&value),
            Body::Form(fields) => call.form(&fields),
            Body::File(path) => {
                let (stream, length) = file_stream(&path).await?;
                call.header("content-length", length).body(reqwest::Body::wrap_stream(stream))
            }
            Body::Parts(parts) => {
                let (boundary, stream, length) = multipart(parts).await?;
                call.header("content-type", format!("multipart/form-data; boundary={boundary}"))
                    .header("content-length", length)
                    .body(reqwest::Body::wrap_stream(stream))
            }
        })
    }
}

/// Names the addresses of a server, those of the older kind first.
struct OlderFirst;

impl Resolve for OlderFirst {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let mut addresses: Vec<SocketAddr> = found.collect();
            addresses.sort_by_key(SocketAddr::is_ipv6);
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

impl HttpResponse {
    /// One header.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        header(&self.headers, name)
    }

    /// The body as JSON; nothing when it is none.
    pub(crate) fn json(&self) -> Option<serde_json::Value> {
        serde_json::from_slice(&self.body).ok()
    }
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

async fn read(mut response: Response, limit: usize) -> Result<Vec<u8>, HttpFault> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(fault)? {
        if body.len() + chunk.len() > limit {
            return Err(HttpFault::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

async fn write_file(
    mut response: Response,
    path: &Path,
    limit: u64,
    media_type: Option<String>,
) -> Result<Downloaded, HttpFault> {
    let mut file = tokio::fs::File::create(path).await.map_err(|error| disk(&error))?;
    let mut bytes = 0_u64;
    while let Some(chunk) = response.chunk().await.map_err(fault)? {
        bytes += chunk.len() as u64;
        if bytes > limit {
            drop(file);
            tokio::fs::remove_file(path).await.map_err(|error| disk(&error))?;
            return Ok(Downloaded::TooLarge);
        }
        file.write_all(&chunk).await.map_err(|error| disk(&error))?;
    }
    file.flush().await.map_err(|error| disk(&error))?;
    Ok(Downloaded::File { bytes, media_type })
}

fn fault(error: reqwest::Error) -> HttpFault {
    let landed = if error.is_connect() || error.is_builder() { Landed::No } else { Landed::Maybe };
    HttpFault::Broken { reason: bare(error), landed }
}

/// What a library says went wrong, without the address.
fn bare(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(&error);
    while let Some(inner) = cause {
        text = inner.to_string();
        cause = inner.source();
    }
    text.chars().take(200).collect()
}

fn too_late() -> HttpFault {
    HttpFault::Broken { reason: "no answer in time".into(), landed: Landed::Maybe }
}

fn disk(error: &std::io::Error) -> HttpFault {
    HttpFault::Broken { reason: format!("a file could not be read or written: {error}"), landed: Landed::No }
}
