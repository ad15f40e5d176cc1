//! Writes the sessions of agents as files that the original reads.
//!
//! Each file is written beside its place and then moved there, so that a crash leaves the old one or the new one. Files
//! that belong to no session are left alone. Where the original keeps its own, what is replaced is copied first and
//! entries that are not ours stay.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use openclaw_ports::stores::StoredEntry;
use openclaw_types::{
    AgentId, CustomEntry, EntryBody, EntryId, LineEntry, LineRecord, SessionEntry, SessionHeader, SessionId,
    SessionKey, TranscriptLine, UnixMillis,
};
use serde_json::{Map, Value, json};

use super::import::{self, LegacyParts};
use super::index::{self, Indexed};
use super::{lines, names};
use crate::SessionError;

/// The version of the transcript format.
const FORMAT: u64 = 3;
/// Marks the entry that goes on from a leaf which was not written last.
const LEAF_MARK: &str = "openclaw:leaf";

/// What is written where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportOrder {
    /// Whose sessions: everybody who shares the list, the one first that names without an agent belong to.
    pub agents: Vec<ExportedAgent>,
    /// The list, `sessions.json` mostly. Transcripts go beside it.
    pub list: PathBuf,
    /// Who else looks there.
    pub place: ExportPlace,
}

/// Who else looks at the place that is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportPlace {
    /// Nobody: what is in the way is replaced.
    Apart,
    /// The original, and our own start: nothing that is there gets lost.
    InUse,
}

/// An agent whose sessions are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedAgent {
    /// The agent.
    pub id: AgentId,
    /// The folder it works in, for transcripts that do not say.
    pub cwd: String,
}

/// What was written.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// How many sessions.
    pub sessions: usize,
    /// How many transcripts, those of the past included.
    pub transcripts: usize,
    /// How many entries of the list that was there stay in it, because nobody has them here.
    pub kept: usize,
    /// Copies of files that were replaced.
    pub backups: Vec<PathBuf>,
}

/// Writes the sessions of all agents that share a list. Where there is nothing to write, nothing is touched.
///
/// # Errors
/// When the store cannot be read or a file cannot be written. The list of sessions is written last.
pub async fn export_sessions(parts: &LegacyParts, order: &ExportOrder) -> Result<Exported, SessionError> {
    let Some(first) = order.agents.first() else { return Ok(Exported::default()) };
    if is_empty(parts, order).await? {
        return Ok(Exported::default());
    }
    let dir = order.list.parent().unwrap_or(Path::new("/"));
    let fault = |source| SessionError::File { path: dir.to_owned(), action: "created", source };
    tokio::fs::create_dir_all(dir).await.map_err(fault)?;
    let mut exporter = Exporter {
        parts,
        order,
        first: &first.id,
        dir,
        list: Map::new(),
        keys: BTreeSet::new(),
        marks: Vec::new(),
        done: Exported::default(),
    };
    for of in &order.agents {
        exporter.agent(of).await?;
    }
    exporter.finish().await
}

