//! Makes the pieces of what is said to people on platforms, and keeps them before anything is sent.
//!
//! Keys are made from the run, so that an answer that is made again after a crash is kept once. A submission leaves the inbox
//! only after this.

use openclaw_agent::{ReplyKind, RunOrder, RunOutcome, RunReply};
use openclaw_delivery::{
    AlbumRules, CleanAnswer, Destination, Files, NoticeText, Planned, Replies, SentText, Sound, TagsWhenOff,
    Videos, clean, left_out, plan, with_albums, without_heartbeat, without_repetition,
};
use openclaw_ports::channel::{Capability, ChannelDescriptor, Measure};
use openclaw_ports::stores::StoreError;
use openclaw_types::{
    AccountId, AgentId, Button, ChannelId, ChatKind, MessageId, ModelRef, Outgoing, ReplyToMode, RichText,
    RunEnding, SendTarget, ThinkingLevel, UnixMillis,
};

use super::kept::kept_of;
use super::prefix::Prefix;
use super::{files, lanes};
use crate::channels::AccountView;
use crate::flow::Inner;
use crate::live::{SentSoFar, Whole};
use crate::submission::{Submission, SubmissionSurface};

/// Words of our own for one conversation.
pub(crate) struct OwnWords {
    /// Where to.
    pub(crate) target: SendTarget,
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
pub(crate) struct RunWords {
    parts: Vec<Part>,
    /// Goes on where something of it has left before.
    replies: Option<Replies>,
    /// Whether something of it has left before.
    begun: bool,
    /// Who made it, where that is known.
    by: Option<Answering>,
}

/// Which model answers, and how hard it thinks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answering {
    pub(crate) model: ModelRef,
    pub(crate) thinking: ThinkingLevel,
}

impl Answering {
    /// Who makes an answer as an order says.
    pub(crate) fn of(flow: &Inner, order: &RunOrder) -> Self {
        let model = flow.parts.models.chosen(&order.agent, &order.model);
        Self { thinking: flow.parts.models.thinking(&model, order.thinking), model }
    }

    /// Who usually makes an agent's answers.
    fn usual(flow: &Inner, agent: &AgentId) -> Self {
        let model = flow.parts.models.primary(agent);
        Self { thinking: flow.parts.models.thinking(&model, None), model }
    }
}

/// One message of an answer.
#[derive(Debug, Clone)]
struct Part {
    /// Stands behind the run in its keys.
    name: String,
    answer: CleanAnswer,
    kind: ReplyKind,
}

impl RunWords {
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
        Self { parts: numbered.map(part).collect(), ..Self::default() }
    }

    /// The same without what has left already. What takes the place of a draft is named after it. Gives the drafts as
    /// well that nothing takes the place of.
    pub(crate) fn without(self, mut left: SentSoFar) -> (Self, Vec<String>) {
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
        (Self { parts, replies: left.replies(), begun, by: self.by }, left.orphans())
    }

    /// Adds words below the last answer.
    pub(crate) fn below(&mut self, line: &str) {
        if let Some(part) = self.parts.last_mut() {
            part.answer.text.push_str(line);
        }
    }
}

/// What a run says to people. What it said by tools to the same place is not said again.
pub(crate) fn spoken(outcome: &RunOutcome, by: &Answering) -> RunWords {
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
    if let RunEnding::Failed { message } = &outcome.end.how {
        parts.push(Part::ours(&format!("notice/{}", counts[2]), message));
    }
    let by = outcome.model.clone().map_or_else(|| by.clone(), |model| Answering { model, ..by.clone() });
    RunWords { parts, by: Some(by), ..RunWords::default() }
}

impl Part {
    /// Words of our own.
    fn ours(name: &str, text: &str) -> Self {
        let answer = CleanAnswer { text: text.to_owned(), ..CleanAnswer::default() };
        Self { name: name.to_owned(), answer, kind: ReplyKind::Notice }
    }
}

/// What tools said to people during a run.
pub(crate) fn said(flow: &Inner, outcome: &RunOutcome) -> Vec<SentText> {
    let said = outcome.said.iter().filter_map(|said| {
        let target = read_place(flow, &said.to)?;
        let target = SendTarget { thread: said.thread.clone(), ..target };
        Some(SentText { target, text: said.text.clone(), media: said.media.clone() })
    });
    said.collect()
}

/// A place in one line, as tools report where they said something.
pub(crate) fn place_line(target: &SendTarget) -> String {
    format!("{}:{}:{}", target.channel, target.account, target.to)
}

