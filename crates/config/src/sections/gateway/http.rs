//! `gateway.http`: interfaces that other programs know, and headers that protect browsers.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::shared::Switch;
use crate::sections::value::{Count, Positive, TextOrOff};

/// The HTTP interface.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayHttp {
    /// Interfaces that other programs know.
    pub endpoints: Option<HttpEndpoints>,
    /// Headers that protect browsers.
    pub security_headers: Option<SecurityHeaders>,
}

/// Interfaces that other programs know.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HttpEndpoints {
    /// Chat completions.
    pub chat_completions: Option<Switch>,
    /// Responses.
    pub responses: Option<ResponsesEndpoint>,
}

/// The responses interface.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResponsesEndpoint {
    /// Whether it answers.
    pub enabled: Option<bool>,
    /// The largest request.
    pub max_body_bytes: Option<Positive>,
    /// How many addresses a request may name.
    pub max_url_parts: Option<Count>,
    /// Files in requests.
    pub files: Option<ResponseFiles>,
    /// Pictures in requests.
    pub images: Option<ResponseImages>,
}

/// Files in requests.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResponseFiles {
    /// Where they may come from.
    #[serde(flatten)]
    pub source: UrlSource,
    /// How much text of a file is used.
    pub max_chars: Option<Positive>,
    /// PDF files.
    pub pdf: Option<ResponsePdf>,
}

/// Where content of a request may come from.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UrlSource {
    /// Whether it may be an address.
    pub allow_url: Option<bool>,
    /// The only hosts it may come from.
    pub url_allowlist: Option<Vec<String>>,
    /// The only types.
    pub allowed_mimes: Option<Vec<String>>,
    /// The largest size.
    pub max_bytes: Option<Positive>,
    /// How many redirects are followed.
    pub max_redirects: Option<Count>,
    /// How long fetching may take, in milliseconds.
    pub timeout_ms: Option<Positive>,
}

/// PDF files in requests.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResponsePdf {
    /// How many pages are used.
    pub max_pages: Option<Positive>,
    /// How large drawn pages may be.
    pub max_pixels: Option<Positive>,
    /// Pages with less text are drawn.
    pub min_text_chars: Option<Count>,
}

/// Pictures in requests.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResponseImages {
    /// Where they may come from.
    #[serde(flatten)]
    pub source: UrlSource,
}

/// Headers that protect browsers.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecurityHeaders {
    /// The value of `Strict-Transport-Security`; `false` leaves it out.
    pub strict_transport_security: Option<TextOrOff>,
}
