//! Errors as they stand on the wire: code, message, details.
//!
//! `ErrorShape` is what a refused request is answered with and what our own client receives. The constructors hold the
//! texts that original clients match on, so that no handler spells them. Close codes live in `close`.

use std::borrow::Cow;
use std::fmt;

use openclaw_types::{Role, Scope};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use crate::shape::{choices, object};

/// The kind of a refusal. A code of a newer server is kept as `Other`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// The request cannot be served as it is: bad params, unknown method, missing scope, wrong credentials.
    InvalidRequest,
    /// The request is fine but cannot be served now.
    Unavailable,
    /// The device must be paired first; only during connect.
    NotPaired,
    /// A messaging account is not linked.
    NotLinked,
    /// A run took too long.
    AgentTimeout,
    /// The principal may not do this (protocol 4).
    Forbidden,
    /// There is no such approval (protocol 4).
    ApprovalNotFound,
    /// A code this version does not know.
    Other(String),
}

impl ErrorCode {
    /// Every code this version knows.
    pub const KNOWN: &'static [Self] = &[
        Self::InvalidRequest,
        Self::Unavailable,
        Self::NotPaired,
        Self::NotLinked,
        Self::AgentTimeout,
        Self::Forbidden,
        Self::ApprovalNotFound,
    ];

    /// The code as it stands on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::InvalidRequest => "INVALID_REQUEST",
            Self::Unavailable => "UNAVAILABLE",
            Self::NotPaired => "NOT_PAIRED",
            Self::NotLinked => "NOT_LINKED",
            Self::AgentTimeout => "AGENT_TIMEOUT",
            Self::Forbidden => "FORBIDDEN",
            Self::ApprovalNotFound => "APPROVAL_NOT_FOUND",
            Self::Other(code) => code,
        }
    }

    fn from_text(text: String) -> Self {
        match Self::KNOWN.iter().find(|code| code.as_str() == text) {
            Some(code) => code.clone(),
            None => Self::Other(text),
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ErrorCode {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(Self::from_text)
    }
}

impl JsonSchema for ErrorCode {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("ErrorCode")
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "minLength": 1})
    }
}

choices! {
    /// Says in `details.code` why a connect was refused; the Control UI chooses its screen by it.
    DetailCode {
        AuthRequired = "AUTH_REQUIRED",
        AuthUnauthorized = "AUTH_UNAUTHORIZED",
        AuthTokenMissing = "AUTH_TOKEN_MISSING",
        AuthTokenMismatch = "AUTH_TOKEN_MISMATCH",
        AuthTokenNotConfigured = "AUTH_TOKEN_NOT_CONFIGURED",
        AuthPasswordMissing = "AUTH_PASSWORD_MISSING",
        AuthPasswordMismatch = "AUTH_PASSWORD_MISMATCH",
        AuthPasswordNotConfigured = "AUTH_PASSWORD_NOT_CONFIGURED",
        AuthDeviceTokenMismatch = "AUTH_DEVICE_TOKEN_MISMATCH",
        AuthRateLimited = "AUTH_RATE_LIMITED",
        AuthTailscaleIdentityMissing = "AUTH_TAILSCALE_IDENTITY_MISSING",
        AuthTailscaleProxyMissing = "AUTH_TAILSCALE_PROXY_MISSING",
        AuthTailscaleWhoisFailed = "AUTH_TAILSCALE_WHOIS_FAILED",
        AuthTailscaleIdentityMismatch = "AUTH_TAILSCALE_IDENTITY_MISMATCH",
        ControlUiDeviceIdentityRequired = "CONTROL_UI_DEVICE_IDENTITY_REQUIRED",
        DeviceIdentityRequired = "DEVICE_IDENTITY_REQUIRED",
        DeviceAuthInvalid = "DEVICE_AUTH_INVALID",
        PairingRequired = "PAIRING_REQUIRED",
        ProtocolMismatch = "PROTOCOL_MISMATCH",
        MissingScope = "MISSING_SCOPE",
        AuthScopeMismatch = "AUTH_SCOPE_MISMATCH",
        AuthBootstrapTokenInvalid = "AUTH_BOOTSTRAP_TOKEN_INVALID",
        ControlUiOriginNotAllowed = "CONTROL_UI_ORIGIN_NOT_ALLOWED",
        ClientVersionMismatch = "CLIENT_VERSION_MISMATCH",
        DeviceAuthDeviceIdMismatch = "DEVICE_AUTH_DEVICE_ID_MISMATCH",
        DeviceAuthSignatureExpired = "DEVICE_AUTH_SIGNATURE_EXPIRED",
        DeviceAuthNonceRequired = "DEVICE_AUTH_NONCE_REQUIRED",
        DeviceAuthNonceMismatch = "DEVICE_AUTH_NONCE_MISMATCH",
        DeviceAuthSignatureInvalid = "DEVICE_AUTH_SIGNATURE_INVALID",
        DeviceAuthPublicKeyInvalid = "DEVICE_AUTH_PUBLIC_KEY_INVALID",
    }
}

object! {
    /// Why a request was refused.
    open ErrorShape {
        code: ErrorCode,
        /// For people; never empty.
        message: String,
        /// Boxed to keep results small.
        details?: Box<Value>,
        /// Whether the same request may succeed later.
        retryable?: bool,
        retry_after_ms?: u64,
    }
}

impl ErrorShape {
    /// An error with a code and words for people.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: None, retryable: None, retry_after_ms: None }
    }

    /// The request cannot be served as it is.
    #[must_use]
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidRequest, message)
    }

    /// The request cannot be served now.
    #[must_use]
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Unavailable, message)
    }

    /// The device must be paired first.
    #[must_use]
    pub fn not_paired(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::NotPaired, message)
    }

    /// There is no such method.
    #[must_use]
    pub fn unknown_method(name: &str) -> Self {
        Self::invalid_request(format!("unknown method: {name}"))
    }

    /// The principal lacks a scope.
    #[must_use]
    pub fn missing_scope(scope: Scope) -> Self {
        Self::invalid_request(format!("missing scope: {scope}"))
            .with_details(json!({"code": DetailCode::MissingScope.as_str(), "scope": scope.as_str()}))
    }

    /// The method belongs to the other role.
    #[must_use]
    pub fn unauthorized_role(role: Role) -> Self {
        Self::invalid_request(format!("unauthorized role: {role}"))
    }

    /// The params of a method are wrong; `problems` says how.
    #[must_use]
    pub fn invalid_params(method: &str, problems: &str) -> Self {
        Self::invalid_request(format!("invalid {method} params: {problems}"))
    }

    /// Adds details for programs.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// Says that the same request may succeed in a moment.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.retryable = Some(true);
        self
    }

    /// Says when to try again.
    #[must_use]
    pub fn retry_after(mut self, millis: u64) -> Self {
        self.retryable = Some(true);
        self.retry_after_ms = Some(millis);
        self
    }
}

impl fmt::Display for ErrorShape {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for ErrorShape {}

/// A value of ours could not be written as JSON; a bug in its type, the request should be answered as unavailable.
#[derive(Debug, thiserror::Error)]
#[error("a message could not be written as JSON")]
pub struct EncodeError(#[from] serde_json::Error);