async fn is_empty(parts: &LegacyParts, order: &ExportOrder) -> Result<bool, SessionError> {
    for of in &order.agents {
        let store = &parts.store;
        if !store.entries(&of.id).await?.is_empty() || !store.archived(&of.id).await?.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

struct Exporter<'a> {
    parts: &'a LegacyParts,
    order: &'a ExportOrder,
    /// Whose the names without an agent are.
    first: &'a AgentId,
    dir: &'a Path,
    list: Map<String, Value>,
    keys: BTreeSet<SessionKey>,
    /// What the next import would remember of these sessions.
    marks: Vec<(&'static str, String, Value)>,
    done: Exported,
}

impl Exporter<'_> {
    async fn agent(&mut self, of: &ExportedAgent) -> Result<(), SessionError> {
        for (key, entry) in self.parts.store.entries(&of.id).await? {
            let (written, mut value) = index::write(&key, &entry);
            // A name without an agent can stand in a shared list once only.
            if self.list.contains_key(&written) {
                continue;
            }
            let path = self.dir.join(transcript_name(&entry));
            let bytes = self.transcript(of, &entry.session_id, &path).await?;
            if self.order.place == ExportPlace::InUse {
                self.lead(&mut value, &entry, &path);
                let owner = key.agent_or(self.first);
                self.marks.push((
                    import::TAKEN,
                    import::mark_place(owner, &key),
                    import::mark(&entry, bytes),
                ));
                // Our own calls are in the ledger already.
                let counted = import::counted_place(self.first, &transcript_name(&entry));
                self.marks.push((import::COUNTED, counted, json!(bytes)));
            }
            self.list.insert(written, value);
            self.keys.insert(key);
            self.done.sessions += 1;
        }
        for archived in self.parts.store.archived(&of.id).await? {
            let past = archived.archive;
            let Some(name) = names::archive_name(past.session.as_str(), past.reason, past.at) else {
                continue;
            };
            let path = self.dir.join(name);
            self.transcript(of, &past.session, &path).await?;
        }
        Ok(())
    }

    /// An entry may still name the folder that its transcript was in before; the original would go on from there.
    fn lead(&self, value: &mut Value, entry: &SessionEntry, path: &Path) {
        let elsewhere = entry.facts.session_file.as_deref().is_some_and(|file| self.dir.join(file) != path);
        if let Some(fields) = value.as_object_mut().filter(|_| elsewhere) {
            fields.insert("sessionFile".into(), json!(path.to_string_lossy()));
        }
    }

    /// Writes one transcript, unless nothing was ever said, and gives its size.
    async fn transcript(
        &mut self,
        of: &ExportedAgent,
        session: &SessionId,
        path: &Path,
    ) -> Result<usize, SessionError> {
        let store = &self.parts.store;
        let stored = store.transcript(&of.id, session).await?;
        if stored.is_empty() {
            return Ok(0);
        }
        let leaf = store.leaf(&of.id, session).await?;
        let mut text = String::new();
        if !stored.iter().any(|stored| matches!(stored.line.record, LineRecord::Header(_))) {
            push(&mut text, &header(session, &stored, &of.cwd));
        }
        stored.iter().for_each(|stored| push(&mut text, &stored.line));
        if let Some(mark) = leaf_mark(&stored, leaf) {
            push(&mut text, &mark);
        }
        self.put(path, text.as_bytes()).await?;
        self.done.transcripts += 1;
        Ok(text.len())
    }

    /// Writes the list, and remembers its sessions as taken: one that is removed here must not come back from it.
    async fn finish(mut self) -> Result<Exported, SessionError> {
        if self.order.place == ExportPlace::InUse {
            // Transcripts of the past need no list.
            if self.list.is_empty() {
                return Ok(self.done);
            }
            self.keep_others().await?;
        }
        let list = format!("{:#}\n", Value::Object(std::mem::take(&mut self.list)));
        self.put(&self.order.list, list.as_bytes()).await?;
        for (namespace, place, mark) in std::mem::take(&mut self.marks) {
            self.parts.state.put(namespace, &place, mark).await?;
        }
        Ok(self.done)
    }

    /// Keeps what is in the list and not here: entries that nobody could read, and those of agents that are not written.
    async fn keep_others(&mut self) -> Result<(), SessionError> {
        let Some(text) = import::read(&self.order.list).await? else { return Ok(()) };
        let file = serde_json::from_slice::<Value>(&text).unwrap_or(Value::Null);
        // What is no list at all has its copy.
        let Some(index) = index::read(&file, &import::keys(self.first)) else { return Ok(()) };
        for Indexed { key, entry } in index.entries {
            if !self.keys.contains(&key) && !self.was_removed(&key, &entry).await? {
                let (written, value) = index::write(&key, &entry);
                self.keep(written, value);
            }
        }
        for written in index.unreadable {
            if let Some(value) = file.get(&written).cloned() {
                self.keep(written, value);
            }
        }
        Ok(())
    }

    fn keep(&mut self, written: String, value: Value) {
        if !self.list.contains_key(&written) {
            self.list.insert(written, value);
            self.done.kept += 1;
        }
    }

    /// Whether a session was taken over as it is there, and is gone here since.
    async fn was_removed(&self, key: &SessionKey, entry: &SessionEntry) -> Result<bool, SessionError> {
        let owner = key.agent_or(self.first);
        if !self.order.agents.iter().any(|of| of.id == *owner) {
            return Ok(false);
        }
        let taken = self.parts.state.get(import::TAKEN, &import::mark_place(owner, key)).await?;
        let mark = import::mark(entry, 0);
        let same = |taken: &Value| ["sessionId", "updatedAt"].iter().all(|name| taken[*name] == mark[*name]);
        Ok(taken.as_ref().is_some_and(same))
    }

    /// Writes a file. Where others look, what it replaces is copied first, unless all of it is in the new one.
    async fn put(&mut self, path: &Path, bytes: &[u8]) -> Result<(), SessionError> {
        if self.order.place == ExportPlace::InUse
            && let Some(old) = import::read(path).await?
            && !bytes.starts_with(&old)
        {
            let backup = backup_of(path, self.parts.clock.now());
            write(&backup, &old).await?;
            self.done.backups.push(backup);
        }
        write(path, bytes).await
    }
}

/// A free name for a copy, in the manner of the original: `sessions.json.bak.1700000000000`.
fn backup_of(path: &Path, at: UnixMillis) -> PathBuf {
    let mut at = at.0;
    loop {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".bak.{at}"));
        let place = PathBuf::from(name);
        if !place.exists() {
            return place;
        }
        at += 1;
    }
}

