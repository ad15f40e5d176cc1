//! `chat.*`: a person writes, reads, stops, and something is put into a chat.
//!
//! The flow takes messages, stops runs and knows sessions; here requests become submissions and results take their wire
//! shape. The steps of a run reach clients as events, not from here.

pub(super) mod attachments;
pub(super) mod text;

use std::sync::Arc;

use openclaw_config::sections::VerboseLevel;
use openclaw_flow::{
    Author, FlowError, FlowEvent, Rank, Submission, SubmissionOptions, SubmissionSurface, Submitted,
};
use openclaw_ports::stores::StoreError;
use openclaw_protocol::methods::chat::{
    ChatAbort, ChatAbortParams, ChatAbortResult, ChatHistory, ChatHistoryParams, ChatHistoryResult,
    ChatInject, ChatInjectParams, ChatInjectResult, ChatSend, ChatSendParams, ChatSendResult, ChatSendStatus,
    ChatSendTaken,
};
use openclaw_protocol::{ErrorShape, Yes};
use openclaw_session::{Injection, SessionError};
use openclaw_types::{AbortCause, PeerId, RunEnding, RunId, Scope, SessionKey};

use super::agents::{AgentServices, run_id};
use super::registry::{Call, Registry};
use super::sessions::model_of;
use crate::connection::Client;

/// Adds the methods of this family.
pub(super) fn bind(registry: &mut Registry, services: &Arc<AgentServices>) {
    let sending = Arc::clone(services);
    registry.bind::<ChatSend, _, _>(move |call, params| send(Arc::clone(&sending), call, params));
    let reading = Arc::clone(services);
    registry.bind::<ChatHistory, _, _>(move |_, params| history(Arc::clone(&reading), params));
    let stopping = Arc::clone(services);
    registry.bind::<ChatAbort, _, _>(move |_, params| abort(Arc::clone(&stopping), params));
    let putting = Arc::clone(services);
    registry.bind::<ChatInject, _, _>(move |_, params| inject(Arc::clone(&putting), params));
}

async fn send(
    services: Arc<AgentServices>,
    call: Call,
    params: ChatSendParams,
) -> Result<ChatSendResult, ErrorShape> {
    let run = run_id(params.idempotency_key.as_str())?;
    let key = services.key(params.session_key.as_str())?;
    let words = text::cleaned(&params.message).map_err(ErrorShape::invalid_request)?;
    let pictures = attachments::pictures(params.attachments.as_deref().unwrap_or_default())
        .map_err(ErrorShape::invalid_request)?;
    let submission = Submission {
        channel_origin: None,
        agent: services.agent_of(&key),
        raw_key: params.session_key.as_str().to_owned(),
        key,
        surface: SubmissionSurface::Webchat,
        text: words,
        pictures,
        at: call.context.clock.now(),
        from: author(&call.client),
        provenance: None,
        options: SubmissionOptions {
            thinking: params.thinking,
            timeout_seconds: params.timeout_ms.map(|limit| seconds(limit.get())),
            stamped: true,
            ..SubmissionOptions::default()
        },
        run: run.clone(),
    };
    match submit(&services, &call, submission).await? {
        Submitted::Started => Ok(taken(&run, ChatSendStatus::Started)),
        Submitted::InFlight => Ok(taken(&run, ChatSendStatus::InFlight)),
        Submitted::Ended(ended) => match ended.map(|ended| ended.how) {
            Some(RunEnding::Failed { message }) => Err(ErrorShape::unavailable(message)),
            _ => Ok(taken(&run, ChatSendStatus::Ok)),
        },
        Submitted::Stopped(runs) => Ok(ChatSendResult::Aborted(stopped(&runs))),
    }
}

/// Gives a submission to the flow. A client that shows tools sees those of the run, from its first step; where none comes of
/// the letter, there is nothing to see.
pub(super) async fn submit(
    services: &AgentServices,
    call: &Call,
    submission: Submission,
) -> Result<Submitted, ErrorShape> {
    let run = submission.run.clone();
    let watches = call.client.shows_tools() && call.context.runs.watch(&run, &call.client.id);
    let submitted = services.flow.submit(submission).await;
    if watches && !matches!(submitted, Ok(Submitted::Started | Submitted::InFlight)) {
        call.context.runs.unwatch(&run, &call.client.id);
    }
    submitted.map_err(refused)
}

fn taken(run: &RunId, status: ChatSendStatus) -> ChatSendResult {
    ChatSendResult::Taken(ChatSendTaken { run_id: run.to_string(), status })
}

/// Milliseconds as whole seconds, rounded up.
fn seconds(milliseconds: i64) -> u64 {
    u64::try_from(milliseconds).unwrap_or(0).div_ceil(1000)
}

