//! Makes the pieces of what is said to people on platforms, and keeps them before anything is sent.
//!
//! Keys are made from the run, so that an answer that is made again after a crash is kept once. A letter leaves the inbox
//! only after this.

use openclaw_agent::{Reply, ReplyKind, RunOutcome};
use openclaw_delivery::{
    Answer, Destination, Files, Planned, PrefixFacts, Replies, Said, Sound, TagsWhenOff, clean, plan,
    response_prefix, without_repetition,
};
use openclaw_ports::channel::{Capability, ChannelDescriptor, Measure};
use openclaw_ports::stores::StoreError;
use openclaw_types::{
    AccountId, AgentId, Button, ChannelId, ChatKind, MessageId, Outgoing, ReplyToMode, RichText, RunEnding,
    Target, UnixMillis,
};

use super::{files, lanes};
use crate::channels::AccountView;
use crate::flow::Inner;
use crate::letter::{Letter, Surface};
use crate::live::{Left, Whole};

/// Words of our own for one conversation.
pub(crate) struct Saying {
    /// Where to.
    pub(crate) target: Target,
    /// Begins the keys of the pieces.
    pub(crate) stem: String,
    /// What they belong to.
    pub(crate) source: String,
    /// The words, as Markdown.
    pub(crate) text: String,
    /// Rows of buttons below them, where the platform has buttons.
    pub(crate) buttons: Vec<Vec<Button>>,
}

/// What a run says to people, before it is cut.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spoken {
    parts: Vec<Part>,
    /// Goes on where something of it has left before.
    replies: Option<Replies>,
    /// Whether something of it has left before.
    begun: bool,
}

/// One message of an answer.
#[derive(Debug, Clone)]
struct Part {
    /// Stands behind the run in its keys.
    name: String,
    answer: Answer,
    kind: ReplyKind,
}

impl Spoken {
    /// One answer that is whole.
    pub(crate) fn one(text: &str) -> Self {
        Self::all([text.to_owned()])
    }

    /// Answers that are whole, in order.
    pub(crate) fn all(texts: impl IntoIterator<Item = String>) -> Self {
        let numbered = texts.into_iter().enumerate();
        let part = |(number, text): (usize, String)| Part {
            name: number.to_string(),
            answer: clean(&text),
            kind: ReplyKind::Answer,
        };
        Self { parts: numbered.map(part).collect(), replies: None, begun: false }
    }

    /// The same without what has left already. What takes the place of a draft is named after it. Gives the drafts as
    /// well that nothing takes the place of.
    pub(crate) fn without(self, mut left: Left) -> (Self, Vec<String>) {
        let begun = !left.is_empty();
        let mut parts = Vec::with_capacity(self.parts.len());
        for part in self.parts {
            if part.kind == ReplyKind::Reasoning {
                parts.push(part);
                continue;
            }
            match left.rest(part.answer) {
                Whole::Say(answer) => parts.push(Part { answer, ..part }),
                Whole::Replace(name, answer) => parts.push(Part { name, answer, ..part }),
                Whole::Said => {}
            }
        }
        (Self { parts, replies: left.replies(), begun }, left.orphans())
    }

    /// Adds words below the last answer.
    pub(crate) fn below(&mut self, line: &str) {
        if let Some(part) = self.parts.last_mut() {
            part.answer.text.push_str(line);
        }
    }
}

/// What a run says to people. What it said by tools to the same place is not said again.
pub(crate) fn spoken(outcome: &RunOutcome) -> Spoken {
    let mut counts = [0_usize; 3];
    let said = outcome.replies.iter().map(|reply| {
        let (kind, word) = match reply.kind {
            ReplyKind::Answer => (0, ""),
            ReplyKind::Reasoning => (1, "thoughts/"),
            ReplyKind::Notice => (2, "notice/"),
        };
        let name = format!("{word}{}", counts[kind]);
        counts[kind] += 1;
        Part { name, answer: of_reply(reply), kind: reply.kind }
    });
    let mut parts: Vec<Part> = said.collect();
    if let (true, RunEnding::Failed { message }) = (parts.is_empty(), &outcome.end.how) {
        parts.push(Part::ours("notice/0", message));
    }
    Spoken { parts, replies: None, begun: false }
}

impl Part {
    /// Words of our own.
    fn ours(name: &str, text: &str) -> Self {
        let answer = Answer { text: text.to_owned(), ..Answer::default() };
        Self { name: name.to_owned(), answer, kind: ReplyKind::Notice }
    }
}

/// What tools said to people during a run.
pub(crate) fn said(flow: &Inner, outcome: &RunOutcome) -> Vec<Said> {
    let said = outcome.said.iter().filter_map(|said| {
        let target = read_place(flow, &said.to)?;
        Some(Said { target, text: said.text.clone(), media: Vec::new() })
    });
    said.collect()
}

/// A place in one line, as tools report where they said something.
pub(crate) fn place_line(target: &Target) -> String {
    format!("{}:{}:{}", target.channel, target.account, target.to)
}

