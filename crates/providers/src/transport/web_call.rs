//! One step to the web: a request to an address that was checked, and its answer, without following anything.
//!
//! `web` decides which addresses are fit and what follows from the answer.

use std::collections::BTreeMap;
use std::error::Error;

use openclaw_ports::model::{FaultReason, ModelFault, ServerReach};
use openclaw_ports::tool::{NamedBy, WebFault};
use openclaw_types::Secret;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};

use super::Transport;
use super::client::{Bypass, Way};
use super::egress::{self, Refusal};
use super::send::{CallAddress, Reading, header_map, read_bounded};

/// What is said where a page cannot be reached and a proxy might have reached it.
const LEFT_OUT: &str = "the proxy of HTTPS_PROXY, HTTP_PROXY or ALL_PROXY was not asked, because it looks names up itself \
                        and could be led into a private network. If it keeps requests out of there, set \
                        tools.web.fetch.useTrustedEnvProxy; a proxy that is written as socks5:// is asked without it";

/// A request to the web.
pub(crate) struct WebCall<'a> {
    pub(crate) method: Method,
    pub(crate) url: &'a Url,
    pub(crate) headers: &'a BTreeMap<String, String>,
    pub(crate) secret_headers: &'a BTreeMap<String, Secret<String>>,
    pub(crate) body: Option<&'a [u8]>,
    pub(crate) named_by: NamedBy,
    /// Whether a proxy that looks names up itself may be handed what others name.
    pub(crate) trusts_proxy: bool,
    pub(crate) most_bytes: usize,
}

/// Which way a call goes. What we or the person named goes through the person's proxies as every other call does; what
/// others name must not reach a proxy that would look it up once more, since the second answer may be another one.
fn way(named_by: NamedBy, trusts_proxy: bool) -> Way {
    match (named_by, trusts_proxy) {
        (NamedBy::Others, false) => Way::PinnedWeb,
        (NamedBy::Others, true) | (NamedBy::Us, _) => Way::Web(ServerReach::Public),
        (NamedBy::Owner, _) => Way::Web(ServerReach::Anywhere),
    }
}

/// An answer from the web.
pub(crate) struct WebStep {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
    pub(crate) cut: bool,
}

impl Transport {
    /// Makes one request. The address is fit already; the addresses its name leads to are checked here.
    pub(crate) async fn web_step(&self, call: WebCall<'_>) -> Result<WebStep, WebFault> {
        let host = call.url.host_str().unwrap_or_default();
        let way = way(call.named_by, call.trusts_proxy);
        if way != Way::PinnedWeb {
            self.check_behind_proxies(host, call.named_by).await?;
        }
        let clients = &self.inner.clients;
        let client = clients.allowed(call.url.scheme(), host, way).map_err(unfit)?;
        let bypass = self.bypass(call.url, way);
        if bypass != Bypass::NotNeeded {
            clients.tell_bypass(LEFT_OUT);
        }
        if bypass == Bypass::Refused {
            return Err(WebFault::Refused(format!(
                "{LEFT_OUT}; nothing is fetched directly beside this one"
            )));
        }
        let headers = headers(&call)?;
        let mut request = client.request(call.method, call.url.clone()).headers(headers);
        if let Some(body) = call.body {
            request = request.body(body.to_vec());
        }
        let place = CallAddress::at(call.url.clone());
        let response = request.send().await.map_err(|error| {
            let is_unreached = error.is_connect() || error.is_timeout();
            let fault = broken(&place, error);
            if is_unreached && bypass == Bypass::Direct { hinted(fault) } else { fault }
        })?;
        let status = response.status().as_u16();
        let headers = header_map(response.headers());
        let (body, cut) = match read_bounded(response, call.most_bytes).await {
            Reading::Whole(body) => (body, false),
            Reading::Cut(body) => (body, true),
            Reading::Broken(_, error) => return Err(broken(&place, error)),
        };
        Ok(WebStep { status, headers, body: body.to_vec(), cut })
    }

