//! Splits a message into a command's name and what follows it.
//!
//! `/name`, `/name arguments`, `/name: arguments`. A path such as `/usr/bin` has no name that ends where a name must.

/// A message in the form of a command; whether there is such a command is known to the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CommandText<'a> {
    pub(super) name: &'a str,
    /// What follows, without space around it.
    pub(super) rest: &'a str,
}

/// Reads the form, without looking at what the name is.
pub(super) fn split(text: &str) -> Option<CommandText<'_>> {
    let body = text.trim().strip_prefix('/')?;
    let end = body.find(|c: char| c.is_whitespace() || c == ':').unwrap_or(body.len());
    let (name, after) = body.split_at(end);
    if name.is_empty() || !name.chars().all(is_name_char) {
        return None;
    }
    let after = after.trim_start();
    Some(CommandText { name, rest: after.strip_prefix(':').unwrap_or(after).trim() })
}

/// Whether a character may stand in the name of a command.
pub(super) fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}