fn read_place(flow: &Inner, line: &str) -> Option<Target> {
    let (channel, rest) = line.split_once(':')?;
    let (account, to) = rest.split_once(':')?;
    let channel =
        flow.parts.channels.kind(channel).and_then(|kind| ChannelId::new(kind.descriptor().id).ok())?;
    Some(Target { channel, account: AccountId::new(account).ok()?, to: to.to_owned(), thread: None })
}

fn of_reply(reply: &Reply) -> Answer {
    let mut answer = match reply.kind {
        ReplyKind::Answer => clean(&reply.text),
        ReplyKind::Notice => Answer { text: reply.text.clone(), ..Answer::default() },
        ReplyKind::Reasoning => {
            let text = format!("Reasoning:\n{}", reply.text.trim());
            Answer { text, ..Answer::default() }
        }
    };
    answer.marks.media.splice(0..0, reply.media.iter().cloned());
    answer
}

/// Where the answer to a letter goes; nothing when it stays in the session.
pub(crate) fn target_of(flow: &Inner, letter: &Letter) -> Option<Target> {
    let stays = letter.surface != Surface::Channel && letter.surface.takes_commands();
    if stays && !letter.wishes.deliver {
        return None;
    }
    let from = &letter.from;
    let channel = from.channel.clone()?;
    flow.parts.channels.kind(channel.as_str())?;
    let account = match from.account.clone() {
        Some(account) => account,
        None => flow.parts.channels.accounts_of(&channel).into_iter().next()?,
    };
    Some(Target { channel, account, to: from.to.clone()?, thread: from.thread.clone() })
}

/// Keeps what a run says to the author of a letter.
///
/// # Errors
/// It could not be kept; the letter must stay in the inbox.
pub(crate) async fn answer(
    flow: &Inner,
    letter: &Letter,
    spoken: Spoken,
    said: &[Said],
) -> Result<(), StoreError> {
    let Some(target) = target_of(flow, letter) else { return Ok(()) };
    let Some(view) = flow.parts.channels.view(&target.channel, &target.account) else {
        tracing::warn!(subsystem = "channels", channel = %target.channel, account = %target.account, "an answer has nowhere to go: the account is gone");
        return Ok(());
    };
    let mut replies = match spoken.replies {
        Some(replies) => replies,
        None if spoken.begun => replies(letter, &view).used(),
        None => replies(letter, &view),
    };
    let prefix = prefix(flow, letter, &view);
    let mut pieces = Vec::new();
    for Part { name, answer, .. } in spoken.parts {
        let Some(answer) = without_repetition(answer, said, &target) else { continue };
        let stem = format!("{}/{name}", letter.run);
        let to = Post { view: &view, target: &target, stem: &stem, prefix: prefix.as_deref() };
        pieces.extend(cut(flow, &letter.agent, &answer, &to, &mut replies).await);
    }
    lanes::keep(flow, pieces, letter.run.as_str()).await
}

/// Keeps words of our own for the author of a letter.
///
/// # Errors
/// They could not be kept.
pub(crate) async fn speak(flow: &Inner, letter: &Letter, kind: &str, text: &str) -> Result<(), StoreError> {
    let spoken = Spoken { parts: vec![Part::ours(kind, text)], replies: None, begun: false };
    self::answer(flow, letter, spoken, &[]).await
}

/// Where a part of an answer leaves before the rest.
pub(crate) struct Leaving<'a> {
    /// Whose files may be sent.
    pub(crate) agent: &'a AgentId,
    /// Where to.
    pub(crate) target: &'a Target,
    /// The account.
    pub(crate) view: &'a AccountView,
    /// Begins the keys of the pieces; begins itself with the run.
    pub(crate) stem: &'a str,
    /// What stands before the words.
    pub(crate) prefix: Option<&'a str>,
}