fn read_place(flow: &Inner, line: &str) -> Option<SendTarget> {
    let (channel, rest) = line.split_once(':')?;
    let (account, to) = rest.split_once(':')?;
    let channel =
        flow.parts.channels.kind(channel).and_then(|kind| ChannelId::new(kind.descriptor().id).ok())?;
    Some(SendTarget { channel, account: AccountId::new(account).ok()?, to: to.to_owned(), thread: None })
}

fn of_reply(reply: &RunReply) -> CleanAnswer {
    let mut answer = match reply.kind {
        ReplyKind::Answer => clean(&reply.text),
        ReplyKind::Notice => CleanAnswer { text: reply.text.clone(), ..CleanAnswer::default() },
        ReplyKind::Reasoning => {
            let text = format!("Reasoning:\n{}", reply.text.trim());
            CleanAnswer { text, ..CleanAnswer::default() }
        }
    };
    answer.marks.media.splice(0..0, reply.media.iter().cloned());
    answer
}

/// Where the answer to a submission goes; nothing when it stays in the session.
pub(crate) fn target_of(flow: &Inner, submission: &Submission) -> Option<SendTarget> {
    dock_of(flow, submission).or_else(|| origin_of(flow, submission))
}

/// The dock of a submission's session, as long as there is such an account.
fn dock_of(flow: &Inner, submission: &Submission) -> Option<SendTarget> {
    let dock = submission.options.answer_at.clone()?;
    flow.parts.channels.view(&dock.channel, &dock.account).map(|_there| dock)
}

/// Where a submission came from, as far as something can be sent there for it.
pub(crate) fn origin_of(flow: &Inner, submission: &Submission) -> Option<SendTarget> {
    let stays = submission.surface != SubmissionSurface::Channel && submission.surface.takes_commands();
    if stays && !submission.options.deliver {
        return None;
    }
    // What a sub-agent says is for the session that asked, which tells people what came of it; unless people speak to it
    // in a thread that is bound to it.
    if submission.key.is_subagent() && submission.channel_origin.is_none() {
        return None;
    }
    let from = &submission.from;
    let channel = from.channel.clone()?;
    flow.parts.channels.kind(channel.as_str())?;
    let account = match from.account.clone() {
        Some(account) => account,
        None => flow.parts.channels.accounts_of(&channel).into_iter().next()?,
    };
    Some(SendTarget { channel, account, to: from.to.clone()?, thread: from.thread.clone() })
}

/// Keeps what a run says to the author of a submission.
///
/// # Errors
/// It could not be kept; the submission must stay in the inbox.
pub(crate) async fn answer(
    flow: &Inner,
    submission: &Submission,
    spoken: RunWords,
    said: &[SentText],
) -> Result<(), StoreError> {
    match target_of(flow, submission) {
        Some(target) => Box::pin(answer_at(flow, target, submission, spoken, said)).await,
        None => Ok(()),
    }
}

async fn answer_at(
    flow: &Inner,
    target: SendTarget,
    submission: &Submission,
    spoken: RunWords,
    said: &[SentText],
) -> Result<(), StoreError> {
    let Some(view) = flow.parts.channels.view(&target.channel, &target.account) else {
        tracing::warn!(subsystem = "channels", channel = %target.channel, account = %target.account, "an answer has nowhere to go: the account is gone");
        return Ok(());
    };
    let mut replies = match spoken.replies {
        Some(replies) => replies,
        None if spoken.begun => replies(submission, &view).used(),
        None => replies(submission, &view),
    };
    let by = spoken.by.unwrap_or_else(|| Answering::usual(flow, &submission.agent));
    let prefix = Prefix::of(flow, submission, &view, &by).text();
    let mut pieces = Vec::new();
    for Part { name, answer, kind } in spoken.parts {
        let Some(mut answer) = without_repetition(answer, said, &target) else { continue };
        if kind == ReplyKind::Answer {
            answer.text = without_heartbeat(answer.text);
        }
        let stem = format!("{}/{name}", submission.run);
        let to = Post::new(&view, &target, &stem, prefix.as_deref());
        pieces.extend(cut(flow, &submission.agent, &answer, &to, &mut replies).await.pieces);
    }
    if pieces.is_empty() {
        withdraw_draft(flow, target);
        unanswered(flow, submission).await;
        return Ok(());
    }
    lanes::keep(flow, pieces, submission.run.as_str()).await?;
    if submission.options.answer_at.is_some() {
        unanswered(flow, submission).await;
    }
    Ok(())
}

