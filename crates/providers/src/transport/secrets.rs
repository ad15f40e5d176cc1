//! Collects what a call carries in secret, so that no fault repeats it.
//!
//! Pure. `stream` and `side_call` ask once for each call; what is done with the values is `apis::shared`'s business.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openclaw_ports::model::AwsKeys;
use openclaw_types::{Secret, percent_decoded};
use reqwest::Url;

use super::send::Outgoing;
use crate::apis::Secrets;

/// Headers whose values everyone may see.
const OPEN_HEADERS: &[&str] = &[
    "accept",
    "accept-encoding",
    "anthropic-beta",
    "anthropic-version",
    "content-type",
    "copilot-integration-id",
    "editor-plugin-version",
    "editor-version",
    "openai-beta",
    "openai-intent",
    "user-agent",
    "x-initiator",
];
/// What the name of a secret in an address contains.
const SECRET_FIELDS: &[&str] = &["auth", "code", "key", "pass", "secret", "sig", "token"];

/// Everything secret about a call.
pub(super) fn secrets_of(
    outgoing: &Outgoing,
    credential: Option<&Secret<String>>,
    aws: Option<&AwsKeys>,
) -> Secrets {
    let headers = outgoing.headers.iter().filter(|(name, _)| !OPEN_HEADERS.contains(&name.as_str()));
    let headers = headers.flat_map(|(_, value)| Secrets::of_header(value));
    let aws = aws
        .into_iter()
        .flat_map(|keys| std::iter::once(keys.secret_access_key.clone()).chain(keys.session_token.clone()));
    Secrets::new(headers.chain(credential.cloned()).chain(aws).chain(in_address(&outgoing.url)))
}

/// Names and passwords in an address, as written, as meant, and as they are sent.
fn in_address(url: &str) -> Vec<Secret<String>> {
    // Most have neither a name nor a question, and are not read a second time.
    if !url.contains(['@', '?']) {
        return Vec::new();
    }
    let Ok(url) = Url::parse(url.trim()) else { return Vec::new() };
    let mut found = Vec::new();
    let (name, password) = (meant(url.username()), meant(url.password().unwrap_or_default()));
    if !(name.is_empty() && password.is_empty()) {
        found.push(STANDARD.encode(format!("{name}:{password}")));
        found.extend([url.username().to_owned(), url.password().unwrap_or_default().to_owned()]);
        found.extend([name, password]);
    }
    for (field, value) in url.query_pairs() {
        let field = field.to_ascii_lowercase();
        if SECRET_FIELDS.iter().any(|secret| field.contains(secret)) {
            found.push(value.into_owned());
        }
    }
    found.into_iter().map(Secret::new).collect()
}

/// A part of an address without its escapes.
fn meant(part: &str) -> String {
    String::from_utf8_lossy(&percent_decoded(part)).into_owned()
}
