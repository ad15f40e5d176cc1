//! Decides which paths of the configuration hold secrets.
//!
//! One decision for three users: redaction of what clients see, the `sensitive` mark of the form hints, and the
//! tests that no secret is printed. It goes by the name of the key, so that it also holds inside channel and plugin
//! sections whose shape the core does not know. It is about texts: an object at such a path is looked into, not hidden
//! as a whole.

/// A key that ends like this counts something, or says where a secret is kept, but is none.
const HARMLESS_ENDINGS: [&str; 8] = [
    "tokens",
    "tokencount",
    "tokenlimit",
    "tokenbudget",
    "tokenfile",
    "passwordfile",
    "secretfile",
    "secrets",
];
/// A key that ends like this is a secret.
const SECRET_ENDINGS: [&str; 3] = ["token", "serviceaccountref", "cookie"];
/// A key that contains this is a secret.
const SECRET_PARTS: [&str; 9] = [
    "password",
    "passphrase",
    "secret",
    "apikey",
    "privatekey",
    "accesskey",
    "signingkey",
    "encryptionkey",
    "authorization",
];
/// Everything below a key like this is secret: it may be a whole credentials file.
const SECRET_TREES: [&str; 2] = ["serviceaccount", "credentials"];

/// Whether the text at a path is a secret. A list position may be given as a number or as `[]`, a map key as it is or
/// as `*`; neither decides anything itself. Variables of the `env` section are secrets whatever their name.
#[must_use]
pub fn is_sensitive_path(path: &[&str]) -> bool {
    if let ["env", name, ..] = path {
        return *name != "shellEnv";
    }
    if path.iter().any(|key| SECRET_TREES.contains(&plain(key).as_str())) {
        return true;
    }
    let Some(key) = path.iter().rev().find(|key| !is_position(key)) else { return false };
    is_sensitive_key(&plain(key)) || is_named_secret(path, key)
}

/// Lower case without the characters by which spellings differ: `API_KEY`, `api-key` and `apiKey` are the same.
fn plain(key: &str) -> String {
    key.trim_end_matches("[]")
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

fn is_position(key: &str) -> bool {
    key == "[]" || key == "*" || key.chars().all(|letter| letter.is_ascii_digit())
}

fn is_sensitive_key(key: &str) -> bool {
    if HARMLESS_ENDINGS.iter().any(|ending| key.ends_with(ending)) {
        return false;
    }
    SECRET_ENDINGS.iter().any(|ending| key.ends_with(ending))
        || SECRET_PARTS.iter().any(|part| key.contains(part))
}

/// Keys whose name alone does not tell: who knows the session of a hook can talk into it, and a carrier's
/// verification key identifies the account.
fn is_named_secret(path: &[&str], key: &str) -> bool {
    match key {
        "sessionKey" => path.first().is_some_and(|section| *section == "hooks"),
        "publicKey" => path.first().is_some_and(|section| *section == "plugins" || *section == "channels"),
        _ => false,
    }
}
