//! Makes one answer: calls the model, runs its tools, takes up what is steered in, and ends exactly once.
//!
//! What comes next is decided in `turn::decide`; this gathers what there is to know and carries the decision out. The
//! transcript is stored before anything is done on its ground, so that a crash leaves a run that can go on.

use std::sync::Arc;
use std::time::Duration;

use openclaw_config::{Config, RunSettings};
use openclaw_ports::stores::{EntryChange, RunRecord, RunStart};
use openclaw_session::{RunCounts, SessionError, count_run};
use openclaw_types::{
    AbortCause, AgentId, AssistantMessage, Content, CustomMessage, EntryBody, Message, ModelRef, RunEnd,
    RunEnding, RunEvent, SessionEntry, StopReason, ToolCall, UnixMillis, Visibility,
};

use super::caches::RunCaches;
use super::call::Called;
use super::control::{Closing, RunInbox};
use super::ending::{LastTold, RunConclusion};
use super::order::{AgentParts, FaultKind, RunFault, RunOrder, RunOutcome};
use super::record::Record;
use super::setup::{Occasion, RunSetup};
use super::stream::{EventMode, EventSender};
use super::totals::{Last, RunTotals, plain};
use super::words;
use crate::compaction::CompactionCause;
use crate::context::PromptReport;
use crate::turn::claims::claims_a_deed;
use crate::turn::decide::{
    ClaimQuestion, Gave, RoomOutcome, Round, Spent, SteeringQueue, TurnAction, WorkClaim, after_call,
    after_tools,
};
use crate::turn::guard::LoopGuard;
use crate::turn::trouble::{CallTrouble, trouble};

/// A run under way.
pub(super) struct Run {
    pub(super) parts: Arc<AgentParts>,
    pub(super) caches: Arc<RunCaches>,
    pub(super) config: Arc<Config>,
    pub(super) order: RunOrder,
    pub(super) inbox: Arc<RunInbox>,
    pub(super) events: EventSender,
    pub(super) record: Record,
    pub(super) setup: Box<RunSetup>,
    pub(super) guard: LoopGuard,
    pub(super) totals: RunTotals,
    pub(super) spent: Spent,
    /// The model that answers now.
    pub(super) active: ModelRef,
    /// How many calls of the model there were.
    pub(super) calls: u64,
    /// Whether summing up still makes room.
    pub(super) cramped: RoomOutcome,
    /// What is being made.
    pub(super) turn: Turn,
}

/// What is being made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// The answer.
    Answer,
    /// Notes for later, before a conversation is summed up. Takes no messages, and its end is not the run's.
    Memories,
}

/// What a step of the loop leads to.
pub(super) enum LoopStep {
    Again,
    End(RunConclusion),
}

/// What is needed before a run can begin.
pub(super) struct Beginning {
    pub(super) parts: Arc<AgentParts>,
    pub(super) caches: Arc<RunCaches>,
    pub(super) order: RunOrder,
    pub(super) inbox: Arc<RunInbox>,
    pub(super) events: EventSender,
    pub(super) began: UnixMillis,
}

/// Makes an answer from its order to its stored end.
pub(super) async fn make(beginning: Beginning) {
    let Beginning { parts, caches, order, inbox, mut events, began } = beginning;
    events.tell(RunEvent::Started { at: began }).await;
    let config = (parts.settings)();
    let settings = RunSettings::of(&config.raw, &order.agent);
    let limit = order.timeout.unwrap_or(settings.timeout);
    let watched = Arc::clone(&inbox);
    let (tasks, clock) = (parts.tasks.clone(), Arc::clone(&parts.clock));
    let watch = async {
        let time = async {
            match limit {
                Duration::ZERO => std::future::pending().await,
                limit => clock.sleep(limit).await,
            }
        };
        // Neither branch holds work: both only say why the run is stopped.
        let cause = tokio::select! {
            biased;
            () = tasks.cancelled() => AbortCause::Shutdown,
            () = time => AbortCause::Timeout,
        };
        watched.abort(cause);
        std::future::pending::<()>().await;
    };
    let names = (order.agent.clone(), order.session.clone(), order.run.clone());
    let mut record = Record::new(Arc::clone(&parts.sessions), Arc::clone(&parts.journal), names);
    let work = async {
        match open((&parts, &caches), &config, &order, &mut record, began).await {
            Ok(Opened::Fresh(setup)) => {
                let active = setup.selected.clone();
                let guard = LoopGuard::new(settings.loops);
                let (totals, spent) = (RunTotals::default(), Spent::NOTHING);
                let (parts, inbox) = (Arc::clone(&parts), Arc::clone(&inbox));
                // In a box: it is large, and is handed on.
                let run = Box::new(Run {
                    parts,
                    caches,
                    config,
                    order,
                    inbox,
                    events,
                    record,
                    setup,
                    guard,
                    totals,
                    spent,
                    active,
                    calls: 0,
                    cramped: RoomOutcome::Room,
                    turn: Turn::Answer,
                });
                run.make(began).await
            }
            Ok(Opened::Over(end)) => Box::pin(over(order, record, events, end)).await,
            Err(fault) => Box::pin(unopened(&parts, &order, (record, events), (began, fault))).await,
        }
    };
    // The watch never ends by itself, so the work is never dropped half way.
    let (events, mut outcome) = tokio::select! {
        biased;
        made = work => made,
        () = watch => return,
    };
    outcome.left_over.extend(inbox.shut());
    events.finish(outcome, &parts.tasks, parts.clock.as_ref()).await;
}

