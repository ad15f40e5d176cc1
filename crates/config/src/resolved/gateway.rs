//! How the gateway listens: address, port, reload, what nodes may do.
//!
//! Authentication, the web page, HTTP and TLS have files of their own beside this one. Turning a `Bind` into a socket
//! is done by the gateway, which knows the network interfaces.

use std::net::IpAddr;
use std::time::Duration;

use openclaw_types::Secret;

use super::auth::{self, AuthSettings, Surroundings};
use super::network::AddressRange;
use super::problem::ConfigProblem;
use super::{Context, ControlUiSettings, HttpSettings, TlsSettings, control_ui, http, tls};
use crate::sections::{
    BindMode, GatewayReload, GatewayRemote, GatewaySection, ReloadMode, RemoteTransport, RunMode, SecretText,
    TailscaleMode,
};

/// The port when nothing else is said.
const DEFAULT_PORT: u16 = 18_789;
const DEFAULT_RELOAD_DEBOUNCE: Duration = Duration::from_millis(300);
const DEFAULT_CHANNEL_HEALTH_CHECK: Duration = Duration::from_secs(5 * 60);

/// How the gateway listens and whom it lets in.
#[derive(Debug, Clone, PartialEq)]
pub struct GatewaySettings {
    /// Whether this installation runs a gateway or uses one elsewhere; nothing when nobody has decided.
    pub mode: Option<RunMode>,
    /// The TCP port.
    pub port: u16,
    /// The addresses to listen on.
    pub bind: Bind,
    /// How clients prove who they are.
    pub auth: AuthSettings,
    /// The proxies whose forwarding headers are believed.
    pub trusted_proxies: Vec<AddressRange>,
    /// Whether `X-Real-IP` of a trusted proxy is believed when it forwards no list.
    pub allow_real_ip_fallback: bool,
    /// What Tailscale publishes.
    pub tailscale: TailscaleMode,
    /// The web page.
    pub control_ui: ControlUiSettings,
    /// Encryption.
    pub tls: TlsSettings,
    /// The HTTP interface.
    pub http: HttpSettings,
    /// What happens when the file changes.
    pub reload: ReloadSettings,
    /// What nodes may be asked to do.
    pub nodes: NodeCommands,
    /// How often channels are checked; nothing when they are not.
    pub channel_health_check: Option<Duration>,
    /// The gateway elsewhere that commands talk to.
    pub remote: RemoteSettings,
}

/// The addresses to listen on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bind {
    /// This machine only.
    #[default]
    Loopback,
    /// Every interface.
    Lan,
    /// The address in the tailnet, else loopback.
    Tailnet,
    /// Loopback, else every interface.
    Auto,
    /// One address.
    Custom(IpAddr),
}

/// What happens when the file changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReloadSettings {
    /// Which changes are applied, and how.
    pub mode: ReloadMode,
    /// How long the file must be quiet first.
    pub debounce: Duration,
}

/// Commands of nodes beyond, or less than, the usual ones.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NodeCommands {
    /// Commands allowed in addition.
    pub allow: Vec<String>,
    /// Commands refused even when they are usual.
    pub deny: Vec<String>,
}

/// The gateway elsewhere that commands talk to in remote mode.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RemoteSettings {
    /// Its WebSocket address.
    pub url: Option<String>,
    /// Whether to reach it directly or through SSH; nothing when nobody has decided.
    pub transport: Option<RemoteTransport>,
    /// Its token.
    pub token: Option<Secret<String>>,
    /// Its password.
    pub password: Option<Secret<String>>,
    /// The fingerprint its certificate must have.
    pub tls_fingerprint: Option<String>,
}

impl Bind {
    /// Whether only programs of this machine can connect.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        match self {
            Self::Loopback | Self::Auto => true,
            Self::Lan | Self::Tailnet => false,
            Self::Custom(address) => address.is_loopback(),
        }
    }
}

pub(super) fn resolve(
    raw: Option<&GatewaySection>,
    context: &Context<'_>,
    problems: &mut Vec<ConfigProblem>,
) -> GatewaySettings {
    let empty = GatewaySection::default();
    let raw = raw.unwrap_or(&empty);
    let bind = bind(raw, context, problems);
    let tailscale = context
        .overrides
        .tailscale
        .or_else(|| raw.tailscale.as_ref().and_then(|section| section.mode))
        .unwrap_or(TailscaleMode::Off);
    let trusted_proxies = trusted_proxies(raw, problems);
    let surroundings = Surroundings { bind: &bind, tailscale, proxies: &trusted_proxies };
    let auth = auth::resolve(raw.auth.as_ref(), context, &surroundings, problems);
    let settings = GatewaySettings {
        mode: raw.mode,
        port: port(raw, context, problems),
        auth,
        allow_real_ip_fallback: raw.allow_real_ip_fallback.unwrap_or(false),
        tailscale,
        control_ui: control_ui::resolve(raw.control_ui.as_ref(), context, problems),
        tls: tls::resolve(raw.tls.as_ref(), context),
        http: http::resolve(raw.http.as_ref()),
        reload: reload(raw.reload.as_ref()),
        nodes: nodes(raw),
        channel_health_check: channel_health_check(raw),
        remote: remote(raw.remote.as_ref()),
        trusted_proxies,
        bind,
    };
    problems.extend(settings.exposure(settings.bind));
    settings
}

