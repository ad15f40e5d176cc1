//! `outbox.*` and `pairing.*`: what waits to be sent to platforms, and strangers who asked to talk to us.
//!
//! Only the shapes. Ours alone: the original keeps both in files that its command line edits.

use openclaw_types::UnixMillis;

use crate::method::methods;
use crate::shape::{NonEmpty, object};

methods! {
    /// Lists what waits to be sent, and what was not.
    OutboxList = "outbox.list": OutboxListParams => OutboxListResult;
    /// Tries a message again.
    OutboxRetry = "outbox.retry": OutboxPieceParams => OutboxPieceResult;
    /// Drops a message.
    OutboxDrop = "outbox.drop": OutboxPieceParams => OutboxPieceResult;
    /// Lists strangers who asked to talk to us.
    PairingList = "pairing.list": PairingListParams => PairingListResult;
    /// Lets in whoever has a code.
    PairingApprove = "pairing.approve": PairingApproveParams => PairingApproveResult;
    /// Sends a stranger away who waits.
    PairingDismiss = "pairing.dismiss": PairingDismissParams => PairingApproveResult;
    /// Puts somebody out again who was let in.
    PairingRemove = "pairing.remove": PairingRemoveParams => PairingRemoveResult;
}

object! {
    /// Params of `outbox.list`.
    #[derive(Eq, Default)]
    closed OutboxListParams {
        /// Only in this state: waiting, sending, sent, failed, dropped.
        state?: String,
        limit?: u64,
    }
    /// Result of `outbox.list`.
    open OutboxListResult {
        pieces: Vec<OutboxPiece>,
    }
    /// One message of the outbox.
    open OutboxPiece {
        id: i64,
        channel: String,
        account_id: String,
        to: String,
        thread_id?: String,
        state: String,
        /// What it belongs to.
        source: String,
        /// The first words.
        text: String,
        attempts: u32,
        last_error?: String,
        created_at: UnixMillis,
        due_at: UnixMillis,
    }
    /// Params of `outbox.retry` and `outbox.drop`.
    #[derive(Eq)]
    closed OutboxPieceParams {
        id: i64,
    }
    /// Result of `outbox.retry` and `outbox.drop`.
    #[derive(Eq)]
    open OutboxPieceResult {
        id: i64,
    }
    /// Params of `pairing.list`.
    #[derive(Eq, Default)]
    closed PairingListParams {
        channel?: String,
    }
    /// Result of `pairing.list`.
    open PairingListResult {
        requests: Vec<PairingRequest>,
    }
    /// A stranger who asked to talk to us.
    open PairingRequest {
        channel: String,
        account_id: String,
        /// Their id there.
        id: String,
        code: String,
        created_at: UnixMillis,
        last_seen_at: UnixMillis,
        name?: String,
        username?: String,
    }
    /// Params of `pairing.approve`.
    #[derive(Eq)]
    closed PairingApproveParams {
        code: NonEmpty,
        channel?: String,
        account_id?: String,
    }
    /// Result of `pairing.approve` and `pairing.dismiss`.
    open PairingApproveResult {
        channel: String,
        account_id: String,
        id: String,
    }
    /// Params of `pairing.dismiss`.
    #[derive(Eq)]
    closed PairingDismissParams {
        channel: NonEmpty,
        /// Their id there, or their code.
        id: NonEmpty,
        account_id?: String,
    }
    /// Params of `pairing.remove`.
    #[derive(Eq)]
    closed PairingRemoveParams {
        channel: NonEmpty,
        /// Their id there.
        id: NonEmpty,
        account_id?: String,
    }
    /// Result of `pairing.remove`.
    open PairingRemoveResult {
        channel: String,
        account_id: String,
        id: String,
        /// Whether they were let in before.
        removed: bool,
    }
}
