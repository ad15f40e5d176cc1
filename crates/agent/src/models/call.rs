//! The words of a call: what is asked of `Models`, and the events it answers with.

use std::pin::Pin as Pinned;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::Stream;
use openclaw_ports::model::{Completion, FaultReason, ModelEvent, ModelFault, ModelRequest};
use openclaw_types::{AgentId, AuthProfileId, ModelRef, RunId, ThinkingLevel, Usage};
use tokio::sync::mpsc;

use crate::{BudgetRefusal, Selection, SelectionError};

/// One call of a model on behalf of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCall {
    /// Who calls.
    pub agent: AgentId,
    /// In which session.
    pub session: Option<String>,
    /// For which run.
    pub run: RunId,
    /// Which model, where someone chose one.
    pub selection: Selection,
    /// Which credential, where someone chose one. An `@profile` in the selection wins.
    pub pin: Option<Pin>,
    /// How hard to think, where someone said so. It is fitted to each model that is tried.
    pub thinking: Option<ThinkingLevel>,
    /// What the call is for.
    pub purpose: Purpose,
    /// What is asked. Its own level of thinking is not looked at.
    pub request: Arc<ModelRequest>,
}

/// What a call is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Purpose {
    /// To answer: fallbacks are tried, and a model that can read too little is not used.
    #[default]
    Answer,
    /// To see whether exactly this model works: no fallbacks, no allow-list, and what rests is tried all the same.
    Probe,
}

/// A credential that a session or a person wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// Which one.
    pub profile: AuthProfileId,
    /// How much.
    pub strength: PinStrength,
}

/// How much a credential is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PinStrength {
    /// It is tried first: the session used it before.
    Preferred,
    /// It is the only one tried: a person said so. When it fails, the next model is tried.
    Locked,
}

/// One event of a call. The last one is `Done` or `Failed`, and there is exactly one of them.
#[derive(Debug, Clone, PartialEq)]
pub enum CallEvent {
    /// An attempt begins.
    Trying {
        /// What is tried.
        what: TriedModel,
        /// The how-manyth attempt of this call, from 1.
        attempt: usize,
    },
    /// Something else is tried. What was streamed since the last `Trying` is void.
    Switched {
        /// What failed or rests.
        from: TriedModel,
        /// What is tried instead.
        to: TriedModel,
        /// Why.
        reason: FaultReason,
        /// The same for people.
        message: String,
    },
    /// A piece of the answer. Never an end: that is told by `Done` or `Failed`.
    Model(ModelEvent),
    /// The answer is whole.
    Done(Box<CallDone>),
    /// There is no answer.
    Failed(Box<CallFailed>),
}

/// A model and the credential it is called with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriedModel {
    /// The model.
    pub model: ModelRef,
    /// The credential; nothing where none was chosen yet.
    pub profile: Option<AuthProfileId>,
}

/// A whole answer and what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct CallDone {
    /// The answer. Its usage holds what it cost, where the server counted and prices are known.
    pub completion: Completion,
    /// The model that answered.
    pub model: ModelRef,
    /// The credential that was used.
    pub profile: AuthProfileId,
    /// What it took, with its cost where prices are known.
    pub usage: Usage,
    /// Who counted that.
    pub counted: CountedBy,
    /// How hard the model was asked to think in the end.
    pub thinking: ThinkingLevel,
    /// What failed before.
    pub tried: Vec<Attempt>,
}

/// Who counted the tokens of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountedBy {
    /// The server.
    Server,
    /// We did, from the length of the texts, as the server said nothing.
    Estimate,
}

/// A call without an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct CallFailed {
    /// Why.
    pub cause: FailureCause,
    /// What was tried, in order.
    pub tried: Vec<Attempt>,
    /// The whole story for people, without secrets.
    pub message: String,
}

/// Why a call has no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum FailureCause {
    /// The models failed; this is the fault that says most.
    Fault(ModelFault),
    /// It was not sent, to keep a budget.
    Budget(Box<BudgetRefusal>),
    /// The model that was chosen cannot be.
    Selection(SelectionError),
    /// Our own books cannot be kept, so nothing may be spent. Names what failed.
    Books(String),
}

/// An attempt that failed, or was left out because it could not have worked.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// What was tried.
    pub what: TriedModel,
    /// What came of it.
    pub fault: ModelFault,
    /// Whether anything went out.
    pub sent: AttemptSent,
}

/// Whether an attempt went out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptSent {
    /// It did.
    Yes,
    /// It did not: nothing could be tried.
    No,
}

/// The events of a call. Dropping it cancels the call and closes its socket; what was sent is still counted.
#[derive(Debug)]
pub struct CallStream {
    events: mpsc::Receiver<CallEvent>,
    ended: bool,
}

impl CallStream {
    pub(super) fn new(events: mpsc::Receiver<CallEvent>) -> Self {
        Self { events, ended: false }
    }
}

impl Stream for CallStream {
    type Item = CallEvent;

    fn poll_next(mut self: Pinned<&mut Self>, context: &mut Context<'_>) -> Poll<Option<CallEvent>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let event = match self.events.poll_recv(context) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Some(event)) => event,
            // The task is gone without a last word: a bug that ends this call and nothing else.
            Poll::Ready(None) => CallEvent::Failed(Box::new(lost())),
        };
        self.ended = matches!(event, CallEvent::Done(_) | CallEvent::Failed(_));
        Poll::Ready(Some(event))
    }
}

fn lost() -> CallFailed {
    let message = "the call was lost inside the gateway; the log says more".to_owned();
    let fault = ModelFault::new(FaultReason::Unknown, message.clone());
    CallFailed { cause: FailureCause::Fault(fault), tried: Vec::new(), message }
}
