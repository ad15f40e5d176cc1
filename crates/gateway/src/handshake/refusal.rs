//! The answers to clients that are not let in: every row of the failure table, in one place.
//!
//! Pure. Clients choose screens by `details.code` and look for words in the messages; both are part of the protocol.
//! Clients of protocol 4 get more specific codes and advice.

use openclaw_protocol::{Close, CloseCode, DetailCode, Dialect, ErrorShape, ProtocolMismatch};
use openclaw_types::PairingRequestId;
use serde_json::{Value, json};

use crate::auth::AuthFailure;
use crate::handshake::applicant::ClientKind;
use crate::handshake::identity::IdentityFault;
use crate::handshake::missing_device::DeviceMissing;
use crate::pairing::{PairingEvent, PairingReason};

const ORIGIN_REFUSED: &str = "origin not allowed (open the Control UI from the gateway host or allow it in gateway.controlUi.allowedOrigins)";
const CONTROL_UI_NEEDS_DEVICE: &str =
    "control ui requires device identity (use HTTPS or localhost secure context)";

/// A connect that was refused: what to answer, and how to close.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConnectRefusal {
    /// The error of the response.
    pub(crate) error: ErrorShape,
    /// The close that follows it.
    pub(crate) close: Close,
    /// What other clients should hear about it.
    pub(crate) pairing_events: Vec<PairingEvent>,
}

/// Who is told that its credentials did not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Listener {
    /// What kind of program it is.
    pub(crate) kind: ClientKind,
    /// The protocol it speaks.
    pub(crate) dialect: Dialect,
    /// Whether its own device token could still let it in.
    pub(crate) fallback: Fallback,
}

/// Whether a client could try again with its device's token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fallback {
    /// It proved a device and sent only a wrong shared token.
    DeviceToken,
    /// It has nothing else to try.
    None,
}

impl ConnectRefusal {
    /// No common protocol.
    pub(crate) fn protocol(mismatch: ProtocolMismatch) -> Self {
        Self { error: mismatch.to_error(), close: Close::PROTOCOL_MISMATCH, pairing_events: Vec::new() }
    }

    /// A role that does not exist.
    pub(crate) fn role() -> Self {
        Self::policy(ErrorShape::invalid_request("invalid role"))
    }

    /// A page from somewhere that was not allowed.
    pub(crate) fn origin(dialect: Dialect) -> Self {
        let error = ErrorShape::invalid_request(ORIGIN_REFUSED);
        Self::policy(match dialect {
            Dialect::V3 => error,
            Dialect::V4 => error.with_details(json!({"code": DetailCode::ControlUiOriginNotAllowed})),
        })
    }

    /// Credentials that did not do.
    pub(crate) fn unauthorized(failure: &AuthFailure, listener: Listener) -> Self {
        let mut details = json!({"code": failure.code(), "authReason": failure.reason()});
        if listener.dialect == Dialect::V4 {
            let retry = listener.fallback == Fallback::DeviceToken && *failure == AuthFailure::TokenMismatch;
            let next = if retry { "retry_with_device_token" } else { failure.next_step() };
            add(&mut details, "canRetryWithDeviceToken", Value::Bool(retry));
            add(&mut details, "recommendedNextStep", Value::from(next));
        }
        let error = ErrorShape::invalid_request(failure.message(listener.kind)).with_details(details);
        Self::policy(match failure {
            AuthFailure::RateLimited { retry_after } => {
                error.retry_after(u64::try_from(retry_after.as_millis()).unwrap_or(u64::MAX))
            }
            _ => error,
        })
    }

    /// A client that brought no device.
    pub(crate) fn device_missing(missing: &DeviceMissing, listener: Listener) -> Self {
        match missing {
            DeviceMissing::ControlUi => Self::control_ui_needs_device(),
            DeviceMissing::Required => Self::device_required(),
            DeviceMissing::Unauthorized(failure) => Self::unauthorized(failure, listener),
        }
    }

    fn control_ui_needs_device() -> Self {
        let details = json!({"code": DetailCode::ControlUiDeviceIdentityRequired});
        Self::policy(ErrorShape::invalid_request(CONTROL_UI_NEEDS_DEVICE).with_details(details))
    }

    fn device_required() -> Self {
        let details = json!({"code": DetailCode::DeviceIdentityRequired});
        Self::policy(ErrorShape::not_paired("device identity required").with_details(details))
    }

    /// A device that did not prove its key.
    pub(crate) fn identity(fault: IdentityFault, dialect: Dialect) -> Self {
        let code = match dialect {
            Dialect::V3 => DetailCode::DeviceAuthInvalid,
            Dialect::V4 => fault.specific_code(),
        };
        let details = json!({"code": code, "reason": fault.reason()});
        Self::policy(ErrorShape::invalid_request(fault.message()).with_details(details))
    }

    /// A device that waits for a person.
    pub(crate) fn pairing(id: &PairingRequestId, reason: PairingReason, events: Vec<PairingEvent>) -> Self {
        let details =
            json!({"code": DetailCode::PairingRequired, "requestId": id, "reason": reason.as_str()});
        let refusal = Self::policy(ErrorShape::not_paired("pairing required").with_details(details));
        Self { pairing_events: events, ..refusal }
    }

    /// Trouble on our side.
    pub(crate) fn unavailable() -> Self {
        let text = "the gateway cannot check devices right now; try again in a moment";
        let error = ErrorShape::unavailable(text).retry_after(1000);
        Self { close: Close::because(CloseCode::InternalError, text), error, pairing_events: Vec::new() }
    }

    fn policy(error: ErrorShape) -> Self {
        Self { close: Close::because(CloseCode::Policy, &error.message), error, pairing_events: Vec::new() }
    }
}

fn add(details: &mut Value, key: &str, value: Value) {
    if let Some(details) = details.as_object_mut() {
        details.insert(key.to_owned(), value);
    }
}
