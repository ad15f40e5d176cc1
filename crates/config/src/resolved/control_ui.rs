//! The web page: whether and where it is served, and which origins may use it.
//!
//! Settings and their warnings only; serving files and checking origins is the gateway's work, and whether the page
//! may be reachable at all is decided in `exposure`. `gateway::resolve` calls this.

use std::path::PathBuf;

use super::Context;
use super::problem::ConfigProblem;
use crate::sections::GatewayControlUi;

/// Whether and where the web page is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlUiSettings {
    /// Whether it is served.
    pub enabled: bool,
    /// The path in front of it: empty, or starting and not ending with a slash.
    pub base_path: String,
    /// A directory with other files than the built-in ones.
    pub root: Option<PathBuf>,
    /// Origins besides the gateway's own that browsers may connect from.
    pub allowed_origins: Vec<String>,
    /// Whether the `Host` header decides the gateway's own origin. Unsafe without a proxy that checks it.
    pub allow_host_header_origin_fallback: bool,
    /// Whether the page may sign in over plain HTTP from elsewhere, without a device identity.
    pub allow_insecure_auth: bool,
    /// Whether the page needs no device identity at all. Unsafe.
    pub disable_device_auth: bool,
}

pub(super) fn resolve(
    raw: Option<&GatewayControlUi>,
    context: &Context<'_>,
    problems: &mut Vec<ConfigProblem>,
) -> ControlUiSettings {
    let empty = GatewayControlUi::default();
    let raw = raw.unwrap_or(&empty);
    let origins = raw.allowed_origins.iter().flatten().map(|origin| origin.trim().to_owned());
    let root = raw.root.as_deref().map(str::trim).filter(|root| !root.is_empty());
    let settings = ControlUiSettings {
        enabled: raw.enabled.unwrap_or(true),
        base_path: base_path(raw.base_path.as_deref().unwrap_or_default()),
        root: root.map(|root| context.environment.user_path(root)),
        allowed_origins: origins.filter(|origin| !origin.is_empty()).collect(),
        allow_host_header_origin_fallback: raw.dangerously_allow_host_header_origin_fallback.unwrap_or(false),
        allow_insecure_auth: raw.allow_insecure_auth.unwrap_or(false),
        disable_device_auth: raw.dangerously_disable_device_auth.unwrap_or(false),
    };
    check(&settings, problems);
    settings
}

fn base_path(written: &str) -> String {
    let inner = written.trim().trim_matches('/');
    if inner.is_empty() { String::new() } else { format!("/{inner}") }
}

fn check(settings: &ControlUiSettings, problems: &mut Vec<ConfigProblem>) {
    if settings.disable_device_auth {
        problems.push(
            ConfigProblem::warning(
                "gateway.controlUi.dangerouslyDisableDeviceAuth",
                "lets every browser with the shared secret in, without pairing",
            )
            .hint("use it only while recovering access, then remove it"),
        );
    }
}
