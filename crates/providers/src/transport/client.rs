//! Builds the HTTP clients: one for the public internet, one for servers that a person named.
//!
//! They share all settings and differ in the addresses their resolver lets through. Built at first use, since reading
//! the machine's certificates takes longer than the rest of a start; who calls only model servers beside this gateway, which
//! are not encrypted, never reads them.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Once, OnceLock};
use std::time::Duration;

use openclaw_ports::Clock;
use openclaw_ports::model::{FaultReason, ModelFault, ServerReach};
use openclaw_types::Secret;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, ClientBuilder, NoProxy, Proxy, StatusCode};

use super::connect::ConnectBound;
use super::egress::{self, Refusal};
use super::proxy::{self, Proxies};

const USER_AGENT: &str = concat!("openclaw/", env!("CARGO_PKG_VERSION"));
/// Connections kept open to one server while nobody uses them, and for how long.
const IDLE_CONNECTIONS: usize = 32;
const IDLE_TIME: Duration = Duration::from_secs(60);
/// A stream that nobody reads holds this much, and all streams of a connection together this much: one that waits
/// must not stop the others.
const STREAM_WINDOW: u32 = 128 * 1024;
const CONNECTION_WINDOW: u32 = 16 * 1024 * 1024;
/// How a connection that died silently is noticed.
const PING_EVERY: Duration = Duration::from_secs(30);
const PING_ANSWER: Duration = Duration::from_secs(20);
/// Redirects on one server that are followed.
const REDIRECTS: usize = 3;

/// Which way a call goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// To vendors and servers, as far as their reach.
    To(ServerReach),
    /// To the web, as far as its reach: plain HTTP too, and without redirects.
    Web(ServerReach),
    /// The same on the public internet, to addresses that were checked and to no others: proxies that look names up
    /// themselves are left out.
    PinnedWeb,
    /// To a lender of AWS keys beside this container, and nowhere else: without proxies and without redirects.
    Lender,
}

/// What `Way::PinnedWeb` does about the proxy that a call would go through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bypass {
    /// There is none, or it is handed the checked address.
    NotNeeded,
    /// It is left out, and the server is called directly.
    Direct,
    /// It is there so that nothing leaves directly: there is no call.
    Refused,
}

/// The clients, by way.
pub(super) struct Clients {
    clock: Arc<dyn Clock>,
    proxies: Proxies,
    proxy_hosts: Arc<[String]>,
    connect: Duration,
    public: OnceLock<Result<Client, ModelFault>>,
    anywhere: OnceLock<Result<Client, ModelFault>>,
    /// For calls to named servers that are not encrypted.
    plain: OnceLock<Result<Client, ModelFault>>,
    lender: OnceLock<Result<Client, ModelFault>>,
    web: OnceLock<Result<Client, ModelFault>>,
    named_web: OnceLock<Result<Client, ModelFault>>,
    pinned_web: OnceLock<Result<Client, ModelFault>>,
    /// Whether it was told that a proxy is not asked.
    told_bypass: Once,
    lookup: Lookup,
}

/// Looks names up. The machine's resolver, except in tests.
pub(super) type Lookup = Arc<dyn Fn(String) -> Looking + Send + Sync>;
type Looking = Pin<Box<dyn Future<Output = std::io::Result<Vec<SocketAddr>>> + Send>>;

/// Asks the machine.
pub(super) fn machine_lookup(name: String) -> Looking {
    Box::pin(async move { Ok(tokio::net::lookup_host((name, 0)).await?.collect()) })
}

impl Clients {
    /// Clients that are built when they are needed.
    pub(super) fn new(clock: Arc<dyn Clock>, proxies: Proxies, connect: Duration) -> Self {
        let proxy_hosts = proxies.hosts().into();
        Self {
            clock,
            proxies,
            proxy_hosts,
            connect,
            public: OnceLock::new(),
            anywhere: OnceLock::new(),
            plain: OnceLock::new(),
            lender: OnceLock::new(),
            web: OnceLock::new(),
            named_web: OnceLock::new(),
            pinned_web: OnceLock::new(),
            told_bypass: Once::new(),
            lookup: Arc::new(machine_lookup),
        }
    }

    /// The same with another way to look names up.
    #[cfg(test)]
    pub(super) fn with_lookup(mut self, lookup: Lookup) -> Self {
        self.lookup = lookup;
        self
    }

    /// Whether calls may go through a proxy, which may look names up itself.
    pub(super) fn has_proxies(&self) -> bool {
        self.proxies.http.is_some() || self.proxies.https.is_some()
    }

