//! Stage: carries out what needs no model, and answers in the session.
//!
//! The answer is stored under the submission's own name, so that it is there once. A command that a crash cut off is not
//! carried out again, since nobody knows how far it came; its sender is told.

use std::sync::Arc;

use openclaw_inbound::commands::{MessageReading, Shortcut};
use openclaw_ports::stores::InboxEnd;
use openclaw_session::{Injection, Opening, SessionError};
use openclaw_types::RunEnding;

use crate::commands::{CommandCall, Effect, carry_out, say_shortcuts};
use crate::directives::Prompted;
use crate::error::FlowError;
use crate::flow::Inner;
use crate::intake::Accepted;
use crate::outbox;
use crate::publish::FlowEvent;

/// Carries out a command and answers.
pub(crate) async fn carry(flow: &Arc<Inner>, accepted: Accepted, reading: MessageReading) {
    let call = CommandCall { flow, submission: accepted.submission() };
    match carry_out(&call, reading).await {
        Effect::Say(text) => answer(flow, &accepted, Some(text)).await,
        Effect::Silent => answer(flow, &accepted, None).await,
        // Where nothing is sent, commands are carried out and no more.
        Effect::Ask(_) if matches!(flow.check_send(accepted.submission()).await, Err(FlowError::Blocked)) => {
            answer(flow, &accepted, None).await;
        }
        Effect::Ask(text) => {
            let prompted = Prompted::with_text(accepted, text, &flow.settings());
            flow.queue(prompted).await;
        }
    }
}

/// Carries out the short commands inside a message; what they say stands before the answer.
pub(crate) async fn shortcuts(flow: &Arc<Inner>, prompted: &Prompted, shortcuts: &[Shortcut]) {
    let call = CommandCall { flow, submission: prompted.submission() };
    let text = say_shortcuts(&call, shortcuts).await;
    let submission = prompted.submission();
    let kept = inject(flow, prompted.accepted(), &text, "shortcut").await;
    if let Err(error) = outbox::speak(flow, submission, "shortcut", &text).await {
        tracing::error!(subsystem = "flow", %error, "what a command said could not be kept for sending");
    }
    // The run goes on: only its own end may be told under its name.
    if let Some(entry) = kept {
        flow.audience.tell(&FlowEvent::Injected {
            raw_key: submission.raw_key.clone(),
            key: submission.key.clone(),
            entry,
            text,
        });
    }
}

/// Answers a submission without a run.
pub(crate) async fn answer(flow: &Arc<Inner>, accepted: &Accepted, text: Option<String>) {
    let submission = accepted.submission();
    if let Some(text) = &text {
        inject(flow, accepted, text, "answer").await;
    }
    match &text {
        None => {
            outbox::unanswered(flow, submission).await;
            flow.finish(accepted.ids(), InboxEnd::Answered).await;
        }
        Some(text) => match outbox::speak(flow, submission, "answer", text).await {
            Ok(()) => flow.finish(accepted.ids(), InboxEnd::Answered).await,
            // The submission stays in the inbox, so that the next start tells its sender.
            Err(error) => {
                tracing::error!(subsystem = "flow", %error, "the answer to a command could not be kept for sending");
            }
        },
    }
    // Told first: who waits for the end may ask for the words at once.
    flow.audience.tell(&FlowEvent::Answered {
        run: submission.run.clone(),
        raw_key: submission.raw_key.clone(),
        key: submission.key.clone(),
        text,
    });
    flow.runs.ended(&submission.run, RunEnding::Answered, None, flow.now());
}

/// The name under which an answer of ours is stored.
pub(crate) fn answer_key(accepted: &Accepted, kind: &str) -> String {
    format!("{}/{kind}", accepted.run())
}

/// Puts words of ours into the session. Gives their name there, unless they could not be kept.
async fn inject(flow: &Inner, accepted: &Accepted, text: &str, kind: &str) -> Option<String> {
    let injection = Injection {
        text: text.to_owned(),
        idempotency_key: Some(answer_key(accepted, kind)),
        ..Injection::default()
    };
    match keep(flow, accepted, injection).await {
        Ok(entry) => Some(entry),
        Err(error) => {
            tracing::warn!(subsystem = "flow", %error, "an answer could not be kept in its session");
            None
        }
    }
}

/// Keeps an answer in its session. A command may be the first thing that is said in one.
async fn keep(flow: &Inner, accepted: &Accepted, injection: Injection) -> Result<String, SessionError> {
    let submission = accepted.submission();
    let sessions = &flow.parts.sessions;
    if sessions.entry(&submission.key).await?.is_none() {
        sessions.open(Opening::new(submission.key.clone(), submission.from.channel.clone())).await?;
    }
    let (entry, _) = sessions.inject(&submission.key, injection).await?;
    Ok(entry.to_string())
}
