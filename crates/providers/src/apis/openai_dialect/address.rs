//! Where a call goes and what it carries beside its body.
//!
//! Base addresses come from people and catalogs: with or without a slash at the end, with query parameters (Azure's
//! `api-version`), sometimes already with the path of the call.

use std::collections::BTreeMap;

use openclaw_ports::model::ModelTarget;
use openclaw_types::Secret;

/// Ends of the hosts that take a key in `api-key` instead of a bearer token.
const API_KEY_HOSTS: &[&str] =
    &[".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"];

/// The whole address of a call: `path` behind the base's path, the base's query parameters kept.
pub(in crate::apis) fn endpoint(base: &str, path: &str) -> String {
    let base = base.trim();
    let base = base.split_once('#').map_or(base, |(before, _)| before);
    let (root, query) = match base.split_once('?') {
        Some((root, query)) => (root, Some(query)),
        None => (base, None),
    };
    let root = root.trim_end_matches('/');
    let mut url = root.to_owned();
    if !root.ends_with(path) {
        url.push_str(path);
    }
    if let Some(query) = query.filter(|query| !query.is_empty()) {
        url.push('?');
        url.push_str(query);
    }
    url
}

/// The host of an address, in lower case, without a port.
pub(in crate::apis) fn host_of(url: &str) -> String {
    let rest = url.trim().split_once("://").map_or(url.trim(), |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    host.split(':').next().unwrap_or_default().to_ascii_lowercase()
}

/// The headers of a call. What the target sets itself wins.
pub(in crate::apis) fn headers(target: &ModelTarget) -> BTreeMap<String, Secret<String>> {
    let mut headers = BTreeMap::from([
        ("accept".to_owned(), Secret::new("text/event-stream".to_owned())),
        ("content-type".to_owned(), Secret::new("application/json".to_owned())),
    ]);
    let credential = target.credential.as_ref().map(|credential| credential.reveal().trim());
    if let Some(credential) = credential.filter(|credential| !credential.is_empty()) {
        let host = host_of(&target.base_url);
        // A signed token of the directory is a bearer token there as everywhere.
        let signed = credential.starts_with("eyJ");
        if !signed && API_KEY_HOSTS.iter().any(|end| host.ends_with(end)) {
            headers.insert("api-key".to_owned(), Secret::new(credential.to_owned()));
        } else {
            headers.insert("authorization".to_owned(), Secret::new(format!("Bearer {credential}")));
        }
    }
    headers.extend(target.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())));
    headers
}
