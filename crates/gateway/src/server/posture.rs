//! Refuses to open a door that strangers could walk through.
//!
//! Pure. Checked before anything is bound, with words that say which setting to change. The configuration warns about
//! the same things; here they end the start.

use openclaw_config::sections::AuthMode;
use openclaw_config::{Bind, GatewaySettings};

use crate::error::GatewayError;

/// Says why the gateway must not start on this address with these settings.
pub(crate) fn check(bind: Bind, settings: &GatewaySettings) -> Result<(), GatewayError> {
    if bind.is_loopback() {
        return Ok(());
    }
    let refuse = |reason: &str| Err(GatewayError::Unsafe { reason: reason.to_owned() });
    let ui = &settings.control_ui;
    if settings.auth.mode == AuthMode::None {
        return refuse(
            "the gateway would be reachable from other machines without any authentication; \
             set gateway.auth.mode to token or password, or gateway.bind to loopback",
        );
    }
    if ui.enabled && ui.allowed_origins.is_empty() && !ui.allow_host_header_origin_fallback {
        return refuse(
            "the Control UI would be reachable from other machines, but no origin is allowed to use it; \
             list the addresses people open it under in gateway.controlUi.allowedOrigins \
             (for example [\"https://gateway.example.com\"]), or set gateway.controlUi.enabled to false",
        );
    }
    Ok(())
}