fn transcript_name(entry: &SessionEntry) -> String {
    let name = names::transcript_names(entry).into_iter().next();
    name.unwrap_or_else(|| "session.jsonl".to_owned())
}

fn push(text: &mut String, line: &TranscriptLine) {
    text.push_str(&lines::write(line));
    text.push('\n');
}

fn header(session: &SessionId, stored: &[StoredEntry], cwd: &str) -> TranscriptLine {
    let at = stored.iter().find_map(|stored| entry(stored)?.at);
    let header = SessionHeader {
        id: Some(session.clone()),
        version: Some(FORMAT),
        at: Some(at.unwrap_or(UnixMillis(0))),
        cwd: Some(cwd.to_owned()),
        parent_session: None,
    };
    TranscriptLine::new(LineRecord::Header(Box::new(header)))
}

/// The original goes on from the last line. Where our leaf is another one, an entry that says nothing leads there.
fn leaf_mark(stored: &[StoredEntry], leaf: Option<EntryId>) -> Option<TranscriptLine> {
    let last = stored.iter().rev().find_map(entry)?;
    let leaf = leaf.filter(|leaf| last.id.as_ref() != Some(leaf))?;
    let taken = |id: &EntryId| stored.iter().filter_map(entry).any(|entry| entry.id.as_ref() == Some(id));
    let id =
        (1_u32..).find_map(|number| EntryId::new(format!("{number:08x}")).ok().filter(|id| !taken(id)))?;
    let body = EntryBody::Custom(CustomEntry { kind: LEAF_MARK.to_owned(), data: None });
    let mark = LineEntry { id: Some(id), parent: Some(leaf), at: last.at, body };
    Some(TranscriptLine::new(LineRecord::Entry(Box::new(mark))))
}

fn entry(stored: &StoredEntry) -> Option<&LineEntry> {
    match &stored.line.record {
        LineRecord::Entry(entry) => Some(entry),
        LineRecord::Header(_) | LineRecord::Foreign(_) => None,
    }
}

/// Writes a file that only its owner may read.
async fn write(path: &Path, bytes: &[u8]) -> Result<(), SessionError> {
    use tokio::io::AsyncWriteExt;
    let fault = |source| SessionError::File { path: path.to_owned(), action: "written", source };
    let beside = path.with_extension("openclaw-new");
    let mut options = tokio::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    options.mode(0o600);
    let mut file = options.open(&beside).await.map_err(fault)?;
    file.write_all(bytes).await.map_err(fault)?;
    file.sync_all().await.map_err(fault)?;
    tokio::fs::rename(&beside, path).await.map_err(fault)
}
