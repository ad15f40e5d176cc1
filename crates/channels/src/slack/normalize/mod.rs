//! What happened on Slack in neutral words. Pure: names and threads were looked up before.
//!
//! A message is named by its conversation and its time, so that `message` and `app_mention`, which both tell of it, are
//! one event. Everything else is named by Slack's event id. Our own doings never come in.

mod gestures;
mod happenings;
mod media;
mod text;

use openclaw_types::{
    AccountId, Attention, ChannelId, ChatKind, ChatPlace, EventId, Forwarded, GroupId, IdError, Inbound,
    InboundKind, MessageId, PeerId, Person, Quoted, ReplyToMode, ThreadId, UnixMillis,
};

use super::ID;
use super::config::Habits;
use super::known::{PersonFacts, RoomFacts};
use super::target;
use super::wire::{Attachment, ChannelField, Event, TextOrNumber};

pub(super) use gestures::{command, press};
pub(super) use text::readable;

/// Who we are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Us {
    /// Our id among people.
    pub(super) user: String,
    /// Our id among programs.
    pub(super) bot: Option<String>,
    /// The workspace.
    pub(super) team: Option<String>,
    /// Whether we are in several workspaces of one organisation.
    pub(super) many_teams: bool,
}

/// Whose event it is, and when it came.
pub(super) struct SlackContext<'a> {
    /// Our account.
    pub(super) account: &'a AccountId,
    /// Who we are.
    pub(super) us: &'a Us,
    /// How the account behaves.
    pub(super) habits: &'a Habits,
    /// The workspace.
    pub(super) team: Option<&'a str>,
    /// Slack's name for the event.
    pub(super) event: Option<&'a str>,
    /// The time of the machine.
    pub(super) now: UnixMillis,
    /// What was looked up.
    pub(super) facts: &'a Facts,
}

/// What has to be looked up before an event can be told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// Who somebody is.
    pub(super) person: Option<String>,
    /// What a conversation is.
    pub(super) room: Option<String>,
    /// What was said in a thread before: conversation, thread and the message itself.
    pub(super) thread: Option<(String, String, String)>,
}

/// What was looked up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Facts {
    /// Who somebody is.
    pub(super) person: PersonFacts,
    /// What a conversation is.
    pub(super) room: RoomFacts,
    /// What was said in a thread before, one line for each message.
    pub(super) thread: Vec<String>,
}

/// What an event is to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Said,
    Changed,
    TakenBack,
    Reacted,
    Happened,
}

/// What has to be looked up; nothing for an event that is left out.
pub(super) fn needs(event: &Event, us: &Us) -> Option<Needs> {
    let what = what(event, us)?;
    let inner = subject(event, what);
    let room = event.room().or(event.new_channel_id.as_deref())?;
    let direct = event.channel_type.as_deref() == Some("im");
    let attention = attention(event, us);
    let pointed = direct || attention.mentions_us || attention.answers_us;
    let thread = match (what, thread(event), &event.ts) {
        (What::Said, Some(thread), Some(ts)) if pointed => {
            Some((room.to_owned(), thread.to_owned(), ts.clone()))
        }
        _ => None,
    };
    Some(Needs {
        person: inner.person().map(str::to_owned),
        room: (!direct).then(|| room.to_owned()),
        thread,
    })
}

/// An event in neutral words; nothing for one that is left out.
pub(super) fn inbound(event: &Event, hearing: &SlackContext<'_>) -> Result<Option<Inbound>, IdError> {
    let Some(what) = what(event, hearing.us) else { return Ok(None) };
    match what {
        What::Said => said(event, hearing),
        What::Changed => changed(event, hearing),
        What::TakenBack => happenings::taken_back(event, hearing),
        What::Reacted => happenings::reacted(event, hearing),
        What::Happened => happenings::happened(event, hearing),
    }
}

fn what(event: &Event, us: &Us) -> Option<What> {
    let what = match event.kind.as_str() {
        "message" => match event.subtype.as_deref() {
            None | Some("file_share" | "bot_message" | "thread_broadcast" | "me_message") => What::Said,
            Some("message_changed") => What::Changed,
            Some("message_deleted") => What::TakenBack,
            Some("channel_topic" | "channel_purpose" | "group_topic" | "group_purpose") => What::Happened,
            Some(_) => return None,
        },
        "app_mention" => What::Said,
        "reaction_added" | "reaction_removed" => What::Reacted,
        "member_joined_channel"
        | "member_left_channel"
        | "channel_created"
        | "channel_rename"
        | "group_rename"
        | "channel_archive"
        | "channel_unarchive"
        | "group_archive"
        | "group_unarchive"
        | "channel_id_changed"
        | "pin_added"
        | "pin_removed" => What::Happened,
        _ => return None,
    };
    (!is_ours(subject(event, what), us)).then_some(what)
}

