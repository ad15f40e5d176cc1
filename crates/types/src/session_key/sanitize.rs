//! The rules that turn any text into an agent id or an account id.
//!
//! Such ids become folder names and parts of keys, so they hold only lower-case ASCII letters, digits, `_` and `-`,
//! at most 64 of them. The rules are those of the original, so that the same text gives the same folder.

use crate::{AccountId, AgentId};

/// Longest sanitised id, in characters.
const MAX_CHARS: usize = 64;
/// The agent when none is named.
const DEFAULT_AGENT: &str = "main";
/// The account when none is named.
const DEFAULT_ACCOUNT: &str = "default";
/// Names the original refuses for accounts because they are special in its language.
const RESERVED_ACCOUNTS: [&str; 3] = ["__proto__", "prototype", "constructor"];

impl AgentId {
    /// Turns any text into an agent id; `main` where nothing is left of it.
    #[must_use]
    pub fn sanitized(text: &str) -> Self {
        Self::from_sanitized(sanitized(text).unwrap_or_else(|| DEFAULT_AGENT.to_owned()))
    }

    /// Whether it is what `sanitized` makes of it.
    #[must_use]
    pub fn is_sanitized(&self) -> bool {
        is_valid(self.as_str()) || Self::sanitized(self.as_str()) == *self
    }
}

impl AccountId {
    /// Turns any text into an account id; `default` where nothing is left of it.
    #[must_use]
    pub fn sanitized(text: &str) -> Self {
        let account = sanitized(text).filter(|account| !RESERVED_ACCOUNTS.contains(&account.as_str()));
        Self::from_sanitized(account.unwrap_or_else(|| DEFAULT_ACCOUNT.to_owned()))
    }
}

fn sanitized(text: &str) -> Option<String> {
    let lowered = text.trim().to_lowercase();
    if is_valid(&lowered) {
        return Some(lowered);
    }
    let mut dashed = String::with_capacity(lowered.len());
    let mut in_gap = false;
    for letter in lowered.chars() {
        let keep = is_id_letter(letter);
        if keep || !in_gap {
            dashed.push(if keep { letter } else { '-' });
        }
        in_gap = !keep;
    }
    let kept: String = dashed.trim_matches('-').chars().take(MAX_CHARS).collect();
    (!kept.is_empty()).then_some(kept)
}

fn is_valid(text: &str) -> bool {
    text.len() <= MAX_CHARS
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.chars().all(is_id_letter)
}

fn is_id_letter(letter: char) -> bool {
    letter.is_ascii_lowercase() || letter.is_ascii_digit() || matches!(letter, '_' | '-')
}
