//! Where in the configuration file a list of people is. Pure.
//!
//! An account of its own has a list of its own from the first change on: it begins with what the account inherited, so
//! that other accounts keep theirs. A list under its older name below `dm` stays where it is.

use openclaw_config::{KeyPath, PathStep};
use openclaw_types::{AccountId, ChannelId};
use serde_json::Value;

use crate::channels::own_part;

/// A list in the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kept {
    /// Where it is, or is to be.
    pub(super) path: String,
    /// What it holds, or inherits.
    pub(super) entries: Vec<Value>,
}

/// The list of an account in the section of its platform.
pub(super) fn find(section: Option<&Value>, channel: &ChannelId, account: &AccountId, key: &str) -> Kept {
    let nothing = Value::Null;
    let section = section.unwrap_or(&nothing);
    let mut steps = vec!["channels", channel.as_str()];
    let own = own_part(section, account);
    let said = |settings: &'_ Value| settings.get(key).filter(|value| !value.is_null()).map(entries);
    // A key of an account replaces the section's key whole, `dm` as well.
    let (older, is_own) = match own.map(|(_, own)| own.get("dm")) {
        Some(Some(dm)) => (said(dm), true),
        Some(None) => (section.get("dm").and_then(said), false),
        None => (section.get("dm").and_then(said), true),
    };
    if let Some((name, _)) = own {
        steps.extend(["accounts", name]);
    }
    let plain = own.and_then(|(_, own)| said(own)).or_else(|| said(section));
    if plain.is_none() && older.is_some() && is_own {
        steps.push("dm");
    }
    steps.push(key);
    let steps = steps.into_iter().map(|step| PathStep::Key(step.to_owned())).collect();
    Kept { path: KeyPath::new(steps).to_string(), entries: plain.or(older).unwrap_or_default() }
}

fn entries(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(entries) => entries.clone(),
        single => vec![single.clone()],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_is_changed_where_it_is_kept_and_never_for_other_accounts() {
        let rows = [
            (json!(null), "default", "channels.pigeon.allowFrom", json!([])),
            (json!({ "allowFrom": [1, "2"] }), "default", "channels.pigeon.allowFrom", json!([1, "2"])),
            (json!({ "allowFrom": "1" }), "default", "channels.pigeon.allowFrom", json!(["1"])),
            (
                json!({ "dm": { "allowFrom": ["1"] } }),
                "default",
                "channels.pigeon.dm.allowFrom",
                json!(["1"]),
            ),
            (
                json!({ "allowFrom": ["1"], "accounts": { "Work": { "allowFrom": ["2"] } } }),
                "work",
                "channels.pigeon.accounts.Work.allowFrom",
                json!(["2"]),
            ),
            (
                json!({ "dm": { "allowFrom": ["1"] }, "accounts": { "work": {}, "home": {} } }),
                "work",
                "channels.pigeon.accounts.work.allowFrom",
                json!(["1"]),
            ),
            (
                json!({ "allowFrom": ["1"], "accounts": { "work": { "dm": { "allowFrom": [] } } } }),
                "work",
                "channels.pigeon.accounts.work.allowFrom",
                json!(["1"]),
            ),
            (
                json!({ "dm": { "allowFrom": ["1"] }, "accounts": { "work": { "dm": { "allowFrom": ["2"] } } } }),
                "work",
                "channels.pigeon.accounts.work.dm.allowFrom",
                json!(["2"]),
            ),
            (
                json!({ "dm": { "allowFrom": ["1"] }, "accounts": { "work": { "dm": { "policy": "open" } } } }),
                "work",
                "channels.pigeon.accounts.work.allowFrom",
                json!([]),
            ),
            (
                json!({ "accounts": { "a.b": {} } }),
                "a.b",
                "channels.pigeon.accounts[\"a.b\"].allowFrom",
                json!([]),
            ),
        ];
        let channel = ChannelId::new("pigeon").unwrap();
        for (section, account, path, entries) in rows {
            let account = AccountId::new(account).unwrap();
            let kept = find(Some(&section), &channel, &account, "allowFrom");
            let expected = Kept { path: path.to_owned(), entries: entries.as_array().unwrap().clone() };
            assert_eq!(kept, expected, "{section}");
        }
    }
}
