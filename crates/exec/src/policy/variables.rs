//! Variables that a call adds for its command: which of them change nothing but looks, and what a grant remembers of the
//! others.
//!
//! Pure. Hundreds of programs take orders from variables (`TAR_OPTIONS`, `MAKEFLAGS`, a folder with configuration), so
//! only those named here are harmless; with any other one, a command is another command. What may never be set is decided
//! in `process`.

use std::collections::BTreeMap;

use openclaw_ports::stores::GrantedVariables;
use sha2::{Digest, Sha256};

/// Variables that change language, time zone, colours and sizes.
#[rustfmt::skip]
const HARMLESS: [&str; 15] = [
    "LANG", "LANGUAGE", "TZ", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "TERM", "COLUMNS",
    "LINES", "CI", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "DO_NOT_TRACK",
];

/// The variables that a call adds, as far as they matter for the decision.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AddedVariables {
    /// The names of those that are not harmless, in order.
    pub(super) telling: Vec<String>,
    /// Names and values of those, as a grant keeps them; nothing when there are none.
    pub(super) bound: Option<GrantedVariables>,
}

impl AddedVariables {
    /// What matters about variables.
    pub(crate) fn of(added: &BTreeMap<String, String>) -> Self {
        let telling: Vec<_> = added.iter().filter(|(name, value)| !is_harmless(name, value)).collect();
        if telling.is_empty() {
            return Self::default();
        }
        let mut digest = Sha256::new();
        for text in telling.iter().flat_map(|(name, value)| [name, value]) {
            // With its length before each, no two sets read the same.
            digest.update(text.len().to_be_bytes());
            digest.update(text);
        }
        let telling: Vec<String> = telling.into_iter().map(|(name, _)| name.clone()).collect();
        let bound = GrantedVariables { names: telling.clone(), digest: hex::encode(digest.finalize()) };
        Self { telling, bound: Some(bound) }
    }
}

fn is_harmless(name: &str, value: &str) -> bool {
    let locale =
        name.strip_prefix("LC_").is_some_and(|rest| rest.chars().all(|next| next.is_ascii_uppercase()));
    (locale || HARMLESS.contains(&name)) && is_harmless_value(name, value)
}

/// A value that leads to no file: names of languages and zones become paths.
fn is_harmless_value(name: &str, value: &str) -> bool {
    let plain = |next: char| next.is_ascii_alphanumeric() || "_-+.,:@".contains(next);
    let zone = |next: char| name == "TZ" && next == '/';
    value.chars().all(|next| plain(next) || zone(next))
        && !value.contains("..")
        && !value.starts_with(['/', ':', '.'])
}
