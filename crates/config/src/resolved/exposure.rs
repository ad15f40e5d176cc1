//! Decides what must not be reachable from other machines.
//!
//! One rule with two users: `gateway::resolve` makes it part of what a valid configuration is, so that nothing is
//! written that could not start, and the gateway asks again before it opens an address, which may be another one than
//! the file's. Pure.

use super::gateway::{Bind, GatewaySettings};
use super::problem::ConfigProblem;
use crate::sections::AuthMode;

impl GatewaySettings {
    /// What forbids listening on `bind` with these settings: errors only, none when it is safe. Loopback always is.
    #[must_use]
    pub fn exposure(&self, bind: Bind) -> Vec<ConfigProblem> {
        if bind.is_loopback() {
            return Vec::new();
        }
        [no_lock(self), no_origin(self)].into_iter().flatten().collect()
    }
}

fn no_lock(settings: &GatewaySettings) -> Option<ConfigProblem> {
    let open = settings.auth.mode == AuthMode::None;
    open.then(|| {
        ConfigProblem::error(
            "gateway.auth.mode",
            "the gateway would be reachable from other machines without any authentication",
        )
        .hint("set gateway.auth.mode to token or password, or gateway.bind to loopback")
    })
}

fn no_origin(settings: &GatewaySettings) -> Option<ConfigProblem> {
    let page = &settings.control_ui;
    let nobody = page.allowed_origins.is_empty() && !page.allow_host_header_origin_fallback;
    (page.enabled && nobody).then(|| {
        ConfigProblem::error(
            "gateway.controlUi.allowedOrigins",
            "the Control UI would be reachable from other machines, but no origin is allowed to use it",
        )
        .hint(
            "list the addresses people open it under, such as [\"https://gateway.example.com\"], \
             or set gateway.controlUi.enabled to false, or gateway.bind to loopback",
        )
    })
}
