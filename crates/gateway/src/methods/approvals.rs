//! `exec.approvals.*` and `exec.approval.*`: the standing rules about commands, and single questions about them.
//!
//! The file and the queue belong to `exec`; here requests take their shape. Whoever asks may wait for the answer under
//! the same request, or ask for it again by the question's id.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use openclaw_exec::{
    ApprovalDecision, ApprovalError, ApprovalQuestion, ApprovalRequest, ApprovalsError,
    ApprovalsSnapshot as Snapshot, BaseHash, GrantFolder, GrantHolder, GrantScope, GrantWidth, GrantWords,
    OpenApproval, ScopeError, SettledApproval,
};
use openclaw_protocol::methods::Done;
use openclaw_protocol::methods::approvals::{
    ApprovalAccepted, ApprovalListed, ApprovalOutcome, ApprovalRequestParams, ApprovalRequestResult,
    ApprovalResolveParams, ApprovalScope, ApprovalStatus, ApprovalWaitParams, ApprovalWaitResult,
    ApprovalsSetParams, ApprovalsSnapshot, ExecApprovalList, ExecApprovalRequest, ExecApprovalResolve,
    ExecApprovalWait, ExecApprovalsGet, ExecApprovalsSet, ScopeArguments, ScopeFolder, ScopeHolder,
    ThreadRef,
};
use openclaw_protocol::{ErrorShape, NonEmpty, Yes};
use serde_json::{Value, json};

use super::agents::AgentServices;
use super::outcome::JsonPayload;
use super::registry::{Call, Registry};
use crate::runs::wire_decision;

