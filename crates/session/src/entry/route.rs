//! Notes where a session's messages come from and where its answers go.
//!
//! Pure. Names of groups and people are text from outside: they are kept as data and shown as data.

use openclaw_types::{
    AccountId, ChannelId, ChatKind, GroupId, SendTarget, SessionEntry, SessionFacts, ThreadId,
};
use serde_json::{Map, Value, json};

/// Says that a thread got the conversation it hangs below, or was too long for it.
pub(crate) const FORKED: &str = "forkedFromParent";

/// A message that was seen in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// The platform.
    pub channel: ChannelId,
    /// Where on the platform, when it has several faces; the platform itself when absent.
    pub surface: Option<String>,
    /// Whether answers can be sent there later.
    pub replies: Replies,
    /// What kind of conversation it is.
    pub chat: ChatKind,
    /// Our login there.
    pub account: Option<AccountId>,
    /// Who wrote, in the platform's words.
    pub from: Option<String>,
    /// The conversation an answer goes to.
    pub to: Option<String>,
    /// The thread an answer goes to.
    pub thread: Option<ThreadId>,
    /// What the conversation is called.
    pub label: Option<String>,
    /// The group it is in.
    pub group: Option<GroupSighting>,
}

/// Whether answers can be sent to a place after the connection there is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Replies {
    /// At any time: the place becomes the one answers go to.
    Anytime,
    /// Only while somebody looks: a place that was known before stays the one answers go to.
    WhileOpen,
    /// At any time, but beside the conversation: a place that was known before stays the one answers go to.
    Aside,
}

/// A group that a message was seen in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupSighting {
    /// The platform's name for it.
    pub id: GroupId,
    /// Its subject.
    pub subject: Option<String>,
    /// The channel inside of a server.
    pub room: Option<String>,
    /// The server or team.
    pub space: Option<String>,
}

/// Writes down where a message was seen.
pub fn update_route(entry: &mut SessionEntry, seen: &Sighting) {
    let facts = &mut entry.facts;
    let elsewhere = facts.last_channel.as_deref().is_some_and(|last| last != seen.channel.as_str());
    // Somebody said where answers go, or they cannot go there later.
    let keeps_place = match seen.replies {
        Replies::Anytime => facts.docked_at.is_some(),
        Replies::WhileOpen => facts.docked_at.is_some() || elsewhere,
        Replies::Aside => facts.docked_at.is_some() || facts.last_to.is_some(),
    };
    if !keeps_place {
        place(facts, seen);
    }
    facts.origin = Some(origin(facts.origin.take(), seen));
    match &seen.group {
        Some(group) => group_facts(facts, seen, group),
        None if facts.chat_type.is_none() => facts.chat_type = Some(seen.chat.as_str().to_owned()),
        None => {}
    }
}

/// Has answers go to one place from now on; without one they go where messages come from.
pub fn dock(entry: &mut SessionEntry, place: Option<SendTarget>) {
    let facts = &mut entry.facts;
    if let Some(place) = &place {
        facts.last_channel = Some(place.channel.as_str().to_owned());
        facts.last_to = Some(place.to.clone());
        facts.last_account_id = Some(place.account.as_str().to_owned());
        facts.last_thread_id = place.thread.as_ref().map(|thread| json!(thread));
        note_context(facts);
    }
    facts.docked_at = place;
}

fn place(facts: &mut SessionFacts, seen: &Sighting) {
    let same = facts.last_channel.as_deref() == Some(seen.channel.as_str());
    let kept = |old: Option<String>| old.filter(|_| same);
    facts.last_channel = Some(seen.channel.as_str().to_owned());
    facts.last_to = seen.to.clone().or(kept(facts.last_to.take()));
    let account = seen.account.as_ref().map(|account| account.as_str().to_owned());
    facts.last_account_id = account.or(kept(facts.last_account_id.take()));
    facts.last_thread_id = seen.thread.as_ref().map(|thread| json!(thread));
    note_context(facts);
}

/// Says once more in one value where answers go.
fn note_context(facts: &mut SessionFacts) {
    let mut context = Map::new();
    put(&mut context, "channel", facts.last_channel.clone());
    put(&mut context, "to", facts.last_to.clone());
    put(&mut context, "accountId", facts.last_account_id.clone());
    if let Some(thread) = &facts.last_thread_id {
        context.insert("threadId".into(), thread.clone());
    }
    facts.delivery_context = Some(Value::Object(context));
}

fn origin(old: Option<Value>, seen: &Sighting) -> Value {
    let mut origin = match old {
        Some(Value::Object(old)) => old,
        _ => Map::new(),
    };
    put(&mut origin, "label", seen.label.clone());
    put(&mut origin, "provider", Some(seen.channel.as_str().to_owned()));
    let surface = seen.surface.clone().unwrap_or_else(|| seen.channel.as_str().to_owned());
    put(&mut origin, "surface", Some(surface));
    put(&mut origin, "chatType", Some(seen.chat.as_str().to_owned()));
    put(&mut origin, "from", seen.from.clone());
    put(&mut origin, "to", seen.to.clone());
    put(&mut origin, "accountId", seen.account.as_ref().map(|account| account.as_str().to_owned()));
    put(&mut origin, "threadId", seen.thread.as_ref().map(|thread| thread.as_str().to_owned()));
    Value::Object(origin)
}

fn group_facts(facts: &mut SessionFacts, seen: &Sighting, group: &GroupSighting) {
    facts.chat_type = Some(seen.chat.as_str().to_owned());
    facts.channel = Some(seen.channel.as_str().to_owned());
    facts.group_id = Some(group.id.as_str().to_owned());
    let subject = group.subject.clone().filter(|_| group.room.is_none());
    facts.subject = subject.or(facts.subject.take());
    facts.group_channel = group.room.clone().or(facts.group_channel.take());
    facts.space = group.space.clone().or(facts.space.take());
    facts.display_name = Some(group_name(facts, seen.channel.as_str(), group.id.as_str()));
}

/// The name of a group for people: `platform:#room`, `platform:server#room` or `platform:g-subject`.
pub(crate) fn group_name(facts: &SessionFacts, channel: &str, id: &str) -> String {
    let room = facts.group_channel.as_deref().map(str::trim).filter(|room| !room.is_empty());
    let space = facts.space.as_deref().map(str::trim).filter(|space| !space.is_empty());
    let subject = facts.subject.as_deref().map(str::trim).filter(|subject| !subject.is_empty());
    let detail = match (room, space) {
        (Some(room), Some(space)) => format!("{space}#{}", room.trim_start_matches('#')),
        (Some(room), None) => room.to_owned(),
        (None, space) => subject.or(space).unwrap_or(id).trim_start_matches('#').to_owned(),
    };
    let token = dashed(&detail);
    match token.as_str() {
        "" => channel.to_owned(),
        token if token.contains('#') || token.starts_with(['@', '#']) || token.starts_with("g-") => {
            format!("{channel}:{token}")
        }
        token => format!("{channel}:g-{token}"),
    }
}

/// Lower case, with one dash for every run of letters that do not stand in a name.
fn dashed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.trim().to_lowercase().chars() {
        match letter {
            letter if letter.is_alphanumeric() || matches!(letter, '#' | '@' | '+' | '.' | '_') => {
                out.push(letter)
            }
            _ if out.ends_with('-') => {}
            _ => out.push('-'),
        }
    }
    out.trim_matches(['-', '.']).to_owned()
}

fn put(map: &mut Map<String, Value>, name: &str, value: Option<String>) {
    if let Some(value) = value.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()) {
        map.insert(name.to_owned(), Value::String(value));
    }
}