    /// What is told of a fetch that took too long.
    pub(crate) fn web_timed_out(&self, url: &str, named_by: NamedBy, trusts_proxy: bool) -> WebFault {
        let way = way(named_by, trusts_proxy);
        match Url::parse(url) {
            Ok(url) if self.bypass(&url, way) == Bypass::Direct => hinted(WebFault::TimedOut),
            _ => WebFault::TimedOut,
        }
    }

    fn bypass(&self, url: &Url, way: Way) -> Bypass {
        match way {
            Way::PinnedWeb => self.inner.clients.bypass(url.scheme(), url.host_str().unwrap_or_default()),
            _ => Bypass::NotNeeded,
        }
    }

    /// Behind a proxy nobody shows us the address that is connected to, so the name is looked up beforehand. One that
    /// only the proxy knows is most often a name of its own network: it is left to the proxy when we or the person chose
    /// it, and refused when others did.
    async fn check_behind_proxies(&self, host: &str, named_by: NamedBy) -> Result<(), WebFault> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        if !self.inner.clients.has_proxies() || bare.parse::<std::net::IpAddr>().is_ok() {
            return Ok(());
        }
        match (self.inner.clients.look_up(bare).await, named_by) {
            (Ok(found), _) => match egress::check_resolved(bare, found, named_by.reach()) {
                Ok(_checked) => Ok(()),
                Err(refusal) => Err(WebFault::Refused(refusal.of_the_web())),
            },
            (Err(_unknown), NamedBy::Us | NamedBy::Owner) => Ok(()),
            (Err(error), NamedBy::Others) => Err(WebFault::Refused(format!(
                "{bare} was not fetched: this machine cannot look the name up ({error}), and one that only the proxy \
                 knows may lead into a private network. Correct the name, or make DNS work on this machine"
            ))),
        }
    }
}

fn headers(call: &WebCall<'_>) -> Result<HeaderMap, WebFault> {
    let mut map = HeaderMap::new();
    let wrong = |name: &str| WebFault::Refused(format!("the header {name:?} cannot be sent"));
    for (name, value) in call.headers {
        let header = name.parse::<HeaderName>().map_err(|_not_a_name| wrong(name))?;
        let value = HeaderValue::from_str(value.trim()).map_err(|_not_a_value| wrong(name))?;
        map.insert(header, value);
    }
    for (name, value) in call.secret_headers {
        let header = name.parse::<HeaderName>().map_err(|_not_a_name| wrong(name))?;
        let mut value = HeaderValue::from_str(value.reveal().trim()).map_err(|_not_a_value| wrong(name))?;
        value.set_sensitive(true);
        map.insert(header, value);
    }
    Ok(map)
}

/// A fault that a proxy which was left out might have spared, with what can be done.
fn hinted(fault: WebFault) -> WebFault {
    match fault {
        WebFault::Unreachable(why) => WebFault::Unreachable(format!("{why}; {LEFT_OUT}")),
        WebFault::TimedOut => WebFault::Unreachable(format!("{}; {LEFT_OUT}", WebFault::TimedOut)),
        other => other,
    }
}

/// What an error of the client means.
fn broken(place: &CallAddress, error: reqwest::Error) -> WebFault {
    let mut cause: Option<&(dyn Error + 'static)> = Some(&error);
    while let Some(deeper) = cause {
        if let Some(refusal) = deeper.downcast_ref::<Refusal>() {
            return WebFault::Refused(refusal.of_the_web());
        }
        cause = deeper.source();
    }
    match place.fault(error) {
        fault if fault.reason == FaultReason::Timeout => WebFault::TimedOut,
        fault => WebFault::Unreachable(fault.message),
    }
}

/// Why there is no client for an address.
fn unfit(fault: ModelFault) -> WebFault {
    match fault.reason {
        FaultReason::Format => WebFault::Refused(fault.message),
        _ => WebFault::Unreachable(fault.message),
    }
}
