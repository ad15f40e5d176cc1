//! One attempt: one model, one credential, one request. Signs in, sets money aside, sends, passes the answer on.
//!
//! Whatever happens, the books are closed before this returns. What a failure means for the next attempt is decided
//! by the driver.

use std::pin::pin;
use std::sync::Arc;

use futures_util::StreamExt;
use openclaw_ports::model::{
    CallCredential, Completion, FaultReason, ModelEvent, ModelFault, ModelRequest, ModelRoute, ModelStream,
    ModelTarget, ProfileFacts,
};
use openclaw_types::{ModelRef, Usage};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use super::budget_hold::{self, BudgetHold, HoldOutcome, NoMoney};
use super::call::{AttemptSent, CallEvent, CountedBy, FailureCause, ModelCall};
use super::open::Shared;
use super::plan::Ready;
use super::tags::{Tags, apart};
use crate::budget::{Progress, estimate, prices_of};

/// What an attempt is made with.
pub(super) struct Job<'a> {
    pub(super) shared: &'a Shared,
    pub(super) call: &'a ModelCall,
    pub(super) events: &'a mpsc::Sender<CallEvent>,
    pub(super) model: &'a ModelRef,
    pub(super) ready: &'a Ready,
    pub(super) profile: &'a ProfileFacts,
    pub(super) request: Arc<ModelRequest>,
}

/// How an attempt ended.
pub(super) enum AttemptEnd {
    /// With an answer.
    Answered(Box<ModelAnswer>),
    /// Without one.
    Failed(ModelFault, AttemptSent),
    /// Before it was sent, for a reason no other model changes.
    Stopped(FailureCause),
    /// Nobody listens any more.
    Gone,
}

/// An answer and what it took.
pub(super) struct ModelAnswer {
    pub(super) completion: Completion,
    pub(super) usage: Usage,
    pub(super) counted: CountedBy,
}

/// How a stream ended.
enum End {
    Whole(Completion),
    Fault(ModelFault),
    Gone,
}

