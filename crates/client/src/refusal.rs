//! Decides what kind of refusal an error answer to `connect` is.
//!
//! Pure. Codes in `details` decide; older gateways give none, then the code and the two texts all clients match on do.

use openclaw_protocol::{ErrorCode, ErrorShape};
use serde_json::Value;

use crate::error::{HandshakeRefusal, RefusalKind};

/// Sorts an error answer.
pub(crate) fn refusal(error: &ErrorShape) -> HandshakeRefusal {
    let details = error.details.clone().map_or(Value::Null, |details| *details);
    let detail_code = details["code"].as_str();
    let text_of = |key: &str| details[key].as_str().map(str::to_owned);
    let kind = match detail_code {
        Some("AUTH_DEVICE_TOKEN_MISMATCH") => RefusalKind::DeviceTokenMismatch,
        Some("AUTH_RATE_LIMITED") => RefusalKind::RateLimited,
        Some("PAIRING_REQUIRED") => {
            RefusalKind::PairingRequired { request_id: text_of("requestId"), reason: text_of("reason") }
        }
        Some("DEVICE_IDENTITY_REQUIRED" | "CONTROL_UI_DEVICE_IDENTITY_REQUIRED") => {
            RefusalKind::DeviceRequired
        }
        Some("PROTOCOL_MISMATCH") => mismatch(&details),
        Some(code) if code.starts_with("DEVICE_AUTH") => {
            RefusalKind::DeviceInvalid { reason: text_of("reason") }
        }
        Some(code) if code.starts_with("AUTH_") => RefusalKind::Unauthorized,
        _ => without_detail_code(error, &details),
    };
    HandshakeRefusal { kind, message: error.message.clone(), detail_code: detail_code.map(str::to_owned) }
}

fn without_detail_code(error: &ErrorShape, details: &Value) -> RefusalKind {
    let message = error.message.to_ascii_lowercase();
    match &error.code {
        _ if message.contains("device token mismatch") => RefusalKind::DeviceTokenMismatch,
        ErrorCode::NotPaired if message.contains("pairing required") => RefusalKind::PairingRequired {
            request_id: details["requestId"].as_str().map(str::to_owned),
            reason: details["reason"].as_str().map(str::to_owned),
        },
        ErrorCode::NotPaired => RefusalKind::DeviceRequired,
        ErrorCode::Unavailable => RefusalKind::Unavailable,
        _ if details["expectedProtocol"].is_i64() || message.contains("protocol mismatch") => {
            mismatch(details)
        }
        _ if message.starts_with("unauthorized") => RefusalKind::Unauthorized,
        _ => RefusalKind::Other,
    }
}

fn mismatch(details: &Value) -> RefusalKind {
    RefusalKind::ProtocolMismatch { expected: details["expectedProtocol"].as_i64() }
}
