//! `agent` and `agent.wait`: a run is started, and waited for.
//!
//! `agent` answers twice under the same id: when the message is taken, and with what came of it. The steps between
//! reach clients as events. `answer` gives results their wire shape, `deliver` finds where else an answer is sent,
//! `wait` knows when the end of a run is told.

mod answer;
mod deliver;
mod wait;

use std::sync::Arc;

use openclaw_flow::{Author, EndedRun, Submission, SubmissionOptions, SubmissionSurface, Submitted};
use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::chat::{
    Agent, AgentAccepted, AgentParams, AgentResult, AgentWait, InputProvenance, ProvenanceKind as WireKind,
    RunAcceptedStatus,
};
use openclaw_session::{FieldChange, Opening, PatchBounds, SessionPatch};
use openclaw_types::{ChannelId, Provenance, ProvenanceKind, SendTarget, SessionKey, ThinkingLevel};

use super::agents::{AgentServices, run_id};
use super::chat::{attachments, author, session_fault, submit, text};
use super::outcome::{JsonPayload, MethodOutcome};
use super::registry::{Call, Registry};
use crate::runs::RunTextReader;
use answer::Told;
pub use answer::agent_outcome;

/// Adds the methods of this family.
pub(super) fn bind(registry: &mut Registry, services: &Arc<AgentServices>) {
    let known = Arc::clone(services);
    registry.bind_text::<Agent, _, _>(move |call, params| agent(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry.bind::<AgentWait, _, _>(move |call, params| {
        wait::wait(Arc::clone(&known), Arc::clone(&call.context.clock), params)
    });
}

async fn agent(services: Arc<AgentServices>, call: Call, params: AgentParams) -> MethodOutcome {
    let run = run_id(params.idempotency_key.as_str())?;
    let key = session(&services, &params).await?;
    let target = deliver::target(&services, &key, &params).await?;
    note_lineage(&services, &key, &params).await?;
    note_group(&services, &key, &params).await?;
    let submission = submission(&services, &call, &params, (key, target))?;
    let of = submission.key.clone();
    let listener = RunTextReader::new(&call.context, &run);
    match submit(&services, &call, submission).await? {
        Submitted::Started | Submitted::InFlight => {
            let accepted = AgentAccepted {
                run_id: run.to_string(),
                status: RunAcceptedStatus::Accepted,
                accepted_at: call.context.clock.now(),
            };
            call.reply.accept(&JsonPayload::of(&AgentResult::Accepted(accepted))?);
            let ended = services.flow.outcome(&run).await;
            let told = told(&services, &of, ended, listener).await?;
            answer::ended(&run, told)
        }
        Submitted::Ended(ended) => answer::ended(&run, told(&services, &of, ended, None).await?),
        Submitted::Stopped(runs) => answer::stopped(&run, &runs),
    }
}

/// What is known of a run that ended. What no run said is heard by whoever listened from the start.
async fn told(
    services: &AgentServices,
    key: &SessionKey,
    ended: Option<EndedRun>,
    listener: Option<RunTextReader>,
) -> Result<Told, ErrorShape> {
    let alone = ended.as_ref().is_some_and(|ended| ended.outcome.is_none());
    let said = match listener {
        Some(listener) if alone => Some(listener.rest().await),
        _ => None,
    };
    let entry = services.sessions().entry(key).await.map_err(|error| session_fault(&error))?;
    Ok(Told { ended, said, session: entry.map(|entry| entry.session_id.to_string()) })
}

fn submission(
    services: &AgentServices,
    call: &Call,
    params: &AgentParams,
    (key, target): (SessionKey, Option<SendTarget>),
) -> Result<Submission, ErrorShape> {
    let pictures = attachments::pictures(params.attachments.as_deref().unwrap_or_default())
        .map_err(ErrorShape::invalid_request)?;
    Ok(Submission {
        channel_origin: None,
        run: run_id(params.idempotency_key.as_str())?,
        agent: services.agent_of(&key),
        raw_key: params.session_key.clone().unwrap_or_else(|| key.to_string()),
        key,
        surface: SubmissionSurface::Agent,
        text: text::cleaned(params.message.as_str()).map_err(ErrorShape::invalid_request)?,
        pictures,
        at: call.context.clock.now(),
        from: Author {
            group: params.group_id.as_deref().is_some_and(|group| !group.trim().is_empty()),
            ..author(&call.client)
        }
        .answered_at(target.as_ref()),
        provenance: params.input_provenance.as_ref().map(|given| provenance(services, given)),
        options: SubmissionOptions {
            thinking: thinking(params.thinking.as_deref())?,
            timeout_seconds: params.timeout.and_then(|limit| u64::try_from(limit.get()).ok()),
            extra_system: params.extra_system_prompt.clone().filter(|more| !more.trim().is_empty()),
            lane: params.lane.clone(),
            stamped: true,
            alone: true,
            deliver: target.is_some(),
            ..SubmissionOptions::default()
        },
    })
}

/// How hard to think: a word as people write it; nothing, or an empty one, leaves it to the session.
fn thinking(written: Option<&str>) -> Result<Option<String>, ErrorShape> {
    let Some(word) = written.map(str::trim).filter(|word| !word.is_empty()) else { return Ok(None) };
    match ThinkingLevel::from_typed(word) {
        Some(level) => Ok(Some(level.as_str().to_owned())),
        None => {
            let levels = ThinkingLevel::ALL.map(ThinkingLevel::as_str).join(", ");
            Err(ErrorShape::invalid_request(format!(
                "invalid agent params: thinking \"{word}\" is not one of {levels}"
            )))
        }
    }
}

/// The session a request is for: by its key, by the id of its transcript, which begins where nobody knows the id, else
/// the main one of the agent.
async fn session(services: &AgentServices, params: &AgentParams) -> Result<SessionKey, ErrorShape> {
    let given = |text: &Option<String>| {
        text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let agent = match &params.agent_id {
        Some(written) => Some(services.known_agent(written.as_str())?),
        None => None,
    };
    let default = services.config().agents.default_agent.clone();
    let of = agent.as_ref().unwrap_or(&default);
    let key = match (given(&params.session_key), given(&params.session_id)) {
        (Some(text), _) => services.key(&text)?,
        (None, Some(id)) => {
            let found = services.sessions().resolve_or_begin(of, &id).await;
            found.map_err(|error| session_fault(&error))?
        }
        (None, None) => services.main_of(of),
    };
    match agent {
        Some(agent) if key.agent().is_some_and(|of| *of != agent) => {
            Err(ErrorShape::invalid_request(format!(
                "invalid agent params: agent \"{agent}\" does not match session key agent \"{}\"",
                services.agent_of(&key)
            )))
        }
        _ => Ok(key),
    }
}

/// Writes down what a request says about its session: a label, and which session started it.
async fn note_lineage(
    services: &AgentServices,
    key: &SessionKey,
    params: &AgentParams,
) -> Result<(), ErrorShape> {
    let label = params.label.as_ref().map(|label| label.as_str().to_owned());
    let spawned_by = params.spawned_by.clone().filter(|by| key.is_subagent() && !by.trim().is_empty());
    if label.is_none() && spawned_by.is_none() {
        return Ok(());
    }
    let set = |value: Option<String>| value.map_or(FieldChange::Keep, FieldChange::Set);
    let patch = SessionPatch { label: set(label), spawned_by: set(spawned_by), ..SessionPatch::default() };
    let patched = services.sessions().patch(key, patch, PatchBounds::default()).await;
    patched.map(drop).map_err(|error| session_fault(&error))
}

/// Has the session know the room that a request says it is about.
async fn note_group(
    services: &AgentServices,
    key: &SessionKey,
    params: &AgentParams,
) -> Result<(), ErrorShape> {
    let said = |text: &Option<String>| {
        text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let (room, space) = (said(&params.group_channel), said(&params.group_space));
    if room.is_none() && space.is_none() {
        return Ok(());
    }
    let sessions = services.sessions();
    let fault = |error: openclaw_session::SessionError| session_fault(&error);
    if sessions.entry(key).await.map_err(fault)?.is_none() {
        sessions.open(Opening::new(key.clone(), None)).await.map_err(fault)?;
    }
    let changed = sessions.change(key, move |entry| {
        entry.facts.group_channel = room.or_else(|| entry.facts.group_channel.take());
        entry.facts.space = space.or_else(|| entry.facts.space.take());
    });
    changed.await.map(drop).map_err(fault)
}

fn provenance(services: &AgentServices, given: &InputProvenance) -> Provenance {
    Provenance {
        kind: match given.kind {
            WireKind::ExternalUser => ProvenanceKind::ExternalUser,
            WireKind::InterSession => ProvenanceKind::InterSession,
            WireKind::InternalSystem => ProvenanceKind::InternalSystem,
        },
        source_session: given.source_session_key.as_deref().and_then(|key| services.key(key).ok()),
        source_channel: given.source_channel.as_deref().and_then(|channel| ChannelId::new(channel).ok()),
        source_tool: given.source_tool.clone(),
    }
}