/// Adds the methods of this family.
pub(super) fn bind(registry: &mut Registry, services: &Arc<AgentServices>) {
    let known = Arc::clone(services);
    registry.bind::<ExecApprovalsGet, _, _>(move |_, _| get(Arc::clone(&known)));
    let known = Arc::clone(services);
    registry.bind::<ExecApprovalsSet, _, _>(move |call, params| set(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry.bind::<ExecApprovalRequest, _, _>(move |call, params| request(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry.bind::<ExecApprovalWait, _, _>(move |_, params| wait(Arc::clone(&known), params));
    let known = Arc::clone(services);
    registry.bind::<ExecApprovalList, _, _>(move |_, _| list(Arc::clone(&known)));
    let known = Arc::clone(services);
    registry.bind::<ExecApprovalResolve, _, _>(move |call, params| resolve(Arc::clone(&known), call, params));
}

async fn get(services: Arc<AgentServices>) -> Result<ApprovalsSnapshot, ErrorShape> {
    shown(services.approvals_file.snapshot().await.map_err(|error| fault(&error))?)
}

async fn set(
    services: Arc<AgentServices>,
    call: Call,
    params: ApprovalsSetParams,
) -> Result<ApprovalsSnapshot, ErrorShape> {
    let base = match params.base_hash.map(NonEmpty::into_string) {
        Some(hash) => BaseHash::Read(hash.trim().to_owned()),
        None => BaseHash::Unknown,
    };
    let file = written(&params.file)?;
    let snapshot = services.approvals_file.replace(file, &base).await.map_err(|error| fault(&error))?;
    call.context.record(&call.client, "exec.approvals.set", json!({"hash": snapshot.hash})).await;
    shown(snapshot)
}

async fn request(
    services: Arc<AgentServices>,
    call: Call,
    params: ApprovalRequestParams,
) -> Result<ApprovalRequestResult, ErrorShape> {
    let two_phase = params.two_phase == Some(true);
    let question = question(params)?;
    let asked = services.approvals.ask(question).await.map_err(unknown)?;
    if two_phase {
        let accepted = ApprovalAccepted {
            status: ApprovalStatus::Accepted,
            id: asked.id.clone(),
            created_at_ms: asked.created_at_ms,
            expires_at_ms: asked.expires_at_ms,
        };
        call.reply.accept(&JsonPayload::of(&ApprovalRequestResult::Accepted(accepted))?);
    }
    let settled = services.approvals.wait(&asked.id).await.map_err(unknown)?;
    Ok(ApprovalRequestResult::Outcome(ApprovalOutcome {
        id: asked.id,
        decision: settled.decision.map(wire_decision),
        created_at_ms: asked.created_at_ms,
        expires_at_ms: asked.expires_at_ms,
    }))
}

async fn wait(
    services: Arc<AgentServices>,
    params: ApprovalWaitParams,
) -> Result<ApprovalWaitResult, ErrorShape> {
    let id = params.id.trim();
    if id.is_empty() {
        return Err(ErrorShape::invalid_request("id is required"));
    }
    let SettledApproval { question, decision, .. } = services.approvals.recall(id).await.map_err(unknown)?;
    Ok(ApprovalWaitResult {
        id: question.id,
        decision: decision.map(wire_decision),
        created_at_ms: Some(question.created_at_ms),
        expires_at_ms: Some(question.expires_at_ms),
    })
}

async fn resolve(
    services: Arc<AgentServices>,
    call: Call,
    params: ApprovalResolveParams,
) -> Result<Done, ErrorShape> {
    let decision: ApprovalDecision = params
        .decision
        .as_str()
        .parse()
        .map_err(|_unknown| ErrorShape::invalid_request("invalid decision"))?;
    let by = call.client.principal.actor();
    let queue = &services.approvals;
    let named = queue.find(params.id.as_str());
    let id = named.map_or_else(|| params.id.as_str().to_owned(), |question| question.id);
    let settled = match (decision, params.scope) {
        (_, None) => queue.resolve(&id, decision, &by).await.map_err(ScopeError::from),
        (ApprovalDecision::AllowAlways, Some(scope)) => queue.allow_always(&id, scope_of(&scope)?, &by).await,
        (ApprovalDecision::AllowOnce | ApprovalDecision::Deny, Some(_)) => {
            return Err(ErrorShape::invalid_request("scope belongs to the decision allow-always only"));
        }
    };
    settled.map_err(|error| match error {
        ScopeError::Desk(ApprovalError::Unknown) => ErrorShape::invalid_request("unknown approval id"),
        ScopeError::Desk(other) => unknown(other),
        ScopeError::TooWide | ScopeError::Over => ErrorShape::invalid_request(error.to_string()),
    })?;
    Ok(Done { ok: Yes })
}

/// The scope that a client means. Whatever it leaves out is as narrow as can be.
fn scope_of(written: &ApprovalScope) -> Result<GrantScope, ErrorShape> {
    let leading = || ErrorShape::invalid_request("scope.leading says how many arguments stay the same");
    let words = match (written.arguments, written.leading) {
        (None | Some(ScopeArguments::Exact), None) => GrantWords::Exact,
        (Some(ScopeArguments::Any), None) => GrantWords::Any,
        (None | Some(ScopeArguments::Leading), Some(count)) => {
            let count = usize::try_from(count.get()).ok().and_then(NonZeroUsize::new);
            GrantWords::Leading(count.ok_or_else(leading)?)
        }
        (Some(ScopeArguments::Leading), None)
        | (Some(ScopeArguments::Exact | ScopeArguments::Any), Some(_)) => {
            return Err(leading());
        }
    };
    Ok(GrantScope {
        words,
        folder: match written.folder {
            None | Some(ScopeFolder::Here) => GrantFolder::HereAndBelow,
            Some(ScopeFolder::Anywhere) => GrantFolder::Anywhere,
        },
        holder: match written.holder {
            None | Some(ScopeHolder::Agent) => GrantHolder::Agent,
            Some(ScopeHolder::Session) => GrantHolder::Session,
        },
        lasts: written.lasts_ms.map(|span| Duration::from_millis(span.get().try_into().unwrap_or(0))),
    })
}

/// The open questions with what "from now on" can mean for each.
async fn list(services: Arc<AgentServices>) -> Result<Vec<ApprovalListed>, ErrorShape> {
    let queue = &services.approvals;
    let listed = |question: OpenApproval| {
        Ok(ApprovalListed {
            always: queue.latitude(&question.id).and_then(GrantWidth::hint).map(str::to_owned),
            id: question.id,
            request: written(&question.request)?,
            created_at_ms: question.created_at_ms,
            expires_at_ms: question.expires_at_ms,
        })
    };
    queue.open().into_iter().map(listed).collect()
}

fn question(params: ApprovalRequestParams) -> Result<ApprovalQuestion, ErrorShape> {
    let node_id = params.node_id.flatten().map(NonEmpty::into_string);
    let host = params.host.flatten();
    if host.as_deref() == Some("node") && (node_id.is_none() || params.command_argv.is_none()) {
        return Err(ErrorShape::invalid_request("nodeId and commandArgv are required for host=node"));
    }
    let plan = match &params.system_run_plan {
        Some(plan) => Some(written(plan)?),
        None => None,
    };
    Ok(ApprovalQuestion {
        id: params.id.map(NonEmpty::into_string),
        timeout: params.timeout_ms.map(|limit| Duration::from_millis(limit.get().try_into().unwrap_or(0))),
        request: ApprovalRequest {
            command: params.command.into_string(),
            command_argv: params.command_argv,
            env_keys: params.env.map(|env| env.into_keys().collect()),
            system_run_binding_v1: None,
            system_run_plan_v2: plan,
            cwd: params.cwd.flatten(),
            node_id,
            host,
            security: params.security.flatten(),
            ask: params.ask.flatten(),
            agent_id: params.agent_id.flatten(),
            resolved_path: params.resolved_path.flatten(),
            session_key: params.session_key.flatten(),
            turn_source_channel: params.turn_source_channel.flatten(),
            turn_source_to: params.turn_source_to.flatten(),
            turn_source_account_id: params.turn_source_account_id.flatten(),
            turn_source_thread_id: params.turn_source_thread_id.flatten().map(|thread| match thread {
                ThreadRef::Text(text) => Value::String(text),
                ThreadRef::Number(number) => json!(number),
            }),
        },
    })
}

fn shown(snapshot: Snapshot) -> Result<ApprovalsSnapshot, ErrorShape> {
    let file = serde_json::from_value(snapshot.file).map_err(|error| {
        tracing::error!(%error, "the approvals file does not have the protocol's shape");
        ErrorShape::unavailable("the approvals file holds something this gateway does not know; see its log")
    })?;
    Ok(ApprovalsSnapshot {
        path: snapshot.path.display().to_string(),
        exists: snapshot.exists,
        hash: snapshot.hash,
        file,
    })
}

fn written<T: serde::Serialize>(value: &T) -> Result<Value, ErrorShape> {
    serde_json::to_value(value).map_err(|error| ErrorShape::invalid_request(error.to_string()))
}

fn fault(error: &ApprovalsError) -> ErrorShape {
    match error {
        ApprovalsError::HashNeeded | ApprovalsError::Changed | ApprovalsError::Invalid => {
            ErrorShape::invalid_request(error.to_string())
        }
        ApprovalsError::Disk { .. } => {
            tracing::error!(%error, "the approvals file could not be read or written");
            ErrorShape::unavailable(error.to_string())
        }
    }
}

fn unknown(error: ApprovalError) -> ErrorShape {
    match error {
        ApprovalError::Taken | ApprovalError::Unknown => ErrorShape::invalid_request(error.to_string()),
        ApprovalError::Full => ErrorShape::unavailable(error.to_string()),
    }
}
