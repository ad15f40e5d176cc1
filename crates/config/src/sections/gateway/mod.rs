//! The `gateway` section: listening, reload, remote use, nodes.
//!
//! Authentication and the HTTP interface have files of their own. Raw form: `resolved::gateway` gives it meaning and
//! defaults.

mod auth;
mod http;

pub use auth::{AuthMode, GatewayAuth, GatewayAuthRateLimit, GatewayAuthTrustedProxy};
pub use http::{
    GatewayHttp, HttpEndpoints, ResponseFiles, ResponseImages, ResponsePdf, ResponsesEndpoint,
    SecurityHeaders, UrlSource,
};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::shared::{AllowDeny, RunMode, TailscaleMode};
use crate::sections::value::{Count, Positive, SecretText};

/// How the gateway listens and whom it lets in.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewaySection {
    /// The port; 18789 when left out.
    pub port: Option<Positive>,
    /// Whether a gateway runs here, or commands use one elsewhere.
    pub mode: Option<RunMode>,
    /// The addresses to listen on; only this machine when left out.
    pub bind: Option<BindMode>,
    /// The address for `custom`.
    pub custom_bind_host: Option<String>,
    /// The web page.
    pub control_ui: Option<GatewayControlUi>,
    /// How clients prove who they are.
    pub auth: Option<GatewayAuth>,
    /// Addresses and networks of proxies whose forwarding headers are believed.
    pub trusted_proxies: Option<Vec<String>>,
    /// Whether `X-Real-IP` is believed when a proxy sends no list.
    pub allow_real_ip_fallback: Option<bool>,
    /// Tools that may be called over HTTP.
    pub tools: Option<AllowDeny>,
    /// How often channels are checked, in minutes; 0 means never.
    pub channel_health_check_minutes: Option<Count>,
    /// Publishing through Tailscale.
    pub tailscale: Option<GatewayTailscale>,
    /// The gateway elsewhere.
    pub remote: Option<GatewayRemote>,
    /// What happens when this file changes.
    pub reload: Option<GatewayReload>,
    /// Encryption.
    pub tls: Option<GatewayTls>,
    /// The HTTP interface.
    pub http: Option<GatewayHttp>,
    /// What nodes may be asked to do.
    pub nodes: Option<GatewayNodes>,
}

/// The web page.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayControlUi {
    /// Whether it is served.
    pub enabled: Option<bool>,
    /// The path in front of it.
    pub base_path: Option<String>,
    /// A directory with other files than the built-in ones.
    pub root: Option<String>,
    /// Addresses besides the gateway's own that the page may be opened from.
    pub allowed_origins: Option<Vec<String>>,
    /// Whether the `Host` header tells the gateway's own address. Unsafe without a proxy that checks it.
    pub dangerously_allow_host_header_origin_fallback: Option<bool>,
    /// Whether the page may sign in without encryption from elsewhere.
    pub allow_insecure_auth: Option<bool>,
    /// Whether the page needs no pairing. Unsafe.
    pub dangerously_disable_device_auth: Option<bool>,
}

/// Publishing through Tailscale.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayTailscale {
    /// What is published.
    pub mode: Option<TailscaleMode>,
    /// Whether publishing ends with the gateway.
    pub reset_on_exit: Option<bool>,
}

/// The gateway elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayRemote {
    /// Its WebSocket address.
    pub url: Option<String>,
    /// How it is reached.
    pub transport: Option<RemoteTransport>,
    /// Its token.
    pub token: Option<SecretText>,
    /// Its password.
    pub password: Option<SecretText>,
    /// The fingerprint its certificate must have.
    pub tls_fingerprint: Option<String>,
    /// The machine to tunnel through, as `user@host`.
    pub ssh_target: Option<String>,
    /// The SSH key file.
    pub ssh_identity: Option<String>,
}

/// What happens when this file changes.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayReload {
    /// Which changes are applied.
    pub mode: Option<ReloadMode>,
    /// How long the file must be quiet, in milliseconds.
    pub debounce_ms: Option<Count>,
}

/// Encryption of the gateway's port.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayTls {
    /// Whether it is on.
    pub enabled: Option<bool>,
    /// Whether a self-signed certificate is made when there is none.
    pub auto_generate: Option<bool>,
    /// The certificate, in PEM.
    pub cert_path: Option<String>,
    /// The private key, in PEM.
    pub key_path: Option<String>,
    /// Authorities that client certificates must come from.
    pub ca_path: Option<String>,
}

/// What nodes may be asked to do.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayNodes {
    /// Which node's browser is used.
    pub browser: Option<NodeBrowser>,
    /// Commands allowed in addition.
    pub allow_commands: Option<Vec<String>>,
    /// Commands refused even when they are usual.
    pub deny_commands: Option<Vec<String>>,
}

/// Which node's browser is used.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeBrowser {
    /// How it is chosen.
    pub mode: Option<NodeBrowserMode>,
    /// The node.
    pub node: Option<String>,
}

/// The addresses to listen on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum BindMode {
    /// This machine only, else everywhere.
    Auto,
    /// Everywhere.
    Lan,
    /// This machine only.
    Loopback,
    /// One address.
    Custom,
    /// The address in the tailnet.
    Tailnet,
}

/// How a gateway elsewhere is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RemoteTransport {
    /// Through an SSH tunnel.
    Ssh,
    /// Directly.
    Direct,
}

/// Which changes of the file are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ReloadMode {
    /// None.
    Off,
    /// All, by a restart.
    Restart,
    /// Those that need no restart.
    Hot,
    /// All, with a restart only when needed.
    Hybrid,
}

/// How a node's browser is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum NodeBrowserMode {
    /// By itself, when there is exactly one.
    Auto,
    /// By name.
    Manual,
    /// None is used.
    Off,
}
