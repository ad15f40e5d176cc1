//! What is said under `/v1` and the other paths of programs where nothing answers: JSON, never a page.

use axum::body::Body;
use axum::http::header::{self, HeaderValue};
use axum::http::{Response, StatusCode, Uri};

use super::caller::Refused;

/// An interface that is switched off.
pub(super) fn off(endpoint: &str) -> Response<Body> {
    let message = format!(
        "this interface is switched off; set gateway.http.endpoints.{endpoint}.enabled to true to switch it on"
    );
    Refused::missing("endpoint_disabled", message).answer()
}

/// A path that nothing answers.
pub(in crate::http) async fn unknown(uri: Uri) -> Response<Body> {
    let message = format!("there is nothing at {}", uri.path());
    Refused::missing("unknown_url", message).answer()
}

/// A path that is only written to.
pub(in crate::http) async fn only_post() -> Response<Body> {
    wrong_method("POST")
}

/// A path that is only read.
pub(in crate::http) async fn only_get() -> Response<Body> {
    wrong_method("GET, HEAD")
}

fn wrong_method(allowed: &'static str) -> Response<Body> {
    let refused = Refused {
        status: StatusCode::METHOD_NOT_ALLOWED,
        kind: "invalid_request_error",
        code: Some("method_not_allowed"),
        message: format!("use {allowed} here"),
    };
    let mut response = refused.answer();
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    response
}
