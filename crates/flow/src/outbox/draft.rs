//! The whole answer takes the place of the draft that was shown of it: the message is changed instead of sent.
//!
//! A draft is a piece of its own; the piece that takes its place has the draft's key with `/0` behind it. Changing a
//! message again does no harm, so nothing has to be looked for after a crash. Where the message cannot be changed, the
//! piece is sent as always, and the draft is taken back.

use openclaw_ports::channel::ChannelError;
use openclaw_ports::stores::{OutboxState, StoreError};
use openclaw_types::{MessageId, Outgoing, PiecePayload, Receipt};
use tokio::sync::oneshot;

use super::post::target_of;
use super::withdraw::{is_withdrawn, message_of, withdraw};
use crate::flow::Inner;
use crate::submission::Submission;

/// A draft whose place a piece takes.
pub(super) struct Replaced {
    /// The draft's key.
    pub(super) key: String,
    pub(super) message: MessageId,
}

/// Whether a key is that of a draft itself, and not of what takes its place.
pub(super) fn is_draft(key: &str) -> bool {
    key.rsplit_once('/').is_some_and(|(before, _name)| before.ends_with("/draft"))
}

/// Which message a draft is.
pub(crate) enum DraftPlace {
    /// This one.
    There(MessageId),
    /// It is on its way; who waits here hears of it.
    OnItsWay(oneshot::Receiver<MessageId>),
}

/// How a draft stands that an earlier process kept; nothing when there is and will be no message of it.
///
/// # Errors
/// The outbox cannot be read.
pub(crate) async fn standing(flow: &Inner, key: &str) -> Result<Option<DraftPlace>, StoreError> {
    // Heard before it is looked up, so that nothing can happen between.
    let sent = flow.mail.hear(key);
    let row = flow.parts.outbox.named(key).await;
    if let Ok(Some(row)) = &row
        && matches!(row.state, OutboxState::Waiting | OutboxState::Sending)
    {
        return Ok(Some(DraftPlace::OnItsWay(sent)));
    }
    flow.mail.overhear(key);
    Ok(row?.and_then(|row| row.receipt).map(|receipt| DraftPlace::There(receipt.message)))
}

/// The draft whose place a piece takes. One that is to be taken back has no place any more.
///
/// # Errors
/// The outbox cannot be read.
pub(super) async fn replaced(flow: &Inner, piece: &Outgoing) -> Result<Option<Replaced>, StoreError> {
    let Some(key) = piece.key.strip_suffix("/0").filter(|draft| is_draft(draft)) else { return Ok(None) };
    if is_withdrawn(flow, key).await? {
        return Ok(None);
    }
    let message = message_of(flow, key).await?;
    Ok(message.map(|message| Replaced { key: key.to_owned(), message }))
}

/// Puts a piece's words into a message. Nothing when that cannot be done there: it is to be sent.
pub(super) async fn put(
    flow: &Inner,
    piece: &Outgoing,
    message: &MessageId,
) -> Option<Result<Receipt, ChannelError>> {
    let PiecePayload::Text { text } = &piece.payload else { return None };
    let Some(slots) = flow.parts.channels.surface(&piece.target.channel, &piece.target.account) else {
        return Some(Err(ChannelError::line_down()));
    };
    let edit = slots.edit.clone()?;
    match edit.edit(&piece.target, message, text).await {
        Ok(()) => Some(Ok(Receipt { message: message.clone(), moved_to: None })),
        // It is gone, or too old to be changed.
        Err(ChannelError::Refused { .. } | ChannelError::Wrong { .. }) => None,
        Err(error) => Some(Err(error)),
    }
}

/// Has drafts of a submission's run taken back that its answers have no use for, by their names.
///
/// # Errors
/// The wish could not be kept.
pub(crate) async fn forget_drafts(
    flow: &Inner,
    submission: &Submission,
    names: Vec<String>,
) -> Result<(), StoreError> {
    let Some(target) = target_of(flow, submission) else { return Ok(()) };
    let keys = names.into_iter().map(|name| format!("{}/{name}", submission.run));
    Box::pin(withdraw(flow, &target, keys.collect(), submission.run.as_str())).await
}
