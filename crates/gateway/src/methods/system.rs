//! `system-presence` and `system-event`: who is here, and machines that report in.
//!
//! The text of an event that is no beacon waits in the spine for the next message to the main session; `status` shows it
//! until then.

use openclaw_protocol::methods::system::{SystemEvent, SystemEventParams, SystemPresence};
use openclaw_protocol::methods::{AnyParams, Done};
use openclaw_protocol::{ErrorShape, PresenceEntry, Yes};

use super::registry::{Call, Registry};

/// How the text of a beacon starts.
const BEACON: &str = "Node:";

/// Adds the methods of this family.
pub(super) fn bind(registry: &mut Registry) {
    registry.bind::<SystemPresence, _, _>(presence);
    registry.bind::<SystemEvent, _, _>(event);
}

async fn presence(call: Call, _: AnyParams) -> Result<Vec<PresenceEntry>, ErrorShape> {
    let now = call.context.clock.now();
    Ok(call.context.presence().list(now))
}

async fn event(call: Call, params: SystemEventParams) -> Result<Done, ErrorShape> {
    let text = params.text.as_str().trim();
    if text.is_empty() {
        return Err(ErrorShape::invalid_request("text required"));
    }
    // A beacon says who is there, which presence shows; anything else is a note for the main session.
    if let Some(agents) = call.context.agents.as_ref().filter(|_| !text.starts_with(BEACON)) {
        agents.flow.note(&agents.main_of(&agents.config().agents.default_agent), text);
    }
    call.context.presence().beacon(&params, call.context.clock.now());
    call.context.announce_presence();
    Ok(Done { ok: Yes })
}
