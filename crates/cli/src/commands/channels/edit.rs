//! What the configuration becomes when an account is added, switched off or deleted. Pure.
//!
//! Changes are merge patches, which keep comments and everything they do not name. The default account's settings stand at
//! the top of the section, unless it is listed among `accounts`.

use openclaw_ports::channel::{ChannelKind, Readiness, Resolver};
use openclaw_types::Secret;
use serde_json::{Map, Value, json};

/// The account that stands at the top of a section.
pub(super) const DEFAULT: &str = "default";

/// The patch that gives an account these settings and switches it on.
pub(super) fn with(section: &Value, channel: &str, account: &str, settings: Map<String, Value>) -> Value {
    let mut patch = json!({ "enabled": true });
    let place = match written(section, account) {
        Some(name) => &mut patch["accounts"][name],
        None if account == DEFAULT => &mut patch,
        None => &mut patch["accounts"][account],
    };
    if place.is_null() {
        *place = json!({ "enabled": true });
    }
    if let Some(place) = place.as_object_mut() {
        place.extend(settings);
    }
    json!({ "channels": { channel: patch } })
}

/// The patch that switches an account off, or takes it out.
pub(super) fn without(section: &Value, channel: &str, account: &str, way: Way) -> Option<Value> {
    let place = written(section, account);
    let patch = match (place, way) {
        (Some(name), Way::Off) => json!({ "accounts": { name: { "enabled": false } } }),
        (Some(name), Way::Gone) => json!({ "accounts": { name: null } }),
        (None, _) if account != DEFAULT || section.is_null() => return None,
        (None, Way::Off) => json!({ "enabled": false }),
        // Other accounts inherit from what stands beside them; without any the whole section goes.
        (None, Way::Gone) if has_accounts(section) => return None,
        (None, Way::Gone) => Value::Null,
    };
    Some(json!({ "channels": { channel: patch } }))
}

/// How an account goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Its settings stay.
    Off,
    /// With its settings.
    Gone,
}

/// The account's name as it is written among `accounts`.
fn written<'a>(section: &'a Value, account: &str) -> Option<&'a str> {
    let accounts = section.get("accounts")?.as_object()?;
    accounts.keys().map(String::as_str).find(|name| name.trim().to_lowercase() == account)
}

fn has_accounts(section: &Value) -> bool {
    section.get("accounts").and_then(Value::as_object).is_some_and(|accounts| !accounts.is_empty())
}

/// Under which of these keys a platform takes its token: the first one that it notices.
pub(super) fn token_key(kind: &dyn ChannelKind, keys: &[&'static str]) -> Option<&'static str> {
    let print = |section: &Value| {
        let (plans, _) = kind.accounts(section, &AsIs);
        let first = plans.into_iter().next();
        first.map(|plan| (plan.ready == Readiness::Ready, plan.fingerprint))
    };
    let without = print(&json!({}));
    keys.iter().copied().find(|key| print(&json!({ *key: "probe" })) != without)
}

/// Gives secrets as they are written; nothing comes from elsewhere.
struct AsIs;

impl Resolver for AsIs {
    fn variable(&self, _name: &str) -> Option<Secret<String>> {
        None
    }

    fn file(&self, path: &str) -> Result<Secret<String>, String> {
        Err(format!("{path} is not read here"))
    }

    fn secret(&self, value: &Value) -> Result<Secret<String>, String> {
        let text = value.as_str().ok_or_else(|| "not a text".to_owned())?;
        Ok(Secret::new(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(name: &str) -> Map<String, Value> {
        Map::from_iter([("name".to_owned(), json!(name))])
    }

    #[test]
    fn an_account_is_written_where_its_settings_stand() {
        let cases = [
            (json!(null), "default", json!({ "enabled": true, "name": "A" })),
            (
                json!({ "accounts": { "Default": {} } }),
                "default",
                json!({ "enabled": true, "accounts": { "Default": { "enabled": true, "name": "A" } } }),
            ),
            (
                json!({ "token": "x" }),
                "work",
                json!({ "enabled": true, "accounts": { "work": { "enabled": true, "name": "A" } } }),
            ),
        ];
        for (section, account, expected) in cases {
            let patch = with(&section, "sim", account, settings("A"));
            assert_eq!(patch, json!({ "channels": { "sim": expected } }), "{section} {account}");
        }
    }

    #[test]
    fn an_account_goes_with_or_without_its_settings() {
        let both = json!({ "accounts": { "work": {} } });
        let cases = [
            (&both, "work", Way::Off, Some(json!({ "accounts": { "work": { "enabled": false } } }))),
            (&both, "work", Way::Gone, Some(json!({ "accounts": { "work": null } }))),
            (&both, "default", Way::Gone, None),
            (&both, "nobody", Way::Off, None),
            (&json!({ "token": "x" }), "default", Way::Off, Some(json!({ "enabled": false }))),
            (&json!({ "token": "x" }), "default", Way::Gone, Some(Value::Null)),
            (&Value::Null, "default", Way::Off, None),
        ];
        for (section, account, way, expected) in cases {
            let patch = without(section, "sim", account, way);
            assert_eq!(
                patch,
                expected.map(|patch| json!({ "channels": { "sim": patch } })),
                "{section} {account} {way:?}"
            );
        }
    }
}
