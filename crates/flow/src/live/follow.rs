//! Reads the events of a run and shows its answers as they grow.
//!
//! The one hook of this room into a run: `next` gives the same events in the same order, and sends what waits for its
//! moment between them. Nothing here can fail a run.

use std::sync::Arc;
use std::time::Duration;

use openclaw_agent::RunStream;
use openclaw_delivery::{CleanAnswer, DraftSettings, LiveAnswer, rest_of};
use openclaw_ports::Deadline;
use openclaw_types::{RunEvent, UnixMillis};

use super::blocks::{Blocks, Words};
use super::draft::{DraftReport, DraftState, Drafts};
use super::outlet::Outlet;
use super::sent::{SentForm, SentMark, SentSoFar};
use super::settings::Manners;
use crate::flow::Inner;
use crate::outbox::{self, Answering};
use crate::submission::Submission;

/// How long the end of an answer waits for a draft that is being shown, so that it does not come over it.
const LAST_SHOWING: Duration = Duration::from_secs(20);
/// How the agent begins thoughts that are shown; those are told apart from answers at the end of the run.
const THOUGHTS: &str = "Thoughts:\n";

/// The tool that says things to people.
const SPEAKING: &str = "message";

/// What people see of one run while it goes on.
pub(crate) struct Live(Option<Box<Showing>>);

struct Showing {
    outlet: Outlet,
    left: SentSoFar,
    form: Shape,
    answer: LiveAnswer,
    /// What the message under way says to people, so far.
    words: String,
    /// A message that has ended, was shown nowhere, and goes out before the next.
    kept_back: Option<CleanAnswer>,
    begun: bool,
    /// A tool has said something to people: what may repeat it is held until the end, where that is sorted out.
    spoken_for: bool,
}

enum Shape {
    Blocks(Blocks),
    Draft(Drafts),
}

impl Live {
    /// What is shown of a submission's run. A run that is resumed knows what has left before.
    pub(crate) async fn begin(
        flow: &Inner,
        submission: &Submission,
        by: &Answering,
        before: Before<'_>,
    ) -> Self {
        let Some(outlet) = Outlet::of(flow, submission, by) else { return Self(None) };
        let form = match Manners::of(&flow.settings().raw, &submission.agent, &outlet.view.manner) {
            Manners::Whole => return Self(None),
            Manners::Blocks(manner) => Shape::Blocks(Blocks::new(manner)),
            Manners::Draft(mode, chunk) => {
                Shape::Draft(Drafts::new(DraftSettings::new(mode, outlet.view.manner.text_limit, chunk)))
            }
        };
        let mut showing = Showing {
            outlet,
            left: SentSoFar::default(),
            form,
            answer: LiveAnswer::new(),
            words: String::new(),
            kept_back: None,
            begun: false,
            spoken_for: false,
        };
        if let Before::Said(texts) = before {
            Box::pin(showing.go_on(flow, texts)).await;
        }
        Self(Some(Box::new(showing)))
    }

    /// The next event of the run.
    pub(crate) async fn next(&mut self, flow: &Arc<Inner>, stream: &mut RunStream) -> Option<RunEvent> {
        match &mut self.0 {
            None => stream.next().await,
            // Large, and most runs have nothing to show.
            Some(showing) => Box::pin(showing.next(flow, stream)).await,
        }
    }

    /// The run is over: what has left of its answers. A draft that is being shown is waited for, so that the whole
    /// answer comes after it.
    pub(crate) async fn end(self, flow: &Inner) -> SentSoFar {
        let Some(mut showing) = self.0 else { return SentSoFar::default() };
        if let Shape::Draft(draft) = &mut showing.form {
            let clock = flow.parts.clock.as_ref();
            let deadline = Deadline::after(clock, LAST_SHOWING);
            while draft.is_showing() {
                match deadline.bound(clock, draft.heard()).await {
                    Ok(heard) => draft.note(heard, flow.now()),
                    Err(_late) => break,
                }
            }
        }
        let Showing { mut left, outlet, .. } = *showing;
        left.replies = Some(outlet.replies);
        left.anew()
    }
}

