//! The audit ledger: who did what to the gateway, append-only.
//!
//! Each record carries the hash of the one before, so that a missing or changed record shows.

use async_trait::async_trait;
use openclaw_types::UnixMillis;
use serde_json::Value;

use super::StoreError;

/// Keeps the ledger.
#[async_trait]
pub trait AuditLedger: Send + Sync {
    /// Adds an entry and returns its record, durable on return.
    async fn append(&self, entry: AuditEntry) -> Result<AuditRecord, StoreError>;

    /// Reads records, newest first.
    async fn query(&self, query: AuditQuery) -> Result<Vec<AuditRecord>, StoreError>;

    /// Walks the chain of hashes from the first record to the last, or to the first that does not fit.
    async fn verify(&self) -> Result<ChainReport, StoreError>;
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEntry {
    /// When.
    pub at: UnixMillis,
    /// Who: a device, a client, a person, or the gateway itself.
    pub actor: String,
    /// What, as a dotted name such as `device.pair.approve`.
    pub action: String,
    /// To what.
    pub subject: Option<String>,
    /// What else is worth knowing. Never a secret.
    pub detail: Value,
}

/// An entry with its place in the chain.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditRecord {
    /// Its place, counted from 1.
    pub id: i64,
    /// What happened.
    pub entry: AuditEntry,
    /// The hash of this record and all before it, in hex.
    pub hash: String,
}

/// Which records to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditQuery {
    /// Only actions that start with this text, letter by letter.
    pub action_prefix: Option<String>,
    /// Only records before this one.
    pub before_id: Option<i64>,
    /// Maximum number of records; see `most`.
    pub limit: Option<usize>,
}

impl AuditQuery {
    /// The most records to give: 100 when the query does not say.
    #[must_use]
    pub fn most(&self) -> usize {
        self.limit.unwrap_or(100)
    }
}

/// What walking the chain found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainReport {
    /// How many records were walked.
    pub records: u64,
    /// The first record whose hash does not fit, if any.
    pub broken_at: Option<i64>,
}