    /// What `Way::PinnedWeb` does about the proxy for such calls.
    pub(super) fn bypass(&self, scheme: &str, host: &str) -> Bypass {
        let proxy = if scheme == "https" { &self.proxies.https } else { &self.proxies.http };
        match proxy.as_ref().map(Secret::reveal) {
            Some(proxy) if proxy::takes_addresses(proxy) || self.proxies.excepts(host) => Bypass::NotNeeded,
            Some(proxy) if proxy::keeps_names(proxy) => Bypass::Refused,
            Some(_) => Bypass::Direct,
            None => Bypass::NotNeeded,
        }
    }

    /// Tells people that a proxy of theirs is not asked, the first time.
    pub(super) fn tell_bypass(&self, words: &str) {
        self.told_bypass
            .call_once(|| tracing::warn!(subsystem = "web", "for what models and pages name, {words}"));
    }

    /// Looks a name up.
    ///
    /// # Errors
    /// The name leads nowhere, or nobody could be asked.
    pub(super) async fn look_up(&self, name: &str) -> std::io::Result<Vec<SocketAddr>> {
        some_of((self.lookup)(name.to_owned()).await?)
    }

    /// The client for a way, once `scheme` and `host` are found fit for it.
    pub(super) fn allowed(&self, scheme: &str, host: &str, way: Way) -> Result<&Client, ModelFault> {
        match way {
            Way::To(reach) => egress::check_written(scheme, host, reach),
            Way::Lender => egress::check_lender(scheme, host),
            // `web` has looked at the whole address.
            Way::Web(_) | Way::PinnedWeb => Ok(()),
        }
        .map_err(|refusal| refusal.fault())?;
        // The resolver lets the proxy's own name through, wherever it leads.
        if matches!(way, Way::To(ServerReach::Public) | Way::Web(ServerReach::Public) | Way::PinnedWeb)
            && self.proxy_hosts.iter().any(|proxy| proxy.eq_ignore_ascii_case(host))
        {
            return Err(Refusal::proxy(host).fault());
        }
        let slot = match way {
            // Redirects stay on the server, so that such a call is not encrypted later either.
            Way::To(ServerReach::Anywhere) if scheme == "http" && self.proxies.http.is_none() => {
                let bare = || self.bare(way);
                return self.plain.get_or_init(bare).as_ref().map_err(Clone::clone);
            }
            Way::To(ServerReach::Public) => &self.public,
            Way::To(ServerReach::Anywhere) => &self.anywhere,
            Way::Lender => &self.lender,
            Way::Web(ServerReach::Public) => &self.web,
            Way::Web(ServerReach::Anywhere) => &self.named_web,
            Way::PinnedWeb => &self.pinned_web,
        };
        slot.get_or_init(|| self.build(way)).as_ref().map_err(Clone::clone)
    }

    /// A client without certificates: its encrypted calls fail.
    fn bare(&self, way: Way) -> Result<Client, ModelFault> {
        choose_encryption();
        self.settings(way)?.tls_certs_only([]).build().map_err(|error| unusable(&error))
    }

    fn build(&self, way: Way) -> Result<Client, ModelFault> {
        choose_encryption();
        self.settings(way)?.build().or_else(|error| {
            // A machine without certificates can still reach its own model servers.
            tracing::warn!(%error, "no certificates were found on this machine: encrypted calls will fail");
            self.bare(way)
        })
    }

    fn settings(&self, way: Way) -> Result<ClientBuilder, ModelFault> {
        let reach = match way {
            Way::To(reach) | Way::Web(reach) => reach,
            Way::PinnedWeb => ServerReach::Public,
            // Lenders have addresses, not names.
            Way::Lender => ServerReach::Public,
        };
        let resolver =
            GuardedResolver { reach, proxies: self.proxy_hosts.clone(), lookup: self.lookup.clone() };
        let mut builder = Client::builder()
            .user_agent(USER_AGENT)
            .no_proxy()
            .referer(false)
            .redirect(Policy::custom(follow_here))
            .retry(reqwest::retry::never())
            .dns_resolver(resolver)
            .connector_layer(ConnectBound { clock: self.clock.clone(), span: self.connect })
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .pool_idle_timeout(IDLE_TIME)
            .tcp_nodelay(true)
            .http2_initial_stream_window_size(STREAM_WINDOW)
            .http2_initial_connection_window_size(CONNECTION_WINDOW)
            .http2_keep_alive_interval(PING_EVERY)
            .http2_keep_alive_timeout(PING_ANSWER);
        if way == Way::Lender {
            return Ok(builder.redirect(Policy::none()));
        }
        if matches!(way, Way::Web(_) | Way::PinnedWeb) {
            builder = builder.redirect(Policy::none());
        }
        if let Some(address) = usable(self.proxies.https.as_ref(), way) {
            builder = builder.proxy(self.proxy("HTTPS_PROXY", address, Proxy::https)?);
        }
        if let Some(address) = usable(self.proxies.http.as_ref(), way) {
            builder = builder.proxy(self.proxy("HTTP_PROXY", address, Proxy::http)?);
        }
        Ok(builder)
    }