/// What a run said before this process.
pub(crate) enum Before<'a> {
    /// Nothing: it is new.
    Nothing,
    /// These messages, which are in the transcript; there may be more that is not.
    Said(&'a [String]),
}

impl Showing {
    /// The next event of the run; what waits for its moment goes out before it.
    async fn next(&mut self, flow: &Arc<Inner>, stream: &mut RunStream) -> Option<RunEvent> {
        loop {
            let due = self.due();
            let wait = async {
                match due {
                    Some(due) => flow.parts.clock.sleep(due.since(flow.now())).await,
                    None => std::future::pending().await,
                }
            };
            // Biased: what the run says counts before what waits. No branch loses anything when it is dropped.
            let event = tokio::select! {
                biased;
                event = stream.next() => event,
                heard = self.heard() => {
                    self.note(flow, heard).await;
                    continue;
                }
                () = wait => {
                    self.tick(flow).await;
                    continue;
                }
            };
            if let Some(event) = &event {
                self.see(flow, event).await;
            }
            return event;
        }
    }

    async fn go_on(&mut self, flow: &Inner, texts: &[String]) {
        match outbox::kept_of(flow, &self.outlet.run, &self.outlet.target).await {
            Ok(kept) => {
                self.left = SentSoFar::of(&self.outlet.run, &kept);
                self.spoken_for = !outbox::said_in(&kept).is_empty();
            }
            Err(error) => {
                tracing::warn!(subsystem = "outbox", run = %self.outlet.run, %error, "what was sent of an answer cannot be looked up");
            }
        }
        if !self.left.is_empty() {
            self.outlet.replies = self.outlet.replies.clone().used();
        }
        for text in texts {
            self.say_rest(flow, openclaw_delivery::clean(text)).await;
        }
        if let (Shape::Draft(draft), Some((number, name))) = (&mut self.form, self.left.open_draft()) {
            let key = format!("{}/{name}", self.outlet.run);
            match outbox::standing(flow, &key).await {
                Ok(Some(message)) => draft.adopt(number, message),
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(subsystem = "outbox", run = %self.outlet.run, %error, "a draft cannot be looked up");
                }
            }
        }
    }

    fn due(&self) -> Option<UnixMillis> {
        match &self.form {
            Shape::Blocks(blocks) => blocks.due(),
            Shape::Draft(draft) => draft.due(),
        }
    }

    /// Waits for news of a showing.
    async fn heard(&mut self) -> DraftReport {
        match &mut self.form {
            Shape::Blocks(_) => std::future::pending().await,
            Shape::Draft(draft) => draft.heard().await,
        }
    }

    async fn note(&mut self, flow: &Arc<Inner>, heard: DraftReport) {
        if let Shape::Draft(draft) = &mut self.form {
            draft.note(heard, flow.now());
            draft.advance(flow, &mut self.outlet, &mut self.left).await;
        }
    }

    async fn tick(&mut self, flow: &Arc<Inner>) {
        let Self { outlet, left, form, words, .. } = self;
        match form {
            Shape::Blocks(blocks) => blocks.tick(flow, outlet, left, words).await,
            Shape::Draft(draft) => draft.advance(flow, outlet, left).await,
        }
    }

    async fn see(&mut self, flow: &Arc<Inner>, event: &RunEvent) {
        match event {
            RunEvent::MessageStarted => self.begin(flow).await,
            RunEvent::MessageVoided => self.void(),
            RunEvent::ModelSwitched(switch) | RunEvent::ModelRestored(switch) => {
                self.outlet.switch(&switch.active);
            }
            RunEvent::Words { delta } => {
                let new = self.answer.push(delta);
                self.more(flow, &new, Reach::More).await;
            }
            RunEvent::Thoughts { delta } => self.think(flow, delta).await,
            RunEvent::MessageEnded => self.end_message(flow).await,
            RunEvent::ToolStarted { name, .. } => {
                self.spoken_for |= name == SPEAKING;
                if let Shape::Draft(draft) = &mut self.form {
                    draft.step(name);
                    draft.advance(flow, &mut self.outlet, &mut self.left).await;
                }
            }
            _ => {}
        }
    }

    async fn begin(&mut self, flow: &Arc<Inner>) {
        self.begun = true;
        self.answer = LiveAnswer::new();
        self.words.clear();
        self.say_kept_back(flow).await;
        match &mut self.form {
            Shape::Blocks(blocks) => blocks.begin(),
            Shape::Draft(draft) => draft.begin(DraftState::Yes),
        }
    }

    fn void(&mut self) {
        self.begun = false;
        self.answer = LiveAnswer::new();
        self.words.clear();
        match &mut self.form {
            Shape::Blocks(blocks) => blocks.void(&mut self.left),
            Shape::Draft(draft) => draft.begin(DraftState::Voided),
        }
    }

    /// Thoughts that somebody wants to see show in the draft until there are words, and nowhere else.
    async fn think(&mut self, flow: &Arc<Inner>, thoughts: &str) {
        if let Shape::Draft(draft) = &mut self.form
            && !self.spoken_for
        {
            draft.think(thoughts);
            draft.advance(flow, &mut self.outlet, &mut self.left).await;
        }
    }

    async fn more(&mut self, flow: &Arc<Inner>, new: &str, reach: Reach) {
        self.words.push_str(new);
        // Until it is sure that these are no thoughts, nothing is shown.
        if self.spoken_for || THOUGHTS.starts_with(self.words.as_str()) || self.words.starts_with(THOUGHTS) {
            return;
        }
        let Self { outlet, left, form, words, answer, .. } = self;
        match form {
            Shape::Blocks(blocks) => {
                let words = Words { all: words.as_str(), new, tags: answer.tags().clone() };
                match reach {
                    Reach::More => blocks.push(flow, outlet, left, words).await,
                    Reach::Whole => blocks.end(flow, outlet, left, words).await,
                }
            }
            Shape::Draft(draft) => {
                draft.push(words);
                if reach == Reach::More {
                    draft.advance(flow, outlet, left).await;
                }
            }
        }
    }

    async fn end_message(&mut self, flow: &Arc<Inner>) {
        if !std::mem::take(&mut self.begun) {
            return;
        }
        let tags = self.answer.tags().clone();
        let (rest, marks) = std::mem::take(&mut self.answer).finish();
        self.more(flow, &rest, Reach::Whole).await;
        let Self { outlet, left, form, words, .. } = self;
        let thoughts = words.starts_with(THOUGHTS);
        if let Shape::Draft(draft) = form
            && !draft.end(flow, outlet, left)
            && !thoughts
            && !self.spoken_for
            && !words.trim().is_empty()
        {
            let marks = openclaw_delivery::Marks { tags, ..marks };
            self.kept_back = Some(CleanAnswer { text: words.clone(), marks });
        }
    }

    /// A short message that no draft showed goes out before the next one, so that the order stays.
    async fn say_kept_back(&mut self, flow: &Arc<Inner>) {
        if let Some(answer) = self.kept_back.take() {
            self.say_rest(flow, answer).await;
        }
    }

    /// Says what has not left of a message that is whole and is not the last. Its files go with the end of the run.
    async fn say_rest(&mut self, flow: &Inner, mut answer: CleanAnswer) {
        if self.left.take_draft(&answer.text) {
            return;
        }
        let (number, at) = self.left.take_blocks(&answer.text).unwrap_or_else(|| (self.left.fresh(), 0));
        let mark = SentMark::after(&answer.text);
        answer.text = rest_of(&answer.text, at);
        answer.marks.media.clear();
        if answer.text.trim().is_empty() {
            return;
        }
        let name = SentSoFar::name(SentForm::Blocks, number, mark);
        match self.outlet.keep(flow, &name, answer, flow.now()).await {
            Ok(()) => {
                self.left.add(SentForm::Blocks, number, mark);
                self.left.hold(number);
            }
            Err(error) => {
                tracing::warn!(subsystem = "outbox", run = %self.outlet.run, %error, "a part of an answer goes with the rest");
            }
        }
    }
}

/// How far a message came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    More,
    Whole,
}
