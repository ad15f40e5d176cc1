//! An answer as one message that grows: sent through the outbox once there is enough to see, then changed in place.
//!
//! Where the platform has a form for words that are no message yet, that is used and nothing stays. One showing is under
//! way at a time, apart from the run, so that a slow platform never slows the model. The whole answer takes the draft's
//! place through the outbox.

use std::sync::Arc;
use std::time::Duration;

use openclaw_delivery::{DraftSettings, DraftStep, DraftStream};
use openclaw_ports::channel::{ChannelError, Draft};
use openclaw_types::{DraftMode, MessageId, RichText, UnixMillis};
use tokio::sync::oneshot;

use super::outlet::Outlet;
use super::sent::{SentForm, SentMark, SentSoFar};
use crate::flow::Inner;
use crate::outbox::DraftPlace;

/// Shows the answers of one run while they are made.
pub(super) struct Drafts {
    mode: DraftMode,
    stream: DraftStream,
    /// All words of the message under way.
    words: String,
    message: Shown,
    /// The message holds thoughts and no word of an answer yet: what comes next takes its place.
    thinking: bool,
    /// The message was begun by an earlier process, and nothing has been shown in it since.
    adopted: bool,
    /// The showing that is under way: what is shown, and who hears how it went.
    showing: Option<(String, oneshot::Receiver<Showing>)>,
    /// The platform wants nothing shown before this moment.
    held: UnixMillis,
    due: Option<UnixMillis>,
}

/// The message that grows.
enum Shown {
    /// There is none.
    Nowhere,
    /// It is on its way.
    Asked(u64, oneshot::Receiver<MessageId>),
    /// It is there.
    There(u64, MessageId),
    /// It cannot be had: the answer comes whole.
    Lost,
}

impl Drafts {
    pub(super) fn new(settings: DraftSettings) -> Self {
        Self {
            mode: settings.mode,
            stream: DraftStream::new(settings),
            words: String::new(),
            message: Shown::Nowhere,
            thinking: false,
            adopted: false,
            showing: None,
            held: UnixMillis(0),
            due: None,
        }
    }

    /// Goes on with a message that an earlier process began: the next answer is shown there.
    pub(super) fn adopt(&mut self, number: u64, message: DraftPlace) {
        self.adopted = true;
        self.message = match message {
            DraftPlace::There(message) => Shown::There(number, message),
            DraftPlace::OnItsWay(sent) => Shown::Asked(number, sent),
        };
    }

    /// A message begins. What says what is being done stays the same for all of them.
    pub(super) fn begin(&mut self, ended: DraftState) {
        self.words.clear();
        if self.mode == DraftMode::Progress {
            return;
        }
        self.stream.restart();
        if ended == DraftState::Yes && !self.thinking && !std::mem::take(&mut self.adopted) {
            self.message = Shown::Nowhere;
        }
    }

    /// Takes in thoughts, which are shown until there are words.
    pub(super) fn think(&mut self, thoughts: &str) {
        self.stream.think(thoughts);
    }

    /// These are the words of the message so far.
    pub(super) fn push(&mut self, all: &str) {
        let new = all.get(self.words.len()..).unwrap_or_default();
        self.words.push_str(new);
        self.stream.push(new);
    }

    /// A tool is used.
    pub(super) fn step(&mut self, what: &str) {
        self.stream.step(what);
    }

    /// The message is whole. Gives whether it is shown somewhere.
    pub(super) fn end(&mut self, flow: &Arc<Inner>, outlet: &mut Outlet, left: &mut SentSoFar) -> bool {
        let number = match &self.message {
            Shown::Asked(number, _) | Shown::There(number, _) => *number,
            Shown::Nowhere | Shown::Lost => return false,
        };
        self.thinking &= self.words.trim().is_empty();
        if self.mode != DraftMode::Progress && !self.thinking {
            left.add(SentForm::Draft, number, SentMark::after(&self.words));
            let words = self.words.trim_end().to_owned();
            if let (None, Shown::There(_, message), Some(text)) =
                (&self.showing, &self.message, outlet.shown(&words))
                && flow.now() >= self.held
            {
                self.showing = Some((words, change(flow, outlet, message.clone(), text)));
            }
        }
        true
    }

    /// When to look again, unless something comes before.
    pub(super) fn due(&self) -> Option<UnixMillis> {
        self.due
    }

    /// Waits until a showing is over. Never ends when none is under way. Nothing is lost when it is dropped.
    pub(super) async fn heard(&mut self) -> DraftReport {
        if let Some((_, done)) = &mut self.showing {
            return DraftReport::Showed(done.await.unwrap_or(Showing::Failed));
        }
        match &mut self.message {
            Shown::Asked(_, sent) => DraftReport::Sent(sent.await.ok()),
            _ => std::future::pending().await,
        }
    }