/// Who writes: an operator speaks for the owner, under the name of their program, as lists of senders name it. Whether
/// commands may be approved is a right of its own.
pub(super) fn author(client: &Client) -> Author {
    Author {
        standing: Rank::Owner,
        peer: PeerId::new(&*client.program).ok(),
        name: None,
        may_approve: client.principal.may(Scope::Approvals),
        ..Author::default()
    }
}

/// Why the flow did not take a message, for the client.
pub(super) fn refused(error: FlowError) -> ErrorShape {
    match error {
        FlowError::Empty | FlowError::Blocked | FlowError::Wrong(_) => {
            ErrorShape::invalid_request(error.to_string())
        }
        FlowError::Busy(_) => ErrorShape::unavailable(error.to_string()),
        FlowError::Store(error) => store_fault(&error),
        FlowError::Session(error) => session_fault(&error),
    }
}

/// What is wrong with a session, for the client.
pub(super) fn session_fault(error: &SessionError) -> ErrorShape {
    match error {
        SessionError::Missing { .. } | SessionError::Refused { .. } | SessionError::MainStays { .. } => {
            ErrorShape::invalid_request(error.to_string())
        }
        SessionError::Store(error) if error.is_retryable() => store_fault(error),
        _ => {
            tracing::error!(%error, "a session could not be read or changed");
            ErrorShape::unavailable(error.to_string())
        }
    }
}

/// What a client hears when a store does not answer.
pub(super) fn store_fault(error: &StoreError) -> ErrorShape {
    let fault = ErrorShape::unavailable(error.to_string());
    if error.is_retryable() { fault.retryable() } else { fault }
}

async fn history(
    services: Arc<AgentServices>,
    params: ChatHistoryParams,
) -> Result<ChatHistoryResult, ErrorShape> {
    let key = services.key(params.session_key.as_str())?;
    let limit = params.limit.and_then(|limit| usize::try_from(limit.get()).ok());
    let history = services.sessions().history(&key, limit).await.map_err(|error| session_fault(&error))?;
    let facts = history.entry.as_ref().map(|entry| &entry.facts);
    let config = services.config();
    let usual = config.raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref());
    let usual_verbose = usual.and_then(|defaults| defaults.verbose_default).map(verbose_word);
    // As it is configured, like the level of a session; what the model makes of it is another matter.
    let configured = config.models.thinking.map(|level| level.as_str().to_owned());
    let usual_thinking = || {
        let model = facts.and_then(model_of);
        let model = model.unwrap_or_else(|| services.models().primary(&services.agent_of(&key)));
        services.models().thinking(&model, None).as_str().to_owned()
    };
    let chosen = facts.and_then(|facts| facts.thinking_level.clone());
    let thinking_level = chosen.or(configured).unwrap_or_else(usual_thinking);
    let verbose_level = facts.and_then(|facts| facts.verbose_level.clone());
    Ok(ChatHistoryResult {
        session_key: params.session_key.as_str().to_owned(),
        session_id: history.entry.as_ref().map(|entry| entry.session_id.to_string()),
        thinking_level: Some(thinking_level),
        verbose_level: verbose_level.or_else(|| usual_verbose.map(str::to_owned)),
        messages: history.messages,
    })
}

fn verbose_word(level: VerboseLevel) -> &'static str {
    match level {
        VerboseLevel::On => "on",
        VerboseLevel::Full => "full",
        VerboseLevel::Off => "off",
    }
}

async fn abort(services: Arc<AgentServices>, params: ChatAbortParams) -> Result<ChatAbortResult, ErrorShape> {
    let key = services.key(params.session_key.as_str())?;
    let Some(run) = &params.run_id else {
        return Ok(stopped(&services.flow.stop(&key, AbortCause::Request).await));
    };
    let run = run_id(run.as_str())?;
    let was_running = services
        .flow
        .stop_run(&key, &run, AbortCause::Request)
        .await
        .map_err(|error| ErrorShape::invalid_request(error.to_string()))?;
    Ok(stopped(if was_running { std::slice::from_ref(&run) } else { &[] }))
}

fn stopped(runs: &[RunId]) -> ChatAbortResult {
    ChatAbortResult {
        ok: Yes,
        aborted: !runs.is_empty(),
        run_ids: runs.iter().map(ToString::to_string).collect(),
    }
}

async fn inject(
    services: Arc<AgentServices>,
    params: ChatInjectParams,
) -> Result<ChatInjectResult, ErrorShape> {
    let key: SessionKey = services.key(params.session_key.as_str())?;
    let injection = Injection {
        text: params.message.as_str().to_owned(),
        label: params.label.as_ref().map(|label| label.as_str().to_owned()),
        ..Injection::default()
    };
    let (entry, message) =
        services.sessions().inject(&key, injection).await.map_err(|error| session_fault(&error))?;
    services.flow.announce(&FlowEvent::Injected {
        raw_key: params.session_key.as_str().to_owned(),
        key,
        entry: entry.to_string(),
        text: message.plain_text(),
    });
    Ok(ChatInjectResult { ok: Yes, message_id: entry.to_string() })
}
