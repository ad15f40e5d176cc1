//! `node.event`: what nodes tell the gateway.
//!
//! A node that shows a chat follows its session and gets copies of its events. Names that nobody knows are taken and
//! left, as in the original; what the gateway should act on and cannot is refused, so that a node does not rely on it.

use std::sync::Arc;

use openclaw_protocol::methods::Done;
use openclaw_protocol::methods::nodes::{NodeEvent, NodeEventParams};
use openclaw_protocol::{ErrorShape, Yes};
use openclaw_types::SessionKey;
use serde_json::Value;

use super::agents::AgentServices;
use super::registry::{Call, Registry};
use crate::runs::Followed;

/// Events that the original acts on and this gateway does not.
const NOT_HERE: [&str; 6] = [
    "voice.transcript",
    "agent.request",
    "exec.started",
    "exec.finished",
    "exec.denied",
    "push.apns.register",
];

/// Adds the methods of this family.
pub(super) fn bind(registry: &mut Registry, services: &Arc<AgentServices>) {
    let known = Arc::clone(services);
    registry.bind::<NodeEvent, _, _>(move |call, params| {
        let answer = event(&known, &call, &params);
        async move { answer }
    });
}

fn event(services: &AgentServices, call: &Call, params: &NodeEventParams) -> Result<Done, ErrorShape> {
    let name = params.event.as_str();
    if NOT_HERE.contains(&name) {
        return Err(ErrorShape::unavailable(format!("this gateway does not act on {name} of nodes")));
    }
    let subscribers = &call.context.runs.subscribers;
    let connection = &call.client.id;
    match (name, session(services, params)) {
        ("chat.subscribe", Some(key)) => {
            if subscribers.follow(connection, key) == Followed::TooMany {
                return Err(ErrorShape::invalid_request("this node follows too many sessions already"));
            }
            // The node may have left while this was under way.
            if !call.context.roster.any(|client| client.id == *connection) {
                subscribers.leave(connection);
            }
        }
        ("chat.unsubscribe", Some(key)) => subscribers.unfollow(connection, &key),
        _ => {}
    }
    Ok(Done { ok: Yes })
}

/// The session an event is about; nothing where it names none.
fn session(services: &AgentServices, params: &NodeEventParams) -> Option<SessionKey> {
    let payload = match (&params.payload, &params.payload_json) {
        (Some(payload), _) => payload.clone(),
        (None, Some(text)) => serde_json::from_str::<Value>(text).ok()?,
        (None, None) => return None,
    };
    let written = payload.get("sessionKey")?.as_str()?.trim();
    if written.is_empty() { None } else { services.key(written).ok() }
}
