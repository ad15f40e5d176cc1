//! `sessions_send`: says something in another session, and waits for the answer as long as it is told.
//!
//! What is said is a submission like any other: durable, answered once. When the answer came, the two sessions may go on
//! talking (`converse`).

use std::sync::Arc;
use std::time::Duration;

use openclaw_agent::ReplyKind;
use openclaw_ports::tool::{SendRequest, SessionToolFault, ToolContext};
use openclaw_types::{AgentId, Provenance, RunEnding, RunId, SessionKey};
use serde_json::{Value, json};

use super::converse::{Talk, converse, opening_words};
use super::reference::{labelled, session};
use super::visibility::{Act, view};
use super::{fault, history};
use crate::flow::{Flow, Inner};
use crate::runs::EndedRun;
use crate::subagents::{handed_on, provenance, room_rule};
use crate::submission::{Author, Submission, SubmissionOptions, SubmissionSurface};

/// How long an answer is waited for, unless told otherwise.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) async fn send(
    flow: &Arc<Inner>,
    context: &ToolContext,
    request: SendRequest,
) -> Result<Value, SessionToolFault> {
    if request.message.trim().is_empty() {
        return Err(SessionToolFault::Wrong("Say something in `message`.".to_owned()));
    }
    let target = target(flow, context, &request).await?;
    view(flow, context).await?.check(&target, Act::Send)?;
    if target == context.session {
        return Err(SessionToolFault::Wrong(
            "This is the session you are in: say it in your answer.".to_owned(),
        ));
    }
    let run = new_run()?;
    let from = Author { channel: None, account: None, to: None, thread: None, ..handed_on(&context.sender) };
    let submission = submission(
        flow,
        SessionMessage {
            run: run.clone(),
            to: target.clone(),
            by: context.session.clone(),
            from: from.clone(),
            text: request.message.clone(),
            extra_system: opening_words(&context.session, &target),
        },
    );
    let submission = bound(flow, submission, &context.session).await?;
    let whole = Flow::of(flow);
    whole.submit(submission).await.map_err(|error| SessionToolFault::Wrong(error.to_string()))?;
    let patience = request.timeout_seconds.map_or(PATIENCE, Duration::from_secs);
    let talk = Talk {
        requester: context.session.clone(),
        target: target.clone(),
        from,
        said: request.message,
        patience: if patience.is_zero() { PATIENCE } else { patience },
    };
    if patience.is_zero() {
        converse(flow, talk, run.clone());
        return Ok(
            json!({ "runId": run, "status": "accepted", "sessionKey": target, "delivery": pending() }),
        );
    }
    // A run that is stopped waits no longer; the other session answers all the same.
    let ended = tokio::select! {
        ended = whole.wait(&run, patience) => ended,
        () = context.cancel.cancelled() => return Err(SessionToolFault::Fault("the run was stopped".to_owned())),
    };
    answer(flow, talk, run, ended).await
}

async fn answer(
    flow: &Arc<Inner>,
    talk: Talk,
    run: RunId,
    ended: Option<EndedRun>,
) -> Result<Value, SessionToolFault> {
    let target = talk.target.clone();
    let Some(ended) = ended else {
        return Ok(json!({
            "runId": run, "status": "timeout", "sessionKey": target,
            "note": "It has not answered yet and goes on. Look with sessions_history later.",
        }));
    };
    let error = match &ended.how {
        RunEnding::Answered => None,
        RunEnding::Aborted(cause) => Some(format!("it was stopped ({})", cause.as_str())),
        RunEnding::Failed { message } => Some(message.clone()),
    };
    if let Some(error) = error {
        return Ok(json!({ "runId": run, "status": "error", "error": error, "sessionKey": target }));
    }
    let reply = reply(flow, &target, &ended).await?;
    converse(flow, talk, run.clone());
    Ok(json!({ "runId": run, "status": "ok", "reply": reply, "sessionKey": target, "delivery": pending() }))
}

/// What a session answered; nothing when it stayed silent.
pub(super) async fn reply(
    flow: &Inner,
    key: &SessionKey,
    ended: &EndedRun,
) -> Result<Option<String>, SessionToolFault> {
    if let Some(outcome) = &ended.outcome {
        let said = outcome.replies.iter().filter(|reply| reply.kind != ReplyKind::Reasoning);
        let words: Vec<&str> = said.map(|reply| reply.text.as_str()).collect();
        return Ok(Some(words.join("\n\n")).filter(|words| !words.trim().is_empty()));
    }
    // It was answered together with another message: the last words are the answer.
    let messages = history::messages(flow, key, Some(20)).await?;
    let is_answer = |message: &&Value| message.get("role").and_then(Value::as_str) == Some("assistant");
    Ok(messages.iter().rev().find(is_answer).map(words).filter(|words| !words.trim().is_empty()))
}

fn words(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(pieces)) => {
            pieces.iter().filter_map(|piece| piece.get("text")?.as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

async fn target(
    flow: &Inner,
    context: &ToolContext,
    request: &SendRequest,
) -> Result<SessionKey, SessionToolFault> {
    let word = |text: &Option<String>| {
        text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    match (word(&request.session), word(&request.label)) {
        (Some(_), Some(_)) => Err(SessionToolFault::Wrong(
            "Name the session by `sessionKey` or by `label`, not by both.".to_owned(),
        )),
        (Some(text), None) => session(flow, &context.agent, &text).await,
        (None, Some(label)) => {
            let agent = word(&request.agent).map(|agent| AgentId::sanitized(&agent));
            labelled(flow, &label, agent).await
        }
        (None, None) => {
            Err(SessionToolFault::Wrong("Name the session by `sessionKey` or by `label`.".to_owned()))
        }
    }
}

/// Something that is said in a session by another one.
pub(super) struct SessionMessage {
    pub(super) run: RunId,
    pub(super) to: SessionKey,
    pub(super) by: SessionKey,
    pub(super) from: Author,
    pub(super) text: String,
    pub(super) extra_system: String,
}

/// The submission for it. It waits in the lane of sub-agents, so that sessions that wait for each other do not take the
/// places of those they wait for.
pub(super) fn submission(flow: &Inner, saying: SessionMessage) -> Submission {
    let provenance: Provenance = provenance(&saying.by, "sessions_send");
    Submission {
        channel_origin: None,
        run: saying.run,
        agent: flow.parts.sessions.agent_of(&saying.to),
        raw_key: saying.to.to_string(),
        key: saying.to,
        surface: SubmissionSurface::Session,
        text: saying.text,
        pictures: Vec::new(),
        at: flow.now(),
        from: saying.from,
        provenance: Some(provenance),
        options: SubmissionOptions {
            extra_system: Some(saying.extra_system),
            lane: Some("subagent".to_owned()),
            stamped: true,
            alone: true,
            ..SubmissionOptions::default()
        },
    }
}

/// The same with the tools of the room that the asking session is in, so that nobody asks for more than they may do there.
pub(super) async fn bound(
    flow: &Inner,
    submission: Submission,
    asking: &SessionKey,
) -> Result<Submission, SessionToolFault> {
    let tools = room_rule(flow, asking).await.map_err(fault)?;
    Ok(Submission { options: SubmissionOptions { tools, ..submission.options }, ..submission })
}

pub(super) fn new_run() -> Result<RunId, SessionToolFault> {
    RunId::new(uuid::Uuid::new_v4().to_string()).map_err(fault)
}

fn pending() -> Value {
    json!({ "status": "pending", "mode": "announce" })
}
