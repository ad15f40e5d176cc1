//! The memory of one session: what waits, what is being answered, what was handed to the run.
//!
//! Pure: time is given, and what is to be done is returned in order. `flow::enqueue` feeds it and does what it says.
//! Invariants: at most one run is under way; no more than `cap` messages wait; messages are answered in the order in
//! which they came; each leaves exactly once, by `Start`, `Drop`, or by `Took` after `Steer`.

use std::collections::VecDeque;

use openclaw_config::{QueueMode, QueueSettings};
use openclaw_types::{AccountId, ChannelId, RunId, SenderRank, ThreadId, ToolRule, UnixMillis};

use super::decide::{Decision, Fit, Happening, Phase, RunResult, SteeringState, Waiting, decide};
use super::overflow;
use super::prompt::{collected_prompt, summary_prompt};
use crate::commands::Who;

/// A message as the queue knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item<T> {
    /// Names the message for the caller.
    pub id: T,
    /// Where its answer goes.
    pub route: ReplyRoute,
    /// What it says, with everything that is told around it, for prompts made from several messages.
    pub text: String,
    /// The same in short, for a note about it.
    pub gist: String,
}

/// Where an answer goes, and what may be done for it. Messages with different routes are never answered together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplyRoute {
    /// The platform.
    pub channel: Option<ChannelId>,
    /// Our login there.
    pub account: Option<AccountId>,
    /// The conversation.
    pub to: Option<String>,
    /// The thread.
    pub thread: Option<ThreadId>,
    /// What the author may do: whoever may do less must not be answered with the rights of somebody else.
    pub rights: Rights,
    /// The message itself, where it is answered with no other.
    pub alone: Option<RunId>,
}

/// What the author of a message may do in the run that answers it. By default, as little as anybody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rights {
    /// How much in general.
    pub standing: SenderRank,
    /// Which commands they may give.
    pub commands: Who,
    /// Whether commands may be elevated for them.
    pub elevated: bool,
    /// Which tools they may use where they wrote.
    pub tools: Option<ToolRule>,
}

impl Default for Rights {
    fn default() -> Self {
        Self { standing: SenderRank::Guest, commands: Who::Stranger, elevated: false, tools: None }
    }
}

/// Something that happened to the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueueEvent<T> {
    /// A message came, and this is how messages wait from now on.
    Arrived {
        /// The message.
        item: Box<Item<T>>,
        /// How messages wait.
        settings: QueueSettings,
    },
    /// The run can be steered from now on, or no longer.
    Steerable(SteeringState),
    /// A steered message is part of the run, durably.
    Took(T),
    /// The run ended.
    Ended(RunResult),
    /// The time asked for with `Action::Wake` has come.
    Quiet,
    /// The sender takes a message back that waits. One that is being answered, or was handed to the run, stays.
    Withdrawn(T),
    /// A person wants everything to stop.
    Stop,
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueueAction<T> {
    /// Begin a run. It is over when `Event::Ended` says so.
    Start(Batch<T>),
    /// Offer a message to the run. `Event::Took` says that it took it; what it did not take when it ends waits again.
    Steer(T),
    /// Stop the run.
    Abort,
    /// Say `Event::Quiet` at this time. The last such request counts.
    Wake(UnixMillis),
    /// These messages get no answer; tell their senders.
    Drop {
        /// The messages.
        items: Vec<T>,
        /// Why.
        reason: DropReason,
    },
}

/// What one run answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch<T> {
    /// The messages, oldest first; never empty. All have the same route.
    pub items: Vec<T>,
    /// Messages that did not fit and are only mentioned in the prompt. The run deals with them, too.
    pub summed: Vec<T>,
    /// What the model is asked, where that is not simply the one message.
    pub prompt: Option<String>,
}

/// Why a message gets no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DropReason {
    /// Too many waited.
    Full,
    /// A newer message took its place.
    Superseded,
    /// A person wanted everything to stop.
    Stopped,
}

/// The messages of one session.
#[derive(Debug, Clone)]
pub struct SessionQueue<T> {
    phase: Phase,
    settings: QueueSettings,
    /// The route of the run under way, or of the last one.
    route: ReplyRoute,
    backlog: VecDeque<Item<T>>,
    /// Offered to the run, which has not said yet that it took them.
    offered: VecDeque<Item<T>>,
    /// Set when what was offered is not wanted any more: why it is dropped if the run ends without having taken it.
    unwanted: Option<DropReason>,
    /// Out of the backlog for lack of room, to be mentioned in the next prompt. At most `cap`.
    summed: VecDeque<Item<T>>,
    /// How many could not even be mentioned.
    unnamed: usize,
    last_arrival: UnixMillis,
}

