//! What the configuration becomes when an account is added, switched off or deleted. Pure.
//!
//! Changes are merge patches, which keep comments and everything they do not name. The default account's settings stand at
//! the top of the section, unless it is listed among `accounts`.

use openclaw_ports::channel::{ChannelKind, Readiness, Resolver};
use openclaw_types::Secret;
use serde_json::{Map, Value, json};

/// The account that stands at the top of a section.
pub(super) const DEFAULT: &str = "default";

/// An account in the configuration.
pub(super) struct AccountPlace<'a> {
    /// The section of its platform as it is written; null where there is none.
    pub(super) section: &'a Value,
    /// The platform.
    pub(super) channel: &'a str,
    /// The account.
    pub(super) account: &'a str,
    /// The accounts that the section makes, this one too where it is there.
    pub(super) known: &'a [String],
}

impl AccountPlace<'_> {
    /// The patch that gives the account these settings and switches it on. The switch of the section is for all of them:
    /// where it was off, the others stay off by switches of their own.
    pub(super) fn with(&self, settings: Map<String, Value>) -> Value {
        let mut patch = json!({ "enabled": true });
        if self.section.get("enabled") == Some(&json!(false)) {
            for other in self.known.iter().filter(|id| *id != self.account) {
                let name = written(self.section, other).unwrap_or(other);
                patch["accounts"][name] = json!({ "enabled": false });
            }
        }
        let place = match written(self.section, self.account) {
            Some(name) => &mut patch["accounts"][name],
            None if self.account == DEFAULT => &mut patch,
            None => &mut patch["accounts"][self.account],
        };
        if place.is_null() {
            *place = json!({});
        }
        if let Some(place) = place.as_object_mut() {
            place.insert("enabled".to_owned(), json!(true));
            place.extend(settings);
        }
        json!({ "channels": { self.channel: patch } })
    }

    /// The patch that switches the account off, or takes it out.
    pub(super) fn without(&self, way: Way) -> Option<Value> {
        let patch = match (written(self.section, self.account), way) {
            (Some(name), Way::Off) => json!({ "accounts": { name: { "enabled": false } } }),
            (Some(name), Way::Gone) => json!({ "accounts": { name: null } }),
            (None, _) if !self.known.iter().any(|id| id == self.account) => return None,
            // The switch of the section is for all accounts, and they inherit from what stands beside it.
            (None, Way::Off) if self.known.len() > 1 => {
                json!({ "accounts": { self.account: { "enabled": false } } })
            }
            (None, Way::Gone) if self.known.len() > 1 => return None,
            (None, Way::Off) => json!({ "enabled": false }),
            (None, Way::Gone) => Value::Null,
        };
        Some(json!({ "channels": { self.channel: patch } }))
    }
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

    fn place<'a>(section: &'a Value, account: &'a str, known: &'a [String]) -> AccountPlace<'a> {
        AccountPlace { section, channel: "sim", account, known }
    }

    fn known(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn an_account_is_written_where_its_settings_stand() {
        let cases = [
            (json!(null), "default", &[][..], json!({ "enabled": true, "name": "A" })),
            (
                json!({ "accounts": { "Default": {} } }),
                "default",
                &["default"],
                json!({ "enabled": true, "accounts": { "Default": { "enabled": true, "name": "A" } } }),
            ),
            (
                json!({ "token": "x" }),
                "work",
                &["default"],
                json!({ "enabled": true, "accounts": { "work": { "enabled": true, "name": "A" } } }),
            ),
            (
                json!({ "token": "x", "enabled": false, "accounts": { "Home": {} } }),
                "work",
                &["default", "home"],
                json!({ "enabled": true, "accounts": {
                    "default": { "enabled": false }, "Home": { "enabled": false },
                    "work": { "enabled": true, "name": "A" },
                } }),
            ),
        ];
        for (section, account, ids, expected) in cases {
            let patch = place(&section, account, &known(ids)).with(settings("A"));
            assert_eq!(patch, json!({ "channels": { "sim": expected } }), "{section} {account}");
        }
    }

    #[test]
    fn an_account_goes_with_or_without_its_settings_and_alone() {
        let both = json!({ "token": "x", "accounts": { "work": {} } });
        let alone = json!({ "token": "x" });
        let listed = json!({ "accounts": { "work": {} } });
        let off = json!({ "enabled": false });
        let cases = [
            (&both, "work", Way::Off, Some(json!({ "accounts": { "work": off } }))),
            (&both, "work", Way::Gone, Some(json!({ "accounts": { "work": null } }))),
            (&both, "default", Way::Off, Some(json!({ "accounts": { "default": off } }))),
            (&both, "default", Way::Gone, None),
            (&both, "nobody", Way::Off, None),
            (&listed, "default", Way::Off, None),
            (&alone, "default", Way::Off, Some(off.clone())),
            (&alone, "default", Way::Gone, Some(Value::Null)),
            (&Value::Null, "default", Way::Off, None),
        ];
        for (section, account, way, expected) in cases {
            let ids = match (section.get("token").is_some(), section.get("accounts").is_some()) {
                (true, true) => known(&["default", "work"]),
                (true, false) => known(&["default"]),
                (false, true) => known(&["work"]),
                (false, false) => Vec::new(),
            };
            let patch = place(section, account, &ids).without(way);
            let expected = expected.map(|patch| json!({ "channels": { "sim": patch } }));
            assert_eq!(patch, expected, "{section} {account} {way:?}");
        }
    }
}
