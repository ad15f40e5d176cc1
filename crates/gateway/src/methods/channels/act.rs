//! `message.action`: an operator does with messages on platforms what the tool `message` does for agents.
//!
//! The flow does it, with the same rules: what an account cannot do, and what the configuration turns off, is refused.
//! Who asks is decided by who is connected, never by the parameters.

use std::sync::Arc;

use openclaw_flow::ActionRights;
use openclaw_ports::tool::{ExecChoices, FileReach, MessageAction as Order, MessageFault, ToolContext};
use openclaw_protocol::methods::messages::{MessageAction, MessageActionParams};
use openclaw_protocol::{ErrorShape, Method as _};
use openclaw_types::{AccountId, AgentId, ChannelId, IdError, RunId, Scope, Sender, SessionId, ToolCallId};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::super::agents::AgentServices;
use super::super::idempotency::{IdempotencyKey, once};
use super::super::outcome::{JsonPayload, MethodOutcome};
use super::super::registry::{Call, Registry};
use super::meant;

/// What people know from elsewhere and no platform here makes of a message.
const UNSERVED: [&str; 1] = ["card"];

/// Adds the method.
pub(super) fn bind(registry: &mut Registry, services: &Arc<AgentServices>) {
    let known = Arc::clone(services);
    registry.bind_text::<MessageAction, _, _>(move |call, params| act_once(Arc::clone(&known), call, params));
}

async fn act_once(services: Arc<AgentServices>, call: Call, params: MessageActionParams) -> MethodOutcome {
    let key = IdempotencyKey { method: MessageAction::NAME, key: params.idempotency_key.as_str().to_owned() };
    let work = async { act(&services, &call, &params).await.and_then(|report| JsonPayload::of(&report)) };
    once(&call.context.idempotency, key, work).await
}

async fn act(
    services: &AgentServices,
    call: &Call,
    params: &MessageActionParams,
) -> Result<Value, ErrorShape> {
    let (channel, account) = meant(services, params.channel.as_deref(), params.account_id.as_deref())?;
    let mut parameters = params.params.clone();
    if let Some(unserved) = UNSERVED.into_iter().find(|name| parameters.contains_key(*name)) {
        return Err(ErrorShape::invalid_request(format!("no channel here can do what {unserved} asks for")));
    }
    parameters.insert("channel".to_owned(), json!(channel));
    parameters.insert("accountId".to_owned(), json!(account));
    let agent = match params.agent_id.as_deref().map(str::trim).filter(|id| !id.is_empty()) {
        Some(written) => services.known_agent(written)?,
        None => services.config().agents.default_agent.clone(),
    };
    let name = params.action.as_str().trim().to_owned();
    let context = context(services, agent, params.idempotency_key.as_str())
        .map_err(|error| ErrorShape::invalid_request(error.to_string()))?;
    // What needs a right on the platform itself is done for those alone who may do everything here.
    let hands =
        if call.client.principal.may(Scope::Admin) { ActionRights::Free } else { ActionRights::Bound };
    let done = services.flow.act(&context, hands, Order { name: name.clone(), parameters }).await;
    let receipt = done.map_err(|fault| match fault {
        MessageFault::Refused(text) | MessageFault::Wrong(text) => ErrorShape::invalid_request(text),
        MessageFault::Failed(text) => ErrorShape::unavailable(text),
    })?;
    let facts = json!({ "channel": channel, "account": account, "action": name });
    call.context.record(&call.client, "message.action", facts).await;
    Ok(receipt.report)
}

/// What we may do in a room, as far as the channel can say.
pub(super) async fn permissions(
    services: &AgentServices,
    (channel, account): (&ChannelId, &AccountId),
    room: &str,
) -> Value {
    let facts = json!({ "channel": channel, "accountId": account, "target": room });
    let parameters = facts.as_object().cloned().unwrap_or_default();
    let agent = services.config().agents.default_agent.clone();
    let context = match context(services, agent, "permissions") {
        Ok(context) => context,
        Err(error) => return json!({ "error": error.to_string() }),
    };
    match services
        .flow
        .act(&context, ActionRights::Bound, Order { name: "permissions".to_owned(), parameters })
        .await
    {
        Ok(receipt) => receipt.report,
        Err(fault) => json!({ "error": fault.to_string() }),
    }
}

/// What the flow is told of the caller: the owner, from no conversation, under the name of the request.
fn context(services: &AgentServices, agent: AgentId, once: &str) -> Result<ToolContext, IdError> {
    let name = format!("operator-{once}");
    Ok(ToolContext {
        run: RunId::new(&name)?,
        call: ToolCallId::new("action")?,
        session: services.main_of(&agent),
        session_id: SessionId::new(&name)?,
        workspace: services.workspace_of(&agent),
        files: FileReach::Workspace,
        // Reports go to the caller whole: nothing is put aside for a model.
        keep: services.workspace_of(&agent),
        model: None,
        sees_images: false,
        sender: Sender::owner(),
        exec: ExecChoices::default(),
        progress: Arc::new(|_nobody_looks| {}),
        cancel: CancellationToken::new(),
        agent,
    })
}
