//! Access to the web: what is refused, where redirects lead, what rebinding names cannot do, what proxies are handed.
//!
//! Servers are real and on this machine, so what reaches them is what the guard let through.

mod door;
mod proxies;
mod spellings;

use std::collections::BTreeMap;
use std::time::Duration;

use openclaw_ports::tool::{NamedBy, WebAnswer, WebFault, WebRequest};

use crate::transport::tests::server::Step;

/// A request that a person's configuration stands behind.
fn configured(url: &str) -> WebRequest {
    WebRequest {
        url: url.to_owned(),
        method: "GET",
        headers: BTreeMap::new(),
        secret_headers: BTreeMap::new(),
        body: None,
        timeout: Duration::from_secs(20),
        most_bytes: 10_000,
        redirects: 3,
        named_by: NamedBy::Owner,
        hosts: None,
    }
}

/// A request that a model or a page asked for.
fn asked(url: &str) -> WebRequest {
    WebRequest { named_by: NamedBy::Others, ..configured(url) }
}

fn answer(head: &str, body: &str) -> Vec<Step> {
    vec![Step::Send(format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()))]
}

fn redirect(status: &str, to: &str) -> Vec<Step> {
    answer(&format!("{status} X\r\nlocation: {to}"), "")
}

fn is_refused(result: Result<WebAnswer, WebFault>) -> bool {
    matches!(result, Err(WebFault::Refused(_)))
}
