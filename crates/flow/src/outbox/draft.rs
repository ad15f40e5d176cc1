//! The whole answer takes the place of the draft that was shown of it: the message is changed instead of sent.
//!
//! A draft is a piece of its own; the piece that takes its place has the draft's key with `/0` behind it. Changing a
//! message again does no harm, so nothing has to be looked for after a crash. Where the message cannot be changed, the
//! piece is sent as always, and the draft is taken back.

use std::sync::Arc;

use openclaw_ports::channel::ChannelError;
use openclaw_ports::stores::{OutboxQuery, OutboxState, StoreError};
use openclaw_types::{MessageId, Outgoing, Payload, Receipt, Target};

use super::again::{Twice, again};
use super::post::target_of;
use crate::flow::Inner;
use crate::letter::Letter;

/// How many pieces of a conversation are looked through for a draft.
const LOOKED_AT: usize = 500;

/// The key of the draft whose place a piece takes, by its own key.
fn draft_of(key: &str) -> Option<&str> {
    key.strip_suffix("/0").filter(|draft| is_draft(draft))
}

/// Whether a key is that of a draft itself, and not of what takes its place.
pub(super) fn is_draft(key: &str) -> bool {
    key.rsplit_once('/').is_some_and(|(before, _name)| before.ends_with("/draft"))
}

/// The message that a piece became; nothing when it was not sent.
pub(crate) async fn message_of(flow: &Inner, target: &Target, key: &str) -> Option<MessageId> {
    match sent_as(flow, target, key).await {
        Ok(message) => message,
        Err(error) => {
            tracing::warn!(subsystem = "outbox", %error, "a message cannot be looked up");
            None
        }
    }
}

/// The message whose place a piece takes.
///
/// # Errors
/// The outbox cannot be read.
pub(super) async fn replaced(flow: &Inner, piece: &Outgoing) -> Result<Option<MessageId>, StoreError> {
    match draft_of(&piece.key) {
        Some(draft) => sent_as(flow, &piece.target, draft).await,
        None => Ok(None),
    }
}

async fn sent_as(flow: &Inner, target: &Target, key: &str) -> Result<Option<MessageId>, StoreError> {
    if let Some(message) = flow.mail.lately(key) {
        return Ok(Some(message));
    }
    let query =
        OutboxQuery { state: Some(OutboxState::Sent), target: Some(target.clone()), limit: Some(LOOKED_AT) };
    let rows = flow.parts.outbox.list(query).await?;
    let row = rows.into_iter().find(|row| row.piece.key == key);
    Ok(row.and_then(|row| row.receipt).map(|receipt| receipt.message))
}

/// Puts a piece's words into a message. Nothing when that cannot be done there: it is to be sent.
pub(super) async fn put(
    flow: &Inner,
    piece: &Outgoing,
    message: &MessageId,
) -> Option<Result<Receipt, ChannelError>> {
    let Payload::Text { text } = &piece.payload else { return None };
    let slots = flow.parts.channels.surface(&piece.target.channel, &piece.target.account)?;
    let edit = slots.edit.clone()?;
    match edit.edit(&piece.target, message, text).await {
        Ok(()) => Some(Ok(Receipt { message: message.clone(), moved_to: None })),
        // It is gone, or too old to be changed.
        Err(ChannelError::Refused { .. } | ChannelError::Wrong { .. }) => None,
        Err(error) => Some(Err(error)),
    }
}

/// Takes a message back that nothing took the place of. One that cannot be taken back stays.
pub(super) async fn take_back(flow: &Inner, target: &Target, message: &MessageId) {
    let slots = flow.parts.channels.surface(&target.channel, &target.account);
    let Some(delete) = slots.and_then(|slots| slots.delete.clone()) else { return };
    let login = (&target.channel, &target.account);
    if let Err(error) = again(flow, login, Twice::Harmless, || delete.delete(target, message)).await {
        tracing::debug!(subsystem = "outbox", %error, "a draft could not be taken back");
    }
}

/// Takes drafts of a letter's run back that its answers have no use for, by their names.
pub(crate) fn forget_drafts(flow: &Arc<Inner>, letter: &Letter, names: Vec<String>) {
    let Some(target) = target_of(flow, letter).filter(|_| !names.is_empty()) else { return };
    let (then, run) = (Arc::clone(flow), letter.run.clone());
    flow.parts.tasks.start_cancellable("draft removal", async move {
        for name in names {
            if let Some(message) = message_of(&then, &target, &format!("{run}/{name}")).await {
                take_back(&then, &target, &message).await;
            }
        }
    });
}
