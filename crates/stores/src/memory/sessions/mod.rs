//! Sessions in memory: the twin of `sqlite::agents`, with everything of one agent behind one lock for all.
//!
//! `transcript` has the tree of one transcript. An agent appears with its first write.

mod transcript;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use openclaw_ports::stores::{
    Append, Archive, Archived, BranchQuery, EntryChange, RunEnded, RunFinish, RunRecord, RunStart,
    SessionStore, StoreError, StoredEntry,
};
use openclaw_types::{
    AgentId, EntryId, RunId, SessionEntry, SessionId, SessionKey, TranscriptLine, UnixMillis,
};

use self::transcript::Transcript;
use super::lock;
use crate::error::Fault;
use crate::transcripts::{StoreRefusal, check_agent};

/// Keeps sessions as long as the process lives.
#[derive(Debug, Default)]
pub struct MemorySessionStore {
    agents: Mutex<BTreeMap<AgentId, Shelf>>,
}

/// What one agent has. Runs are in the order they were noted.
#[derive(Debug, Default)]
struct Shelf {
    sessions: BTreeMap<SessionKey, Arc<SessionEntry>>,
    transcripts: HashMap<SessionId, Transcript>,
    runs: Vec<RunRecord>,
}

impl MemorySessionStore {
    /// Looks at what an agent has; the default of `T` when it has nothing.
    fn read<T: Default>(&self, agent: &AgentId, look: impl FnOnce(&Shelf) -> T) -> Result<T, StoreError> {
        check_agent(agent).map_err(|refusal| refused(refusal, "read the sessions of an agent"))?;
        Ok(lock(&self.agents).get(agent).map(look).unwrap_or_default())
    }

    /// Changes what an agent has.
    fn write<T>(
        &self,
        agent: &AgentId,
        change: impl FnOnce(&mut Shelf) -> Result<T, StoreRefusal>,
    ) -> Result<T, StoreError> {
        let action = "save to the sessions of an agent";
        check_agent(agent).map_err(|refusal| refused(refusal, action))?;
        change(lock(&self.agents).entry(agent.clone()).or_default())
            .map_err(|refusal| refused(refusal, action))
    }

    /// Changes what an agent has, when it has something.
    fn amend<T: Default>(
        &self,
        agent: &AgentId,
        change: impl FnOnce(&mut Shelf) -> T,
    ) -> Result<T, StoreError> {
        check_agent(agent).map_err(|refusal| refused(refusal, "change the sessions of an agent"))?;
        Ok(lock(&self.agents).get_mut(agent).map(change).unwrap_or_default())
    }
}

#[async_trait]
impl SessionStore for MemorySessionStore {
    async fn release(&self, _of: &AgentId) -> Result<(), StoreError> {
        // There is no file that anybody could move.
        Ok(())
    }

    async fn agents(&self) -> Result<Vec<AgentId>, StoreError> {
        Ok(lock(&self.agents).keys().cloned().collect())
    }

    async fn entry(&self, of: &AgentId, key: &SessionKey) -> Result<Option<Arc<SessionEntry>>, StoreError> {
        self.read(of, |shelf| shelf.sessions.get(key).cloned())
    }

    async fn entries(&self, of: &AgentId) -> Result<Vec<(SessionKey, SessionEntry)>, StoreError> {
        self.read(of, |shelf| {
            let mut all: Vec<_> =
                shelf.sessions.iter().map(|(key, entry)| (key.clone(), SessionEntry::clone(entry))).collect();
            all.sort_by_key(|(_, entry)| std::cmp::Reverse(entry.updated_at));
            all
        })
    }

    async fn change(
        &self,
        of: &AgentId,
        key: &SessionKey,
        change: EntryChange,
    ) -> Result<Option<Arc<SessionEntry>>, StoreError> {
        self.write(of, |shelf| Ok(shelf.change(key, change)))
    }

    async fn append(&self, append: Append) -> Result<Vec<EntryId>, StoreError> {
        self.write(&append.agent, |shelf| {
            let ids = shelf.append(&append.session, append.run.as_ref(), &append.lines)?;
            if let Some(start) = append.begins {
                shelf.begin_run(start);
            }
            Ok(ids)
        })
    }

    async fn leaf(&self, of: &AgentId, session: &SessionId) -> Result<Option<EntryId>, StoreError> {
        self.read(of, |shelf| shelf.transcripts.get(session).and_then(Transcript::leaf).cloned())
    }

    async fn set_leaf(&self, of: &AgentId, session: &SessionId, leaf: &EntryId) -> Result<bool, StoreError> {
        self.amend(of, |shelf| match shelf.transcripts.get_mut(session) {
            Some(transcript) => transcript.set_leaf(leaf),
            None => false,
        })
    }

    async fn branch(&self, query: BranchQuery) -> Result<Vec<StoredEntry>, StoreError> {
        self.read(&query.agent, |shelf| match shelf.transcripts.get(&query.session) {
            Some(transcript) => transcript.branch(query.leaf.as_ref(), query.reach),
            None => Vec::new(),
        })
    }