enum Opened {
    /// It can begin.
    Fresh(Box<RunSetup>),
    /// It ended before, in another process or by a call twice.
    Over(RunEnd),
}

async fn open(
    (parts, caches): (&AgentParts, &RunCaches),
    config: &Config,
    order: &RunOrder,
    record: &mut Record,
    began: UnixMillis,
) -> Result<Opened, String> {
    let known = record.sessions.run(&order.agent, &order.run).await.map_err(|fault| fault.to_string())?;
    match known {
        Some(RunRecord { start, end: Some((ended_at, how)) }) => {
            return Ok(Opened::Over(RunEnd { started_at: start.at, ended_at, how }));
        }
        Some(RunRecord { end: None, .. }) => {}
        None => {
            record.begins = Some(RunStart {
                run: order.run.clone(),
                agent: order.agent.clone(),
                key: order.key.clone(),
                session: order.session.clone(),
                at: began,
            });
        }
    }
    RunSetup::gather(parts, config, order, Occasion::Run(caches))
        .await
        .map(|setup| Opened::Fresh(Box::new(setup)))
        .map_err(|fault| fault.to_string())
}

/// A run that ended before says what it said then.
async fn over(
    order: RunOrder,
    mut record: Record,
    mut events: EventSender,
    end: RunEnd,
) -> (EventSender, RunOutcome) {
    let mut totals = RunTotals::default();
    match record.load().await {
        Ok(()) => totals.hear_again(record.own_messages(), order.reasoning),
        Err(fault) => {
            tracing::warn!(subsystem = "agent", run = %order.run, %fault, "an ended run cannot be read")
        }
    }
    events.tell(RunEvent::Ended(end.clone())).await;
    (events, totals.outcome(end, Last::default()))
}

/// A run that could not begin.
async fn unopened(
    parts: &AgentParts,
    order: &RunOrder,
    (mut record, mut events): (Record, EventSender),
    (began, fault): (UnixMillis, String),
) -> (EventSender, RunOutcome) {
    tracing::error!(subsystem = "agent", run = %order.run, "a run could not begin: {fault}");
    let message = words::internal();
    let how = RunEnding::Failed { message: message.clone() };
    if let Err(fault) = record.finish(how.clone(), Vec::new(), None).await {
        tracing::error!(subsystem = "agent", run = %order.run, %fault, "the end of a run was not stored");
    }
    let end = RunEnd { started_at: began, ended_at: parts.clock.now(), how };
    events.tell(RunEvent::Ended(end.clone())).await;
    let fault = Some(RunFault { kind: FaultKind::Internal, message });
    (events, RunTotals::default().outcome(end, Last { fault, ..Last::default() }))
}

impl Run {
    /// Makes the answer and stores its end.
    async fn make(mut self: Box<Self>, began: UnixMillis) -> (EventSender, RunOutcome) {
        let ending = match self.go().await {
            Ok(ending) => ending,
            Err(fault) => self.broken(&fault),
        };
        let left_over = self.inbox.shut();
        self.events.voice = EventMode::Aloud;
        let RunConclusion { mut how, last, mut fault, told } = ending;
        let ended_at = self.parts.clock.now();
        let mut session = None;
        // A run that the gateway's stop cut off has not ended: the next start resumes it, as after a crash.
        if how == RunEnding::Aborted(AbortCause::Shutdown) {
            tracing::info!(subsystem = "agent", run = %self.order.run, "a run goes on after the next start");
        } else {
            match self.finish(&how, last, ended_at).await {
                Ok(counted) => {
                    session = counted;
                    self.tell_last(told).await;
                }
                Err(broken) => RunConclusion { how, fault, .. } = self.broken(&broken),
            }
        }
        let end = RunEnd { started_at: began, ended_at, how };
        self.events.tell(RunEvent::Ended(end.clone())).await;
        let prompt_report = self.setup.report.as_ref().map(PromptReport::to_value);
        let Self { events, totals, .. } = *self;
        (events, totals.outcome(end, Last { prompt_report, fault, left_over, session }))
    }

