//! The accounts of a section: the section itself is one, and each of `accounts.<id>` is one that inherits from it.
//!
//! A key of an account replaces the section's key whole. `accounts`, `defaultAccount` and `name` do not inherit. Without
//! `accounts`, or with secrets of its own, the section is the account `default`.

use openclaw_types::{AccountId, Secret};
use serde_json::{Map, Value};

/// The id of the account that a section without `accounts` is.
pub(crate) const DEFAULT: &str = "default";

/// One account's settings, with what it inherits.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AccountSection {
    /// Its id.
    pub(crate) id: AccountId,
    /// Where it stands below the section: empty for the section itself.
    pub(crate) path: String,
    /// Its settings.
    pub(crate) settings: Map<String, Value>,
    /// What it says itself, without what it inherits.
    pub(crate) own: Map<String, Value>,
    /// Whether both the section and the account want it.
    pub(crate) enabled: bool,
    /// Whether it is the account that is meant where none is named, and that variables of the environment stand for.
    pub(crate) is_default: bool,
}

/// The accounts of a section. `own` are the keys that make the section itself an account when one of them is set, though
/// there are `accounts`.
pub(crate) fn account_sections(section: &Value, own: &[&str]) -> Vec<AccountSection> {
    let Some(root) = section.as_object() else { return Vec::new() };
    let wanted = is_enabled(root);
    let mut shared = root.clone();
    for key in ["accounts", "defaultAccount", "name"] {
        shared.remove(key);
    }
    let accounts = root.get("accounts").and_then(Value::as_object).filter(|accounts| !accounts.is_empty());
    let named = |id: &String| accounts.is_some_and(|all| all.keys().any(|name| normalised(name) == *id));
    // A name that nobody has names nobody.
    let default = root.get("defaultAccount").and_then(Value::as_str).map(normalised).filter(named);
    let mut found = Vec::new();
    for (name, account) in accounts.into_iter().flatten() {
        let Some(account) = account.as_object() else { continue };
        let Ok(id) = AccountId::new(normalised(name)) else { continue };
        let mut settings = shared.clone();
        settings.extend(account.iter().map(|(key, value)| (key.clone(), value.clone())));
        let enabled = wanted && is_enabled(account);
        found.push(AccountSection {
            is_default: id.as_str() == default.as_deref().unwrap_or(DEFAULT),
            path: format!("accounts.{name}"),
            id,
            settings,
            own: account.clone(),
            enabled,
        });
    }
    let has_default = found.iter().any(|account| account.id.as_str() == DEFAULT);
    let stands_alone = found.is_empty() || own.iter().any(|key| root.get(*key).is_some_and(is_set));
    if stands_alone && !has_default {
        let mut settings = shared;
        settings.extend(root.get("name").map(|name| ("name".to_owned(), name.clone())));
        if let Ok(id) = AccountId::new(DEFAULT) {
            let is_default = default.as_deref().is_none_or(|default| default == DEFAULT);
            let own = settings.clone();
            let path = String::new();
            found.insert(0, AccountSection { id, path, settings, own, enabled: wanted, is_default });
        }
    }
    found
}

impl AccountSection {
    /// Where a secret of its login is looked for, in order. Only the default account takes the section's: another one that
    /// did would be the same login once more.
    pub(crate) fn login_settings(&self) -> impl Iterator<Item = &Map<String, Value>> {
        std::iter::once(&self.own).chain(self.is_default.then_some(&self.settings))
    }

    /// A text that is not empty.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.settings.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
    }

    /// A switch.
    pub(crate) fn switch(&self, key: &str) -> Option<bool> {
        self.settings.get(key).and_then(Value::as_bool)
    }

    /// A number that is not negative.
    pub(crate) fn number(&self, key: &str) -> Option<u64> {
        let value = self.settings.get(key)?;
        value.as_u64().or_else(|| value.as_f64().filter(|number| *number >= 0.0).map(|number| number as u64))
    }

    /// A value by a path with dots.
    pub(crate) fn at(&self, path: &str) -> Option<&Value> {
        let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
        let value = self.settings.get(first)?;
        match rest {
            Some(rest) => rest.split('.').try_fold(value, |value, key| value.get(key)),
            None => Some(value),
        }
    }

    /// Where a key of this account stands below the section, for people.
    pub(crate) fn place(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// Its name for people.
    pub(crate) fn name(&self) -> Option<String> {
        self.text("name").map(str::to_owned)
    }
}

/// Which account has which login, so that none is used twice: everything would be heard and answered twice.
#[derive(Default)]
pub(crate) struct Owners(Vec<(Secret<String>, AccountId)>);

impl Owners {
    /// Notes the login of an account; says what to do where another account has it. `key` is what it is configured with.
    pub(crate) fn claim(
        &mut self,
        login: &Secret<String>,
        account: &AccountSection,
        channel: &str,
        key: &str,
    ) -> Result<(), String> {
        match self.0.iter().find(|(each, _)| each.reveal() == login.reveal()) {
            Some((_, owner)) => Err(format!(
                "the account \"{owner}\" has the same token: give channels.{channel}.{} a bot of its own",
                account.place(key)
            )),
            None => {
                self.0.push((login.clone(), account.id.clone()));
                Ok(())
            }
        }
    }
}

fn is_enabled(settings: &Map<String, Value>) -> bool {
    settings.get("enabled").and_then(Value::as_bool).unwrap_or(true)
}

fn is_set(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.trim().is_empty(),
        _ => true,
    }
}

/// Account ids are compared in lower case.
fn normalised(name: &str) -> String {
    name.trim().to_lowercase()
}