    /// Notes how a showing went.
    pub(super) fn note(&mut self, heard: DraftReport, now: UnixMillis) {
        match heard {
            DraftReport::Showed(went) => match (self.showing.take(), went) {
                (Some((words, _)), Showing::Done) => self.stream.showed(words, now),
                (_, Showing::Limited(pause)) => {
                    self.held = now.plus(pause);
                    self.stream.failed(now);
                }
                _ => self.stream.failed(now),
            },
            DraftReport::Sent(message) => {
                let before = std::mem::replace(&mut self.message, Shown::Lost);
                if let (Shown::Asked(number, _), Some(message)) = (before, message) {
                    self.message = Shown::There(number, message);
                }
            }
        }
    }

    /// Whether a showing is under way that may still change the message.
    pub(super) fn is_showing(&self) -> bool {
        self.showing.is_some()
    }

    /// Shows what there is to see, if it is time.
    pub(super) async fn advance(&mut self, flow: &Arc<Inner>, outlet: &mut Outlet, left: &mut SentSoFar) {
        self.due = None;
        if self.showing.is_some() || matches!(self.message, Shown::Asked(..) | Shown::Lost) {
            return;
        }
        let now = flow.now();
        if now < self.held {
            self.due = Some(self.held);
            return;
        }
        match self.stream.next(now) {
            DraftStep::Show(words) => self.show(flow, outlet, left, words).await,
            DraftStep::Wait(due) => self.due = Some(due),
            DraftStep::Nothing | DraftStep::Stopped => {}
        }
    }

    async fn show(&mut self, flow: &Arc<Inner>, outlet: &mut Outlet, left: &mut SentSoFar, words: String) {
        let Some(text) = outlet.shown(&words) else { return self.stream.stop() };
        let slots = outlet.slots(flow);
        let form =
            slots.as_ref().and_then(|slots| slots.draft.clone()).filter(|form| form.works(&outlet.target));
        if let Some(form) = form {
            self.showing = Some((words, sketch(flow, outlet, form, text)));
            return;
        }
        if let Shown::There(_, message) = &self.message {
            self.thinking &= self.stream.thinks();
            self.showing = Some((words, change(flow, outlet, message.clone(), text)));
            return;
        }
        if slots.is_none_or(|slots| slots.edit.is_none()) {
            return self.stream.stop();
        }
        let number = left.fresh();
        // What holds no word of the answer gives way to any.
        let mark = match self.mode == DraftMode::Progress || self.stream.thinks() {
            true => SentMark::after(""),
            false => SentMark::after(&words),
        };
        self.thinking = self.stream.thinks();
        match outlet.keep_draft(flow, &SentSoFar::name(SentForm::Draft, number, mark), text).await {
            Ok(sent) => {
                left.add(SentForm::Draft, number, mark);
                self.message = Shown::Asked(number, sent);
                self.stream.showed(words, flow.now());
            }
            Err(error) => {
                tracing::warn!(subsystem = "outbox", run = %outlet.run, %error, "a draft could not be kept; the answer comes whole");
                self.message = Shown::Lost;
            }
        }
    }
}

/// Whether the message before has ended, or is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DraftState {
    Yes,
    Voided,
}

/// What was heard of a showing.
pub(super) enum DraftReport {
    /// It is over.
    Showed(Showing),
    /// The message is there, or never will be.
    Sent(Option<MessageId>),
}

/// How a showing went.
pub(super) enum Showing {
    Done,
    Failed,
    /// The platform wants a pause.
    Limited(Duration),
}

/// Changes the words of the message.
fn change(
    flow: &Arc<Inner>,
    outlet: &Outlet,
    message: MessageId,
    text: RichText,
) -> oneshot::Receiver<Showing> {
    let edit = outlet.slots(flow).and_then(|slots| slots.edit.clone());
    let target = outlet.target.clone();
    start(flow, async move {
        match edit {
            Some(edit) => edit.edit(&target, &message, &text).await,
            None => Err(ChannelError::line_down()),
        }
    })
}

/// Shows words in the platform's own form.
fn sketch(
    flow: &Arc<Inner>,
    outlet: &Outlet,
    form: Arc<dyn Draft>,
    text: RichText,
) -> oneshot::Receiver<Showing> {
    let target = outlet.target.clone();
    // The number only has to be the same for one answer and another one for the next.
    let number =
        outlet.run.as_str().bytes().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let number = (number >> 1).max(1);
    start(flow, async move { form.draft(&target, number, &text).await })
}

fn start(
    flow: &Arc<Inner>,
    work: impl Future<Output = Result<(), ChannelError>> + Send + 'static,
) -> oneshot::Receiver<Showing> {
    let (mut tell, told) = oneshot::channel();
    flow.parts.tasks.start_cancellable("draft", async move {
        // Who waits no longer has something newer to show: what is under way must not come after that.
        let done = tokio::select! {
            done = work => done,
            () = tell.closed() => return,
        };
        if let Err(error) = &done {
            tracing::debug!(subsystem = "channels", %error, "a draft could not be shown");
        }
        let went = match done {
            Ok(()) => Showing::Done,
            Err(ChannelError::RateLimited { after }) => Showing::Limited(after),
            Err(_) => Showing::Failed,
        };
        if tell.send(went).is_err() {
            tracing::debug!(subsystem = "channels", "nobody waits for a draft any more");
        }
    });
    told
}
