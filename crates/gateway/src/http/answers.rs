//! The few shapes every HTTP answer takes, and the headers all of them carry.
//!
//! No answer of the gateway has CORS headers: browsers of other origins get nothing.

use axum::body::Body;
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{Response, StatusCode};
use serde_json::Value;

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");
const PAGE_POLICY: &str = "default-src 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; \
    script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: https:; font-src 'self'; \
    connect-src 'self' ws: wss:";

/// A short text.
pub(crate) fn text(status: StatusCode, body: impl Into<Body>) -> Response<Body> {
    content(status, TEXT, body.into())
}

/// 404 as every unknown path gets it.
pub(crate) fn not_found() -> Response<Body> {
    text(StatusCode::NOT_FOUND, "Not Found")
}

/// 405 as every path that can only be read gets it.
pub(crate) fn method_not_allowed() -> Response<Body> {
    let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed");
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
    response
}

/// A JSON value that must not be kept by caches.
pub(crate) fn json(status: StatusCode, value: &Value) -> Response<Body> {
    content(status, JSON, Body::from(value.to_string()))
}

/// Any content, never kept by caches without asking again.
pub(crate) fn content(status: StatusCode, kind: HeaderValue, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// Adds what every answer carries.
pub(crate) fn harden(response: &mut Response<Body>, transport_security: Option<&str>) {
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if let Some(value) = transport_security.and_then(|text| HeaderValue::from_str(text).ok()) {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, value);
    }
}

/// Adds what pages and their files carry on top: no framing, no foreign scripts.
pub(crate) fn as_page(mut response: Response<Body>) -> Response<Body> {
    let headers = response.headers_mut();
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(HeaderName::from_static("content-security-policy"), HeaderValue::from_static(PAGE_POLICY));
    response
}

/// The content type of a file by its extension.
pub(crate) fn content_type(extension: Option<&str>) -> HeaderValue {
    HeaderValue::from_static(match extension {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "application/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "map") => "application/json; charset=utf-8",
        Some("webmanifest") => "application/manifest+json; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("webp") => "image/webp",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("woff") => "font/woff",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    })
}

/// Whether a missing file with this extension is a 404 instead of a route of the web app.
pub(crate) fn is_static_extension(extension: Option<&str>) -> bool {
    matches!(
        extension,
        Some(
            "js" | "mjs"
                | "css"
                | "json"
                | "map"
                | "webmanifest"
                | "svg"
                | "png"
                | "jpg"
                | "jpeg"
                | "gif"
                | "webp"
                | "ico"
                | "woff"
                | "woff2"
                | "txt"
        )
    )
}
