//! The audit ledger in memory: the twin of `sqlite::audit`, with the same hashes.

use std::sync::Mutex;

use async_trait::async_trait;
use openclaw_ports::stores::{AuditEntry, AuditLedger, AuditQuery, AuditRecord, ChainReport, StoreError};

use super::lock;
use crate::chain::{Link, Walk, WalkStep};

/// Keeps the ledger as long as the process lives.
#[derive(Debug, Default)]
pub struct MemoryAuditLedger {
    records: Mutex<Vec<AuditRecord>>,
}

#[async_trait]
impl AuditLedger for MemoryAuditLedger {
    async fn append(&self, entry: AuditEntry) -> Result<AuditRecord, StoreError> {
        let mut records = lock(&self.records);
        let (last, previous) =
            records.last().map_or((0, String::new()), |record| (record.id, record.hash.clone()));
        let detail = entry.detail.to_string();
        let hash = Link::new(last + 1, &entry, &detail).hash_after(&previous);
        let record = AuditRecord { id: last + 1, entry, hash };
        records.push(record.clone());
        Ok(record)
    }

    async fn query(&self, query: AuditQuery) -> Result<Vec<AuditRecord>, StoreError> {
        let prefix = query.action_prefix.as_deref().unwrap_or_default();
        let records = lock(&self.records);
        let newest_first = records.iter().rev();
        let wanted = newest_first
            .filter(|record| query.before_id.is_none_or(|before| record.id < before))
            .filter(|record| record.entry.action.starts_with(prefix));
        Ok(wanted.take(query.most()).cloned().collect())
    }

    async fn verify(&self) -> Result<ChainReport, StoreError> {
        let mut walk = Walk::default();
        for record in lock(&self.records).iter() {
            let detail = record.entry.detail.to_string();
            if walk.step(&Link::new(record.id, &record.entry, &detail), &record.hash) == WalkStep::Stop {
                break;
            }
        }
        Ok(walk.report())
    }
}
