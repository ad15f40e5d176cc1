//! What the section of a platform says about one of its accounts.

use openclaw_types::AccountId;
use serde_json::Value;

/// The part of a section that is an account's own, under the name it has there. People write names in any case.
#[must_use]
pub fn own_part<'a>(section: &'a Value, account: &AccountId) -> Option<(&'a str, &'a Value)> {
    let accounts = section.get("accounts")?.as_object()?;
    let is_it = |name: &str| name.trim().to_lowercase() == account.as_str();
    accounts.iter().find(|(name, _)| is_it(name)).map(|(name, own)| (name.as_str(), own))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_account_is_found_however_its_name_is_written() {
        let section = json!({ "token": "t", "accounts": { " Work ": { "name": "w" }, "home": {} } });
        let found = |name: &str| own_part(&section, &AccountId::new(name).unwrap()).map(|(name, _)| name);
        assert_eq!(found("work"), Some(" Work "));
        assert_eq!(found("home"), Some("home"));
        assert_eq!(found("other"), None);
        assert_eq!(own_part(&json!({ "token": "t" }), &AccountId::new("work").unwrap()), None);
    }
}
