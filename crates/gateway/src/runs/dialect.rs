//! What of a chat event each generation of clients is told. Pure.
//!
//! A encoder says everything; clients of protocol 3 know only part of it and are told no more.

use openclaw_protocol::events::ChatEvent;

/// The event as clients of protocol 3 know it.
pub(super) fn for_older(event: ChatEvent) -> ChatEvent {
    ChatEvent {
        delta_text: None,
        replace: None,
        phase: None,
        agent_id: None,
        spawned_by: None,
        yielded: None,
        error_kind: None,
        error_detail: None,
        ..event
    }
}
