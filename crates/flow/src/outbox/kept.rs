//! What was kept of a run before: for runs that a crash cut off.
//!
//! Keys say what a piece is. Those of answers begin with the run, those of the `message` tool with the tool and the run.

use openclaw_delivery::SentText;
use openclaw_ports::stores::{OutboxQuery, OutboxRow, StoreError};
use openclaw_types::{PiecePayload, RunId, SendTarget, ToolCallId};

use super::draft::is_draft;
use super::withdraw::taken_back;
use crate::flow::Inner;

/// How many pieces of a conversation are looked through for those of a run.
const LOOKED_AT: usize = 500;

/// The pieces of a run to a place, oldest first.
///
/// # Errors
/// The outbox cannot be read.
pub(crate) async fn kept_of(
    flow: &Inner,
    run: &RunId,
    target: &SendTarget,
) -> Result<Vec<OutboxRow>, StoreError> {
    let query = OutboxQuery { state: None, target: Some(target.clone()), limit: Some(LOOKED_AT) };
    let rows = flow.parts.outbox.list(query).await?;
    Ok(rows.into_iter().rev().filter(|row| row.source == run.as_str()).collect())
}

/// Whether a piece was kept at the end of its run, and not while the answer was made.
pub(crate) fn is_final(run: &RunId, key: &str) -> bool {
    let name = key.strip_prefix(run.as_str()).and_then(|rest| rest.strip_prefix('/'));
    name.is_some_and(|name| !name.starts_with("live/") && !is_draft(key) && taken_back(key).is_none())
}

/// What the `message` tool said with these pieces.
pub(crate) fn said_in(kept: &[OutboxRow]) -> Vec<SentText> {
    let own = kept.iter().filter(|row| row.piece.key.starts_with(MESSAGE_TOOL));
    let said = own.filter_map(|row| {
        let text = match &row.piece.payload {
            PiecePayload::Text { text }
            | PiecePayload::Media { caption: text, .. }
            | PiecePayload::Album { caption: text, .. } => text.text().to_owned(),
            PiecePayload::Poll(poll) => poll.question.clone(),
            PiecePayload::Panel(panel) => panel.text.text().to_owned(),
        };
        let target = row.piece.target.clone();
        (!text.is_empty()).then(|| SentText { target, text, media: Vec::new() })
    });
    said.collect()
}

const MESSAGE_TOOL: &str = "message/";

/// Begins the keys of what a call of the `message` tool sends.
pub(crate) fn tool_stem(run: &RunId, call: &ToolCallId) -> String {
    format!("{MESSAGE_TOOL}{run}/{call}")
}
