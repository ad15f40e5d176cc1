//! Whom the gateway lets in: the mode, the shared secrets, the limits on guessing.
//!
//! The file's own token or password wins over the environment's, and the command line's over both. A token mode
//! without a token is not a problem: the gateway makes one when it starts.

use std::time::Duration;

use openclaw_types::Secret;

use super::Context;
use super::gateway::Bind;
use super::network::AddressRange;
use super::problem::ConfigProblem;
use crate::sections::{AuthMode, GatewayAuth, GatewayAuthRateLimit, SecretText, TailscaleMode};

/// How clients prove who they are.
#[derive(Debug, Clone, PartialEq)]
pub struct AuthSettings {
    /// What is asked for.
    pub mode: AuthMode,
    /// The shared token, when there is one.
    pub token: Option<Secret<String>>,
    /// The shared password, when there is one.
    pub password: Option<Secret<String>>,
    /// Whether the identity headers of Tailscale count as proof.
    pub allow_tailscale: bool,
    /// When guessing is stopped.
    pub rate_limit: RateLimit,
    /// How a proxy names the person, in trusted-proxy mode.
    pub trusted_proxy: Option<TrustedProxy>,
}

/// The limits on failed attempts. They are always on, and for browsers they also hold on loopback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Failed attempts within the window that lead to a lockout.
    pub max_attempts: u32,
    /// The time in which attempts are counted.
    pub window: Duration,
    /// How long a lockout lasts.
    pub lockout: Duration,
    /// Whether programs on this machine are exempt. Browsers never are.
    pub exempt_loopback: bool,
}

/// What a trusted proxy tells about the person behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedProxy {
    /// The header that names the person, in lower case.
    pub user_header: String,
    /// Headers that must be there, in lower case.
    pub required_headers: Vec<String>,
    /// The people let in; everybody the proxy names when empty.
    pub allow_users: Vec<String>,
}

impl Default for RateLimit {
    fn default() -> Self {
        Self {
            max_attempts: 10,
            window: Duration::from_secs(60),
            lockout: Duration::from_secs(300),
            exempt_loopback: true,
        }
    }
}

/// What the rules between authentication and the rest of the gateway look at.
pub(super) struct Surroundings<'a> {
    pub(super) bind: &'a Bind,
    pub(super) tailscale: TailscaleMode,
    pub(super) proxies: &'a [AddressRange],
}

pub(super) fn resolve(
    raw: Option<&GatewayAuth>,
    context: &Context<'_>,
    surroundings: &Surroundings<'_>,
    problems: &mut Vec<ConfigProblem>,
) -> AuthSettings {
    let token = choose(
        context.overrides.token.as_ref(),
        raw.and_then(|auth| auth.token.as_ref()),
        context.environment.get_trimmed("OPENCLAW_GATEWAY_TOKEN"),
    );
    let password = choose(
        context.overrides.password.as_ref(),
        raw.and_then(|auth| auth.password.as_ref()),
        context.environment.get_trimmed("OPENCLAW_GATEWAY_PASSWORD"),
    );
    let default_mode = if password.is_some() { AuthMode::Password } else { AuthMode::Token };
    let mode = context.overrides.auth_mode.or_else(|| raw.and_then(|auth| auth.mode)).unwrap_or(default_mode);
    let serves_people = !matches!(mode, AuthMode::Password | AuthMode::TrustedProxy);
    let settings = AuthSettings {
        mode,
        token,
        password,
        allow_tailscale: raw
            .and_then(|auth| auth.allow_tailscale)
            .unwrap_or(surroundings.tailscale == TailscaleMode::Serve && serves_people),
        rate_limit: rate_limit(raw.and_then(|auth| auth.rate_limit.as_ref()), problems),
        trusted_proxy: trusted_proxy(raw),
    };
    check(&settings, surroundings, problems);
    settings
}

fn choose(
    command_line: Option<&Secret<String>>,
    file: Option<&SecretText>,
    environment: Option<&str>,
) -> Option<Secret<String>> {
    [command_line.map(|secret| secret.reveal().as_str()), file.map(SecretText::reveal), environment]
        .into_iter()
        .flatten()
        .map(str::trim)
        .find(|text| !text.is_empty())
        .map(|text| Secret::new(text.to_owned()))
}

