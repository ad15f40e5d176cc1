//! Sign-in by the tailnet: the local Tailscale proxy names a person, and the Tailscale daemon confirms it.
//!
//! The headers alone prove nothing, any local process can send them. Only when the daemon says that the forwarded
//! address belongs to the same login does the word of the proxy count. Every doubt, and a slow daemon, is a no.

use std::fmt;
use std::net::IpAddr;
use std::pin::Pin;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::{Clock, Deadline};
use serde_json::Value;

use super::network::is_loopback;
use super::{AuthFailure, AuthMethod};
use crate::handshake::{Arrival, Repeated};

/// How long the daemon may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The headers the Tailscale proxy always sets.
const PROXY_HEADERS: [&str; 3] = ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"];

type Answer = Pin<Box<dyn Future<Output = Option<String>> + Send>>;

/// Asks whose address something is in the tailnet. `None` means nobody, or that the daemon could not be asked.
#[derive(Clone)]
pub(crate) struct WhoIs(Arc<dyn Fn(IpAddr) -> Answer + Send + Sync>);

impl WhoIs {
    /// Asks through the given function.
    pub(crate) fn new<F, A>(ask: F) -> Self
    where
        F: Fn(IpAddr) -> A + Send + Sync + 'static,
        A: Future<Output = Option<String>> + Send + 'static,
    {
        Self(Arc::new(move |address| Box::pin(ask(address))))
    }

    /// Asks the daemon through its command line tool.
    pub(crate) fn command() -> Self {
        Self::new(ask_command)
    }

    async fn login_of(&self, address: IpAddr) -> Option<String> {
        (self.0)(address).await
    }
}

impl fmt::Debug for WhoIs {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("WhoIs")
    }
}

/// Checks the Tailscale headers of a request against the daemon.
///
/// # Errors
/// Says which of the conditions was not met.
pub(crate) async fn check_tailscale(
    who_is: &WhoIs,
    clock: &dyn Clock,
    arrival: &Arrival,
) -> Result<AuthMethod, AuthFailure> {
    // With two logins it is unknown which of them the proxy wrote.
    let claimed = arrival
        .sole_header("tailscale-user-login")
        .map_err(|Repeated| AuthFailure::TailscaleIdentityMismatch)?
        .ok_or(AuthFailure::TailscaleIdentityMissing)?;
    let proxied = PROXY_HEADERS.iter().all(|name| arrival.header(name).is_some());
    if !proxied || !is_loopback(arrival.peer.ip()) {
        return Err(AuthFailure::TailscaleProxyMissing);
    }
    let address = forwarded_address(arrival).ok_or(AuthFailure::TailscaleWhoisFailed)?;
    let answer = Deadline::after(clock, PATIENCE).bound(clock, who_is.login_of(address)).await;
    let login = match answer {
        Ok(Some(login)) => login,
        Ok(None) => return Err(AuthFailure::TailscaleWhoisFailed),
        Err(timed_out) => {
            tracing::warn!(%timed_out, "the Tailscale daemon did not answer; the sign-in is refused");
            return Err(AuthFailure::TailscaleWhoisFailed);
        }
    };
    if login.trim().eq_ignore_ascii_case(&claimed) {
        Ok(AuthMethod::Tailscale { login: login.trim().to_owned() })
    } else {
        Err(AuthFailure::TailscaleIdentityMismatch)
    }
}

/// The nearest hop that is not this machine; nobody when that hop cannot be read.
fn forwarded_address(arrival: &Arrival) -> Option<IpAddr> {
    arrival.hops().find(|hop| hop.is_none_or(|address| !is_loopback(address))).flatten()
}

async fn ask_command(address: IpAddr) -> Option<String> {
    let output = tokio::process::Command::new("tailscale")
        .args(["whois", "--json", &address.to_string()])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await;
    match output {
        Ok(output) if output.status.success() => login_in(&serde_json::from_slice(&output.stdout).ok()?),
        Ok(_) => None,
        Err(error) => {
            tracing::warn!(%error, "the tailscale command cannot be run; is it installed and in PATH?");
            None
        }
    }
}

/// Finds the login in the daemon's answer; its field names have changed over the years.
fn login_in(answer: &Value) -> Option<String> {
    let profile = ["UserProfile", "userProfile", "User"].iter().find_map(|key| answer.get(key)?.as_object());
    let in_profile = profile.and_then(|profile| {
        ["LoginName", "Login", "login"].iter().find_map(|key| profile.get(*key)?.as_str())
    });
    let login =
        in_profile.or_else(|| ["LoginName", "login"].iter().find_map(|key| answer.get(key)?.as_str()))?;
    let login = login.trim();
    (!login.is_empty()).then(|| login.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_login_is_found_under_every_name_the_daemon_has_used() {
        let check = |answer: Value, expected: Option<&str>| {
            assert_eq!(login_in(&answer).as_deref(), expected, "{answer}");
        };
        check(json!({"UserProfile": {"LoginName": "ana@example.com"}}), Some("ana@example.com"));
        check(json!({"User": {"Login": " ana@example.com "}}), Some("ana@example.com"));
        check(json!({"login": "ana@example.com"}), Some("ana@example.com"));
        check(json!({"UserProfile": {"DisplayName": "Ana"}}), None);
        check(json!({"UserProfile": {"LoginName": "  "}}), None);
        check(json!("ana"), None);
    }
}
