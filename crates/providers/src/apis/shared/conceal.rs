//! Takes what a call carried in secret out of the words that came back.
//!
//! Pure. Masking by how tokens begin (`faults`) knows only the tokens of vendors; this knows the very values of one
//! call. The transport, the quotas and the Copilot exchange hold it for as long as the server may speak.

use openclaw_ports::model::ModelFault;
use openclaw_types::Secret;

use super::faults::HIDDEN;

/// Shorter values are left: they are words, and hiding them would hide what went wrong.
const SHORTEST: usize = 6;
/// What stands for a secret.
const MARK: &str = "[secret]";

/// The secrets of one call.
pub(crate) struct Secrets {
    /// Longest first, since one may hold another.
    values: Vec<Secret<String>>,
}

impl Secrets {
    /// The secrets among these values.
    pub(crate) fn new(values: impl IntoIterator<Item = Secret<String>>) -> Self {
        let trimmed = values.into_iter().map(|value| match value.reveal().trim() {
            text if text.len() == value.reveal().len() => value,
            text => Secret::new(text.to_owned()),
        });
        let mut values: Vec<Secret<String>> =
            trimmed.filter(|value| value.reveal().chars().count() >= SHORTEST).collect();
        values.sort_by(|one, other| {
            (other.reveal().len(), other.reveal()).cmp(&(one.reveal().len(), one.reveal()))
        });
        values.dedup();
        Self { values }
    }

    /// The secrets in the value of a header: all of it, and what follows the name of a scheme such as `Bearer`.
    pub(crate) fn of_header(value: &Secret<String>) -> impl Iterator<Item = Secret<String>> + use<> {
        let after = value.reveal().trim().split_once(' ').map(|(_, rest)| Secret::new(rest.to_owned()));
        std::iter::once(value.clone()).chain(after)
    }

    /// Words without any of the secrets, nor a piece of one that cutting or masking left over.
    pub(crate) fn conceal(&self, words: &str) -> String {
        let mut shown = words.to_owned();
        for secret in &self.values {
            let secret = secret.reveal().as_str();
            if shown.contains(secret) {
                shown = shown.replace(secret, MARK);
            }
            let parts: Vec<String> = shown
                .split(HIDDEN)
                .enumerate()
                .map(|(at, part)| {
                    let part = without_beginning(part, secret);
                    if at > 0 { without_end(&part, secret) } else { part }
                })
                .collect();
            shown = parts.join(HIDDEN);
        }
        shown
    }

    /// A fault whose words hold none of the secrets.
    pub(crate) fn out_of(&self, fault: ModelFault) -> ModelFault {
        ModelFault { message: self.conceal(&fault.message), ..fault }
    }
}

/// Words that were cut in the middle of a secret, without its beginning.
fn without_beginning(words: &str, secret: &str) -> String {
    let (words, cut) = match words.strip_suffix('…') {
        Some(words) => (words, "…"),
        None => (words, ""),
    };
    let ends = secret.char_indices().map(|(at, _)| at).skip(SHORTEST);
    let left = ends.filter_map(|end| words.strip_suffix(&secret[..end])).last();
    match left {
        Some(left) => format!("{left}{MARK}{cut}"),
        None => format!("{words}{cut}"),
    }
}

/// Words after a masked part, without the end of the secret it belonged to.
fn without_end(words: &str, secret: &str) -> String {
    let from = secret.char_indices().rev().map(|(at, _)| at).skip(SHORTEST - 1);
    let left = from.filter(|at| *at > 0).filter_map(|at| words.strip_prefix(&secret[at..])).last();
    left.map_or_else(|| words.to_owned(), |left| format!("{MARK}{left}"))
}
