//! How much of a secret people see: that it is there, and the last four letters of a long one. Pure.

use openclaw_ports::stores::{StoredCredential, StoredProfile, StoredSecret};
use serde_json::Value;

/// Shorter secrets show nothing of themselves.
const LONG: usize = 16;
const SHOWN: usize = 4;

/// A secret as people may see it.
pub(super) fn masked(secret: &str) -> String {
    let secret = secret.trim();
    let count = secret.chars().count();
    if count <= LONG {
        return "set".to_owned();
    }
    let end: String = secret.chars().skip(count - SHOWN).collect();
    format!("…{end}")
}

/// What a stored sign-in holds, as people may see it.
pub(super) fn described(profile: &StoredProfile) -> String {
    match &profile.credential {
        StoredCredential::ApiKey { key } => shown(key),
        StoredCredential::Token { token, .. } => format!("token:{}", shown(token)),
        StoredCredential::Oauth(_) => match &profile.email {
            Some(email) => format!("OAuth ({email})"),
            None => "OAuth".to_owned(),
        },
    }
}

fn shown(secret: &StoredSecret) -> String {
    match secret {
        StoredSecret::Text(text) => masked(text.reveal()),
        StoredSecret::Reference(reference) => {
            let text = |name: &str| reference.get(name).and_then(Value::as_str).unwrap_or("?");
            format!("ref({}:{})", text("source"), text("id"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::masked;

    #[test]
    fn only_the_end_of_a_long_secret_is_seen() {
        let shown = ["", "sk-short", "sixteen-letters!", "sk-test-1234567890abcdef"].map(masked);
        assert_eq!(shown, ["set", "set", "set", "…cdef"]);
    }
}
