//! The failure table: what each kind of client hears, and how its socket is closed.

use std::time::Duration;

use openclaw_protocol::{Dialect, ErrorCode, ErrorShape};
use openclaw_types::PairingRequestId;
use serde_json::{Value, json};

use crate::auth::{AuthFailure, ProxyFailure};
use crate::handshake::applicant::ClientKind;
use crate::handshake::identity::IdentityFault;
use crate::handshake::missing_device::DeviceMissing;
use crate::handshake::refusal::{ConnectRefusal, Fallback, Listener};
use crate::pairing::PairingReason;

const OTHER: Listener = Listener { kind: ClientKind::Other, dialect: Dialect::V3, fallback: Fallback::None };

/// Checks an error and its close, whose reason is the message cut to 120 bytes.
fn check(refusal: ConnectRefusal, code: ErrorCode, message: &str, details: Option<Value>) {
    let error = ErrorShape { details: details.map(Box::new), ..ErrorShape::new(code, message) };
    assert_eq!(refusal.error, error);
    assert_eq!(refusal.close.code().number(), 1008);
    assert_eq!(refusal.close.reason(), &message[..message.len().min(120)]);
    assert_eq!(refusal.pairing_events, []);
}

fn unauthorized(failure: AuthFailure, kind: ClientKind, message: &str, code: &str, reason: &str) {
    let refusal = ConnectRefusal::unauthorized(&failure, Listener { kind, ..OTHER });
    let details = json!({"code": code, "authReason": reason});
    check(refusal, ErrorCode::InvalidRequest, &format!("unauthorized: {message}"), Some(details));
}

#[test]
fn wrong_and_missing_secrets_are_told_with_a_hint_for_the_client() {
    use AuthFailure::{PasswordMismatch, PasswordMissing, TokenMismatch, TokenMissing};
    let cli = "set gateway.remote.token to match gateway.auth.token";
    let page = "open the dashboard URL and paste the token in Control UI settings";
    let other = "provide gateway auth token";
    for (kind, hint) in [
        (ClientKind::Cli, cli),
        (ClientKind::ControlUi, page),
        (ClientKind::WebChat, page),
        (ClientKind::Other, other),
    ] {
        let text = format!("gateway token mismatch ({hint})");
        unauthorized(TokenMismatch, kind, &text, "AUTH_TOKEN_MISMATCH", "token_mismatch");
        let text = format!("gateway token missing ({hint})");
        unauthorized(TokenMissing, kind, &text, "AUTH_TOKEN_MISSING", "token_missing");
    }
    for (kind, hint) in [
        (ClientKind::Cli, "set gateway.remote.password to match gateway.auth.password"),
        (ClientKind::WebChat, "enter the password in Control UI settings"),
        (ClientKind::Other, "provide gateway auth password"),
    ] {
        let text = format!("gateway password mismatch ({hint})");
        unauthorized(PasswordMismatch, kind, &text, "AUTH_PASSWORD_MISMATCH", "password_mismatch");
        let text = format!("gateway password missing ({hint})");
        unauthorized(PasswordMissing, kind, &text, "AUTH_PASSWORD_MISSING", "password_missing");
    }
}

#[test]
fn the_other_failures_are_told_the_same_to_everybody() {
    let check =
        |failure, message, code, reason| unauthorized(failure, ClientKind::Other, message, code, reason);
    check(
        AuthFailure::DeviceTokenMismatch,
        "device token mismatch (rotate/reissue device token)",
        "AUTH_DEVICE_TOKEN_MISMATCH",
        "device_token_mismatch",
    );
    check(
        AuthFailure::TokenNotConfigured,
        "gateway token not configured on gateway (set gateway.auth.token)",
        "AUTH_TOKEN_NOT_CONFIGURED",
        "token_missing_config",
    );
    check(
        AuthFailure::PasswordNotConfigured,
        "gateway password not configured on gateway (set gateway.auth.password)",
        "AUTH_PASSWORD_NOT_CONFIGURED",
        "password_missing_config",
    );
    check(
        AuthFailure::TailscaleIdentityMissing,
        "tailscale identity missing (use Tailscale Serve auth or gateway token/password)",
        "AUTH_TAILSCALE_IDENTITY_MISSING",
        "tailscale_user_missing",
    );
    check(
        AuthFailure::TailscaleProxyMissing,
        "tailscale proxy headers missing (use Tailscale Serve or gateway token/password)",
        "AUTH_TAILSCALE_PROXY_MISSING",
        "tailscale_proxy_missing",
    );
    check(
        AuthFailure::TailscaleWhoisFailed,
        "tailscale identity check failed (use Tailscale Serve auth or gateway token/password)",
        "AUTH_TAILSCALE_WHOIS_FAILED",
        "tailscale_whois_failed",
    );
    check(
        AuthFailure::TailscaleIdentityMismatch,
        "tailscale identity mismatch (use Tailscale Serve auth or gateway token/password)",
        "AUTH_TAILSCALE_IDENTITY_MISMATCH",
        "tailscale_user_mismatch",
    );
}

#[test]
fn a_proxy_that_is_not_believed_is_told_no_more_than_unauthorized() {
    for (failure, reason) in [
        (ProxyFailure::UntrustedSource, "trusted_proxy_untrusted_source"),
        (ProxyFailure::MissingHeader("x-auth".to_owned()), "trusted_proxy_missing_header_x-auth"),
        (ProxyFailure::UserNotAllowed, "trusted_proxy_user_not_allowed"),
    ] {
        let refusal = ConnectRefusal::unauthorized(&AuthFailure::Proxy(failure), OTHER);
        let details = json!({"code": "AUTH_UNAUTHORIZED", "authReason": reason});
        check(refusal, ErrorCode::InvalidRequest, "unauthorized", Some(details));
    }
}

