//! The endpoint for personal accounts: the same request in an envelope that names the model and the account's project.
//!
//! Facts: the address has no model in it, the project belongs to the sign-in and comes with it in a header that this
//! endpoint does not take, and answers come in an envelope too, which `decode` opens. Pure.

use std::collections::BTreeMap;

use openclaw_ports::model::{HttpCall, ModelFault, ModelTarget};
use openclaw_types::Secret;

use super::encode::written;
use super::wire::{Envelope, Request};

/// The header in which a sign-in names its project.
const PROJECT: &str = "x-goog-user-project";

/// Whether an address is this endpoint.
pub(super) fn serves(base_url: &str) -> bool {
    let rest = base_url.trim().split_once("://").map_or(base_url.trim(), |(_, rest)| rest);
    let host = rest.split(['/', '?', '#', ':']).next().unwrap_or_default().to_ascii_lowercase();
    host.ends_with("googleapis.com") && host.contains("cloudcode-pa")
}

/// The call with its envelope.
pub(super) fn call(
    request: Request,
    target: &ModelTarget,
    mut headers: BTreeMap<String, Secret<String>>,
) -> Result<HttpCall, ModelFault> {
    let project = headers.remove(PROJECT);
    let project = project.as_ref().map(|project| project.reveal().as_str());
    let body = written(&Envelope { model: &target.model, project, request })?;
    let base = target.base_url.trim_end_matches('/');
    Ok(HttpCall { url: format!("{base}/v1internal:streamGenerateContent?alt=sse"), headers, body })
}
