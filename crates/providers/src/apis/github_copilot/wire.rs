//! The wire types of the token exchange, and the little that tells the two protocols apart.

use std::borrow::Cow;

use openclaw_types::Secret;
use serde::Deserialize;
use serde_json::Value;

/// The answer to the exchange.
#[derive(Deserialize)]
pub(super) struct ExchangeAnswer {
    #[serde(default)]
    pub(super) token: Option<Secret<String>>,
    #[serde(default)]
    pub(super) expires_at: Option<Value>,
    #[serde(default)]
    pub(super) endpoints: Option<Endpoints>,
}

#[derive(Deserialize)]
pub(super) struct Endpoints {
    #[serde(default)]
    pub(super) api: Option<String>,
}

/// The fields of a frame that tell which protocol it is of.
#[derive(Default, Deserialize)]
pub(super) struct Hint<'a> {
    #[serde(rename = "type", default, borrow)]
    pub(super) kind: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    pub(super) object: Option<Cow<'a, str>>,
}
