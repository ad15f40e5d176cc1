//! What is to be sent, kept until it was sent or nobody wants it any more.
//!
//! A piece is here before the first attempt, under a key of its own, so none is lost and none is written twice. Pieces
//! of one conversation leave in the order they came.

use async_trait::async_trait;
use openclaw_types::{Outgoing, Receipt, SendTarget, UnixMillis};
use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::channel::Landed;

/// Keeps pieces until they are sent.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// Adds pieces in order. One whose key is known is left as it is. Durable on return. Gives their ids, in order.
    async fn add(&self, pieces: Vec<NewPiece>) -> Result<Vec<OutboxId>, StoreError>;

    /// Notes that a piece is about to be sent: from now on its fate is unknown until it is settled. Says whether it may be:
    /// one that was dropped meanwhile may not.
    async fn begin(&self, id: OutboxId, at: UnixMillis) -> Result<bool, StoreError>;

    /// Notes what came of an attempt.
    async fn settle(&self, id: OutboxId, change: OutboxChange) -> Result<(), StoreError>;

    /// Pieces that are not sent and not given up, oldest first.
    async fn open_pieces(&self) -> Result<Vec<OutboxRow>, StoreError>;

    /// Pieces by state, newest first.
    async fn list(&self, query: OutboxQuery) -> Result<Vec<OutboxRow>, StoreError>;

    /// One piece.
    async fn find(&self, id: OutboxId) -> Result<Option<OutboxRow>, StoreError>;

    /// The piece with this key.
    async fn named(&self, key: &str) -> Result<Option<OutboxRow>, StoreError>;

    /// Forgets pieces that were sent before a moment, or dropped or given up before another; says how many.
    async fn forget(&self, sent_before: UnixMillis, failed_before: UnixMillis) -> Result<u64, StoreError>;
}

/// Names a piece for us. A later piece has a higher number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OutboxId(pub i64);

/// A piece to keep.
#[derive(Debug, Clone, PartialEq)]
pub struct NewPiece {
    /// The piece, with its key.
    pub piece: Outgoing,
    /// When.
    pub at: UnixMillis,
    /// What it belongs to: a run, a job, an announcement. For people.
    pub source: String,
}

/// A stored piece.
#[derive(Debug, Clone, PartialEq)]
pub struct OutboxRow {
    /// Names it.
    pub id: OutboxId,
    /// The piece.
    pub piece: Outgoing,
    /// What it belongs to.
    pub source: String,
    /// When it was added, or a person wanted it tried again.
    pub at: UnixMillis,
    /// How it stands.
    pub state: OutboxState,
    /// How often it was tried.
    pub attempts: u32,
    /// What went wrong last.
    pub last_error: Option<String>,
    /// Not before this moment.
    pub due: UnixMillis,
    /// What the platform said when it took it.
    pub receipt: Option<Receipt>,
    /// When the first of the attempts was made of which nobody knows whether the platform took it; nothing where the fate
    /// of the piece is known. A wish to try it again does not change it.
    pub doubt: Option<UnixMillis>,
}

/// How a piece stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutboxState {
    /// It waits.
    Waiting,
    /// It was being sent, and nobody knows whether it was taken.
    Sending,
    /// It was sent.
    Sent,
    /// It was given up.
    Failed,
    /// A person dropped it.
    Dropped,
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq)]
pub enum OutboxChange {
    /// The platform took it.
    Sent {
        /// What it said.
        receipt: Receipt,
        /// When.
        at: UnixMillis,
    },
    /// It is tried again.
    Again {
        /// Not before this moment.
        due: UnixMillis,
        /// What went wrong.
        error: String,
        /// Whether the platform may have taken it all the same: then it stays `Sending`, whatever happens to us meanwhile.
        landed: Landed,
    },
    /// It goes out in another form, or to another place: the plain words, the room that moved.
    Replaced {
        /// The new form, under the same key.
        piece: Box<Outgoing>,
        /// Why.
        error: String,
    },
    /// It is given up.
    Failed {
        /// Why.
        error: String,
        /// When.
        at: UnixMillis,
        /// Whether the platform may have taken it all the same: then it is looked for before it is tried again.
        landed: Landed,
    },
    /// A person dropped it.
    Dropped {
        /// When.
        at: UnixMillis,
    },
    /// A person wants it tried again, as if it were new. One that may have been taken is `Sending`.
    Retry {
        /// When.
        at: UnixMillis,
    },
}

/// Which pieces to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutboxQuery {
    /// Only in this state.
    pub state: Option<OutboxState>,
    /// Only to this place.
    pub target: Option<SendTarget>,
    /// Maximum number of rows.
    pub limit: Option<usize>,
}
