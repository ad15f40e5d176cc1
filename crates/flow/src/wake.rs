//! Wakes the agent of a session when something happened behind its back that it should look at.
//!
//! A session that is busy hears of it with its next message, or as soon as it rests; one that rests gets a submission of the
//! gateway's own. The agent stays silent when there is nothing to say.

use std::sync::Arc;

use openclaw_delivery::NO_REPLY;
use openclaw_types::{IdError, Provenance, ProvenanceKind, RunId, SessionKey};

use crate::error::FlowError;
use crate::flow::{Flow, Inner};
use crate::subagents;
use crate::submission::{Author, Submission, SubmissionOptions, SubmissionSurface};

/// Tells that a background command ended.
pub(crate) fn command_ended(flow: &Arc<Inner>, key: &SessionKey, line: &str) {
    // Noted first: a run that ends meanwhile finds it.
    flow.notes.add_waking(key, line, flow.now());
    look(flow, key);
}

/// Wakes the agent of a session that rests, where it should hear of something.
pub(crate) fn look(flow: &Arc<Inner>, key: &SessionKey) {
    if !flow.queues.is_idle(key) || flow.parts.tasks.is_cancelled() {
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
    if let Err(error) = submit(flow, key, lines).await {
        tracing::warn!(subsystem = "flow", %error, "the end of a background command is told with the next message");
        for line in lines {
            flow.notes.add(key, line, flow.now());
        }
    }
}

async fn submit(flow: &Arc<Inner>, key: &SessionKey, lines: &[String]) -> Result<(), FlowError> {
    // Nobody reads what a sub-agent says that is over.
    if key.is_subagent() && !subagents::works_in(flow, key).await? {
        return Ok(());
    }
    // Whoever spoke there last hears of it where they are.
    let from = subagents::author(flow, key).await?;
    let submission =
        submission(flow, key, lines, from).map_err(|error| FlowError::Wrong(error.to_string()))?;
    Flow::of(flow).submit(submission).await?;
    Ok(())
}

fn submission(flow: &Inner, key: &SessionKey, lines: &[String], from: Author) -> Result<Submission, IdError> {
    let told: String = lines.iter().map(|line| format!("System: {line}\n")).collect();
    let text = format!(
        "{told}\nGo on if the command was part of unfinished work or if the person should know. Otherwise \
         answer with exactly {NO_REPLY}."
    );
    Ok(Submission {
        channel_origin: None,
        run: RunId::new(format!("exit-{}", uuid::Uuid::new_v4()))?,
        agent: key.agent_or(&flow.settings().agents.default_agent).clone(),
        key: key.clone(),
        raw_key: key.to_string(),
        surface: SubmissionSurface::System,
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
        options: SubmissionOptions { stamped: true, ..SubmissionOptions::default() },
    })
}