impl Job<'_> {
    pub(super) async fn run(&self) -> AttemptEnd {
        let unlocking = self.shared.parts.credentials.unlock(&self.call.agent, self.profile);
        let access = match self.unless_over(unlocking).await {
            Ok(Ok(access)) => access,
            Ok(Err(fault)) => return AttemptEnd::Failed(fault, AttemptSent::No),
            Err(over) => return over,
        };
        let expected = estimate(&self.request, &self.ready.facts);
        let budget_hold = match self
            .unless_over(budget_hold::open(self.shared, self.call, self.model, expected))
            .await
        {
            Ok(Ok(budget_hold)) => budget_hold,
            Ok(Err(NoMoney::Refused(refusal))) => return AttemptEnd::Stopped(FailureCause::Budget(refusal)),
            Ok(Err(NoMoney::Books(fault))) => {
                return AttemptEnd::Stopped(FailureCause::Books(fault.to_string()));
            }
            Err(over) => return over,
        };
        let stream = self.shared.parts.line.open(Arc::clone(&self.request), self.route(access.clone()));
        let mut progress = Progress::default();
        match self.pass_on(stream, &mut progress).await {
            End::Whole(completion) => {
                AttemptEnd::Answered(Box::new(self.answered(budget_hold, completion, progress).await))
            }
            End::Fault(fault) => {
                let reason = fault.reason;
                let outcome = self.outcome(reason.as_str());
                budget_hold.settle_failed(self.shared, self.call, outcome, (reason, progress)).await;
                if reason == FaultReason::Auth {
                    self.shared.parts.credentials.refused(&self.call.agent, self.profile, &access).await;
                }
                AttemptEnd::Failed(fault, if progress.sent { AttemptSent::Yes } else { AttemptSent::No })
            }
            End::Gone => {
                let reason = FaultReason::Cancelled;
                let outcome = self.outcome(reason.as_str());
                budget_hold.settle_failed(self.shared, self.call, outcome, (reason, progress)).await;
                AttemptEnd::Gone
            }
        }
    }

    /// Waits for what comes before sending, unless nobody listens any more or the gateway stops.
    ///
    /// The work is dropped then: a sign-in is renewed by a task of its own, and the ledger takes back money that was
    /// set aside for a caller that is gone.
    async fn unless_over<T>(&self, work: impl Future<Output = T>) -> Result<T, AttemptEnd> {
        tokio::select! {
            biased;
            () = self.events.closed() => Err(AttemptEnd::Gone),
            () = self.shared.parts.tasks.cancelled() => Err(AttemptEnd::Failed(stopping(), AttemptSent::No)),
            done = work => Ok(done),
        }
    }

    /// Passes the answer on until it ends. The stream, and with it the socket, is closed on return.
    async fn pass_on(&self, mut stream: ModelStream, progress: &mut Progress) -> End {
        let mut tags = Tags::default();
        let mut unheard = pin!(self.events.closed());
        let mut stopped = pin!(self.shared.parts.tasks.cancelled());
        loop {
            let next = async {
                progress.sent = true;
                stream.next().await
            };
            // Biased: nobody listening and a stop win over more events. An event that is lost to them is not wanted.
            // The request goes out with the first poll of the stream.
            let event = tokio::select! {
                biased;
                () = &mut unheard => return End::Gone,
                () = &mut stopped => return End::Fault(stopping()),
                event = next => event,
            };
            match event {
                Some(ModelEvent::Done(completion)) => {
                    let content = apart(completion.content);
                    return match self.tell(tags.rest()).await {
                        None => End::Whole(Completion { content, ..completion }),
                        Some(end) => end,
                    };
                }
                Some(ModelEvent::Failed(fault)) => return End::Fault(fault),
                Some(event) => {
                    progress.saw(&event);
                    if let Some(end) = self.tell(tags.split(event)).await {
                        return end;
                    }
                }
                None => {
                    let message = "the line ended without saying how the answer ended";
                    return End::Fault(ModelFault::new(FaultReason::Truncated, message));
                }
            }
        }
    }

    /// Tells events. Gives an end when nobody listens any more or the gateway stops.
    async fn tell(&self, events: Vec<ModelEvent>) -> Option<End> {
        for event in events {
            let event = match self.events.try_send(CallEvent::Model(event)) {
                Ok(()) => continue,
                Err(TrySendError::Closed(_)) => return Some(End::Gone),
                Err(TrySendError::Full(event)) => event,
            };
            tokio::select! {
                sent = self.events.send(event) => {
                    if sent.is_err() {
                        return Some(End::Gone);
                    }
                }
                () = self.shared.parts.tasks.cancelled() => return Some(End::Fault(stopping())),
            }
        }
        None
    }

    async fn answered(
        &self,
        budget_hold: BudgetHold,
        mut completion: Completion,
        progress: Progress,
    ) -> ModelAnswer {
        let prices = prices_of(&self.request, &self.ready.facts);
        let (usage, counted) = match completion.usage {
            Some(usage) => (budget_hold::priced(prices, usage), CountedBy::Server),
            None => {
                let usage = progress.usage(budget_hold.estimate.input_tokens);
                (budget_hold::priced(prices, usage), CountedBy::Estimate)
            }
        };
        if counted == CountedBy::Server {
            completion.usage = Some(usage);
        }
        budget_hold.settle(self.shared, self.call, self.outcome("done"), usage).await;
        ModelAnswer { completion, usage, counted }
    }

    fn outcome<'a>(&'a self, word: &'a str) -> HoldOutcome<'a> {
        let prices = prices_of(&self.request, &self.ready.facts);
        HoldOutcome { model: self.model, profile: &self.profile.id, prices, word }
    }

    fn route(&self, access: CallCredential) -> ModelRoute {
        let facts = &self.ready.facts;
        let mut headers = facts.headers.clone();
        headers.extend(access.headers);
        ModelRoute {
            provider: self.model.provider().clone(),
            api: facts.api,
            target: ModelTarget {
                model: facts.id.clone(),
                base_url: access.base_url.unwrap_or_else(|| facts.base_url.clone()),
                credential: access.secret,
                headers,
                max_output_tokens: facts.max_output_tokens,
                context_window: self.ready.window.tokens,
                reasoning: facts.reasons(),
                sees_images: facts.sees_images,
                compatibility: facts.compatibility,
            },
            aws: access.aws,
            reach: self.ready.reach,
        }
    }
}

fn stopping() -> ModelFault {
    ModelFault::new(FaultReason::Cancelled, "the gateway is stopping")
}