/// The message an event is about.
fn subject(event: &Event, what: What) -> &Event {
    let inner = match what {
        What::Changed => event.message.as_deref(),
        What::TakenBack => event.previous_message.as_deref(),
        _ => None,
    };
    inner.unwrap_or(event)
}

fn is_ours(event: &Event, us: &Us) -> bool {
    event.person() == Some(us.user.as_str()) || (us.bot.is_some() && event.bot_id == us.bot)
}

fn said(event: &Event, hearing: &SlackContext<'_>) -> Result<Option<Inbound>, IdError> {
    let (Some(room), Some(ts)) = (event.room(), event.ts.as_deref()) else { return Ok(None) };
    let kind = kind(event, room, &hearing.facts.room);
    let sender = match kind {
        ChatKind::Direct => event.person(),
        _ => event.person().or(event.bot_id.as_deref()),
    };
    let Some(sender) = sender else { return Ok(None) };
    let shared: Vec<&Attachment> =
        event.attachments.iter().filter(|part| part.is_share).take(media::MOST).collect();
    let mut files = media::of(&event.files);
    let mut words = text::words(event);
    if event.subtype.as_deref() == Some("me_message") {
        words = format!("* {words}");
    }
    let mut forwarded = None;
    let mut reply = None;
    if let Some(first) = shared.first() {
        if words.is_empty() {
            words = shared.iter().filter_map(|part| text::attached(part)).collect::<Vec<_>>().join("\n\n");
            forwarded = Some(Forwarded {
                from: first.author_name.clone().unwrap_or_else(|| "somebody".to_owned()),
                at: first.ts.as_ref().and_then(time_of),
            });
            files.extend(shared.iter().flat_map(|part| media::of_part(part)));
        } else {
            reply = Some(quoted(first)?);
        }
    }
    if words.is_empty() {
        words = files.first().map(|file| file.kind.placeholder().to_owned()).unwrap_or_default();
    }
    if words.is_empty() {
        return Ok(None);
    }
    let base =
        Base { room, kind, sender, at: moment(ts).unwrap_or(hearing.now), event: format!("{room}:{ts}") };
    let mut inbound = base.inbound(hearing)?;
    inbound.place.threads_hear_room = hearing.habits.threads_hear_room;
    inbound.message = Some(MessageId::new(ts)?);
    inbound.from.bot |= event.bot_id.is_some();
    if inbound.from.name.is_none() {
        inbound.from.name.clone_from(&event.username);
    }
    if let Some(thread) = thread(event) {
        inbound.place.thread = Some(ThreadId::new(thread)?);
        inbound.place.session_thread = Some(ThreadId::new(thread)?);
    } else if hearing.habits.reply_mode(kind) == ReplyToMode::All {
        inbound.place.answers_in = Some(ThreadId::new(ts)?);
    }
    if !hearing.facts.thread.is_empty() {
        inbound.facts.push(("thread_before".to_owned(), hearing.facts.thread.join("\n")));
    }
    inbound.attention = attention(event, hearing.us);
    inbound.text = words;
    inbound.media = files;
    inbound.forwarded = forwarded;
    inbound.reply = reply;
    Ok(Some(inbound))
}

/// A message that somebody changed. Links that were unfolded and answers that were counted change nothing.
fn changed(event: &Event, hearing: &SlackContext<'_>) -> Result<Option<Inbound>, IdError> {
    let Some(now) = event.message.as_deref() else { return Ok(None) };
    if now.subtype.as_deref() == Some("tombstone") {
        return happenings::taken_back(event, hearing);
    }
    let before = event.previous_message.as_deref();
    if before.is_some_and(|before| before.text == now.text && before.files.len() == now.files.len()) {
        return Ok(None);
    }
    let mut message = now.clone();
    message.kind.clone_from(&event.kind);
    message.channel.clone_from(&event.channel);
    message.channel_type.clone_from(&event.channel_type);
    let ts = now.ts.as_deref().unwrap_or_default();
    let stamp = event.event_ts.as_deref().or(event.ts.as_deref()).unwrap_or_default();
    let name = hearing
        .event
        .map_or_else(|| format!("{}:{ts}:changed:{stamp}", event.room().unwrap_or_default()), str::to_owned);
    let Some(mut inbound) = said(&message, hearing)? else { return Ok(None) };
    inbound.event = EventId::new(name)?;
    inbound.kind = InboundKind::Edited;
    Ok(Some(inbound))
}

/// What every event has.
struct Base<'a> {
    room: &'a str,
    kind: ChatKind,
    sender: &'a str,
    at: UnixMillis,
    event: String,
}

