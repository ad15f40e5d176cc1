//! Wakes the agent of a session when something happened behind its back that it should look at.
//!
//! A session that is busy hears of it with its next message; one that rests gets a letter of the gateway's own. The
//! agent stays silent when there is nothing to say.

use std::sync::Arc;

use openclaw_delivery::NO_REPLY;
use openclaw_types::{Provenance, ProvenanceKind, RunId, SessionKey};

use crate::flow::{Flow, Inner};
use crate::letter::{Author, Letter, Rank, Surface, Wishes};
use crate::subagents;

/// Tells that a background command ended.
pub(crate) async fn command_ended(flow: &Arc<Inner>, key: &SessionKey, line: &str) {
    if !flow.desks.is_idle(key) {
        flow.notes.add(key, line);
        return;
    }
    // Whoever spoke there last hears of it where they are.
    let from = match subagents::author(flow, key).await {
        Ok(from) => from,
        Err(error) => {
            tracing::warn!(subsystem = "flow", %error, "where a session's answers go cannot be read");
            Author { standing: Rank::System, ..Author::default() }
        }
    };
    let Some(letter) = letter(flow, key, line, from) else {
        flow.notes.add(key, line);
        return;
    };
    if let Err(error) = Flow::of(flow).submit(letter).await {
        tracing::warn!(subsystem = "flow", %error, "the end of a background command is told with the next message");
        flow.notes.add(key, line);
    }
}

fn letter(flow: &Inner, key: &SessionKey, line: &str, from: Author) -> Option<Letter> {
    let text = format!(
        "System: {line}\n\nGo on if the command was part of unfinished work or if the person should know. Otherwise \
         answer with exactly {NO_REPLY}."
    );
    Some(Letter {
        arrived: None,
        run: RunId::new(format!("exit-{}", uuid::Uuid::new_v4())).ok()?,
        agent: key.agent_or(&flow.settings().agents.default_agent).clone(),
        key: key.clone(),
        raw_key: key.to_string(),
        surface: Surface::System,
        text,
        pictures: Vec::new(),
        at: flow.now(),
        from,
        provenance: Some(Provenance {
            kind: ProvenanceKind::InternalSystem,
            source_session: None,
            source_channel: None,
            source_tool: Some("exec".to_owned()),
        }),
        wishes: Wishes { stamped: true, ..Wishes::default() },
    })
}