impl<T: Clone + PartialEq> SessionQueue<T> {
    /// A session in which nothing happens.
    #[must_use]
    pub fn new() -> Self {
        Self {
            phase: Phase::Idle,
            settings: QueueSettings::default(),
            route: ReplyRoute::default(),
            backlog: VecDeque::new(),
            offered: VecDeque::new(),
            unwanted: None,
            summed: VecDeque::new(),
            unnamed: 0,
            last_arrival: UnixMillis(0),
        }
    }

    /// What the session is doing.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// How many messages wait.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.backlog.len()
    }

    /// Whether nothing happens and nothing waits, so that the memory can go.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.phase == Phase::Idle
    }

    /// Takes in what happened and says what to do, in order.
    #[must_use]
    pub fn on(&mut self, event: QueueEvent<T>, now: UnixMillis) -> Vec<QueueAction<T>> {
        match event {
            QueueEvent::Arrived { item, settings } => {
                self.settings = settings;
                let fit = if item.route == self.route { Fit::Same } else { Fit::Other };
                let decision = self.decide(Happening::Arrived(fit), now);
                self.last_arrival = now;
                self.take_in(decision, *item)
            }
            QueueEvent::Took(id) => {
                self.offered.retain(|item| item.id != id);
                Vec::new()
            }
            QueueEvent::Steerable(steering) => {
                let decision = self.decide(Happening::Steerable(steering), now);
                if let Phase::Running(current) = &mut self.phase {
                    *current = steering;
                }
                match decision {
                    Decision::SteerWaiting => self.steer_waiting(),
                    _ => Vec::new(),
                }
            }
            QueueEvent::Ended(result) => {
                let mut actions = self.take_back();
                let decision = self.decide(Happening::Ended(result), now);
                actions.extend(self.go_on(decision));
                actions
            }
            QueueEvent::Quiet => {
                let decision = self.decide(Happening::Quiet, now);
                self.go_on(decision)
            }
            QueueEvent::Withdrawn(id) => self.withdraw(&id),
            QueueEvent::Stop => self.stop(now),
        }
    }

    fn decide(&self, happening: Happening, now: UnixMillis) -> Decision {
        let waiting = match self.backlog.is_empty() && self.summed.is_empty() {
            true => Waiting::Nothing,
            false if now >= self.quiet_at() => Waiting::Ripe,
            false => Waiting::Fresh,
        };
        decide(self.phase, waiting, happening, self.settings.mode)
    }

    fn quiet_at(&self) -> UnixMillis {
        self.last_arrival.plus(self.settings.debounce)
    }

    fn take_in(&mut self, decision: Decision, item: Item<T>) -> Vec<QueueAction<T>> {
        match decision {
            Decision::Start => {
                self.backlog.push_back(item);
                self.start().into_iter().collect()
            }
            Decision::Steer if self.offered.len() < self.settings.cap => {
                let steer = QueueAction::Steer(item.id.clone());
                self.offered.push_back(item);
                vec![steer]
            }
            Decision::SteerAndHold => {
                let mut actions = vec![QueueAction::Steer(item.id.clone())];
                actions.extend(self.hold(item));
                actions
            }
            Decision::HoldAndSettle => {
                let mut actions = self.hold(item);
                actions.push(QueueAction::Wake(self.quiet_at()));
                actions
            }
            Decision::Interrupt => {
                let mut actions = self.forget(DropReason::Superseded);
                self.backlog.push_back(item);
                self.phase = Phase::Stopping;
                actions.push(QueueAction::Abort);
                actions
            }
            Decision::Replace => {
                let mut actions = self.forget(DropReason::Superseded);
                self.backlog.push_back(item);
                actions.extend(self.start());
                actions
            }
            Decision::Await => {
                let actions = self.forget(DropReason::Superseded);
                self.backlog.push_back(item);
                actions
            }
            _ => self.hold(item),
        }
    }

    /// What follows the end of a run or of a wait.
    fn go_on(&mut self, decision: Decision) -> Vec<QueueAction<T>> {
        match decision {
            Decision::StartWaiting => self.start().into_iter().collect(),
            Decision::Settle => {
                self.phase = Phase::Settling;
                vec![QueueAction::Wake(self.quiet_at())]
            }
            Decision::Rest => {
                self.phase = Phase::Idle;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn withdraw(&mut self, id: &T) -> Vec<QueueAction<T>> {
        let mut gone = Vec::new();
        for waiting in [&mut self.backlog, &mut self.summed] {
            if let Some(place) = waiting.iter().position(|item| item.id == *id) {
                gone.extend(waiting.remove(place));
            }
        }
        if self.phase == Phase::Settling && self.backlog.is_empty() && self.summed.is_empty() {
            self.phase = Phase::Idle;
        }
        drop_all(gone, DropReason::Stopped)
    }

    fn stop(&mut self, now: UnixMillis) -> Vec<QueueAction<T>> {
        let decision = self.decide(Happening::Stop, now);
        let mut actions = self.forget(DropReason::Stopped);
        match (decision, self.phase) {
            (Decision::ClearAndAbort, _) => {
                self.phase = Phase::Stopping;
                actions.push(QueueAction::Abort);
            }
            (_, Phase::Settling) => self.phase = Phase::Idle,
            _ => {}
        }
        actions
    }

    fn start(&mut self) -> Option<QueueAction<T>> {
        let mut summed = self.next_summed();
        let fits = |next: &Item<T>| summed.first().is_none_or(|summed| summed.route == next.route);
        let first = match self.summed.is_empty() && self.backlog.front().is_some_and(fits) {
            true => self.backlog.pop_front(),
            // What waits goes another way or is gone: the newest of those without room is answered itself.
            false => summed.pop(),
        }?;
        let mut batch = vec![first];
        if self.settings.mode == QueueMode::Collect && self.summed.is_empty() {
            while let Some(next) = self.backlog.pop_front_if(|next| next.route == batch[0].route) {
                batch.push(next);
            }
        }
        let unnamed = std::mem::take(&mut self.unnamed);
        let lines: Vec<&str> = summed.iter().map(|item| item.gist.as_str()).collect();
        let summary = (!summed.is_empty() || unnamed > 0).then(|| summary_prompt(&lines, unnamed));
        let texts: Vec<&str> = batch.iter().map(|item| item.text.as_str()).collect();
        let prompt =
            (texts.len() > 1 || summary.is_some()).then(|| collected_prompt(&texts, summary.as_deref()));
        self.phase = Phase::Running(SteeringState::Closed);
        self.route = batch[0].route.clone();
        Some(QueueAction::Start(Batch { items: ids(batch), summed: ids(summed), prompt }))
    }

    /// The oldest of those without room, as far as they can be mentioned in one prompt.
    fn next_summed(&mut self) -> Vec<Item<T>> {
        let Some(route) = self.summed.front().map(|oldest| oldest.route.clone()) else { return Vec::new() };
        let count = self.summed.iter().take_while(|item| item.route == route).count();
        self.summed.drain(..count).collect()
    }

    fn steer_waiting(&mut self) -> Vec<QueueAction<T>> {
        // Those without room came first, and a message never overtakes one that waits.
        if !self.summed.is_empty() {
            return Vec::new();
        }
        let room = self.settings.cap.saturating_sub(self.offered.len());
        let fits = self.backlog.iter().take(room).take_while(|item| item.route == self.route).count();
        let moved: Vec<Item<T>> = self.backlog.drain(..fits).collect();
        let actions = moved.iter().map(|item| QueueAction::Steer(item.id.clone())).collect();
        self.offered.extend(moved);
        actions
    }

    /// What the run did not take before it ended waits again, in front, unless it is not wanted any more.
    fn take_back(&mut self) -> Vec<QueueAction<T>> {
        if let Some(reason) = self.unwanted.take() {
            return drop_all(self.offered.drain(..).collect(), reason);
        }
        if self.offered.is_empty() {
            return Vec::new();
        }
        // Nothing is offered while others are without room, so those came later.
        let mut all = std::mem::take(&mut self.offered);
        all.append(&mut self.summed);
        all.append(&mut self.backlog);
        self.backlog = all;
        self.trim()
    }

    fn hold(&mut self, item: Item<T>) -> Vec<QueueAction<T>> {
        self.backlog.push_back(item);
        self.trim()
    }

    fn trim(&mut self) -> Vec<QueueAction<T>> {
        let mut overflow = overflow::trim(&mut self.backlog, self.settings.cap, self.settings.drop);
        for item in overflow.summed {
            self.summed.push_back(item);
            if self.summed.len() > self.settings.cap {
                overflow.dropped.extend(self.summed.pop_front());
                self.unnamed += 1;
            }
        }
        drop_all(overflow.dropped, DropReason::Full)
    }

    /// Drops what waits. What was offered may be part of the run already, which is known when the run ends.
    fn forget(&mut self, reason: DropReason) -> Vec<QueueAction<T>> {
        self.unnamed = 0;
        let mut all: Vec<Item<T>> = self.summed.drain(..).collect();
        if !self.offered.is_empty() {
            self.unwanted = Some(reason);
        }
        all.extend(self.backlog.drain(..));
        drop_all(all, reason)
    }
}

impl<T: Clone + PartialEq> Default for SessionQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

fn drop_all<T>(items: Vec<Item<T>>, reason: DropReason) -> Vec<QueueAction<T>> {
    match items.is_empty() {
        true => Vec::new(),
        false => vec![QueueAction::Drop { items: ids(items), reason }],
    }
}

fn ids<T>(items: Vec<Item<T>>) -> Vec<T> {
    items.into_iter().map(|item| item.id).collect()
}
