//! What came of a run, in the shape clients know. Pure.

use openclaw_agent::{RunOutcome, RunReply};
use openclaw_flow::EndedRun;
use openclaw_protocol::methods::chat::{
    AgentEnded, AgentOutcome, AgentResult, AgentRunMeta, AgentWaitResult, ReplyPayload, RunEndStatus,
    RunMeta, RunUsage, RunWaitStatus,
};
use openclaw_types::{AbortCause, RunEnding, RunId, Usage};
use serde_json::{Value, json};

use crate::methods::outcome::{JsonPayload, MethodOutcome};

/// The stop reason of a run that failed.
const FAILED: &str = "error";

/// What is known of a run that ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Told {
    /// How it ended, where this process knows.
    pub(super) ended: Option<EndedRun>,
    /// What was said without a run, such as the answer to a command.
    pub(super) said: Option<String>,
    /// The transcript of its session.
    pub(super) session: Option<String>,
}

/// The second answer to `agent`. A run that failed is an answer too: its last payload says what went wrong. An error
/// would make the original's CLI run the message, and all tools of it, once more by itself.
pub(super) fn ended(run: &RunId, told: Told) -> MethodOutcome {
    let said: Vec<String> = told.said.into_iter().filter(|said| !said.is_empty()).collect();
    let result = told.ended.as_ref().map(|ended| agent_outcome(ended, said, told.session.as_deref()));
    JsonPayload::of(&AgentResult::Ended(AgentEnded {
        run_id: run.to_string(),
        status: RunEndStatus::Ok,
        summary: "completed".to_owned(),
        result,
    }))
}

/// The answer to a message that asked to stop.
pub(super) fn stopped(run: &RunId, runs: &[RunId]) -> MethodOutcome {
    let text = match runs {
        [] => "Nothing was running.".to_owned(),
        [_] => "Stopped.".to_owned(),
        more => format!("Stopped {} runs.", more.len()),
    };
    JsonPayload::of(&AgentResult::Ended(AgentEnded {
        run_id: run.to_string(),
        status: RunEndStatus::Ok,
        summary: "completed".to_owned(),
        result: Some(AgentOutcome {
            payloads: vec![ReplyPayload { text: Some(text), media_url: None, media_urls: None }],
            meta: RunMeta {
                duration_ms: 0,
                agent_meta: None,
                aborted: Some(false),
                system_prompt_report: None,
                stop_reason: None,
                error: None,
            },
        }),
    }))
}

/// The answer to `agent.wait`.
pub(super) fn waited(run: &RunId, ended: Option<EndedRun>) -> AgentWaitResult {
    let (status, error) = match ended.as_ref().map(|ended| &ended.how) {
        Some(RunEnding::Answered) => (RunWaitStatus::Ok, None),
        Some(RunEnding::Aborted(AbortCause::Timeout)) | None => (RunWaitStatus::Timeout, None),
        Some(RunEnding::Aborted(_)) => (RunWaitStatus::Ok, None),
        Some(RunEnding::Failed { message }) => (RunWaitStatus::Error, Some(message.clone())),
    };
    AgentWaitResult {
        run_id: run.to_string(),
        status,
        started_at: ended.as_ref().and_then(|ended| ended.started_at),
        ended_at: ended.as_ref().map(|ended| ended.ended_at),
        error,
    }
}

/// What came of a run, as clients know it. `said` is what was answered without a run, such as the answer to a command.
#[must_use]
pub fn agent_outcome(ended: &EndedRun, said: Vec<String>, session: Option<&str>) -> AgentOutcome {
    let outcome = ended.outcome.as_deref();
    let words =
        said.into_iter().map(|text| ReplyPayload { text: Some(text), media_url: None, media_urls: None });
    let replies = outcome.into_iter().flat_map(|outcome| &outcome.replies).map(payload);
    let failure = match &ended.how {
        RunEnding::Failed { message } => {
            Some(ReplyPayload { text: Some(message.clone()), media_url: None, media_urls: None })
        }
        RunEnding::Answered | RunEnding::Aborted(_) => None,
    };
    AgentOutcome {
        payloads: words.chain(replies).chain(failure).collect(),
        meta: meta(ended, outcome, session),
    }
}

fn payload(reply: &RunReply) -> ReplyPayload {
    ReplyPayload {
        text: (!reply.text.is_empty()).then(|| reply.text.clone()),
        media_url: reply.media.first().cloned(),
        media_urls: (!reply.media.is_empty()).then(|| reply.media.clone()),
    }
}

fn meta(ended: &EndedRun, outcome: Option<&RunOutcome>, session: Option<&str>) -> RunMeta {
    let took = ended.started_at.map_or(0, |began| ended.ended_at.0.saturating_sub(began.0));
    RunMeta {
        duration_ms: u64::try_from(took).unwrap_or(0),
        agent_meta: outcome.and_then(|outcome| agent_meta(outcome, session)),
        aborted: Some(matches!(ended.how, RunEnding::Aborted(_))),
        system_prompt_report: outcome.and_then(|outcome| outcome.prompt_report.clone()),
        stop_reason: match &ended.how {
            RunEnding::Aborted(cause) => Some(cause.as_str().to_owned()),
            RunEnding::Answered if outcome.is_some_and(|outcome| !outcome.client_calls.is_empty()) => {
                Some("tool_calls".to_owned())
            }
            RunEnding::Failed { .. } => Some(FAILED.to_owned()),
            RunEnding::Answered => None,
        },
        error: outcome
            .and_then(|outcome| outcome.fault.as_ref())
            .map(|fault| -> Value { json!({"kind": fault.kind.as_str(), "message": fault.message}) }),
    }
}

fn agent_meta(outcome: &RunOutcome, session: Option<&str>) -> Option<AgentRunMeta> {
    let model = outcome.model.as_ref()?;
    Some(AgentRunMeta {
        session_id: session.unwrap_or_default().to_owned(),
        provider: model.provider().to_string(),
        model: model.model().to_owned(),
        usage: Some(RunUsage {
            cache_read: Some(outcome.usage.cache_read).filter(|tokens| *tokens > 0),
            cache_write: Some(outcome.usage.cache_write).filter(|tokens| *tokens > 0),
            ..usage(&outcome.usage)
        }),
        last_call_usage: outcome.last_call.as_ref().map(usage),
        prompt_tokens: outcome
            .last_call
            .as_ref()
            .map(|usage| usage.input + usage.cache_read + usage.cache_write),
        compaction_count: Some(outcome.compactions).filter(|count| *count > 0),
    })
}

fn usage(usage: &Usage) -> RunUsage {
    RunUsage {
        input: Some(usage.input),
        output: Some(usage.output),
        cache_read: Some(usage.cache_read),
        cache_write: Some(usage.cache_write),
        total: Some(usage.total_tokens),
    }
}
