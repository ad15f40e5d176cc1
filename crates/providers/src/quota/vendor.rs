//! What has to be known of a vendor to ask it about its allowances. Plain data and pure functions.

use openclaw_ports::model::{CallCredential, CredentialKind, ProviderFacts, QuotaWindow};
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
    /// The names its own servers lie under. A credential for a server elsewhere is not shown to it.
    pub(super) zones: &'static [&'static str],
    /// The credentials that are good for it.
    pub(super) kinds: &'static [CredentialKind],
    /// What it is asked; nothing when the credential does not do.
    pub(super) ask: fn(&CallCredential) -> Option<Ask>,
    /// What its answer means.
    pub(super) read: fn(&Value) -> Result<Told, String>,
    /// What an answer that is no success means.
    pub(super) explain: fn(u16, &Value) -> String,
}

impl QuotaVendor {
    /// Whether all models under this name are called on the vendor's own servers, as far as is known. Where a person
    /// wrote another address, the key is that server's and none of this vendor's business.
    pub(super) fn is_itself(&self, facts: Option<&ProviderFacts>) -> bool {
        let endpoint = facts.and_then(|facts| facts.endpoint.as_ref()).map(|endpoint| &endpoint.base_url);
        let models = facts.into_iter().flat_map(|facts| &facts.models).map(|model| &model.base_url);
        endpoint.into_iter().chain(models).all(|address| self.owns(address))
    }

    fn owns(&self, address: &str) -> bool {
        let Ok(url) = reqwest::Url::parse(address.trim()) else { return false };
        let host = url.host_str().unwrap_or_default().trim_end_matches('.');
        self.zones.iter().any(|zone| {
            host.strip_suffix(zone).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        })
    }
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
pub(super) fn bearer(access: &CallCredential) -> Option<(&'static str, Secret<String>)> {
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
