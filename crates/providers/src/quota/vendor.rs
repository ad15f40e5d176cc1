//! What has to be known of a vendor to ask it about its allowances. Plain data and pure functions.

use openclaw_ports::model::{Access, CredentialKind, QuotaWindow};
use openclaw_types::Secret;
use serde_json::Value;

use crate::{CallMethod, JsonBody};

/// A vendor that tells.
pub(super) struct QuotaVendor {
    /// Its name in references.
    pub(super) provider: &'static str,
    /// Its name for people, short.
    pub(super) name: &'static str,
    /// Where it is asked.
    pub(super) address: &'static str,
    /// The credentials that are good for it.
    pub(super) kinds: &'static [CredentialKind],
    /// What it is asked; nothing when the credential does not do.
    pub(super) ask: fn(&Access) -> Option<Ask>,
    /// What its answer means.
    pub(super) read: fn(&Value) -> Result<Told, String>,
    /// What an answer that is no success means.
    pub(super) explain: fn(u16, &Value) -> String,
}

/// A question.
pub(super) struct Ask {
    pub(super) method: CallMethod,
    pub(super) body: JsonBody,
    /// Names in lower case.
    pub(super) headers: Vec<(&'static str, Secret<String>)>,
}

impl Ask {
    /// A question that only reads.
    pub(super) fn get(headers: impl IntoIterator<Item = (&'static str, Secret<String>)>) -> Self {
        Self { method: CallMethod::Get, body: JsonBody::None, headers: headers.into_iter().collect() }
    }

    /// A question with an empty object in it.
    pub(super) fn post(headers: impl IntoIterator<Item = (&'static str, Secret<String>)>) -> Self {
        Self {
            method: CallMethod::Post,
            body: JsonBody::Json(Value::Object(serde_json::Map::new())),
            headers: headers.into_iter().collect(),
        }
    }
}

/// What a vendor says.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Told {
    /// Its allowances.
    pub(super) windows: Vec<QuotaWindow>,
    /// What was bought.
    pub(super) plan: Option<String>,
}

/// The usual way to sign in.
pub(super) fn bearer(access: &Access) -> Option<(&'static str, Secret<String>)> {
    let secret = access.secret.as_ref()?;
    Some(("authorization", Secret::new(format!("Bearer {}", secret.reveal()))))
}

/// A header that is no secret.
pub(super) fn plain(name: &'static str, value: &str) -> (&'static str, Secret<String>) {
    (name, Secret::new(value.to_owned()))
}

/// A status alone.
pub(super) fn status_alone(status: u16, _: &Value) -> String {
    format!("HTTP {status}")
}