impl Base<'_> {
    fn inbound(&self, hearing: &SlackContext<'_>) -> Result<Inbound, IdError> {
        let facts = hearing.facts;
        let direct = self.kind == ChatKind::Direct;
        let (id, to) = match direct {
            true => (self.sender, target::SlackDestination::Person(self.sender.to_owned())),
            false => (self.room, target::SlackDestination::Room(self.room.to_owned())),
        };
        let team = hearing.team.or(hearing.us.team.as_deref()).map(GroupId::new).transpose()?;
        let subject = facts.room.topic.clone().or_else(|| facts.room.purpose.clone());
        Ok(Inbound {
            channel: ChannelId::new(ID)?,
            account: hearing.account.clone(),
            event: EventId::new(&self.event)?,
            message: None,
            at: self.at,
            place: ChatPlace {
                team,
                name: facts.room.name.clone().filter(|_| !direct),
                subject: subject.filter(|_| !direct),
                ..ChatPlace::new(self.kind, PeerId::new(id)?, to.to_string())
            },
            from: Person {
                name: facts.person.name.clone(),
                handle: facts.person.handle.clone(),
                bot: facts.person.bot,
                ..Person::new(PeerId::new(self.sender)?)
            },
            kind: InboundKind::Message,
            text: String::new(),
            attention: Attention { can_mention: true, ..Attention::default() },
            reply: None,
            forwarded: None,
            media: Vec::new(),
            facts: Vec::new(),
            bundle: None,
            moved: None,
        })
    }
}

/// What kind of conversation it is. What the id says cannot be wrong; else what the event says counts, then what was
/// looked up.
fn kind(event: &Event, room: &str, facts: &RoomFacts) -> ChatKind {
    if room.starts_with('D') {
        return ChatKind::Direct;
    }
    match event.channel_type.as_deref() {
        Some("im" | "app_home") => ChatKind::Direct,
        Some("mpim") => ChatKind::Group,
        Some("channel" | "group") => ChatKind::Channel,
        _ => facts.kind.unwrap_or(ChatKind::Channel),
    }
}

/// The thread a message is an answer in. The message that began it is in none.
fn thread(event: &Event) -> Option<&str> {
    let thread = event.thread_ts.as_deref().filter(|thread| !thread.is_empty())?;
    (event.ts.as_deref() != Some(thread) || event.parent_user_id.is_some()).then_some(thread)
}

fn attention(event: &Event, us: &Us) -> Attention {
    // Programs often write blocks alone.
    let written = event.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let text = written.map_or_else(|| text::words(event), str::to_owned);
    let named = |id: &str| [format!("<@{id}>"), format!("<@{id}|")].iter().any(|mark| text.contains(mark));
    Attention {
        mentions_us: event.kind == "app_mention" || named(&us.user),
        mentions_anybody: ["<@", "<!subteam", "<!here", "<!channel", "<!everyone"]
            .iter()
            .any(|mark| text.contains(mark)),
        answers_us: thread(event).is_some() && event.parent_user_id.as_deref() == Some(us.user.as_str()),
        can_mention: true,
    }
}

fn quoted(part: &Attachment) -> Result<Quoted, IdError> {
    let message = match &part.ts {
        Some(TextOrNumber::Text(ts)) => Some(MessageId::new(ts)?),
        _ => None,
    };
    let from = match &part.author_id {
        Some(id) => Some(Person { name: part.author_name.clone(), ..Person::new(PeerId::new(id)?) }),
        None => None,
    };
    let text = text::attached(part).unwrap_or_default();
    Ok(Quoted { message, from, text, part: false, media: media::of_part(part) })
}

fn time_of(time: &TextOrNumber) -> Option<UnixMillis> {
    match time {
        TextOrNumber::Text(text) => moment(text),
        TextOrNumber::Number(seconds) => Some(UnixMillis((seconds * 1000.0) as i64)),
    }
}

/// The time that names a message: seconds, a dot, and what tells messages of one second apart.
pub(super) fn moment(ts: &str) -> Option<UnixMillis> {
    let (seconds, part) = ts.split_once('.').unwrap_or((ts, "0"));
    let seconds: i64 = seconds.parse().ok()?;
    let thousandths: String = part.chars().chain("000".chars()).take(3).collect();
    Some(UnixMillis(seconds.checked_mul(1000)?.checked_add(thousandths.parse().ok()?)?))
}

/// The name of a conversation, where an event brings it.
pub(super) fn new_name(event: &Event) -> Option<(&str, &str)> {
    match &event.channel {
        Some(ChannelField::Whole { id, name: Some(name) }) => Some((id, name)),
        _ => None,
    }
}
