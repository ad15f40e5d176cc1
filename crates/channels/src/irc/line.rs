//! The lines of the protocol (RFC 1459 and 2812, tags of IRCv3). Pure.

use std::fmt::Write as _;

/// The most bytes of a line with its end, as every server takes it.
pub(super) const LINE_BYTES: usize = 512;

/// A line that came in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct IrcLine {
    /// Tags, as `name` and value.
    pub(super) tags: Vec<(String, String)>,
    /// Who sent it.
    pub(super) prefix: Option<Prefix>,
    /// The command in capitals, or a number.
    pub(super) command: String,
    /// What belongs to it; the last one may hold spaces.
    pub(super) params: Vec<String>,
}

/// Who sent a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Prefix {
    /// The nick, or the server's name.
    pub(super) nick: String,
    /// The name of the login.
    pub(super) user: Option<String>,
    /// Where from.
    pub(super) host: Option<String>,
}

impl IrcLine {
    /// Reads a line without its end. Nothing for what is none.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut rest = text.trim_end_matches(['\r', '\n']);
        let mut line = Self::default();
        if let Some(tagged) = rest.strip_prefix('@') {
            let (tags, after) = tagged.split_once(' ')?;
            line.tags = tags.split(';').map(tag).collect();
            rest = after.trim_start_matches(' ');
        }
        if let Some(prefixed) = rest.strip_prefix(':') {
            let (prefix, after) = prefixed.split_once(' ')?;
            line.prefix = Some(Prefix::read(prefix));
            rest = after.trim_start_matches(' ');
        }
        let (command, mut rest) = rest.split_once(' ').unwrap_or((rest, ""));
        if command.is_empty() || !command.chars().all(|letter| letter.is_ascii_alphanumeric()) {
            return None;
        }
        line.command = command.to_ascii_uppercase();
        while !rest.is_empty() {
            rest = rest.trim_start_matches(' ');
            if let Some(last) = rest.strip_prefix(':') {
                line.params.push(last.to_owned());
                break;
            }
            let (param, after) = rest.split_once(' ').unwrap_or((rest, ""));
            if !param.is_empty() {
                line.params.push(param.to_owned());
            }
            rest = after;
        }
        Some(line)
    }

    /// A parameter; empty where there is none.
    pub(super) fn param(&self, place: usize) -> &str {
        self.params.get(place).map_or("", String::as_str)
    }

    /// The last parameter: what people read.
    pub(super) fn words(&self) -> &str {
        self.params.last().map_or("", String::as_str)
    }

    /// A tag.
    pub(super) fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(each, _)| each == name).map(|(_, value)| value.as_str())
    }
}

impl Prefix {
    fn read(text: &str) -> Self {
        let (names, host) = match text.split_once('@') {
            Some((names, host)) => (names, Some(host.to_owned())),
            None => (text, None),
        };
        let (nick, user) = match names.split_once('!') {
            Some((nick, user)) => (nick, Some(user.to_owned())),
            None => (names, None),
        };
        Self { nick: nick.to_owned(), user, host }
    }
}

fn tag(text: &str) -> (String, String) {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let mut read = String::new();
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            read.push(letter);
            continue;
        }
        match letters.next() {
            Some(':') => read.push(';'),
            Some('s') => read.push(' '),
            Some('r') => read.push('\r'),
            Some('n') => read.push('\n'),
            Some(other) => read.push(other),
            None => {}
        }
    }
    (name.to_owned(), read)
}

/// A line to send: what could end it is taken out, so that words never become commands.
pub(super) fn write(command: &str, params: &[&str], words: Option<&str>) -> String {
    let mut line = command.to_owned();
    for param in params {
        // Writing to a string cannot fail; a parameter is one word.
        if write!(line, " {}", one_word(param)).is_err() {
            break;
        }
    }
    if let Some(words) = words {
        line.push_str(" :");
        line.push_str(&one_line(words));
    }
    line
}

fn one_word(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace() && *letter != '\0').collect()
}

fn one_line(text: &str) -> String {
    text.chars().filter(|letter| !matches!(letter, '\r' | '\n' | '\0')).collect()
}

/// Cuts words into lines that fit, each with `spent` bytes around it: at line ends, then at spaces, never inside a
/// character.
pub(super) fn fit(text: &str, spent: usize) -> Vec<String> {
    let room = LINE_BYTES.saturating_sub(spent).max(32);
    let mut lines = Vec::new();
    for line in text.split(['\n', '\r']) {
        let mut rest = line.trim_end();
        while !rest.is_empty() {
            let end = if rest.len() <= room { rest.len() } else { cut(rest, room) };
            let (head, tail) = rest.split_at(end);
            if !head.trim_end().is_empty() {
                lines.push(head.trim_end().to_owned());
            }
            rest = if end < rest.len() { tail.trim_start() } else { tail };
        }
    }
    lines
}

fn cut(text: &str, room: usize) -> usize {
    let end = text.floor_char_boundary(room);
    match text[..end].rfind(' ') {
        Some(space) if space > end / 2 => space,
        _ => end,
    }
}