fn rate_limit(raw: Option<&GatewayAuthRateLimit>, problems: &mut Vec<ConfigProblem>) -> RateLimit {
    let mut limit = RateLimit::default();
    let Some(raw) = raw else { return limit };
    let mut read = |key: &str, value: Option<f64>| -> Option<u32> {
        let value = value?;
        let whole = whole_from_one(value);
        if whole.is_none() {
            problems.push(
                ConfigProblem::error(
                    format!("gateway.auth.rateLimit.{key}"),
                    "must be a whole number of at least 1",
                )
                .hint("remove the key to use the default"),
            );
        }
        whole
    };
    if let Some(value) = read("maxAttempts", raw.max_attempts) {
        limit.max_attempts = value;
    }
    if let Some(value) = read("windowMs", raw.window_ms) {
        limit.window = Duration::from_millis(value.into());
    }
    if let Some(value) = read("lockoutMs", raw.lockout_ms) {
        limit.lockout = Duration::from_millis(value.into());
    }
    limit.exempt_loopback = raw.exempt_loopback.unwrap_or(limit.exempt_loopback);
    limit
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the guard admits only whole numbers that fit"
)]
fn whole_from_one(value: f64) -> Option<u32> {
    (value.fract() == 0.0 && (1.0..=f64::from(u32::MAX)).contains(&value)).then_some(value as u32)
}

fn trusted_proxy(raw: Option<&GatewayAuth>) -> Option<TrustedProxy> {
    let raw = raw?.trusted_proxy.as_ref()?;
    let user_header = raw.user_header.trim().to_ascii_lowercase();
    if user_header.is_empty() {
        return None;
    }
    let required_headers = raw.required_headers.iter().flatten();
    let allow_users = raw.allow_users.iter().flatten();
    Some(TrustedProxy {
        user_header,
        required_headers: required_headers.map(|name| name.trim().to_ascii_lowercase()).collect(),
        allow_users: allow_users.map(|name| name.trim().to_owned()).collect(),
    })
}

fn check(settings: &AuthSettings, surroundings: &Surroundings<'_>, problems: &mut Vec<ConfigProblem>) {
    if settings.mode == AuthMode::Password && settings.password.is_none() {
        problems.push(ConfigProblem::error("gateway.auth.password", "password mode needs a password").hint(
            "set gateway.auth.password or OPENCLAW_GATEWAY_PASSWORD, or choose another gateway.auth.mode",
        ));
    }
    if settings.mode == AuthMode::TrustedProxy {
        check_proxy(settings, surroundings, problems);
    }
    if surroundings.tailscale == TailscaleMode::Funnel && settings.mode != AuthMode::Password {
        problems.push(
            ConfigProblem::error(
                "gateway.tailscale.mode",
                "a funnel is open to the internet and needs password mode",
            )
            .hint("set gateway.auth.mode to password and give it a password"),
        );
    }
    if surroundings.tailscale != TailscaleMode::Off && !surroundings.bind.is_loopback() {
        problems.push(
            ConfigProblem::error(
                "gateway.tailscale.mode",
                "Tailscale forwards to loopback, so the gateway must listen there",
            )
            .hint("set gateway.bind to loopback, or gateway.tailscale.mode to off"),
        );
    }
}

fn check_proxy(settings: &AuthSettings, surroundings: &Surroundings<'_>, problems: &mut Vec<ConfigProblem>) {
    if settings.trusted_proxy.is_none() {
        problems.push(
            ConfigProblem::error(
                "gateway.auth.trustedProxy",
                "trusted-proxy mode needs the header that names the person",
            )
            .hint("set gateway.auth.trustedProxy.userHeader"),
        );
    }
    if surroundings.proxies.is_empty() {
        problems.push(
            ConfigProblem::error(
                "gateway.trustedProxies",
                "trusted-proxy mode needs the addresses of the proxies",
            )
            .hint("list at least one address or network"),
        );
    } else if surroundings.bind.is_loopback()
        && !surroundings.proxies.iter().any(AddressRange::includes_loopback)
    {
        problems.push(
            ConfigProblem::error(
                "gateway.trustedProxies",
                "on loopback the proxy comes from this machine, which is not listed",
            )
            .hint("add 127.0.0.1 or ::1"),
        );
    }
}
