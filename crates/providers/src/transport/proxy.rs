//! Which proxies the person's variables name. Lower case goes before capitals, as other programs have it.
//!
//! Addresses of proxies may hold passwords: nothing here is ever printed. `client` hands them to the HTTP client,
//! `egress` lets their own names resolve to private addresses.

use openclaw_config::Environment;
use openclaw_types::Secret;

/// Servers on this machine: a proxy elsewhere could not reach them.
const HERE: &str = "localhost,127.0.0.0/8,::1";

/// The proxies, by the kind of call they are for.
pub(super) struct Proxies {
    /// For encrypted calls.
    pub(super) https: Option<Secret<String>>,
    /// For plain calls.
    pub(super) http: Option<Secret<String>>,
    /// Hosts that are called directly, as the variable lists them.
    pub(super) except: String,
}

impl Proxies {
    /// The proxies of an environment.
    pub(super) fn of(environment: &Environment) -> Self {
        let read = |name: &str| {
            environment
                .get_trimmed(name)
                .or_else(|| environment.get_trimmed(&name.to_ascii_uppercase()))
                .map(str::to_owned)
        };
        let all = read("all_proxy");
        let proxy = |name: &str| read(name).or_else(|| all.clone()).map(Secret::new);
        let except = match read("no_proxy") {
            Some(list) => format!("{list},{HERE}"),
            None => HERE.to_owned(),
        };
        Self { https: proxy("https_proxy"), http: proxy("http_proxy"), except }
    }

    /// Whether a host is one that is called directly. Ranges of addresses are left to the HTTP client.
    pub(super) fn excepts(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        self.except.split(',').map(str::trim).filter(|entry| !entry.is_empty()).any(|entry| {
            let entry = entry.trim_start_matches('.').to_ascii_lowercase();
            let is_below = host.strip_suffix(&entry).is_some_and(|before| before.ends_with('.'));
            entry == "*" || host == entry || is_below
        })
    }

    /// The host names of the proxies.
    pub(super) fn hosts(&self) -> Vec<String> {
        let proxies = [&self.https, &self.http];
        let addresses = proxies.into_iter().flatten().filter_map(|proxy| address(proxy.reveal()));
        addresses.filter_map(|url| url.host_str().map(str::to_ascii_lowercase)).collect()
    }
}

/// Whether a proxy is handed addresses, so that what was checked is what is connected to. The others are handed names
/// and look them up once more, which may end elsewhere.
pub(super) fn takes_addresses(text: &str) -> bool {
    address(text).is_some_and(|url| matches!(url.scheme(), "socks4" | "socks5"))
}

/// Whether a proxy is written so that it looks names up, where the same kind could be handed addresses. People write it so
/// that nothing leaves their machine beside it.
pub(super) fn keeps_names(text: &str) -> bool {
    address(text).is_some_and(|url| matches!(url.scheme(), "socks4a" | "socks5h"))
}

/// The address of a proxy; one without a scheme is plain HTTP.
pub(super) fn address(text: &str) -> Option<reqwest::Url> {
    let text = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    reqwest::Url::parse(&text).ok().filter(reqwest::Url::has_host)
}