/// Tells the platform that nothing comes where it shows people that an answer does. Nothing happens when something of the
/// submission's run goes there.
pub(crate) async fn unanswered(flow: &Inner, submission: &Submission) {
    let Some(target) = origin_of(flow, submission) else { return };
    let slots = flow.parts.channels.surface(&target.channel, &target.account);
    let Some(waiting) = slots.and_then(|slots| slots.waiting.clone()).filter(|slot| slot.waits(&target))
    else {
        return;
    };
    match kept_of(flow, &submission.run, &target).await {
        Ok(kept) if kept.is_empty() => {}
        Ok(_answered) => return,
        Err(error) => {
            tracing::warn!(subsystem = "channels", run = %submission.run, %error, "what was answered cannot be looked up");
            return;
        }
    }
    flow.parts.tasks.start_cancellable("silence", async move {
        if let Err(error) = waiting.end(&target).await {
            tracing::debug!(subsystem = "channels", %error, "a sign that we think could not be taken back");
        }
    });
}

/// Takes back what was shown of an answer that ends without words.
fn withdraw_draft(flow: &Inner, target: SendTarget) {
    let slots = flow.parts.channels.surface(&target.channel, &target.account);
    let draft = slots.and_then(|slots| slots.draft.clone()).filter(|draft| draft.works(&target));
    let Some(draft) = draft else { return };
    flow.parts.tasks.start_cancellable("draft", async move {
        if let Err(error) = draft.withdraw(&target).await {
            tracing::debug!(subsystem = "channels", %error, "a draft could not be taken back");
        }
    });
}

/// Keeps words of our own for the author of a submission.
///
/// # Errors
/// They could not be kept.
pub(crate) async fn speak(
    flow: &Inner,
    submission: &Submission,
    kind: &str,
    text: &str,
) -> Result<(), StoreError> {
    let spoken = RunWords { parts: vec![Part::ours(kind, text)], ..RunWords::default() };
    self::answer(flow, submission, spoken, &[]).await
}

/// Where a part of an answer leaves before the rest.
pub(crate) struct EarlyPiece<'a> {
    /// Whose files may be sent.
    pub(crate) agent: &'a AgentId,
    /// Where to.
    pub(crate) target: &'a SendTarget,
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
    (leaving, run): (&EarlyPiece<'_>, &str),
    answer: CleanAnswer,
    replies: &mut Replies,
    at: UnixMillis,
) -> Result<(), StoreError> {
    let EarlyPiece { agent, target, view, stem, prefix } = *leaving;
    let answer = CleanAnswer { text: without_heartbeat(answer.text), ..answer };
    let cut = cut(flow, agent, &answer, &Post::new(view, target, stem, prefix), replies).await;
    lanes::keep_at(flow, cut.pieces, run, at).await
}

/// Keeps words of our own for a conversation.
///
/// # Errors
/// They could not be kept.
pub(crate) async fn say(flow: &Inner, saying: OwnWords) -> Result<(), StoreError> {
    let OwnWords { target, stem, source, text, buttons } = saying;
    let Some(view) = flow.parts.channels.view(&target.channel, &target.account) else { return Ok(()) };
    let answer = CleanAnswer { text, ..CleanAnswer::default() };
    let to = Post { buttons: &buttons, ..Post::new(&view, &target, &stem, None) };
    let mut replies = Replies::new(ReplyToMode::Off, TagsWhenOff::Dropped, None);
    let pieces = {
        let measure = measure(view.descriptor);
        words(plan(&answer, &to.destination(&measure), &mut replies))
    };
    lanes::keep(flow, pieces, &source).await
}

/// A message that somebody ordered: a tool, a method.
pub(crate) struct SendOrder {
    /// Where to.
    pub(crate) target: SendTarget,
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
    /// The part of that message that is quoted.
    pub(crate) quote: Option<String>,
    /// Rows of buttons below it, where the platform has buttons.
    pub(crate) buttons: Vec<Vec<Button>>,
    /// Whether people are woken.
    pub(crate) sound: Sound,
    /// Whether sound is sent as somebody speaking.
    pub(crate) voice: bool,
    /// How films are shown.
    pub(crate) videos: Videos,
}

/// Why an ordered message is not sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OrderFault {
    /// A file of it cannot be had. For people.
    #[error("{0}")]
    File(String),
    /// It could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Keeps an ordered message for sending.
