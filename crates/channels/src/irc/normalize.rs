//! A line of somebody in neutral words. Pure.
//!
//! A nick changes hands, so it is nobody's id: `nick!user@host` is, in lower case. Rooms are named by their name, which
//! belongs to the network.

use openclaw_types::{
    AccountId, Attention, ChannelId, ChatKind, ChatPlace, EventId, IdError, Inbound, InboundKind, MessageId,
    PeerId, Person, UnixMillis,
};

use super::line::IrcLine;

/// Whose line it is, and when it came.
pub(super) struct IrcContext<'a> {
    /// Our account.
    pub(super) account: &'a AccountId,
    /// Our nick at the moment.
    pub(super) nick: &'a str,
    /// The time of the machine.
    pub(super) now: UnixMillis,
    /// What tells this line from all others: no server repeats one.
    pub(super) serial: String,
}

/// A message of somebody; nothing for lines that are none, and for our own.
pub(super) fn inbound(line: &IrcLine, hearing: &IrcContext<'_>) -> Result<Option<Inbound>, IdError> {
    let Some(prefix) = line.prefix.as_ref().filter(|_| line.command == "PRIVMSG" && line.params.len() >= 2)
    else {
        return Ok(None);
    };
    if same_name(&prefix.nick, hearing.nick) {
        return Ok(None);
    }
    let Some(text) = spoken(line.words(), &prefix.nick) else { return Ok(None) };
    let room = line.param(0);
    let in_room = is_room(room);
    let sender = sender_id(&prefix.nick, prefix.user.as_deref(), prefix.host.as_deref());
    let to = if in_room { room.to_lowercase() } else { prefix.nick.clone() };
    let kind = if in_room { ChatKind::Group } else { ChatKind::Direct };
    let serial = line.tag("msgid").map_or_else(|| hearing.serial.clone(), str::to_owned);
    Ok(Some(Inbound {
        channel: ChannelId::new("irc")?,
        account: hearing.account.clone(),
        event: EventId::new(&serial)?,
        message: Some(MessageId::new(&serial)?),
        at: line.tag("time").and_then(|time| time.parse().ok()).map_or(hearing.now, moment),
        place: ChatPlace {
            name: in_room.then(|| room.to_owned()),
            ..ChatPlace::new(
                kind,
                PeerId::new(if in_room { room.to_lowercase() } else { sender.clone() })?,
                to,
            )
        },
        from: Person {
            also: partial_ids(&prefix.nick, prefix.user.as_deref(), prefix.host.as_deref()),
            name: Some(prefix.nick.clone()),
            handle: Some(prefix.nick.clone()),
            ..Person::new(PeerId::new(sender)?)
        },
        kind: InboundKind::Message,
        attention: Attention {
            mentions_us: in_room && names(&text, hearing.nick),
            can_mention: true,
            ..Attention::default()
        },
        text,
        reply: None,
        forwarded: None,
        media: Vec::new(),
        facts: Vec::new(),
        bundle: None,
        moved: None,
    }))
}

fn moment(time: jiff::Timestamp) -> UnixMillis {
    UnixMillis(time.as_millisecond())
}

/// What was said: without formatting codes; an action in the third person; nothing for other requests of programs.
fn spoken(words: &str, nick: &str) -> Option<String> {
    let plain = without_codes(words);
    match words.strip_prefix('\u{01}') {
        Some(request) => {
            let request = request.trim_end_matches('\u{01}');
            let action = request.strip_prefix("ACTION ")?;
            Some(format!("* {nick} {}", without_codes(action).trim()))
        }
        None => {
            let text = plain.trim();
            (!text.is_empty()).then(|| text.to_owned())
        }
    }
}

/// Takes colours and other codes out.
fn without_codes(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    let mut letters = words.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{03}' => {
                digits(&mut letters);
                if letters.peek() == Some(&',') {
                    let mut ahead = letters.clone();
                    ahead.next();
                    if ahead.peek().is_some_and(char::is_ascii_digit) {
                        letters.next();
                        digits(&mut letters);
                    }
                }
            }
            other if other.is_control() => {}
            other => out.push(other),
        }
    }
    out
}

fn digits(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    for _ in 0..2 {
        if letters.peek().is_some_and(char::is_ascii_digit) {
            letters.next();
        }
    }
}

/// Whether words name a nick as a word of its own.
fn names(text: &str, nick: &str) -> bool {
    let (text, nick) = (text.to_lowercase(), nick.to_lowercase());
    let part = |letter: char| letter.is_alphanumeric() || "-_[]\\`^{}|".contains(letter);
    text.match_indices(&nick).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(part)
            && !text[at + nick.len()..].chars().next().is_some_and(part)
    })
}

/// Who somebody is, in the form lists hold.
pub(super) fn sender_id(nick: &str, user: Option<&str>, host: Option<&str>) -> String {
    let mut id = nick.to_owned();
    if let Some(user) = user {
        id = format!("{id}!{user}");
    }
    if let Some(host) = host {
        id = format!("{id}@{host}");
    }
    id.to_lowercase()
}

/// The shorter ids that lists may hold of somebody who is known whole.
fn partial_ids(nick: &str, user: Option<&str>, host: Option<&str>) -> Vec<String> {
    match (user, host) {
        (Some(_), Some(_)) => vec![sender_id(nick, user, None), sender_id(nick, None, host)],
        _ => Vec::new(),
    }
}

/// An entry of a list as an id: it says more than a nick. Nothing for a nick alone.
pub(super) fn listed(entry: &str) -> Option<String> {
    let entry = bare(entry).to_lowercase();
    (entry.contains('!') || entry.contains('@')).then_some(entry)
}

/// Whether two nicks or rooms are the same.
pub(super) fn same_name(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

/// Whether a name is a room's.
pub(super) fn is_room(name: &str) -> bool {
    name.starts_with(['#', '&', '+', '!'])
}

/// A target as people write it.
pub(super) fn target(text: &str) -> Result<String, String> {
    let named = text.trim();
    let rest = strip(named, "irc:").unwrap_or(named);
    let target = match strip(rest, "channel:") {
        Some(room) if !is_room(room) => format!("#{room}"),
        Some(room) => room.to_owned(),
        None => bare(rest).to_owned(),
    };
    // Who is known by more than the nick is still written to by the nick.
    let target = if is_room(&target) {
        target.to_lowercase()
    } else {
        target.split(['!', '@']).next().unwrap_or("").to_owned()
    };
    let wrong = target.is_empty()
        || target
            .chars()
            .any(|letter| letter.is_whitespace() || letter.is_control() || letter == ':' || letter == ',');
    if wrong {
        Err(format!("\"{named}\" is no IRC target: write a room (#room) or a nick"))
    } else {
        Ok(target)
    }
}

fn bare(text: &str) -> &str {
    let text = text.trim();
    let text = strip(text, "irc:").unwrap_or(text);
    strip(text, "user:").unwrap_or(text)
}

fn strip<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    text.get(..prefix.len())
        .filter(|head| head.eq_ignore_ascii_case(prefix))
        .map(|_| text[prefix.len()..].trim())
}
