//! The passage of a letter from one stage to the next, and the notes that are made on the way.
//!
//! Which stage comes next is written here once; what a stage does is in its own file. `flow` lets letters in, `recover`
//! sends those of an earlier process on.

use std::sync::Arc;

use openclaw_agent::RunOutcome;
use openclaw_config::{QueueSettings, SendVerdict};
use openclaw_inbound::queue::session_choices;
use openclaw_ports::stores::{InboxEnd, InboxId};
use openclaw_session::{RunCounts, SendCase, send_verdict};
use openclaw_types::{AbortCause, RunId, SessionEntry, SessionKey};
use tokio::sync::oneshot;

use crate::carry;
use crate::channels::{Seen, gather};
use crate::directives::{Asked, Prompted, ask, is_abort};
use crate::enqueue::{self, enqueue};
use crate::error::FlowError;
use crate::flow::{Flow, Inner, Submitted, WrongSession};
use crate::intake::{Accepted, Arrival, accept, note_word};
use crate::letter::{Letter, WEBCHAT};
use crate::order::{note_sign_in, signed_in};
use crate::outbox;
use crate::runs::RunState;

impl Inner {
    /// Takes a letter of a platform: durable when this returns. Its files are fetched, and it is answered, afterwards.
    pub(crate) async fn take_in(self: &Arc<Self>, mut letter: Letter) -> Result<(), FlowError> {
        if is_abort(self, &letter) {
            return self.stop_by_word(&letter).await;
        }
        self.check_send(&letter).await?;
        if let Some(arrived) = &mut letter.arrived {
            let entry = self.parts.sessions.entry(&letter.key).await?;
            arrived.previous = entry.map(|entry| entry.updated_at);
        }
        let (tell, told) = oneshot::channel();
        let flow = Arc::clone(self);
        self.parts.tasks.start("letter", async move {
            let key = letter.key.clone();
            let turn = flow.doors.turn(&key).await;
            let arrival = accept(&flow, letter).await;
            let (answer, new) = match arrival {
                Ok(Arrival::New(accepted)) => (Ok(()), Some(accepted)),
                Ok(Arrival::InFlight | Arrival::Ended(_)) => (Ok(()), None),
                Err(error) => (Err(error), None),
            };
            if tell.send(answer).is_err() {
                tracing::debug!("the line of a message ended before it was taken");
            }
            let Some(accepted) = new else { return };
            if accepted.letter().wishes.after.is_none() {
                return gather(&flow, *accepted).await;
            }
            // Whoever writes there meanwhile is not kept waiting.
            drop(turn);
            flow.wait_turn(accepted.letter()).await;
            let _turn = flow.doors.turn(&accepted.letter().key).await;
            gather(&flow, *accepted).await;
        });
        told.await.unwrap_or_else(|_gone| Err(FlowError::Busy("the gateway stops; try again".to_owned())))
    }

    /// Waits until the run has ended that a letter comes after: agents that answer in turn.
    pub(crate) async fn wait_turn(&self, letter: &Letter) {
        let Some(before) = &letter.wishes.after else { return };
        let RunState::Active(mut end) = self.runs.state(before) else { return };
        // Nothing is lost by any branch: all of them only end the wait. A run that nobody knows any more has ended.
        tokio::select! {
            _ended = end.wait_for(Option::is_some) => {}
            () = self.parts.tasks.cancelled() => {}
        }
    }

    /// Stops a session because somebody said so on a platform, and tells them. A word that comes again stops nothing:
    /// what goes on there by now was asked for afterwards.
    async fn stop_by_word(self: &Arc<Self>, letter: &Letter) -> Result<(), FlowError> {
        let Some(word) = note_word(self, letter).await? else { return Ok(()) };
        let face = Flow::of(self);
        face.stop(&letter.key, AbortCause::Word).await;
        let subagents = face.stop_subagents(&letter.key).await.len();
        let text = openclaw_delivery::Notice::Aborted { subagents }.text();
        outbox::speak(self, letter, "stopped", &text).await?;
        self.finish(vec![word], InboxEnd::Answered).await;
        Ok(())
    }

    /// Accepts a letter and sends it on its way.
    pub(crate) async fn take(self: &Arc<Self>, letter: Letter) -> Result<Submitted, FlowError> {
        // From the door to the queue one letter of a session at a time, so that they are answered in the order they came.
        let _turn = self.doors.turn(&letter.key).await;
        match accept(self, letter).await? {
            Arrival::New(accepted) => {
                self.go_on(*accepted).await;
                Ok(Submitted::Started)
            }
            Arrival::InFlight => Ok(Submitted::InFlight),
            Arrival::Ended(ended) => Ok(Submitted::Ended(ended)),
        }
    }