///
/// # Errors
/// It could not be kept, or a file of it cannot be had: nothing is sent then.
pub(crate) async fn order(flow: &Inner, order: SendOrder) -> Result<(), OrderFault> {
    let Some(view) = flow.parts.channels.view(&order.target.channel, &order.target.account) else {
        return Ok(());
    };
    let mut answer = CleanAnswer { text: order.text, ..CleanAnswer::default() };
    answer.marks.media = order.media;
    answer.marks.tags.voice = order.voice;
    let mode = if order.reply.is_some() { ReplyToMode::First } else { ReplyToMode::Off };
    let mut replies = Replies::new(mode, TagsWhenOff::Dropped, order.reply).quoting(order.quote);
    let usual = Post::new(&view, &order.target, &order.stem, None);
    let to = Post { buttons: &order.buttons, sound: order.sound, videos: order.videos, ..usual };
    let cut = cut(flow, &order.agent, &answer, &to, &mut replies).await;
    if let Some(why) = cut.missing.into_iter().next() {
        return Err(OrderFault::File(why));
    }
    Ok(lanes::keep(flow, cut.pieces, &order.source).await?)
}

/// Where an answer goes, and how things are written there.
struct Post<'a> {
    view: &'a AccountView,
    target: &'a SendTarget,
    stem: &'a str,
    prefix: Option<&'a str>,
    buttons: &'a [Vec<Button>],
    sound: Sound,
    videos: Videos,
}

impl<'a> Post<'a> {
    fn new(view: &'a AccountView, target: &'a SendTarget, stem: &'a str, prefix: Option<&'a str>) -> Self {
        Self { view, target, stem, prefix, buttons: &[], sound: Sound::Usual, videos: Videos::Usual }
    }

    fn destination(&self, measure: &'a dyn Fn(&RichText) -> usize) -> Destination<'a> {
        let can = |capability| self.view.descriptor.capabilities.contains(&capability);
        let files = if can(Capability::SendMedia) { Files::Sent } else { Files::Named };
        let buttons = if can(Capability::Buttons) { self.buttons } else { &[] };
        Destination {
            target: self.target,
            stem: self.stem,
            manner: &self.view.manner,
            measure,
            caption_most: self.view.descriptor.caption_most,
            files,
            prefix: self.prefix,
            sound: self.sound,
            videos: self.videos,
            buttons: buttons.to_vec(),
        }
    }
}

/// The pieces of an answer.
struct Cut {
    pieces: Vec<Outgoing>,
    /// What is said in the pieces about files that cannot be had.
    missing: Vec<String>,
}

async fn cut(
    flow: &Inner,
    agent: &AgentId,
    answer: &CleanAnswer,
    to: &Post<'_>,
    replies: &mut Replies,
) -> Cut {
    let measure = measure(to.view.descriptor);
    let (planned, missing) = {
        let destination = to.destination(&measure);
        let missing = left_out(destination.files, &answer.marks.media);
        (plan(answer, &destination, replies), missing)
    };
    let mut cut = Cut { pieces: Vec::new(), missing };
    for piece in planned {
        match piece {
            Planned::Words(piece) => cut.pieces.push(piece),
            Planned::Media(media) => {
                match files::have(flow, agent, media, to.view.manner.media_bytes).await {
                    Ok(piece) => cut.pieces.push(piece),
                    Err((media, reason)) => {
                        let line = NoticeText::FileLeftOut { name: media.source.clone(), reason }.text();
                        cut.pieces.push(media.telling(&line));
                        cut.missing.push(line);
                    }
                }
            }
        }
    }
    if let Some(albums) = &to.view.descriptor.albums {
        let rules = AlbumRules { most: albums.most, family: albums.family };
        cut.pieces = with_albums(cut.pieces, &rules);
    }
    cut
}

fn words(planned: Vec<Planned>) -> Vec<Outgoing> {
    let words = planned.into_iter().filter_map(|piece| match piece {
        Planned::Words(piece) => Some(piece),
        Planned::Media(_) => None,
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

/// Which pieces of the answer to a submission are shown as answers to its message.
pub(crate) fn replies(submission: &Submission, view: &AccountView) -> Replies {
    let channel_origin = submission.channel_origin.as_ref();
    let kind = channel_origin.map_or(ChatKind::Direct, |channel_origin| channel_origin.inbound.place.kind);
    // Its message is on another platform where the answer goes to a dock.
    let channel_origin = channel_origin.filter(|_| submission.options.answer_at.is_none());
    let message: Option<MessageId> =
        channel_origin.and_then(|channel_origin| channel_origin.inbound.message.clone());
    let tags = if view.manner.tags_when_off { TagsWhenOff::Kept } else { TagsWhenOff::Dropped };
    Replies::new(view.manner.reply_mode(kind), tags, message)
}