    fn proxy(
        &self,
        variable: &str,
        text: &str,
        make: impl FnOnce(reqwest::Url) -> reqwest::Result<Proxy>,
    ) -> Result<Proxy, ModelFault> {
        let made = proxy::address(text).map(make).and_then(Result::ok);
        let proxy = made.ok_or_else(|| {
            ModelFault::new(
                FaultReason::Network,
                format!(
                    "the variable {variable} or ALL_PROXY is not the address of a proxy; correct or unset it"
                ),
            )
        })?;
        Ok(proxy.no_proxy(NoProxy::from_string(&self.proxies.except)))
    }
}

/// The process encrypts in one way.
fn choose_encryption() {
    if rustls::crypto::CryptoProvider::get_default().is_none()
        && rustls::crypto::ring::default_provider().install_default().is_err()
    {
        tracing::debug!("another part of the process chose how to encrypt");
    }
}

/// The address of a proxy, when a way may use it.
fn usable(proxy: Option<&Secret<String>>, way: Way) -> Option<&str> {
    let address = proxy?.reveal().as_str();
    (way != Way::PinnedWeb || proxy::takes_addresses(address)).then_some(address)
}

/// Follows a redirect only on the same server and only where the call stays what it is. Everything else is the answer.
fn follow_here(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let same_call =
        matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    let same_server = attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
    if same_call && same_server && attempt.previous().len() <= REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

/// Resolves names and hands out only addresses that were checked.
pub(super) struct GuardedResolver {
    pub(super) reach: ServerReach,
    /// Names that may lead anywhere.
    pub(super) proxies: Arc<[String]>,
    pub(super) lookup: Lookup,
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.reach;
        let is_proxy = self.proxies.iter().any(|proxy| proxy.eq_ignore_ascii_case(name.as_str()));
        let looking = (self.lookup)(name.as_str().to_owned());
        Box::pin(async move {
            let found = some_of(looking.await?)?;
            let reach = if is_proxy { ServerReach::Anywhere } else { reach };
            let allowed = egress::check_resolved(name.as_str(), found, reach)?;
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

/// What a name leads to. None at all is an error: a proxy that takes addresses would be handed the name instead.
fn some_of(found: Vec<SocketAddr>) -> std::io::Result<Vec<SocketAddr>> {
    if found.is_empty() {
        return Err(std::io::Error::new(std::io::ErrorKind::NotFound, "the name leads nowhere"));
    }
    Ok(found)
}

fn unusable(error: &reqwest::Error) -> ModelFault {
    ModelFault::new(FaultReason::Network, format!("no call can be made from this machine: {error}"))
}

#[cfg(test)]
mod tests {
    use openclaw_config::Environment;
    use openclaw_ports::SystemClock;

    use super::*;

    /// Whether the machine's certificates are read for a call to a server that a person named.
    #[track_caller]
    fn reads_certificates(scheme: &str, variables: &[(&'static str, &'static str)]) -> bool {
        let environment = Environment::fake(variables.iter().copied(), "/home/test");
        let clock = Arc::new(SystemClock::new());
        let clients = Clients::new(clock, Proxies::of(&environment), Duration::from_secs(1));
        clients.allowed(scheme, "127.0.0.1", Way::To(ServerReach::Anywhere)).unwrap();
        assert_ne!(clients.plain.get().is_some(), clients.anywhere.get().is_some());
        clients.anywhere.get().is_some()
    }

    #[test]
    fn certificates_are_read_only_for_calls_that_may_be_encrypted() {
        assert!(!reads_certificates("http", &[]));
        assert!(reads_certificates("https", &[]));
        // The way to the proxy may be.
        assert!(reads_certificates("http", &[("HTTP_PROXY", "https://proxy.example:3128")]));
        assert!(!reads_certificates("http", &[("HTTPS_PROXY", "https://proxy.example:3128")]));
    }
}
