//! Reads `.env` files: the one of the working directory, then the one of the state directory.
//!
//! Both only fill gaps: a variable that is already set wins, and the working directory wins over the state directory.
//! The working directory may be anybody's checkout, so its file has no say in how the gateway itself works.
//! Lines are `NAME=value`, optionally after `export`; values may stand in single, double or back quotes.

use std::path::Path;

use crate::Environment;
use crate::environment::{may_be_set_by_a_file, steers_the_gateway};

/// Larger files are not `.env` files.
const MAX_BYTES: u64 = 1024 * 1024;

impl Environment {
    /// A copy with the variables of `.env` in the working directory and in `state_dir`.
    ///
    /// A file that cannot be read is logged and skipped. Variables that steer the gateway itself, such as its token
    /// and its directories, are taken from the state directory only.
    #[must_use]
    pub fn with_dotenv(&self, state_dir: &Path) -> Self {
        let nearby = self.working_directory().join(".env");
        let (steering, harmless): (Vec<_>, Vec<_>) =
            read(&nearby).into_iter().partition(|(name, _)| steers_the_gateway(name));
        for (name, _) in steering.iter().filter(|_| self.working_directory() != state_dir) {
            tracing::warn!(
                path = %nearby.display(), %name,
                "this variable was ignored: set it in the environment or in .env of the state directory"
            );
        }
        self.with_missing(harmless).with_missing(read(&state_dir.join(".env")))
    }
}

fn read(path: &Path) -> Vec<(String, String)> {
    let size = match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => metadata.len(),
        _ => return Vec::new(),
    };
    if size > MAX_BYTES {
        tracing::warn!(path = %path.display(), "this .env file is too large and was skipped");
        return Vec::new();
    }
    match std::fs::read_to_string(path) {
        Ok(text) => parse(&text),
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "this .env file could not be read and was skipped");
            Vec::new()
        }
    }
}

/// The variables of a file in order. Lines that make no sense, and names that a file may not set, are skipped.
pub(crate) fn parse(text: &str) -> Vec<(String, String)> {
    let mut variables = Vec::new();
    let mut rest = text.trim_start_matches('\u{feff}');
    while !rest.is_empty() {
        let line_end = rest.find('\n').unwrap_or(rest.len());
        let Some(sign) = separator(&rest[..line_end]) else {
            rest = rest.get(line_end + 1..).unwrap_or("");
            continue;
        };
        let name = rest[..sign].trim();
        let name = name.strip_prefix("export ").map_or(name, str::trim_start);
        let (value, used) = value(&rest[sign + 1..]);
        if may_be_set_by_a_file(name) {
            variables.push((name.to_owned(), value));
        }
        rest = rest.get(sign + 1 + used..).unwrap_or("");
    }
    variables
}

/// The position of what separates name and value: `=`, or a colon before a space. A comment has none.
fn separator(line: &str) -> Option<usize> {
    let at = line.find(['=', ':', '#'])?;
    let after = &line[at + 1..];
    match line.as_bytes()[at] {
        b'=' => Some(at),
        b':' if after.starts_with([' ', '\t']) => Some(at),
        _ => None,
    }
}

/// The value at the start of `text`, and how many bytes it and the rest of its last line take.
fn value(text: &str) -> (String, usize) {
    let line_end = text.find('\n').unwrap_or(text.len());
    let lead = text.len() - text.trim_start_matches([' ', '\t']).len();
    let body = &text[lead..];
    if let Some(quote) = body.chars().next().filter(|first| matches!(first, '"' | '\'' | '`'))
        && let Some(end) = closing_quote(body, quote)
    {
        let inside = &body[1..end];
        let value = if quote == '"' {
            inside.replace("\\n", "\n").replace("\\r", "\r").replace("\\\"", "\"")
        } else {
            inside.to_owned()
        };
        let after = lead + end + 1;
        let used = text[after..].find('\n').map_or(text.len(), |more| after + more + 1);
        return (value, used);
    }
    let line = &text[..line_end];
    let bare = line.split_once('#').map_or(line, |(before, _)| before);
    (bare.trim().to_owned(), (line_end + 1).min(text.len()))
}

fn closing_quote(body: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, letter) in body.char_indices().skip(1) {
        if letter == quote && !escaped {
            return Some(at);
        }
        escaped = letter == '\\' && !escaped;
    }
    None
}
