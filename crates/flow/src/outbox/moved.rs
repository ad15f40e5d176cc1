//! What waits for a room that got another id goes to the new one.

use openclaw_ports::stores::{OutboxChange, OutboxState, StoreError};
use openclaw_types::RoomMoved;

use crate::channels::AccountName;
use crate::flow::Inner;

/// Renames the conversation of everything that waits for a room. What is being sent meets the platform's own word for it.
pub(crate) async fn redirect(
    flow: &Inner,
    (channel, account): AccountName<'_>,
    moved: &RoomMoved,
) -> Result<usize, StoreError> {
    let mut count = 0;
    for row in flow.parts.outbox.open_pieces().await? {
        let target = &row.piece.target;
        let is_there = target.channel == *channel && target.account == *account;
        if !is_there || target.to != moved.from.as_str() || row.state != OutboxState::Waiting {
            continue;
        }
        let mut piece = row.piece.clone();
        piece.target.to = moved.to.as_str().to_owned();
        let error = format!("the conversation has moved to {}", moved.to);
        flow.parts.outbox.settle(row.id, OutboxChange::Replaced { piece: Box::new(piece), error }).await?;
        count += 1;
    }
    Ok(count)
}