    /// Stores the end of the run and what its session counts of it. Gives the session.
    async fn finish(
        &mut self,
        how: &RunEnding,
        last: Vec<Message>,
        at: UnixMillis,
    ) -> Result<Option<Arc<SessionEntry>>, SessionError> {
        let count = self.count(how, at);
        if *self.keeper() == self.order.agent {
            return self.record.finish(how.clone(), last, Some(count)).await;
        }
        self.record.finish(how.clone(), last, None).await?;
        let (keeper, key) = (self.keeper().clone(), &self.order.key);
        match self.parts.sessions.change(&keeper, key, count).await {
            Ok(session) => Ok(session),
            Err(error) => {
                tracing::warn!(subsystem = "agent", run = %self.order.run, %error, "what a run took could not be noted in its session");
                Ok(None)
            }
        }
    }

    /// Who keeps the session: one of no agent is with the default agent, whoever answers in it.
    pub(super) fn keeper(&self) -> &AgentId {
        self.order.key.agent_or(&self.config.agents.default_agent)
    }

    /// What the session counts of the run.
    fn count(&self, how: &RunEnding, at: UnixMillis) -> EntryChange {
        let counts = RunCounts { aborted: matches!(how, RunEnding::Aborted(_)), at, ..self.totals.counts() };
        Box::new(move |stored| {
            stored.map(|mut entry| {
                count_run(&mut entry, &counts);
                entry
            })
        })
    }

    /// Tells of the last messages, which are stored.
    async fn tell_last(&mut self, told: LastTold) {
        match told {
            LastTold::Nothing => {}
            LastTold::Whole => self.events.tell(RunEvent::MessageEnded).await,
            LastTold::Ours(words) => self.events.tell_message(words).await,
        }
    }

    /// From the first words to the last. What few runs need is in boxes: every run would carry it all along.
    async fn go(&mut self) -> Result<RunConclusion, SessionError> {
        self.record.load().await?;
        if let Some(words) = self.flush_words().await? {
            Box::pin(self.keep_memories(words)).await?;
        }
        if let Some(ending) = self.take_input().await? {
            return Ok(ending);
        }
        loop {
            let steered = self.inbox.take();
            self.take(steered).await?;
            let seen = self.seen_with_room().await?;
            if self.inbox.cause().is_some() {
                return Ok(self.aborted(Vec::new()));
            }
            if let LoopStep::End(ending) = self.step(seen).await? {
                return Ok(ending);
            }
        }
    }

    /// One call of the model and what follows from it.
    pub(super) async fn step(&mut self, seen: Vec<Arc<Message>>) -> Result<LoopStep, SessionError> {
        let request = Arc::new(self.request(seen));
        self.calls = self.calls.saturating_add(1);
        match self.call(request).await {
            Called::Stopped(content) => Ok(LoopStep::End(self.aborted(content))),
            Called::Failed(failed) => {
                let trouble = trouble(&failed);
                let gave = Gave::Failed(trouble, self.totals.spoken());
                let action = Box::pin(self.recover(gave)).await?;
                if trouble == CallTrouble::Empty {
                    self.spent.empties = self.spent.empties.saturating_add(1);
                }
                Ok(match action {
                    TurnAction::CallAgain => LoopStep::Again,
                    TurnAction::EndNotice(notice) => LoopStep::End(self.noticed(notice, &failed.message)),
                    TurnAction::EndAnswered => LoopStep::End(RunConclusion::already()),
                    TurnAction::EndAborted => LoopStep::End(self.aborted(Vec::new())),
                    _ => LoopStep::End(self.failed(FaultKind::Model, failed.message)),
                })
            }
            Called::Done(done) => {
                let window = self.parts.models.window(&done.model).map(|window| window.tokens);
                self.totals.count(&done, window);
                let message = self.message_of(*done, self.parts.clock.now());
                self.weigh(message).await
            }
        }
    }

