//! `sessions.branch`: a conversation goes on from an earlier message.

use std::sync::Arc;

use openclaw_flow::Whose;
use openclaw_protocol::methods::sessions::{SessionsBranchParams, SessionsBranchResult};
use openclaw_protocol::{ErrorShape, Yes};
use openclaw_session::BranchTo;
use openclaw_types::EntryId;

use super::{quiet, row};
use crate::methods::agents::AgentServices;
use crate::methods::chat::session_fault;

/// Goes on from a message. What was said after it stays in the transcript, off the way.
pub(super) async fn branch(
    services: Arc<AgentServices>,
    params: SessionsBranchParams,
) -> Result<SessionsBranchResult, ErrorShape> {
    let key = services.key(params.key.as_str())?;
    let from = EntryId::new(params.entry_id.as_str())
        .map_err(|error| ErrorShape::invalid_request(format!("invalid sessions.branch params: {error}")))?;
    let (goes_on, to) = match &params.new_key {
        None => {
            // A run would write behind the message that is left.
            quiet(&services, &key, Whose::Session).await?;
            (key.clone(), BranchTo::Here)
        }
        Some(text) => {
            let other = services.key(text.as_str())?;
            if services.agent_of(&other) != services.agent_of(&key) {
                return Err(ErrorShape::invalid_request(
                    "the new session must belong to the same agent as the one it branches off",
                ));
            }
            (other.clone(), BranchTo::Session(other))
        }
    };
    let entry =
        services.sessions().branch_from(&key, &from, to).await.map_err(|error| session_fault(&error))?;
    Ok(SessionsBranchResult { ok: Yes, key: goes_on.to_string(), entry: row::entry(&entry)? })
}
