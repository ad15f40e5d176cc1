//! Fetches an address and goes where redirects lead, as far as each of them is fit.
//!
//! Secrets go to the server they are meant for and to no other; a redirect elsewhere is asked without them.

use openclaw_ports::tool::{NamedBy, WebAnswer, WebFault, WebRequest};
use openclaw_ports::{Deadline, TimedOut};
use reqwest::{Method, Url};

use super::Web;
use super::address::fit;
use crate::transport::WebCall;

/// The most redirects that are ever followed.
const MOST_REDIRECTS: usize = 20;

/// Fetches, within the time the request has. Dropping the future closes the connection.
pub(super) async fn fetch(web: &Web, request: WebRequest) -> Result<WebAnswer, WebFault> {
    let clock = web.transport.clock();
    let (url, named_by) = (request.url.clone(), request.named_by);
    match Deadline::after(clock, request.timeout).bound(clock, steps(web, request)).await {
        Ok(answer) => answer,
        Err(TimedOut) => Err(web.transport.web_timed_out(&url, named_by, (web.trusts_proxy)())),
    }
}

async fn steps(web: &Web, request: WebRequest) -> Result<WebAnswer, WebFault> {
    let mut journey = Journey::start(request)?;
    let trusts_proxy = (web.trusts_proxy)();
    loop {
        let call = WebCall {
            method: journey.method.clone(),
            url: &journey.url,
            headers: &journey.request.headers,
            secret_headers: &journey.request.secret_headers,
            body: journey.request.body.as_deref(),
            named_by: journey.request.named_by,
            trusts_proxy,
            most_bytes: journey.request.most_bytes,
        };
        let step = web.transport.web_step(call).await?;
        let location = step.headers.get("location").map(String::as_str);
        if let Some(next) = redirect(step.status, location, &journey.url) {
            journey.go(step.status, next)?;
            continue;
        }
        let content_type = step.headers.get("content-type").cloned();
        return Ok(WebAnswer {
            url: journey.url.into(),
            status: step.status,
            content_type,
            headers: step.headers,
            body: step.body,
            cut: step.cut,
        });
    }
}

/// Where a request is on its way. Pure.
pub(super) struct Journey {
    pub(super) request: WebRequest,
    pub(super) url: Url,
    pub(super) method: Method,
    redirects: usize,
}

impl Journey {
    /// The beginning, when the address is fit.
    pub(super) fn start(request: WebRequest) -> Result<Self, WebFault> {
        let url = open(&request.url, &request)?;
        let method = if request.method == "POST" { Method::POST } else { Method::GET };
        Ok(Self { request, url, method, redirects: 0 })
    }

    /// Goes where an answer leads, when that is fit too.
    pub(super) fn go(&mut self, status: u16, next: Url) -> Result<(), WebFault> {
        self.redirects += 1;
        if self.redirects > self.request.redirects.min(MOST_REDIRECTS) {
            return Err(WebFault::TooManyRedirects);
        }
        if self.method == Method::POST && !matches!(status, 307 | 308) {
            self.method = Method::GET;
            self.request.body = None;
            self.request.headers.retain(|name, _| !name.eq_ignore_ascii_case("content-type"));
        }
        if next.origin() != self.url.origin() {
            if self.request.body.is_some() {
                // A body may hold what only the first server is to see.
                let text = "the server sends the request on to another host".to_owned();
                return Err(WebFault::Refused(text));
            }
            self.request.secret_headers.clear();
            // What a person configured is the place itself, not where it sends us.
            self.request.named_by = NamedBy::Others;
        }
        self.url = open(next.as_str(), &self.request)?;
        Ok(())
    }
}

/// Reads an address, when a request may go there.
fn open(address: &str, request: &WebRequest) -> Result<Url, WebFault> {
    let url = fit(address, request.named_by.reach())?;
    if let Some(hosts) = &request.hosts {
        hosts.check(url.host_str().unwrap_or_default())?;
    }
    Ok(url)
}

/// Where an answer leads, when it leads elsewhere. A place that cannot be read ends the way there.
fn redirect(status: u16, location: Option<&str>, from: &Url) -> Option<Url> {
    if !matches!(status, 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let mut next = from.join(location?.trim()).ok()?;
    if next.fragment().is_none() {
        next.set_fragment(from.fragment());
    }
    Some(next)
}