/// Keeps a part of a run's answer, to be sent at a moment. The run begins its keys and is what it belongs to.
///
/// # Errors
/// It could not be kept.
pub(crate) async fn leave(
    flow: &Inner,
    (leaving, run): (&Leaving<'_>, &str),
    answer: &Answer,
    replies: &mut Replies,
    at: UnixMillis,
) -> Result<(), StoreError> {
    let Leaving { agent, target, view, stem, prefix } = *leaving;
    let pieces = cut(flow, agent, answer, &Post { view, target, stem, prefix }, replies).await;
    lanes::keep_at(flow, pieces, run, at).await
}

/// Keeps words of our own for a conversation.
///
/// # Errors
/// They could not be kept.
pub(crate) async fn say(flow: &Inner, saying: Saying) -> Result<(), StoreError> {
    let Saying { target, stem, source, text, buttons } = saying;
    let Some(view) = flow.parts.channels.view(&target.channel, &target.account) else { return Ok(()) };
    let answer = Answer { text, ..Answer::default() };
    let to = Post { view: &view, target: &target, stem: &stem, prefix: None };
    let mut replies = Replies::new(ReplyToMode::Off, TagsWhenOff::Dropped, None);
    let has_buttons = view.descriptor.capabilities.contains(&Capability::Buttons);
    let buttons = if has_buttons { buttons } else { Vec::new() };
    let pieces = {
        let measure = measure(view.descriptor);
        let destination = Destination { buttons, ..to.destination(&measure) };
        words(plan(&answer, &destination, &mut replies))
    };
    lanes::keep(flow, pieces, &source).await
}

/// A message that somebody ordered: a tool, a method.
pub(crate) struct Order {
    /// Where to.
    pub(crate) target: Target,
    /// Whose files may be sent.
    pub(crate) agent: AgentId,
    /// Begins the keys of the pieces.
    pub(crate) stem: String,
    /// What they belong to.
    pub(crate) source: String,
    /// The words, as Markdown.
    pub(crate) text: String,
    /// Files and addresses.
    pub(crate) media: Vec<String>,
    /// The message it answers.
    pub(crate) reply: Option<MessageId>,
}

/// Keeps an ordered message for sending.
///
/// # Errors
/// It could not be kept.
pub(crate) async fn order(flow: &Inner, order: Order) -> Result<(), StoreError> {
    let Some(view) = flow.parts.channels.view(&order.target.channel, &order.target.account) else {
        return Ok(());
    };
    let mut answer = Answer { text: order.text, ..Answer::default() };
    answer.marks.media = order.media;
    let mode = if order.reply.is_some() { ReplyToMode::First } else { ReplyToMode::Off };
    let mut replies = Replies::new(mode, TagsWhenOff::Dropped, order.reply);
    let to = Post { view: &view, target: &order.target, stem: &order.stem, prefix: None };
    let pieces = cut(flow, &order.agent, &answer, &to, &mut replies).await;
    lanes::keep(flow, pieces, &order.source).await
}

/// Where an answer goes, and how things are written there.
struct Post<'a> {
    view: &'a AccountView,
    target: &'a Target,
    stem: &'a str,
    prefix: Option<&'a str>,
}

impl<'a> Post<'a> {
    fn destination(&self, measure: &'a dyn Fn(&RichText) -> usize) -> Destination<'a> {
        let files = match self.view.descriptor.capabilities.contains(&Capability::SendMedia) {
            true => Files::Sent,
            false => Files::Named,
        };
        Destination {
            target: self.target,
            stem: self.stem,
            manner: &self.view.manner,
            measure,
            caption_most: self.view.descriptor.caption_most,
            files,
            prefix: self.prefix,
            sound: Sound::Usual,
            buttons: Vec::new(),
        }
    }
}

async fn cut(
    flow: &Inner,
    agent: &AgentId,
    answer: &Answer,
    to: &Post<'_>,
    replies: &mut Replies,
) -> Vec<Outgoing> {
    let measure = measure(to.view.descriptor);
    let planned = plan(answer, &to.destination(&measure), replies);
    let mut pieces = Vec::with_capacity(planned.len());
    for piece in planned {
        match piece {
            Planned::Words(piece) => pieces.push(piece),
            Planned::Media(media) => {
                pieces.extend(files::have(flow, agent, media, to.view.manner.media_bytes).await);
            }
        }
    }
    pieces
}

fn words(planned: Vec<Planned>) -> Vec<Outgoing> {
    let words = planned.into_iter().filter_map(|piece| match piece {
        Planned::Words(piece) => Some(piece),
        Planned::Media(media) => media.without_file(),
    });
    words.collect()
}

/// How long words are on a platform.
pub(crate) fn measure(descriptor: &'static ChannelDescriptor) -> impl Fn(&RichText) -> usize {
    move |text| match descriptor.measure {
        Measure::PlainUtf16 => text.utf16_len(),
        Measure::MarkupChars => (descriptor.format)(text).chars().count(),
        Measure::MarkupBytes => (descriptor.format)(text).len(),
    }
}

/// Which pieces of the answer to a letter are shown as answers to its message.
pub(crate) fn replies(letter: &Letter, view: &AccountView) -> Replies {
    let arrived = letter.arrived.as_ref();
    let kind = arrived.map_or(ChatKind::Direct, |arrived| arrived.inbound.place.kind);
    let message: Option<MessageId> = arrived.and_then(|arrived| arrived.inbound.message.clone());
    let tags = if view.manner.tags_when_off { TagsWhenOff::Kept } else { TagsWhenOff::Dropped };
    Replies::new(view.manner.reply_mode(kind), tags, message)
}

/// What stands before the answer to a letter.
pub(crate) fn prefix(flow: &Inner, letter: &Letter, view: &AccountView) -> Option<String> {
    let config = flow.settings();
    let general = config.raw.messages.as_ref().and_then(|messages| messages.response_prefix.as_deref());
    let template = view.manner.response_prefix.as_deref().or(general);
    let entries = config.raw.agents.as_ref().and_then(|agents| agents.list.as_deref()).unwrap_or_default();
    let identity = entries
        .iter()
        .find(|entry| entry.id.eq_ignore_ascii_case(letter.agent.as_str()))
        .and_then(|entry| entry.identity.as_ref()?.name.clone());
    response_prefix(template, &PrefixFacts { identity, ..PrefixFacts::default() })
}
