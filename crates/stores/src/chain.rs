//! The hash chain of the audit ledger: which bytes are hashed, and how a walk along the chain is judged.
//!
//! Pure. Both stores call it, so that their hashes agree. The bytes are hashed as they are stored: the detail is
//! hashed as text, because JSON that is parsed and printed again need not be the same text.

use openclaw_ports::stores::{AuditEntry, ChainReport};
use sha2::{Digest, Sha256};

/// Names the layout of the hashed bytes; a new layout gets a new name.
const LAYOUT: &[u8] = b"openclaw-audit-1";

/// A record as it is stored.
pub(crate) struct Link<'a> {
    pub(crate) id: i64,
    pub(crate) at: i64,
    pub(crate) actor: &'a str,
    pub(crate) action: &'a str,
    pub(crate) subject: Option<&'a str>,
    pub(crate) detail: &'a str,
}

impl<'a> Link<'a> {
    /// The record that `entry` becomes at place `id`; `detail` is the text its detail is stored as.
    pub(crate) fn new(id: i64, entry: &'a AuditEntry, detail: &'a str) -> Self {
        Self {
            id,
            at: entry.at.0,
            actor: &entry.actor,
            action: &entry.action,
            subject: entry.subject.as_deref(),
            detail,
        }
    }

    /// The hash of this record after the one with hash `previous` (empty text before the first), in hex.
    pub(crate) fn hash_after(&self, previous: &str) -> String {
        let mut hasher = Sha256::new();
        hasher.update(LAYOUT);
        text(&mut hasher, previous);
        hasher.update(self.id.to_be_bytes());
        hasher.update(self.at.to_be_bytes());
        text(&mut hasher, self.actor);
        text(&mut hasher, self.action);
        hasher.update([u8::from(self.subject.is_some())]);
        text(&mut hasher, self.subject.unwrap_or_default());
        text(&mut hasher, self.detail);
        hex::encode(hasher.finalize())
    }
}

/// Feeds a text with its length in front, so that no two records feed the same bytes.
fn text(hasher: &mut Sha256, text: &str) {
    hasher.update((text.len() as u64).to_be_bytes());
    hasher.update(text.as_bytes());
}

/// Judges records one by one, oldest first.
#[derive(Default)]
pub(crate) struct Walk {
    previous: String,
    records: u64,
    broken_at: Option<i64>,
}

impl Walk {
    /// Takes the next record with its stored hash; after the first that does not fit the rest is not looked at.
    pub(crate) fn step(&mut self, link: &Link<'_>, stored_hash: &str) -> WalkStep {
        self.records += 1;
        let in_place = i64::try_from(self.records) == Ok(link.id);
        if !in_place || link.hash_after(&self.previous) != stored_hash {
            self.broken_at = Some(link.id);
            return WalkStep::Stop;
        }
        stored_hash.clone_into(&mut self.previous);
        WalkStep::Continue
    }

    /// What the walk found.
    pub(crate) fn report(self) -> ChainReport {
        ChainReport { records: self.records, broken_at: self.broken_at }
    }
}

/// Whether a walk goes on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum WalkStep {
    Continue,
    Stop,
}

#[cfg(test)]
mod tests {
    use super::{Link, Walk, WalkStep};

    fn link(id: i64) -> Link<'static> {
        Link { id, at: 7, actor: "cli", action: "device.pair.approve", subject: None, detail: "{}" }
    }

    #[test]
    fn a_missing_subject_and_an_empty_one_hash_differently() {
        let empty = Link { subject: Some(""), ..link(1) };
        assert_ne!(link(1).hash_after(""), empty.hash_after(""));
    }

    #[test]
    fn moving_text_between_fields_changes_the_hash() {
        let moved = Link { actor: "clid", action: "evice.pair.approve", ..link(1) };
        assert_ne!(link(1).hash_after(""), moved.hash_after(""));
    }

    #[test]
    fn a_chain_without_its_first_record_is_broken_at_the_first_one_left() {
        let second = link(2).hash_after(&link(1).hash_after(""));
        let mut walk = Walk::default();
        assert_eq!(walk.step(&link(2), &second), WalkStep::Stop);
        assert_eq!(walk.report().broken_at, Some(2));
    }
}
