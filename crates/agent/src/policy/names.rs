//! Names of tools as people write them in lists: trimmed, in any case, by another name, or with `*` in them.

use std::borrow::Cow;

/// Other names of tools, and what they mean.
const ALIASES: &[(&str, &str)] = &[("bash", "exec"), ("apply-patch", "apply_patch")];

/// The name of a tool as everything else knows it: trimmed, in lower case, other names replaced. Most names are written so.
#[must_use]
pub fn canonical_tool_name(written: &str) -> Cow<'_, str> {
    let trimmed = written.trim();
    let lower = match trimmed.chars().any(|letter| !letter.is_ascii() || letter.is_ascii_uppercase()) {
        true => Cow::Owned(trimmed.to_lowercase()),
        false => Cow::Borrowed(trimmed),
    };
    match ALIASES.iter().find(|(alias, _)| *alias == lower) {
        Some((_, meant)) => Cow::Borrowed(meant),
        None => lower,
    }
}

/// Whether a name fits a pattern in which `*` stands for any text. Both are in their canonical form.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let middle: Vec<&str> = parts.collect();
    let Some((last, middle)) = middle.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}
