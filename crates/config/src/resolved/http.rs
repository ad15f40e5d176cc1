//! The HTTP interface: which compatible endpoints are open, which headers every answer carries.
//!
//! The endpoints' own limits stay raw until the endpoints exist. `gateway::resolve` calls this.

use crate::sections::{GatewayHttp, Switch, TextOrOff};

/// Which compatible endpoints are open, which headers every answer carries.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HttpSettings {
    /// Whether `/v1/chat/completions` answers.
    pub chat_completions: bool,
    /// Whether `/v1/responses` answers.
    pub responses: bool,
    /// The value of `Strict-Transport-Security`, when it is sent.
    pub strict_transport_security: Option<String>,
}

pub(super) fn resolve(raw: Option<&GatewayHttp>) -> HttpSettings {
    let endpoints = raw.and_then(|http| http.endpoints.as_ref());
    let chat = endpoints.and_then(|endpoints| endpoints.chat_completions.as_ref());
    let responses = endpoints.and_then(|endpoints| endpoints.responses.as_ref());
    let header = raw
        .and_then(|http| http.security_headers.as_ref())
        .and_then(|headers| headers.strict_transport_security.as_ref());
    HttpSettings {
        chat_completions: chat.and_then(|switch: &Switch| switch.enabled).unwrap_or(false),
        responses: responses.and_then(|endpoint| endpoint.enabled).unwrap_or(false),
        strict_transport_security: match header {
            Some(TextOrOff::Text(text)) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            _ => None,
        },
    }
}
