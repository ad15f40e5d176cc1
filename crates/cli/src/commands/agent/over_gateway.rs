//! Has the gateway answer: one request, two answers, of which the second counts.

use std::time::Duration;

use openclaw_app::running_instance;
use openclaw_client::{Await, ClientProfile, RequestError};
use openclaw_config::FileSnapshot;
use serde_json::{Map, Value, json};

use super::order::{AgentOrder, AgentSession};
use crate::call::{CommandReach, GatewayConnection, GatewayQuestion, NoAnswer, block_on, scopes_for};
use crate::context::{Context, VERSION};
use crate::target::{GatewayTarget, TargetArgs};

/// How long connecting and short questions may take.
const CONNECT: Duration = Duration::from_secs(10);
/// What the gateway gets on top of the time of the answer, for queueing and sending.
const MARGIN: u64 = 30;
/// What stands for no limit.
const FOR_EVER: Duration = Duration::from_secs(24 * 24 * 3600);

/// What came of asking.
pub(super) enum Reached {
    /// The gateway answered.
    Answered(Value),
    /// None runs on this machine; why it seems so.
    Nobody(String),
}

/// Asks the gateway.
pub(super) fn answer(
    context: &Context,
    snapshot: &FileSnapshot,
    order: &AgentOrder<'_>,
) -> anyhow::Result<Reached> {
    let target = GatewayTarget::resolve_with(context, &TargetArgs::default(), snapshot)?;
    let mut methods = vec!["agent", "sessions.resolve"];
    if order.arguments.verbose.is_some() {
        methods.push("sessions.patch");
    }
    block_on(async {
        let reach = CommandReach {
            profile: ClientProfile::command_line(VERSION),
            scopes: scopes_for(methods),
            limit: CONNECT,
        };
        let line = match GatewayConnection::open(context, &target, reach).await {
            Ok(line) => line,
            Err(error) => {
                let error = anyhow::Error::from(error);
                let nobody = target.source.is_local() && running_instance(&context.locations)?.is_none();
                return match NoAnswer::of(&error) {
                    NoAnswer::Silent(why) if nobody => Ok(Reached::Nobody(why)),
                    NoAnswer::Silent(_) | NoAnswer::Refused(_) => Err(error),
                };
            }
        };
        let answer = ask(&line, order).await;
        line.close().await;
        Ok(Reached::Answered(answer?))
    })
}

async fn ask(line: &GatewayConnection, order: &AgentOrder<'_>) -> anyhow::Result<Value> {
    let (key, begins) = match &order.place {
        AgentSession::Session(key) => (key.to_string(), None),
        AgentSession::Transcript { id, otherwise } => {
            let question = GatewayQuestion::new("sessions.resolve", json!({ "sessionId": id }), CONNECT);
            match line.ask(&question).await {
                Ok(found) => (found["key"].as_str().unwrap_or(otherwise.as_str()).to_owned(), None),
                Err(error) if is_refused(&error) => (otherwise.to_string(), Some(id.as_str())),
                Err(error) => return Err(error),
            }
        }
    };
    if let Some(verbose) = order.arguments.verbose {
        let params = json!({ "key": key, "verboseLevel": verbose.as_str() });
        line.ask(&GatewayQuestion::new("sessions.patch", params, CONNECT)).await?;
    }
    let limit = match order.seconds {
        0 => FOR_EVER,
        seconds => Duration::from_secs(seconds.saturating_add(MARGIN)),
    };
    let question = GatewayQuestion {
        method: "agent",
        params: params(order, (&key, begins)),
        limit,
        until: Await::Final,
    };
    line.ask(&question).await
}

/// The parameters of `agent`. A session that nobody knows yet is named by the id its transcript shall have.
fn params(order: &AgentOrder<'_>, (key, begins): (&str, Option<&str>)) -> Value {
    let arguments = order.arguments;
    let fields = [
        ("message", json!(order.message)),
        ("agentId", json!(order.agent)),
        ("to", json!(arguments.to)),
        ("replyTo", json!(arguments.reply_to)),
        ("sessionKey", json!(begins.is_none().then_some(key))),
        ("sessionId", json!(begins)),
        ("thinking", json!(arguments.thinking.as_deref().map(|level| level.trim().to_ascii_lowercase()))),
        ("deliver", json!(arguments.deliver)),
        ("channel", json!(arguments.channel)),
        ("replyChannel", json!(arguments.reply_channel)),
        ("replyAccountId", json!(arguments.reply_account)),
        ("timeout", json!(order.seconds)),
        ("idempotencyKey", json!(uuid::Uuid::new_v4().to_string())),
    ];
    let present = fields.into_iter().filter(|(_, value)| !value.is_null());
    Value::Object(present.map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
}

fn is_refused(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref::<RequestError>(), Some(RequestError::Refused(_)))
}
