//! Where something goes on Slack, as people write it and as pieces carry it.
//!
//! `user:U…` is a direct chat with somebody, `channel:C…` a conversation, `ephemeral:C…:U…` words in a conversation that
//! only one person sees.

use std::fmt;

use openclaw_types::{ChatKind, ChatPlace as Conversation, PeerId, SendTarget};

/// Where something goes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum SlackDestination {
    /// A direct chat with a person.
    Person(String),
    /// A conversation, by its id or by its name.
    Room(String),
    /// Words in a conversation that one person sees.
    OnlyFor {
        /// The conversation.
        room: String,
        /// The person.
        person: String,
    },
}

impl fmt::Display for SlackDestination {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person(id) => write!(out, "user:{id}"),
            Self::Room(id) => write!(out, "channel:{id}"),
            Self::OnlyFor { room, person } => write!(out, "ephemeral:{room}:{person}"),
        }
    }
}

/// A target as a person writes it, or what is wrong with it.
pub(super) fn read(text: &str) -> Result<SlackDestination, String> {
    let text = text.trim();
    let (prefix, rest) = match text.split_once(':') {
        Some((prefix, rest)) => (prefix.trim().to_ascii_lowercase(), rest.trim()),
        None => (String::new(), text),
    };
    match prefix.as_str() {
        "slack" => read_after_name(rest),
        "user" => person(rest.trim_start_matches('@')),
        "channel" | "group" => room(rest.trim_start_matches('#')),
        "ephemeral" => {
            let (room, person) = rest.split_once(':').ok_or_else(wrong)?;
            match (is_id(room, ROOMS), is_id(person, PEOPLE)) {
                (true, true) => {
                    Ok(SlackDestination::OnlyFor { room: room.to_uppercase(), person: person.to_uppercase() })
                }
                _ => Err(wrong()),
            }
        }
        _ => bare(text),
    }
}

/// The conversation that a target is. A name does not say which one it names, nor does a direct chat say with whom.
pub(super) fn place(target: &SendTarget) -> Option<Conversation> {
    let (kind, id) = match read(&target.to).ok()? {
        SlackDestination::Person(id) if is_id(&id, PEOPLE) => (ChatKind::Direct, id),
        SlackDestination::Room(id) if is_id(&id, ROOMS) && !id.starts_with(['D', 'd']) => {
            (ChatKind::Channel, id)
        }
        SlackDestination::Person(_) | SlackDestination::Room(_) | SlackDestination::OnlyFor { .. } => {
            return None;
        }
    };
    let place = Conversation::new(kind, PeerId::new(id.to_uppercase()).ok()?, target.to.clone());
    Some(Conversation { session_thread: target.thread.clone(), ..place })
}

/// What follows `slack:`: a person where nothing says otherwise.
fn read_after_name(rest: &str) -> Result<SlackDestination, String> {
    match rest.split_once(':') {
        Some(_) => read(rest),
        None if is_id(rest, ROOMS) && !is_id(rest, PEOPLE) => room(rest),
        None => bare(rest),
    }
}

fn bare(text: &str) -> Result<SlackDestination, String> {
    if let Some(inner) = text.strip_prefix("<@").and_then(|rest| rest.strip_suffix('>')) {
        return person(inner.split('|').next().unwrap_or(inner));
    }
    if let Some(inner) = text.strip_prefix("<#").and_then(|rest| rest.strip_suffix('>')) {
        return room(inner.split('|').next().unwrap_or(inner));
    }
    if let Some(name) = text.strip_prefix('@') {
        return person(name);
    }
    if let Some(name) = text.strip_prefix('#') {
        return room(name);
    }
    match is_id(text, PEOPLE) {
        true => person(text),
        false => room(text),
    }
}

fn person(id: &str) -> Result<SlackDestination, String> {
    match is_id(id, PEOPLE) {
        true => Ok(SlackDestination::Person(id.to_uppercase())),
        false => Err(format!(
            "`{id}` is no id of a person on Slack; use user:<id>, which a profile shows under \"Copy member ID\""
        )),
    }
}

/// A conversation by its id, or a channel by its name, which Slack takes as well.
fn room(id: &str) -> Result<SlackDestination, String> {
    let is_name = |text: &str| {
        !text.is_empty()
            && text.len() <= 80
            && text.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.'))
    };
    match id {
        _ if is_id(id, ROOMS) => Ok(SlackDestination::Room(id.to_uppercase())),
        _ if is_name(id) => Ok(SlackDestination::Room(format!("#{}", id.to_lowercase()))),
        _ => Err(wrong()),
    }
}

fn wrong() -> String {
    "no place on Slack; use user:<id>, channel:<id> or #name".to_owned()
}

/// The first letters of ids of people and programs.
pub(super) const PEOPLE: &[char] = &['U', 'W', 'B'];
/// The first letters of ids of conversations.
pub(super) const ROOMS: &[char] = &['C', 'G', 'D'];

/// Whether a text is an id: a letter that says of what, then letters and digits. Words of people are in lower case and
/// have no digits; an id somebody wrote in lower case has one.
pub(super) fn is_id(text: &str, first: &[char]) -> bool {
    let mut letters = text.chars();
    let begins = letters.next().is_some_and(|letter| first.contains(&letter.to_ascii_uppercase()));
    let rest = letters.as_str();
    begins
        && !rest.is_empty()
        && rest.chars().all(|letter| letter.is_ascii_alphanumeric())
        && (rest.contains(|letter: char| letter.is_ascii_digit())
            || !text.contains(|letter: char| letter.is_ascii_lowercase()))
}

/// The id of a person as lists hold it: `U1`, `slack:U1`, `user:U1`, `<@U1>`. Nothing for names.
pub(super) fn listed(text: &str) -> Option<String> {
    let mut rest = text.trim();
    for prefix in ["slack:", "user:", "id:"] {
        if let Some(head) = rest.get(..prefix.len()).filter(|head| head.eq_ignore_ascii_case(prefix)) {
            rest = rest[head.len()..].trim();
        }
    }
    let rest = rest.strip_prefix("<@").and_then(|inner| inner.strip_suffix('>')).unwrap_or(rest);
    is_id(rest, PEOPLE).then(|| rest.to_uppercase())
}