/// The port. What is written is judged even when something else wins, so that a bad value never counts as good.
fn port(raw: &GatewaySection, context: &Context<'_>, problems: &mut Vec<ConfigProblem>) -> u16 {
    let written = raw.port.map(|port| u16::try_from(port.get()));
    if let Some(Err(_too_large)) = written {
        let problem = ConfigProblem::error("gateway.port", "must be between 1 and 65535");
        problems.push(problem.hint("choose a free port, for example 18789"));
    }
    context
        .overrides
        .port
        .or_else(|| context.locations.port_override())
        .or_else(|| written.and_then(Result::ok))
        .unwrap_or(DEFAULT_PORT)
}

fn bind(raw: &GatewaySection, context: &Context<'_>, problems: &mut Vec<ConfigProblem>) -> Bind {
    if let Some(bind) = context.overrides.bind {
        return bind;
    }
    match raw.bind.unwrap_or(BindMode::Loopback) {
        BindMode::Loopback => Bind::Loopback,
        BindMode::Auto => Bind::Auto,
        BindMode::Lan => Bind::Lan,
        BindMode::Tailnet => Bind::Tailnet,
        BindMode::Custom => custom_bind(raw.custom_bind_host.as_deref(), problems),
    }
}

fn custom_bind(host: Option<&str>, problems: &mut Vec<ConfigProblem>) -> Bind {
    match host.map(|host| host.trim().parse()) {
        Some(Ok(address)) => Bind::Custom(address),
        Some(Err(_not_an_address)) => {
            problems.push(
                ConfigProblem::error("gateway.customBindHost", "is not an IP address")
                    .hint("write the address of one of this machine's interfaces, such as 192.168.1.20"),
            );
            Bind::Loopback
        }
        None => {
            problems.push(
                ConfigProblem::error("gateway.customBindHost", "is needed when gateway.bind is custom")
                    .hint("set it to the address to listen on"),
            );
            Bind::Loopback
        }
    }
}

fn trusted_proxies(raw: &GatewaySection, problems: &mut Vec<ConfigProblem>) -> Vec<AddressRange> {
    let mut ranges = Vec::new();
    for (index, text) in raw.trusted_proxies.iter().flatten().enumerate() {
        match text.parse() {
            Ok(range) => ranges.push(range),
            Err(error) => problems.push(
                ConfigProblem::warning(format!("gateway.trustedProxies[{index}]"), format!("{error}"))
                    .hint("the entry is ignored: nothing is trusted because of it"),
            ),
        }
    }
    ranges
}

fn reload(raw: Option<&GatewayReload>) -> ReloadSettings {
    ReloadSettings {
        mode: raw.and_then(|reload| reload.mode).unwrap_or(ReloadMode::Hybrid),
        debounce: raw
            .and_then(|reload| reload.debounce_ms)
            .map_or(DEFAULT_RELOAD_DEBOUNCE, |milliseconds| Duration::from_millis(milliseconds.get())),
    }
}

fn nodes(raw: &GatewaySection) -> NodeCommands {
    raw.nodes.as_ref().map_or_else(NodeCommands::default, |nodes| NodeCommands {
        allow: nodes.allow_commands.clone().unwrap_or_default(),
        deny: nodes.deny_commands.clone().unwrap_or_default(),
    })
}

fn channel_health_check(raw: &GatewaySection) -> Option<Duration> {
    match raw.channel_health_check_minutes.map(crate::sections::Count::get) {
        None => Some(DEFAULT_CHANNEL_HEALTH_CHECK),
        Some(0) => None,
        Some(minutes) => Some(Duration::from_secs(minutes.saturating_mul(60))),
    }
}

fn remote(raw: Option<&GatewayRemote>) -> RemoteSettings {
    let Some(raw) = raw else { return RemoteSettings::default() };
    RemoteSettings {
        url: trimmed(raw.url.as_deref()),
        transport: raw.transport,
        token: sealed(raw.token.as_ref()),
        password: sealed(raw.password.as_ref()),
        tls_fingerprint: trimmed(raw.tls_fingerprint.as_deref()),
    }
}

fn trimmed(text: Option<&str>) -> Option<String> {
    text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn sealed(text: Option<&SecretText>) -> Option<Secret<String>> {
    trimmed(text.map(SecretText::reveal)).map(Secret::new)
}
