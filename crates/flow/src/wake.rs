//! Wakes the agent of a session when something happened behind its back that it should look at.
//!
//! A session that is busy hears of it with its next message, or as soon as it rests; one that rests gets a letter of the
//! gateway's own. The agent stays silent when there is nothing to say.

use std::sync::Arc;

use openclaw_delivery::NO_REPLY;
use openclaw_types::{IdError, Provenance, ProvenanceKind, RunId, SessionKey};

use crate::error::FlowError;
use crate::flow::{Flow, Inner};
use crate::letter::{Author, Letter, Rank, Surface, Wishes};
use crate::subagents;

/// Tells that a background command ended.
pub(crate) fn command_ended(flow: &Arc<Inner>, key: &SessionKey, line: &str) {
    // Noted first: a run that ends meanwhile finds it.
    flow.notes.add_waking(key, line);
    look(flow, key);
}

/// Wakes the agent of a session that rests, where it should hear of something.
pub(crate) fn look(flow: &Arc<Inner>, key: &SessionKey) {
    if !flow.desks.is_idle(key) || flow.parts.tasks.is_cancelled() {
        return;
    }
    let lines = flow.notes.take_waking(key);
    if lines.is_empty() {
        return;
    }
    let (waking, key) = (Arc::clone(flow), key.clone());
    flow.parts.tasks.start("exit notice", async move { wake(&waking, &key, &lines).await });
}

async fn wake(flow: &Arc<Inner>, key: &SessionKey, lines: &[String]) {
    // Whoever spoke there last hears of it where they are.
    let from = match subagents::author(flow, key).await {
        Ok(from) => from,
        Err(error) => {
            tracing::warn!(subsystem = "flow", %error, "where a session's answers go cannot be read");
            Author { standing: Rank::System, ..Author::default() }
        }
    };
    let taken = match letter(flow, key, lines, from) {
        Ok(letter) => Flow::of(flow).submit(letter).await.map(|_submitted| ()),
        Err(error) => Err(FlowError::Wrong(error.to_string())),
    };
    if let Err(error) = taken {
        tracing::warn!(subsystem = "flow", %error, "the end of a background command is told with the next message");
        for line in lines {
            flow.notes.add(key, line);
        }
    }
}

fn letter(flow: &Inner, key: &SessionKey, lines: &[String], from: Author) -> Result<Letter, IdError> {
    let told: String = lines.iter().map(|line| format!("System: {line}\n")).collect();
    let text = format!(
        "{told}\nGo on if the command was part of unfinished work or if the person should know. Otherwise \
         answer with exactly {NO_REPLY}."
    );
    Ok(Letter {
        arrived: None,
        run: RunId::new(format!("exit-{}", uuid::Uuid::new_v4()))?,
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
