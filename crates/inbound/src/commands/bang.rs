//! The short form of `/bash`: `! command`, `!poll`, `!stop`.
//!
//! An exclamation mark also begins ordinary sentences, so only some forms count while shell commands are switched off.

use super::command::Bash;

/// What a message that begins with an exclamation mark is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Bang {
    /// Surely meant as a shell command: it has a space after the mark, or is a word of ours.
    Sure(Bash),
    /// Meant as one where those are switched on.
    Perhaps(Bash),
}

/// Reads the short form.
pub(super) fn parse(text: &str) -> Option<Bang> {
    let body = text.trim().strip_prefix('!')?;
    if body.starts_with('!') {
        return None;
    }
    let spaced = body.starts_with(char::is_whitespace);
    let body = body.trim_start();
    let body = body.strip_prefix(':').unwrap_or(body).trim();
    let bash = bash(body);
    Some(match (&bash, spaced) {
        (Bash::Run(_), false) => Bang::Perhaps(bash),
        (Bash::Help, false) if body.is_empty() => Bang::Perhaps(bash),
        _ => Bang::Sure(bash),
    })
}

/// Reads what follows `!` or `/bash`.
pub(super) fn bash(body: &str) -> Bash {
    let (word, rest) = body.split_once(char::is_whitespace).unwrap_or((body, ""));
    let id = Some(rest.trim()).filter(|rest| !rest.is_empty()).map(str::to_owned);
    match word.to_lowercase().as_str() {
        "" => Bash::Help,
        "help" if id.is_none() => Bash::Help,
        "poll" => Bash::Poll(id),
        "stop" => Bash::Stop(id),
        _ => Bash::Run(body.to_owned()),
    }
}
