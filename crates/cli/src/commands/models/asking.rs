//! Asks one model one thing and measures it: used by `test`, `status --probe` and `scan`.
//!
//! Exactly the model that is named is called: no fallbacks, no allow-list, and what rests is tried all the same.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use openclaw_agent::{CallDone, CallEvent, FailureCause, ModelCall, Pin, Purpose, Selection};
use openclaw_ports::Deadline;
use openclaw_ports::model::{FaultReason, ModelEvent, ModelRequest};
use openclaw_types::{RunId, ThinkingLevel};

use super::desk::ModelCommand;

/// What is asked.
pub(super) struct TrialRequest {
    /// The model as a person wrote it, perhaps with `@` and a sign-in.
    pub(super) model: String,
    /// The only sign-in to use.
    pub(super) pin: Option<Pin>,
    /// How hard to think.
    pub(super) thinking: Option<ThinkingLevel>,
    /// The request.
    pub(super) request: Arc<ModelRequest>,
    /// How long it may take.
    pub(super) limit: Duration,
}

/// What came of it.
pub(super) struct TrialAnswer {
    /// Until the first piece of the answer.
    pub(super) first: Option<Duration>,
    /// Until its end.
    pub(super) total: Duration,
    /// What was switched on the way, for people.
    pub(super) switches: Vec<String>,
    /// How it ended.
    pub(super) outcome: TrialOutcome,
}

/// How it ended.
pub(super) enum TrialOutcome {
    /// With an answer.
    Done(Box<CallDone>),
    /// Without one.
    Failed {
        /// What kind of trouble, where a model or its vendor made it.
        reason: Option<FaultReason>,
        /// The same for people.
        message: String,
    },
}

/// Asks, and shows each event as it comes.
pub(super) async fn ask(
    session: &ModelCommand<'_>,
    asked: TrialRequest,
    mut show: impl FnMut(&CallEvent) -> std::io::Result<()>,
) -> TrialAnswer {
    let clock = session.context.clock.as_ref();
    let begun = clock.elapsed();
    let mut answer = TrialAnswer {
        first: None,
        total: Duration::ZERO,
        switches: Vec::new(),
        outcome: TrialOutcome::Failed {
            reason: Some(FaultReason::Timeout),
            message: format!(
                "no whole answer came within {} s; give more time with --timeout",
                asked.limit.as_secs()
            ),
        },
    };
    let deadline = Deadline::after(clock, asked.limit);
    let Some(run) = run_id() else {
        answer.outcome = failed(None, "the system gave no random numbers");
        return answer;
    };
    let mut events = session.desk.models.call(ModelCall {
        agent: session.agent.clone(),
        session: None,
        run,
        selection: Selection::Run(asked.model),
        pin: asked.pin,
        thinking: asked.thinking,
        purpose: Purpose::Probe,
        request: asked.request,
    });
    // Giving up drops the stream, which cancels the call; what was sent is still counted.
    while let Ok(Some(event)) = deadline.bound(clock, events.next()).await {
        if answer.first.is_none() && is_piece(&event) {
            answer.first = Some(clock.elapsed().saturating_sub(begun));
        }
        if let Err(error) = show(&event) {
            answer.outcome = failed(None, &error.to_string());
            break;
        }
        match event {
            CallEvent::Switched { message, .. } => {
                answer.switches.push(message);
                answer.first = None;
            }
            CallEvent::Done(done) => answer.outcome = TrialOutcome::Done(done),
            CallEvent::Failed(failure) => {
                let reason = match &failure.cause {
                    FailureCause::Fault(fault) => Some(fault.reason),
                    _ => None,
                };
                answer.outcome = TrialOutcome::Failed { reason, message: failure.message };
            }
            CallEvent::Trying { .. } | CallEvent::Model(_) => {}
        }
    }
    answer.total = clock.elapsed().saturating_sub(begun);
    answer
}

fn failed(reason: Option<FaultReason>, message: &str) -> TrialOutcome {
    TrialOutcome::Failed { reason, message: message.to_owned() }
}

fn is_piece(event: &CallEvent) -> bool {
    matches!(
        event,
        CallEvent::Model(
            ModelEvent::Text { .. }
                | ModelEvent::Thinking { .. }
                | ModelEvent::ToolCallStarted { .. }
                | ModelEvent::ToolCallArguments { .. }
        )
    )
}

fn run_id() -> Option<RunId> {
    let mut bytes = [0_u8; 12];
    getrandom::fill(&mut bytes).ok()?;
    RunId::new(format!("probe-{}", hex::encode(bytes))).ok()
}
