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
/// Everything below a key like this is secret whatever its name: most variables and headers that people set are.
const SECRET_MAPS: [&str; 2] = ["env", "headers"];
/// In these maps people choose the keys, so a key there says nothing about what it holds.
const NAMED_BY_PEOPLE: [[&str; 2]; 4] =
    [["secrets", "providers"], ["models", "providers"], ["skills", "entries"], ["plugins", "entries"]];
/// Addresses of these names carry a password or a token more often than not.
const SECRET_ADDRESSES: [&str; 2] = ["cdpurl", "proxy"];

/// Whether the text at a path is a secret. A list position may be given as a number or as `[]`, a map key as it is or
/// as `*`; neither decides anything itself. Variables and headers are secrets whatever their name.
#[must_use]
pub fn is_sensitive_path(path: &[&str]) -> bool {
    if let ["env", "shellEnv", ..] = path {
        return false;
    }
    if path.iter().any(|key| SECRET_TREES.contains(&plain(key).as_str())) || is_below_a_secret_map(path) {
        return true;
    }
    let Some(key) = path.iter().rev().find(|key| !is_position(key)) else { return false };
    is_sensitive_key(&plain(key)) || is_named_secret(path, key)
}

/// Whether a key alone, found where nothing is known about its place, may stand before a secret.
pub(crate) fn may_name_a_secret(key: &str) -> bool {
    let key = plain(key);
    is_sensitive_key(&key)
        || [SECRET_TREES, SECRET_MAPS, ["webhook", "sessionkey"]].as_flattened().contains(&key.as_str())
}

fn is_below_a_secret_map(path: &[&str]) -> bool {
    let Some((_, above)) = path.split_last() else { return false };
    let chosen = NAMED_BY_PEOPLE.iter().any(|map| above.starts_with(map));
    above.iter().enumerate().any(|(at, key)| {
        !(chosen && at == NAMED_BY_PEOPLE[0].len()) && SECRET_MAPS.contains(&plain(key).as_str())
    })
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
        || SECRET_ADDRESSES.contains(&key)
}

/// Keys whose name alone does not tell: who knows the session of a hook can talk into it, a carrier's verification key
/// identifies the account, and who knows the address of a webhook can call it.
fn is_named_secret(path: &[&str], key: &str) -> bool {
    match key {
        "webhook" => path.first().is_some_and(|section| *section == "cron"),
        "sessionKey" => path.first().is_some_and(|section| *section == "hooks"),
        "publicKey" => path.first().is_some_and(|section| *section == "plugins" || *section == "channels"),
        _ => false,
    }
}