    /// The next stage of a letter that was accepted.
    pub(crate) async fn go_on(self: &Arc<Self>, accepted: Accepted) {
        match ask(self, accepted) {
            Asked::Answer(prompted, shortcuts) => {
                carry::shortcuts(self, &prompted, &shortcuts).await;
                self.queue(*prompted).await;
            }
            Asked::Carry(accepted, reading) => {
                let flow = Arc::clone(self);
                self.parts
                    .tasks
                    .start("command", async move { carry::carry(&flow, *accepted, *reading).await });
            }
        }
    }

    /// Lets a letter for the model wait, join or begin.
    pub(crate) async fn queue(self: &Arc<Self>, prompted: Prompted) {
        let seen = Seen::show(self, prompted.letter());
        let prompted = prompted.with_sign(seen);
        let letter = prompted.letter();
        let facts = match self.parts.sessions.entry(&letter.key).await {
            Ok(entry) => entry.map(|entry| entry.facts).unwrap_or_default(),
            Err(error) => {
                // The run will meet the same trouble and tell it; the queue goes by the configuration until then.
                tracing::warn!(subsystem = "flow", %error, "a session could not be read");
                openclaw_types::SessionFacts::default()
            }
        };
        let channel = letter.from.channel.as_ref().map_or(WEBCHAT, |channel| channel.as_str());
        let settings = QueueSettings::resolve(&self.settings().raw, Some(channel), session_choices(&facts));
        enqueue(self, prompted, settings);
    }

    /// Stops one run now. Gives its letter, which is still to be withdrawn; nothing when it is not under way.
    pub(crate) fn stop_one(
        self: &Arc<Self>,
        key: &SessionKey,
        run: &RunId,
        cause: AbortCause,
    ) -> Result<Option<Vec<InboxId>>, WrongSession> {
        match self.runs.session_of(run) {
            Some(session) if session != *key => Err(WrongSession),
            Some(_) => {
                let letters = self.runs.letters(std::slice::from_ref(run));
                let stopped = self.runs.stop(run, cause);
                enqueue::withdraw(self, key, run);
                Ok(stopped.then_some(letters))
            }
            None => Ok(None),
        }
    }

    /// Notes that letters were stopped: a start after a crash does not bring them back.
    pub(crate) async fn withdraw(&self, letters: Vec<InboxId>) {
        if !letters.is_empty() {
            self.finish(letters, InboxEnd::Withdrawn).await;
        }
    }

    /// Notes that letters are dealt with. A letter that cannot be noted is answered again after a restart, and its run
    /// then finds that the answer is there.
    pub(crate) async fn finish(&self, letters: Vec<InboxId>, how: InboxEnd) {
        if let Err(error) = self.parts.inbox.finish(letters, how).await {
            tracing::error!(subsystem = "flow", %error, "a message could not be marked as dealt with");
        }
    }

    /// Writes what a run took into its session. Gives the session, where it is still there.
    pub(crate) async fn count(&self, key: &SessionKey, outcome: &RunOutcome) -> Option<SessionEntry> {
        let counts = RunCounts {
            whole: outcome.usage,
            last_call: outcome.last_call,
            model: outcome.model.clone(),
            context_window: outcome.context_window,
            // The agent counts those itself, at the moment they happen.
            compactions: 0,
            at: outcome.end.ended_at,
        };
        let aborted = matches!(outcome.end.how, openclaw_types::RunEnding::Aborted(_));
        let sign_in = signed_in(outcome);
        let counted = self.parts.sessions.change(key, move |entry| {
            openclaw_session::count_run(entry, &counts);
            entry.facts.aborted_last_run = Some(aborted);
            entry.facts.system_sent = Some(true);
            // `/context` measures by itself; an entry that carries a report is slow to read for everybody else.
            entry.facts.system_prompt_report = None;
            note_sign_in(&mut entry.facts, sign_in);
        });
        match counted.await {
            Ok(entry) => Some(entry),
            Err(error) => {
                tracing::warn!(subsystem = "flow", %error, "what a run took could not be noted in its session");
                None
            }
        }
    }

    pub(crate) async fn check_send(&self, letter: &Letter) -> Result<(), FlowError> {
        let entry = self.parts.sessions.entry(&letter.key).await?;
        let config = self.settings();
        let channel = letter.from.channel.as_ref().map(|channel| channel.as_str());
        let case =
            SendCase { key: &letter.key, entry: entry.as_ref(), channel, chat: Some(letter.sender().chat) };
        match send_verdict(&config.session.send_policy, case) {
            SendVerdict::Allow => Ok(()),
            SendVerdict::Deny => Err(FlowError::Blocked),
        }
    }
}
