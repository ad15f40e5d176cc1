//! Pieces to send in memory: the twin of `sqlite::outbox`.

use std::sync::Mutex;

use async_trait::async_trait;
use openclaw_ports::channel::Landed;
use openclaw_ports::stores::{
    NewPiece, Outbox, OutboxChange, OutboxId, OutboxQuery, OutboxRow, OutboxState, StoreError,
};
use openclaw_types::UnixMillis;

use super::lock;

/// Keeps pieces as long as the process lives.
#[derive(Debug, Default)]
pub struct MemoryOutbox(Mutex<Shelf>);

/// The rows in order, each with the moment it was sent, given up or dropped.
#[derive(Debug, Default)]
struct Shelf {
    last: i64,
    rows: Vec<(OutboxRow, Option<UnixMillis>)>,
}

#[async_trait]
impl Outbox for MemoryOutbox {
    async fn add(&self, pieces: Vec<NewPiece>) -> Result<Vec<OutboxId>, StoreError> {
        let mut shelf = lock(&self.0);
        Ok(pieces.into_iter().map(|piece| shelf.add(piece)).collect())
    }

    async fn begin(&self, id: OutboxId, at: UnixMillis) -> Result<bool, StoreError> {
        let mut may = false;
        lock(&self.0).change(id, |row, ended| {
            if ended.is_none() {
                row.state = OutboxState::Sending;
                row.attempts += 1;
                row.doubt.get_or_insert(at);
                may = true;
            }
        });
        Ok(may)
    }

    async fn settle(&self, id: OutboxId, change: OutboxChange) -> Result<(), StoreError> {
        lock(&self.0).change(id, |row, ended| settle(row, ended, change));
        Ok(())
    }

    async fn open_pieces(&self) -> Result<Vec<OutboxRow>, StoreError> {
        let shelf = lock(&self.0);
        Ok(shelf.rows.iter().filter(|(_, ended)| ended.is_none()).map(|(row, _)| row.clone()).collect())
    }

    async fn list(&self, query: OutboxQuery) -> Result<Vec<OutboxRow>, StoreError> {
        let shelf = lock(&self.0);
        let wanted = |row: &&OutboxRow| {
            query.state.is_none_or(|state| row.state == state)
                && query.target.as_ref().is_none_or(|target| row.piece.target == *target)
        };
        let newest = shelf.rows.iter().rev().map(|(row, _)| row).filter(wanted);
        Ok(newest.take(query.limit.unwrap_or(usize::MAX)).cloned().collect())
    }

    async fn find(&self, id: OutboxId) -> Result<Option<OutboxRow>, StoreError> {
        Ok(lock(&self.0).rows.iter().find(|(row, _)| row.id == id).map(|(row, _)| row.clone()))
    }

    async fn named(&self, key: &str) -> Result<Option<OutboxRow>, StoreError> {
        Ok(lock(&self.0).rows.iter().find(|(row, _)| row.piece.key == key).map(|(row, _)| row.clone()))
    }

    async fn forget(&self, sent_before: UnixMillis, failed_before: UnixMillis) -> Result<u64, StoreError> {
        let mut shelf = lock(&self.0);
        let count = shelf.rows.len();
        shelf.rows.retain(|(row, ended)| {
            let before = if row.state == OutboxState::Sent { sent_before } else { failed_before };
            ended.is_none_or(|ended| ended >= before)
        });
        Ok((count - shelf.rows.len()) as u64)
    }
}

impl Shelf {
    fn add(&mut self, new: NewPiece) -> OutboxId {
        if let Some((known, _)) = self.rows.iter().find(|(row, _)| row.piece.key == new.piece.key) {
            return known.id;
        }
        self.last += 1;
        let id = OutboxId(self.last);
        let row = OutboxRow {
            id,
            piece: new.piece,
            source: new.source,
            at: new.at,
            state: OutboxState::Waiting,
            attempts: 0,
            last_error: None,
            due: new.at,
            receipt: None,
            doubt: None,
        };
        self.rows.push((row, None));
        id
    }

    fn change(&mut self, id: OutboxId, change: impl FnOnce(&mut OutboxRow, &mut Option<UnixMillis>)) {
        if let Some((row, ended)) = self.rows.iter_mut().find(|(row, _)| row.id == id) {
            change(row, ended);
        }
    }
}

fn settle(row: &mut OutboxRow, ended: &mut Option<UnixMillis>, change: OutboxChange) {
    match change {
        OutboxChange::Sent { receipt, at } => {
            (row.state, row.receipt, row.last_error) = (OutboxState::Sent, Some(receipt), None);
            row.doubt = None;
            *ended = Some(at);
        }
        OutboxChange::Dropped { at } if row.state != OutboxState::Sent => {
            row.state = OutboxState::Dropped;
            *ended = Some(at);
        }
        OutboxChange::Retry { at } if row.state != OutboxState::Sent => {
            row.state = if row.doubt.is_some() { OutboxState::Sending } else { OutboxState::Waiting };
            (row.at, row.due, row.attempts) = (at, at, 0);
            *ended = None;
        }
        _ if ended.is_some() => {}
        OutboxChange::Again { due, error, landed } => {
            (row.state, row.doubt) = match landed {
                Landed::No => (OutboxState::Waiting, None),
                Landed::Maybe => (OutboxState::Sending, row.doubt),
            };
            (row.due, row.last_error) = (due, Some(error));
        }
        OutboxChange::Replaced { piece, error } => {
            (row.state, row.piece, row.last_error) = (OutboxState::Waiting, *piece, Some(error));
            row.doubt = None;
        }
        OutboxChange::Failed { error, at, landed } => {
            (row.state, row.last_error) = (OutboxState::Failed, Some(error));
            row.doubt = row.doubt.filter(|_| landed == Landed::Maybe);
            *ended = Some(at);
        }
        OutboxChange::Dropped { .. } | OutboxChange::Retry { .. } => {}
    }
}