    /// What follows from a whole message.
    async fn weigh(&mut self, message: AssistantMessage) -> Result<LoopStep, SessionError> {
        let calls: Vec<ToolCall> = message.tool_calls().cloned().collect();
        let gave = self.gave(&message, &calls);
        let action = after_call(gave, self.steering(), self.spent);
        if !matches!(gave, Gave::Nothing(_)) {
            self.spent.empties = 0;
        }
        self.totals.hear(&message, self.order.reasoning);
        match action {
            TurnAction::RunTools => {
                self.keep(message).await?;
                let round = Box::pin(self.round(calls)).await?;
                Ok(self.after_round(round))
            }
            TurnAction::Nudge => {
                self.keep(message).await?;
                self.totals.hold_back();
                self.nudge().await?;
                Ok(LoopStep::Again)
            }
            TurnAction::EndAnswered if self.may_end() => {
                Ok(LoopStep::End(RunConclusion::answered(vec![Message::Assistant(message)], LastTold::Whole)))
            }
            TurnAction::EndNotice(notice) => {
                // Without a word of its own the message is told as void, and only the explanation is kept.
                self.events.tell(RunEvent::MessageVoided).await;
                Ok(LoopStep::End(self.noticed(notice, "")))
            }
            // An empty message leaves nothing behind: the call is made again as it was.
            _ if matches!(gave, Gave::Nothing(_)) && action == TurnAction::CallAgain => {
                self.spent.empties = self.spent.empties.saturating_add(1);
                self.events.tell(RunEvent::MessageVoided).await;
                Ok(LoopStep::Again)
            }
            // The model is done, but something was steered in: the answer stands, and the run goes on.
            _ => {
                self.keep(message).await?;
                Ok(LoopStep::Again)
            }
        }
    }

    fn gave(&self, message: &AssistantMessage, calls: &[ToolCall]) -> Gave {
        if !calls.is_empty() {
            return Gave::Calls;
        }
        let text = plain(message);
        if text.is_empty() {
            return match message.stop {
                Some(StopReason::Error) => Gave::Refused,
                _ => Gave::Nothing(self.totals.spoken()),
            };
        }
        let offer = &self.setup.offer;
        let checked = self.totals.deeds == 0 && offer.has_deeds() && !offer.has_client_tools();
        Gave::Answer(if checked && claims_a_deed(&text) { WorkClaim::Unbacked } else { WorkClaim::Fine })
    }

    /// What follows from a round of tools.
    pub(super) fn after_round(&mut self, round: Round) -> LoopStep {
        match after_tools(round) {
            TurnAction::CallAgain => LoopStep::Again,
            TurnAction::EndForClient => LoopStep::End(RunConclusion::already()),
            TurnAction::EndAborted => LoopStep::End(self.aborted(Vec::new())),
            TurnAction::EndNotice(notice) => LoopStep::End(self.noticed(notice, "")),
            _ => LoopStep::End(self.failed(FaultKind::Internal, words::internal())),
        }
    }

    /// Makes a conversation fit that a vendor does not take, until it does or nothing helps.
    async fn recover(&mut self, gave: Gave) -> Result<TurnAction, SessionError> {
        loop {
            let outcome = match after_call(gave, self.steering(), self.spent) {
                TurnAction::Compact => {
                    let outcome = self.make_room(CompactionCause::Overflow).await?;
                    self.spent.compactions = self.spent.compactions.saturating_add(1);
                    self.spent.compaction = outcome;
                    outcome
                }
                TurnAction::Shorten => {
                    let outcome = self.shorten().await?;
                    self.spent.shortening = Some(outcome);
                    if outcome == RoomOutcome::Room {
                        (self.spent.compactions, self.spent.compaction) = (0, RoomOutcome::Room);
                    }
                    outcome
                }
                TurnAction::ShrinkPictures => {
                    let outcome = self.shrink_pictures().await?;
                    self.spent.pictures = Some(outcome);
                    outcome
                }
                action => return Ok(action),
            };
            if self.inbox.cause().is_some() {
                return Ok(after_call(Gave::Stopped, self.steering(), self.spent));
            }
            if outcome == RoomOutcome::Room {
                return Ok(TurnAction::CallAgain);
            }
        }
    }

    pub(super) fn steering(&self) -> SteeringQueue {
        match self.turn {
            Turn::Answer => self.inbox.steering(),
            Turn::Memories => SteeringQueue::None,
        }
    }

    /// Whether the answer can be the last one: nothing came in at the last moment.
    fn may_end(&self) -> bool {
        self.turn == Turn::Memories || self.inbox.close() == Closing::Closed
    }

    /// Stores a message of the model and tells that it is whole.
    async fn keep(&mut self, message: AssistantMessage) -> Result<(), SessionError> {
        self.record.say_before_deeds(message).await?;
        self.events.tell(RunEvent::MessageEnded).await;
        Ok(())
    }

    /// Asks the model about its claim, unseen by people.
    async fn nudge(&mut self) -> Result<(), SessionError> {
        self.spent.asked = ClaimQuestion::Yes;
        let note = CustomMessage {
            kind: words::CLAIM_NOTE.to_owned(),
            content: vec![Content::text(words::claim_question())],
            for_people: Visibility::Hidden,
            details: None,
            at: Some(self.parts.clock.now()),
        };
        self.record.append(vec![EntryBody::CustomMessage(note)]).await
    }
}
