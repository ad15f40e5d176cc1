//! One transcript in memory: its lines in the order of writing, and its leaf.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use openclaw_ports::stores::{Archive, Archived, BranchReach, StoredEntry};
use openclaw_types::{EntryId, LineRecord, RunId, TranscriptLine};

use crate::transcripts::{self, LinePosition, StoreRefusal};

/// A transcript. Places are indexes into `lines`.
#[derive(Debug, Clone, Default)]
pub(super) struct Transcript {
    lines: Vec<StoredEntry>,
    places: HashMap<EntryId, usize>,
    leaf: Option<EntryId>,
    pub(super) archive: Option<Archive>,
}

impl Transcript {
    /// Adds lines in their order, all or none, and gives the ids of their entries.
    pub(super) fn append(
        &mut self,
        run: Option<&RunId>,
        lines: &[TranscriptLine],
    ) -> Result<Vec<EntryId>, StoreRefusal> {
        self.check(lines)?;
        let mut ids = Vec::with_capacity(lines.len());
        for line in lines {
            match transcripts::place(line) {
                LinePosition::Tree { id, .. } => {
                    ids.push(id.clone());
                    if !self.places.contains_key(id) {
                        self.put(run, id, line);
                    }
                }
                LinePosition::Leaf(entry) => {
                    let id = self.free_id()?;
                    let line = transcripts::placed(entry, id.clone(), self.leaf.clone());
                    self.put(run, &id, &line);
                    ids.push(id);
                }
                LinePosition::Beside if self.lines.iter().any(|stored| *stored.line == *line) => {}
                LinePosition::Beside => self.push(run, line),
            }
        }
        Ok(ids)
    }

    fn free_id(&self) -> Result<EntryId, StoreRefusal> {
        loop {
            let id = transcripts::chance_id()?;
            if !self.places.contains_key(&id) {
                return Ok(id);
            }
        }
    }

    fn put(&mut self, run: Option<&RunId>, id: &EntryId, line: &TranscriptLine) {
        self.places.insert(id.clone(), self.lines.len());
        self.leaf = Some(id.clone());
        self.push(run, line);
    }

    /// Refuses lines before the first of them is added.
    fn check(&self, lines: &[TranscriptLine]) -> Result<(), StoreRefusal> {
        let mut fresh = HashSet::new();
        for line in lines {
            let LinePosition::Tree { id, parent, .. } = transcripts::place(line) else { continue };
            if self.places.contains_key(id) {
                continue;
            }
            let unknown = |parent: &&EntryId| !self.places.contains_key(*parent) && !fresh.contains(parent);
            if let Some(parent) = parent.filter(unknown) {
                return Err(StoreRefusal::UnknownParent { entry: id.clone(), parent: parent.clone() });
            }
            fresh.insert(id);
        }
        Ok(())
    }

    fn push(&mut self, run: Option<&RunId>, line: &TranscriptLine) {
        let sequence = i64::try_from(self.lines.len() + 1).unwrap_or(i64::MAX);
        self.lines.push(StoredEntry { sequence, run: run.cloned(), line: Arc::new(line.clone()) });
    }

    pub(super) fn leaf(&self) -> Option<&EntryId> {
        self.leaf.as_ref()
    }

    /// False when there is no such entry.
    pub(super) fn set_leaf(&mut self, leaf: &EntryId) -> bool {
        let known = self.places.contains_key(leaf);
        if known {
            self.leaf = Some(leaf.clone());
        }
        known
    }

    /// The way from the root to a leaf, oldest first.
    pub(super) fn branch(&self, leaf: Option<&EntryId>, reach: BranchReach) -> Vec<StoredEntry> {
        let most = match reach {
            BranchReach::Newest(most) => most,
            BranchReach::Whole | BranchReach::SinceCompaction => usize::MAX,
        };
        let mut next = leaf.or(self.leaf.as_ref());
        let mut way = Vec::new();
        while way.len() < most
            && let Some(stored) = next.and_then(|id| self.stored(id))
        {
            next = parent(stored);
            way.push(stored.clone());
        }
        way.reverse();
        match reach {
            BranchReach::SinceCompaction => transcripts::since_compaction(way),
            BranchReach::Whole | BranchReach::Newest(_) => way,
        }
    }

    fn stored(&self, id: &EntryId) -> Option<&StoredEntry> {
        self.places.get(id).and_then(|place| self.lines.get(*place))
    }

    pub(super) fn lines(&self) -> Vec<StoredEntry> {
        self.lines.clone()
    }

    pub(super) fn holds_message(&self, key: &str) -> bool {
        self.lines.iter().any(|stored| match &stored.line.record {
            LineRecord::Entry(entry) => transcripts::message_key(&entry.body) == Some(key),
            LineRecord::Header(_) | LineRecord::Foreign(_) => false,
        })
    }

    pub(super) fn archived(&self) -> Option<Archived> {
        let archive = self.archive.clone()?;
        let bytes = self.lines.iter().map(|stored| transcripts::bytes(&stored.line)).sum();
        Some(Archived { archive, entries: self.places.len() as u64, bytes })
    }
}

fn parent(stored: &StoredEntry) -> Option<&EntryId> {
    match &stored.line.record {
        LineRecord::Entry(entry) => entry.parent.as_ref(),
        LineRecord::Header(_) | LineRecord::Foreign(_) => None,
    }
}
