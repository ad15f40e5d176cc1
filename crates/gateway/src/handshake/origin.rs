//! Decides whether a page in a browser may talk to us, by where it was loaded from.
//!
//! Pure. A browser attaches `Origin` to every WebSocket it opens, and a page cannot forge it; that makes this the
//! guard against foreign web pages reaching a gateway on the same machine, or one that its owner is signed in to.
//! `Handshake::admit` calls it, and `connection::upgrade` counts foreign pages by it.

use openclaw_config::ControlUiSettings;

use crate::auth::network::{host_name, is_loopback_name};
use crate::handshake::applicant::ClientKind;
use crate::handshake::arrival::Arrival;

/// A page from somewhere that was not allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OriginRefused;

/// Checks the origin where the rule applies to this client.
///
/// # Errors
/// `OriginRefused` when a browser, the Control UI or a web chat comes from somewhere that was not allowed.
pub(crate) fn check_origin(
    rule: &ControlUiSettings,
    arrival: &Arrival,
    kind: ClientKind,
) -> Result<(), OriginRefused> {
    // Behind a proxy the pages of other clients are that proxy's business; our own pages are always checked.
    let any_client = arrival.origin().is_some() && !arrival.names_forwarded_client();
    if any_client || kind.is_web_page() { require_allowed(rule, arrival) } else { Ok(()) }
}

/// Checks the origin of a caller whose browser, not the page in it, brings what lets it in. Whatever proxies it came
/// through and whatever client it says it is, a page must come from somewhere that was allowed.
///
/// # Errors
/// `OriginRefused` when the caller is a page from somewhere that was not allowed.
pub(crate) fn check_page(rule: &ControlUiSettings, arrival: &Arrival) -> Result<(), OriginRefused> {
    match arrival.origin() {
        Some(_) => require_allowed(rule, arrival),
        None => Ok(()),
    }
}

fn require_allowed(rule: &ControlUiSettings, arrival: &Arrival) -> Result<(), OriginRefused> {
    let origin = arrival.origin().as_deref().and_then(WebOrigin::parse).ok_or(OriginRefused)?;
    let named = rule.allowed_origins.iter().any(|entry| entry.trim().eq_ignore_ascii_case(&origin.text));
    let host = arrival.host().map(|host| host.to_ascii_lowercase()).unwrap_or_default();
    let same_host = rule.allow_host_header_origin_fallback && !host.is_empty() && origin.host == host;
    let both_loopback = is_loopback_name(&host_name(&origin.host)) && is_loopback_name(&host_name(&host));
    if named || same_host || both_loopback { Ok(()) } else { Err(OriginRefused) }
}

/// An origin, in lower case, without the default port of its scheme.
struct WebOrigin {
    text: String,
    host: String,
}

impl WebOrigin {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let (scheme, rest) = text.split_once("://")?;
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        let default_port = match scheme {
            "http" | "ws" => ":80",
            "https" | "wss" => ":443",
            _ => "",
        };
        let host = match host.strip_suffix(default_port) {
            Some(bare) if !default_port.is_empty() => bare,
            _ => host,
        };
        let readable = !scheme.is_empty() && !host.is_empty() && !host.contains(char::is_whitespace);
        readable.then(|| Self { text: format!("{scheme}://{host}"), host: host.to_owned() })
    }
}