#[test]
fn a_locked_out_caller_hears_when_to_come_back() {
    let limited = AuthFailure::RateLimited { retry_after: Duration::from_millis(1500) };
    let refusal = ConnectRefusal::unauthorized(&limited, OTHER);
    let message = "unauthorized: too many failed authentication attempts (retry later)";
    let details = json!({"code": "AUTH_RATE_LIMITED", "authReason": "rate_limited"});
    let expected = ErrorShape::invalid_request(message).with_details(details).retry_after(1500);
    assert_eq!(refusal.error, expected);
    assert_eq!((refusal.close.code().number(), refusal.close.reason()), (1008, message));
}

#[test]
fn role_origin_and_missing_devices_are_refused_in_the_words_clients_know() {
    check(ConnectRefusal::role(), ErrorCode::InvalidRequest, "invalid role", None);
    let origin = "origin not allowed (open the Control UI from the gateway host or allow it in \
                  gateway.controlUi.allowedOrigins)";
    check(ConnectRefusal::origin(Dialect::V3), ErrorCode::InvalidRequest, origin, None);
    check(
        ConnectRefusal::device_missing(&DeviceMissing::Required, OTHER),
        ErrorCode::NotPaired,
        "device identity required",
        Some(json!({"code": "DEVICE_IDENTITY_REQUIRED"})),
    );
    check(
        ConnectRefusal::device_missing(&DeviceMissing::ControlUi, OTHER),
        ErrorCode::InvalidRequest,
        "control ui requires device identity (use HTTPS or localhost secure context)",
        Some(json!({"code": "CONTROL_UI_DEVICE_IDENTITY_REQUIRED"})),
    );
}

#[test]
fn each_fault_of_a_device_proof_has_its_reason_and_in_protocol_4_its_code() {
    for (fault, message, reason, specific) in [
        (IdentityFault::IdMismatch, "device identity mismatch", "device-id-mismatch", "DEVICE_ID_MISMATCH"),
        (IdentityFault::Stale, "device signature expired", "device-signature-stale", "SIGNATURE_EXPIRED"),
        (IdentityFault::NonceMissing, "device nonce required", "device-nonce-missing", "NONCE_REQUIRED"),
        (IdentityFault::NonceMismatch, "device nonce mismatch", "device-nonce-mismatch", "NONCE_MISMATCH"),
        (IdentityFault::BadSignature, "device signature invalid", "device-signature", "SIGNATURE_INVALID"),
        (IdentityFault::BadKey, "device public key invalid", "device-public-key", "PUBLIC_KEY_INVALID"),
    ] {
        let general = json!({"code": "DEVICE_AUTH_INVALID", "reason": reason});
        check(
            ConnectRefusal::identity(fault, Dialect::V3),
            ErrorCode::InvalidRequest,
            message,
            Some(general),
        );
        let specific = json!({"code": format!("DEVICE_AUTH_{specific}"), "reason": reason});
        check(
            ConnectRefusal::identity(fault, Dialect::V4),
            ErrorCode::InvalidRequest,
            message,
            Some(specific),
        );
    }
}

#[test]
fn each_reason_for_pairing_is_told_with_its_request() {
    for (reason, word) in [
        (PairingReason::NotPaired, "not-paired"),
        (PairingReason::RoleUpgrade, "role-upgrade"),
        (PairingReason::ScopeUpgrade, "scope-upgrade"),
        (PairingReason::MetadataUpgrade, "metadata-upgrade"),
    ] {
        let id = PairingRequestId::new("r-1").unwrap();
        let details = json!({"code": "PAIRING_REQUIRED", "requestId": "r-1", "reason": word});
        check(
            ConnectRefusal::pairing(&id, reason, Vec::new()),
            ErrorCode::NotPaired,
            "pairing required",
            Some(details),
        );
    }
}

#[test]
fn clients_of_protocol_4_hear_what_to_try_next() {
    let newer = Listener { dialect: Dialect::V4, ..OTHER };
    let with_device = Listener { fallback: Fallback::DeviceToken, ..newer };
    let details = |failure: &AuthFailure, listener| {
        ConnectRefusal::unauthorized(failure, listener).error.details.unwrap()
    };
    let check = |failure: AuthFailure, listener, retry: bool, next: &str| {
        let details = details(&failure, listener);
        assert_eq!(
            (&details["canRetryWithDeviceToken"], &details["recommendedNextStep"]),
            (&json!(retry), &json!(next)),
            "{failure:?}"
        );
    };
    check(AuthFailure::TokenMismatch, newer, false, "update_auth_credentials");
    check(AuthFailure::TokenMismatch, with_device, true, "retry_with_device_token");
    check(AuthFailure::PasswordMismatch, with_device, false, "update_auth_credentials");
    check(AuthFailure::TokenMissing, newer, false, "update_auth_configuration");
    check(AuthFailure::RateLimited { retry_after: Duration::ZERO }, newer, false, "wait_then_retry");
    check(AuthFailure::Unauthorized, newer, false, "review_auth_configuration");
    let origin = ConnectRefusal::origin(Dialect::V4).error.details;
    assert_eq!(origin.as_deref(), Some(&json!({"code": "CONTROL_UI_ORIGIN_NOT_ALLOWED"})));
}