    async fn transcript(&self, of: &AgentId, session: &SessionId) -> Result<Vec<StoredEntry>, StoreError> {
        self.read(of, |shelf| shelf.transcripts.get(session).map(Transcript::lines).unwrap_or_default())
    }

    async fn holds_message(&self, of: &AgentId, session: &SessionId, key: &str) -> Result<bool, StoreError> {
        self.read(of, |shelf| {
            shelf.transcripts.get(session).is_some_and(|transcript| transcript.holds_message(key))
        })
    }

    async fn archive(&self, archive: Archive) -> Result<(), StoreError> {
        self.write(&archive.agent.clone(), |shelf| {
            let transcript = shelf.transcripts.entry(archive.session.clone()).or_default();
            transcript.archive = Some(archive);
            Ok(())
        })
    }

    async fn archived(&self, of: &AgentId) -> Result<Vec<Archived>, StoreError> {
        self.read(of, |shelf| {
            let mut all: Vec<_> = shelf.transcripts.values().filter_map(Transcript::archived).collect();
            all.sort_by(|left, right| {
                let (left, right) = (&left.archive, &right.archive);
                right.at.cmp(&left.at).then_with(|| left.session.cmp(&right.session))
            });
            all
        })
    }

    async fn erase(&self, of: &AgentId, session: &SessionId) -> Result<(), StoreError> {
        self.amend(of, |shelf| {
            shelf.transcripts.remove(session);
        })
    }

    async fn begin_run(&self, run: RunStart) -> Result<RunRecord, StoreError> {
        self.write(&run.agent.clone(), |shelf| Ok(shelf.begin_run(run)))
    }

    async fn end_run(&self, end: RunFinish, change: Option<EntryChange>) -> Result<RunEnded, StoreError> {
        self.write(&end.agent, |shelf| shelf.end_run(&end, change))
    }

    async fn run(&self, of: &AgentId, run: &RunId) -> Result<Option<RunRecord>, StoreError> {
        self.read(of, |shelf| shelf.run(run).cloned())
    }

    async fn unfinished(&self, of: &AgentId) -> Result<Vec<RunRecord>, StoreError> {
        self.read(of, |shelf| {
            let mut runs: Vec<_> = shelf.runs.iter().filter(|run| run.end.is_none()).cloned().collect();
            runs.sort_by_key(|run| run.start.at);
            runs
        })
    }

    async fn forget_runs(&self, of: &AgentId, before: UnixMillis) -> Result<u64, StoreError> {
        self.amend(of, |shelf| {
            let count = shelf.runs.len();
            shelf.runs.retain(|run| run.end.as_ref().is_none_or(|(at, _)| *at >= before));
            (count - shelf.runs.len()) as u64
        })
    }
}

impl Shelf {
    /// Adds all lines or none.
    fn append(
        &mut self,
        session: &SessionId,
        run: Option<&RunId>,
        lines: &[TranscriptLine],
    ) -> Result<Vec<EntryId>, StoreRefusal> {
        // A transcript that is refused its first lines is not made.
        match self.transcripts.get_mut(session) {
            Some(transcript) => transcript.append(run, lines),
            None => {
                let mut transcript = Transcript::default();
                let ids = transcript.append(run, lines)?;
                self.transcripts.insert(session.clone(), transcript);
                Ok(ids)
            }
        }
    }

    fn run(&self, run: &RunId) -> Option<&RunRecord> {
        self.runs.iter().find(|known| known.start.run == *run)
    }

    fn change(&mut self, key: &SessionKey, change: EntryChange) -> Option<Arc<SessionEntry>> {
        let changed = change(self.sessions.get(key).map(|entry| SessionEntry::clone(entry))).map(Arc::new);
        match &changed {
            Some(entry) => self.sessions.insert(key.clone(), Arc::clone(entry)),
            None => self.sessions.remove(key),
        };
        changed
    }

    fn begin_run(&mut self, start: RunStart) -> RunRecord {
        if let Some(known) = self.run(&start.run) {
            return known.clone();
        }
        let record = RunRecord { start, end: None };
        self.runs.push(record.clone());
        record
    }

    fn end_run(&mut self, end: &RunFinish, change: Option<EntryChange>) -> Result<RunEnded, StoreRefusal> {
        let known = match (self.run(&end.run), &end.begins) {
            (Some(known), _) => known.clone(),
            (None, Some(start)) => RunRecord { start: start.clone(), end: None },
            (None, None) => return Err(StoreRefusal::UnknownRun { run: end.run.clone() }),
        };
        if known.end.is_some() {
            return Ok(RunEnded::default());
        }
        let RunStart { key, session, .. } = known.start.clone();
        let entries = match end.last.is_empty() {
            true => Vec::new(),
            false => self.append(&session, Some(&end.run), &end.last)?,
        };
        self.begin_run(known.start);
        if let Some(known) = self.runs.iter_mut().find(|known| known.start.run == end.run) {
            known.end = Some((end.at, end.how.clone()));
        }
        Ok(RunEnded { entries, session: change.and_then(|change| self.change(&key, change)) })
    }
}

fn refused(refusal: StoreRefusal, action: &'static str) -> StoreError {
    Fault::from_refusal(refusal).during(action)
}
