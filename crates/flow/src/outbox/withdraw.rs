//! Takes back what was sent, or what is on its way: by a piece that comes behind it, so that no crash forgets the wish.
//!
//! Its key is the other's with `/gone` behind it, and it has no words. Taking back twice does no harm, so nothing has to be
//! looked for after a crash. What cannot be taken back stays; nobody is told.

use openclaw_ports::channel::ChannelError;
use openclaw_ports::stores::{OutboxChange, OutboxState, StoreError};
use openclaw_types::{MessageId, Outgoing, PiecePayload, Receipt, RichText, SendTarget};

use super::lanes;
use crate::flow::Inner;

const GONE: &str = "/gone";

/// The key of what a piece takes back, by its own key.
pub(crate) fn taken_back(key: &str) -> Option<&str> {
    key.strip_suffix(GONE)
}

/// Keeps the wish to take back what these pieces became or become. Those that nobody has seen yet are dropped.
///
/// # Errors
/// It could not be kept.
pub(crate) async fn withdraw(
    flow: &Inner,
    target: &SendTarget,
    keys: Vec<String>,
    source: &str,
) -> Result<(), StoreError> {
    for key in &keys {
        if let Some(row) = flow.parts.outbox.named(key).await?
            && row.state == OutboxState::Waiting
        {
            flow.parts.outbox.settle(row.id, OutboxChange::Dropped { at: flow.now() }).await?;
            flow.mail.nudge();
        }
    }
    // Also for those: the attempt may have begun meanwhile.
    let pieces = keys.into_iter().map(|key| Outgoing {
        key: key + GONE,
        target: target.clone(),
        payload: PiecePayload::Text { text: RichText::plain("") },
        reply: None,
        silent: true,
        link_preview: false,
        buttons: Vec::new(),
    });
    lanes::keep(flow, pieces.collect(), source).await
}

/// Whether somebody wants a piece taken back.
///
/// # Errors
/// The outbox cannot be read.
pub(super) async fn is_withdrawn(flow: &Inner, key: &str) -> Result<bool, StoreError> {
    Ok(flow.parts.outbox.named(&format!("{key}{GONE}")).await?.is_some())
}

/// The message that a piece became; nothing when it was not sent.
///
/// # Errors
/// The outbox cannot be read.
pub(super) async fn message_of(flow: &Inner, key: &str) -> Result<Option<MessageId>, StoreError> {
    let row = flow.parts.outbox.named(key).await?.filter(|row| row.state == OutboxState::Sent);
    Ok(row.and_then(|row| row.receipt).map(|receipt| receipt.message))
}

/// Takes a message back, as far as that can be done there.
pub(super) async fn take_back(
    flow: &Inner,
    target: &SendTarget,
    message: MessageId,
) -> Result<Receipt, ChannelError> {
    let slots = flow.parts.channels.surface(&target.channel, &target.account);
    if let Some(delete) = slots.ok_or_else(ChannelError::line_down)?.delete.clone() {
        match delete.delete(target, &message).await {
            Ok(()) => {}
            // It is gone, or too old to be taken back.
            Err(error @ (ChannelError::Refused { .. } | ChannelError::Wrong { .. })) => {
                tracing::debug!(subsystem = "outbox", %error, "a message could not be taken back");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Receipt { message, moved_to: None })
}
