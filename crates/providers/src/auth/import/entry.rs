//! One credential as the original's files write it.

use openclaw_config::read_secret_ref;
use openclaw_ports::stores::{OauthTokens, StoredCredential, StoredProfile, StoredSecret};
use openclaw_types::{AuthProfileId, ProviderId, Secret, UnixMillis};
use serde_json::{Map, Value};

/// Fields that have a place of their own in a profile.
const KNOWN: [&str; 16] = [
    "type",
    "mode",
    "provider",
    "email",
    "key",
    "apiKey",
    "keyRef",
    "token",
    "tokenRef",
    "access",
    "refresh",
    "expires",
    "accountId",
    "projectId",
    "enterpriseUrl",
    "clientId",
];

/// What an entry without a type is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Untyped {
    /// Nothing we know.
    Unknown,
    /// A sign-in.
    Oauth,
}

/// Reads an entry.
pub(super) fn read(
    id: &str,
    value: &Value,
    fallback_provider: Option<&str>,
    untyped: Untyped,
) -> Result<StoredProfile, &'static str> {
    let fields = value.as_object().ok_or("is not an object")?;
    let text =
        |name: &str| fields.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let provider = text("provider").or(fallback_provider).ok_or("names no provider")?;
    let provider = ProviderId::new(provider).map_err(|_error| "has a provider that is no name")?;
    let id = AuthProfileId::new(id).map_err(|_error| "has an id that is no name")?;
    let kind = match text("type").or_else(|| text("mode")) {
        Some(kind) => kind,
        None if untyped == Untyped::Oauth => "oauth",
        None => return Err("has no type"),
    };
    let credential = match kind {
        "api_key" => StoredCredential::ApiKey {
            key: secret(fields, "keyRef", &["key", "apiKey"]).ok_or("holds no key")?,
        },
        "token" => StoredCredential::Token {
            token: secret(fields, "tokenRef", &["token"]).ok_or("holds no token")?,
            expires: fields.get("expires").and_then(moment).filter(|expires| expires.0 > 0),
        },
        "oauth" => StoredCredential::Oauth(oauth(fields).ok_or("holds no tokens")?),
        _ => return Err("has a type nobody knows"),
    };
    let email = text("email").map(str::to_owned);
    Ok(StoredProfile { id, provider, email, credential, extra: rest(fields) })
}

/// Writes an entry.
pub(super) fn write(profile: &StoredProfile) -> Value {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            fields.insert(name.to_owned(), value);
        }
    };
    let kind = match &profile.credential {
        StoredCredential::ApiKey { .. } => "api_key",
        StoredCredential::Token { .. } => "token",
        StoredCredential::Oauth(_) => "oauth",
    };
    put("type", Some(kind.into()));
    put("provider", Some(profile.provider.as_str().into()));
    match &profile.credential {
        StoredCredential::ApiKey { key } => match key {
            StoredSecret::Text(text) => put("key", Some(text.reveal().as_str().into())),
            StoredSecret::Reference(reference) => put("keyRef", Some(reference.clone())),
        },
        StoredCredential::Token { token, expires } => {
            match token {
                StoredSecret::Text(text) => put("token", Some(text.reveal().as_str().into())),
                StoredSecret::Reference(reference) => put("tokenRef", Some(reference.clone())),
            }
            put("expires", expires.map(|expires| expires.0.into()));
        }
        StoredCredential::Oauth(tokens) => {
            put("access", Some(tokens.access.reveal().as_str().into()));
            put("refresh", tokens.refresh.as_ref().map(|token| token.reveal().as_str().into()));
            put("expires", Some(tokens.expires.0.into()));
            put("accountId", tokens.account_id.as_deref().map(Value::from));
            put("projectId", tokens.project_id.as_deref().map(Value::from));
            put("enterpriseUrl", tokens.enterprise_url.as_deref().map(Value::from));
            put("clientId", tokens.client_id.as_deref().map(Value::from));
        }
    }
    put("email", profile.email.as_deref().map(Value::from));
    for (name, value) in &profile.extra {
        fields.entry(name.clone()).or_insert_with(|| value.clone());
    }
    Value::Object(fields)
}

/// A moment in milliseconds, however its number is written.
pub(super) fn moment(value: &Value) -> Option<UnixMillis> {
    value.as_i64().or_else(|| format!("{:.0}", value.as_f64()?).parse().ok()).map(UnixMillis)
}

/// A reference wins over a text beside it, which is a leftover of what it once led to.
fn secret(fields: &Map<String, Value>, reference: &str, texts: &[&str]) -> Option<StoredSecret> {
    if let Some(value) = fields.get(reference).filter(|value| read_secret_ref(value, None).is_some()) {
        return Some(StoredSecret::Reference(value.clone()));
    }
    texts
        .iter()
        .filter_map(|name| fields.get(*name)?.as_str())
        .find(|text| !text.trim().is_empty())
        .map(|text| StoredSecret::Text(Secret::new(text.to_owned())))
}

fn oauth(fields: &Map<String, Value>) -> Option<OauthTokens> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let token = |name: &str| text(name).map(|text| Secret::new(text.to_owned()));
    let (access, refresh) = (token("access"), token("refresh"));
    if access.is_none() && refresh.is_none() {
        return None;
    }
    Some(OauthTokens {
        access: access.unwrap_or_else(|| Secret::new(String::new())),
        refresh,
        expires: fields.get("expires").and_then(moment).unwrap_or(UnixMillis(0)),
        account_id: text("accountId").map(str::to_owned),
        project_id: text("projectId").map(str::to_owned),
        enterprise_url: text("enterpriseUrl").map(str::to_owned),
        client_id: text("clientId").map(str::to_owned),
    })
}

/// What has no place of its own. A text under a name that smells of a secret is left out: nothing here is sealed.
fn rest(fields: &Map<String, Value>) -> Map<String, Value> {
    fields
        .iter()
        .filter(|(name, value)| !KNOWN.contains(&name.as_str()) && !is_secret(name, value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn is_secret(name: &str, value: &Value) -> bool {
    let name = name.to_ascii_lowercase();
    let smells = ["token", "secret", "password", "key", "credential"].iter().any(|word| name.contains(word));
    match value {
        Value::String(_) => smells,
        Value::Object(fields) => fields.iter().any(|(name, value)| is_secret(name, value)),
        Value::Array(items) => items.iter().any(|item| smells && item.is_string()),
        _ => false,
    }
}
