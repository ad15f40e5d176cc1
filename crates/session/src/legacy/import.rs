//! Takes the sessions of the original over into the store.
//!
//! For each session once: what was taken is remembered, so that a session removed here does not come back, and a
//! session that went on here stays as it is. A session that went on there is taken again, as long as nobody wrote here.
//! `take` decides that for each session. What the calls in a transcript took goes into the ledger, each call once
//! (`usage`). A mark is written only when everything it stands for is durable.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::join_all;
use openclaw_ports::Clock;
use openclaw_ports::stores::{ImportedCall, SessionStore, StateStore, StoreError, UsageLedger};
use openclaw_types::{
    AgentId, KeyContext, LineRecord, SessionBreadth, SessionEntry, SessionId, SessionKey, TranscriptLine,
};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::index::{self, Indexed};
use super::lines::{self, LegacyLines, LineProblem};
use super::merge::{ListedSession, Merged, entries_of_own_runs, merge_session};
use super::names::{self, FileKind};
use super::usage;
use crate::SessionError;

/// Where what was taken is remembered.
pub(super) const TAKEN: &str = "sessions.imported";
/// Where it is remembered whose calls are in the ledger, by file.
pub(super) const COUNTED: &str = "usage.imported";
/// How many transcripts are read ahead.
const READ_AHEAD: usize = 3;
/// How many marks are written at once.
const MARKS_PER_COMMIT: usize = 64;
/// How many calls are entered at once.
const CALLS_PER_COMMIT: usize = 2_000;

/// What an import or an export needs.
#[derive(Clone)]
pub struct LegacyParts {
    /// Keeps sessions.
    pub store: Arc<dyn SessionStore>,
    /// Remembers what was taken.
    pub state: Arc<dyn StateStore>,
    /// Keeps what calls of models took.
    pub ledger: Arc<dyn UsageLedger>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

/// A list of sessions to take over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportOrder {
    /// Whose sessions they are where their names do not say.
    pub agent: AgentId,
    /// The list, `sessions.json` mostly. Transcripts lie beside it.
    pub list: PathBuf,
    /// Folders for transcripts that are not beside the list: the original finds them where an entry says.
    pub further: Vec<PathBuf>,
}

/// What was taken over.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// The sessions, new or brought up to date.
    pub sessions: Vec<SessionKey>,
    /// The sessions that were begun anew here before they could be taken over. What was said there is an archived
    /// transcript of theirs.
    pub past: Vec<SessionKey>,
    /// The sessions that stayed as they are here, and why.
    pub skipped: Vec<Skipped>,
    /// Lines that are worth a look, by file.
    pub problems: Vec<(String, LineProblem)>,
    /// Transcripts of the past. They were left alone.
    pub archives: Vec<String>,
    /// Transcripts that no session uses. They were left alone.
    pub orphans: Vec<String>,
}

/// A session that was not taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The session, as the file calls it.
    pub key: String,
    /// Why.
    pub cause: SkippedCause,
}

/// Why a session was not taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SkippedCause {
    /// It was taken before and has not changed since.
    Unchanged,
    /// What is here is newer.
    Newer,
    /// It went on here and there. What is here stays; compare the two by hand.
    Diverged,
    /// A run that was cut off goes on in what is here. It is taken at the next start.
    UnderWay,
    /// Its entry or its transcript cannot be read.
    Unreadable,
    /// The store failed. It is taken at the next start.
    NotStored,
}

impl SkippedCause {
    /// Whether all of it is here already, so that nobody needs to know.
    #[must_use]
    pub fn is_harmless(self) -> bool {
        self == Self::Unchanged
    }

    /// The cause in words.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unchanged => "imported before, and unchanged since",
            Self::Newer => "newer here",
            Self::Diverged => "continued both here and there",
            Self::UnderWay => "an interrupted run continues here; imported at the next start",
            Self::Unreadable => "cannot be read",
            Self::NotStored => "cannot be stored; imported at the next start",
        }
    }
}

/// Takes over a list of sessions with their transcripts. A list that is not there is an empty one.
///
/// # Errors
/// When the list cannot be read or a store cannot write. What was taken until then stays, and the next import goes on.
pub async fn import_sessions(parts: &LegacyParts, order: &ImportOrder) -> Result<Imported, SessionError> {
    let shelf = Shelf::of(order).await?;
    let index = read_list(order).await?;
    let marks = Marks::of(parts.state.as_ref()).await?;
    let mut importer = Importer {
        parts,
        order,
        shelf: &shelf,
        marks,
        pending: Pending::default(),
        done: Imported::default(),
        used: HashSet::new(),
    };
    let unreadable = |key: &String| Skipped { key: key.clone(), cause: SkippedCause::Unreadable };
    importer.done.skipped.extend(index.unreadable.iter().map(unreadable));
    importer.sessions(index.entries).await?;
    importer.list_others();
    let counted = importer.orphans().await;
    // What was stored until then is remembered, whatever went wrong.
    importer.commit().await?;
    counted.map(|()| importer.done)
}

async fn read_list(order: &ImportOrder) -> Result<index::Index, SessionError> {
    let Some(text) = read(&order.list).await? else { return Ok(index::Index::default()) };
    let value = serde_json::from_slice::<Value>(&text).unwrap_or(Value::Null);
    index::read(&value, &keys(&order.agent)).ok_or_else(|| {
        SessionError::refused(format!(
            "{} holds no list of sessions; restore it from a copy, or move it away to begin without one",
            order.list.display()
        ))
    })
}

/// What the names in a list mean; those without an agent are of this one.
pub(super) fn keys(agent: &AgentId) -> KeyContext {
    KeyContext::new(agent, "main", SessionBreadth::PerSender)
}

/// How a session is remembered: it is taken again when its entry or the size of its transcript is another one.
pub(super) fn mark(entry: &SessionEntry, bytes: usize) -> Value {
    json!({ "sessionId": entry.session_id, "updatedAt": entry.updated_at, "bytes": bytes })
}

/// Under which name a session is remembered.
pub(super) fn mark_place(agent: &AgentId, key: &SessionKey) -> String {
    format!("{agent}/{key}")
}

/// Under which name it is remembered that the calls of a file are in the ledger.
pub(super) fn counted_place(agent: &AgentId, file: &str) -> String {
    format!("{agent}/{file}")
}

/// The folders with transcripts and the names of their files, the one beside the list first.
struct Shelf(Vec<(PathBuf, Vec<String>)>);

impl Shelf {
    async fn of(order: &ImportOrder) -> Result<Self, SessionError> {
        let mut folders: Vec<PathBuf> = order.list.parent().map(Path::to_owned).into_iter().collect();
        folders.extend(order.further.iter().cloned());
        let mut all = Vec::new();
        for folder in folders {
            let files = files(&folder).await?;
            all.push((folder, files));
        }
        Ok(Self(all))
    }

    fn beside(&self) -> &[String] {
        self.0.first().map(|(_, files)| files.as_slice()).unwrap_or_default()
    }

    /// The first file with one of these names.
    fn find(&self, names: &[String]) -> Option<(PathBuf, String)> {
        self.0.iter().find_map(|(folder, files)| {
            let name = names.iter().find(|name| files.binary_search(name).is_ok())?;
            Some((folder.join(name), name.clone()))
        })
    }
}

/// What earlier imports remembered.
struct Marks {
    taken: HashMap<String, Value>,
    counted: HashMap<String, Value>,
}

impl Marks {
    async fn of(state: &dyn StateStore) -> Result<Self, StoreError> {
        let taken = state.list(TAKEN).await?.into_iter().collect();
        let counted = state.list(COUNTED).await?.into_iter().collect();
        Ok(Self { taken, counted })
    }
}

/// What is written together. The calls come first: a mark says that they are in the ledger.
#[derive(Default)]
struct Pending {
    calls: Vec<ImportedCall>,
    marks: Vec<(&'static str, String, Value)>,
}

/// A session of the list whose transcript is being read.
struct PendingSession {
    agent: AgentId,
    indexed: Indexed,
    /// The name of its file; empty when there is none.
    name: String,
    file: Option<JoinHandle<std::io::Result<FileContent>>>,
}

/// What a file holds.
enum FileContent {
    /// It was taken before as it is, and its calls were counted.
    Known,
    /// It is not there any more.
    Gone,
    Read(usize, LegacyLines),
}

struct Importer<'a> {
    parts: &'a LegacyParts,
    order: &'a ImportOrder,
    shelf: &'a Shelf,
    marks: Marks,
    pending: Pending,
    done: Imported,
    /// The names of files that sessions use.
    used: HashSet<String>,
}

impl Importer<'_> {
    /// Takes one session after the other, while the files of the next ones are read.
    async fn sessions(&mut self, entries: Vec<Indexed>) -> Result<(), SessionError> {
        let mut entries = entries.into_iter();
        let mut ahead = VecDeque::new();
        loop {
            while ahead.len() < READ_AHEAD
                && let Some(indexed) = entries.next()
            {
                ahead.push_back(self.begin(indexed));
            }
            let Some(pending) = ahead.pop_front() else { return Ok(()) };
            let key = pending.indexed.key.clone();
            // One session that cannot be stored does not block the others.
            if let Err(error) = self.session(pending).await {
                tracing::warn!(subsystem = "sessions", session = %key, %error, "a session of an earlier installation cannot be stored");
                self.skip(&key, SkippedCause::NotStored);
            }
            if self.pending.marks.len() >= MARKS_PER_COMMIT || self.pending.calls.len() >= CALLS_PER_COMMIT {
                self.commit().await?;
            }
        }
    }

    /// Begins to read the transcript of a session.
    fn begin(&mut self, indexed: Indexed) -> PendingSession {
        let agent = indexed.key.agent_or(&self.order.agent).clone();
        let found = self.shelf.find(&names::transcript_names(&indexed.entry));
        let Some((path, name)) = found else {
            return PendingSession { agent, indexed, name: String::new(), file: None };
        };
        let taken = self.marks.taken.get(&mark_place(&agent, &indexed.key)).cloned();
        let counted = self.marks.counted.get(&counted_place(&self.order.agent, &name)).cloned();
        let entry = indexed.entry.clone();
        let is_known = move |bytes: usize| {
            taken.as_ref() == Some(&mark(&entry, bytes)) && counted.as_ref() == Some(&json!(bytes))
        };
        self.used.insert(name.clone());
        let file = tokio::task::spawn_blocking(move || look(&path, is_known));
        PendingSession { agent, indexed, name, file: Some(file) }
    }

    async fn session(&mut self, reading: PendingSession) -> Result<(), SessionError> {
        let PendingSession { agent, indexed: Indexed { key, entry }, name, file } = reading;
        let (bytes, LegacyLines { lines, problems }) = match read_file(file).await {
            Ok(FileContent::Known) => {
                self.skip(&key, SkippedCause::Unchanged);
                return Ok(());
            }
            Ok(FileContent::Gone) => (0, LegacyLines::default()),
            Ok(FileContent::Read(bytes, lines)) => (bytes, lines),
            // One transcript that cannot be read does not block the others.
            Err(error) => {
                tracing::warn!(subsystem = "sessions", session = %key, %error, "a transcript of an earlier installation cannot be read");
                self.skip(&key, SkippedCause::Unreadable);
                return Ok(());
            }
        };
        let stored = self.parts.store.transcript(&agent, &entry.session_id).await?;
        if !name.is_empty() {
            let ours = entries_of_own_runs(&stored);
            self.pending.calls.extend(usage::billed_calls(&agent, key.as_str(), &lines, &ours));
            self.mark_counted(&name, bytes);
        }
        let (place, mark) = (mark_place(&agent, &key), mark(&entry, bytes));
        let before = self.marks.taken.get(&place);
        if before == Some(&mark) {
            self.skip(&key, SkippedCause::Unchanged);
            return Ok(());
        }
        let imported_before = before.is_some();
        let listed =
            ListedSession { agent: &agent, key: &key, entry: &entry, stored: &stored, imported_before };
        let merged = merge_session(self.parts, listed, lines).await?;
        if let Merged::Current | Merged::ArchivedAsPast | Merged::Covered = merged {
            // Two names in the list can mean the same session: the second is held against the first.
            self.marks.taken.insert(place.clone(), mark.clone());
            self.pending.marks.push((TAKEN, place, mark));
        }
        match merged {
            Merged::Current => {
                self.done.problems.extend(problems.into_iter().map(|problem| (name.clone(), problem)));
                self.done.sessions.push(key);
            }
            Merged::ArchivedAsPast => self.done.past.push(key),
            Merged::Covered => self.skip(&key, SkippedCause::Newer),
            Merged::Skipped(cause) => self.skip(&key, cause),
        }
        Ok(())
    }

    fn skip(&mut self, key: &SessionKey, cause: SkippedCause) {
        self.done.skipped.push(Skipped { key: key.to_string(), cause });
    }

    fn mark_counted(&mut self, name: &str, bytes: usize) {
        let place = counted_place(&self.order.agent, name);
        if self.marks.counted.get(&place) != Some(&json!(bytes)) {
            self.pending.marks.push((COUNTED, place, json!(bytes)));
        }
    }

    /// Names the files beside the list that no session uses.
    fn list_others(&mut self) {
        for name in self.shelf.beside() {
            match names::kind(name) {
                FileKind::Archive => self.done.archives.push(name.clone()),
                FileKind::Transcript if !self.used.contains(name) => self.done.orphans.push(name.clone()),
                FileKind::Transcript | FileKind::Other => {}
            }
        }
    }

    /// Counts the calls in transcripts that no session uses: the original counts them too.
    async fn orphans(&mut self) -> Result<(), SessionError> {
        let folder = self.order.list.parent().unwrap_or(Path::new("/"));
        for name in self.done.orphans.clone() {
            let counted = self.marks.counted.get(&counted_place(&self.order.agent, &name)).cloned();
            let path = folder.join(&name);
            let is_known = move |bytes: usize| counted.as_ref() == Some(&json!(bytes));
            let file = tokio::task::spawn_blocking(move || look(&path, is_known));
            let (bytes, lines) = match read_file(Some(file)).await {
                Ok(FileContent::Read(bytes, read)) => (bytes, read.lines),
                Ok(FileContent::Known | FileContent::Gone) => continue,
                Err(error) => {
                    tracing::warn!(subsystem = "sessions", file = name, %error, "a transcript of an earlier installation cannot be read");
                    continue;
                }
            };
            if let Some(session) = session_of(&name, &lines) {
                let agent = &self.order.agent;
                let stored = self.parts.store.transcript(agent, &session).await?;
                let calls =
                    usage::billed_calls(agent, session.as_str(), &lines, &entries_of_own_runs(&stored));
                self.pending.calls.extend(calls);
            }
            self.mark_counted(&name, bytes);
            if self.pending.calls.len() >= CALLS_PER_COMMIT {
                self.commit().await?;
            }
        }
        Ok(())
    }

    /// Enters the calls, then the marks. Everything else that the marks stand for is durable already.
    async fn commit(&mut self) -> Result<(), StoreError> {
        let Pending { calls, marks } = std::mem::take(&mut self.pending);
        if !calls.is_empty() {
            self.parts.ledger.import(calls).await?;
        }
        let state = self.parts.state.as_ref();
        // All at once, so that they share a commit.
        let put =
            async |(namespace, place, mark): (&str, String, Value)| state.put(namespace, &place, mark).await;
        let written = marks.into_iter().map(put);
        join_all(written).await.into_iter().collect()
    }
}

/// The session of a transcript that no list names.
fn session_of(file: &str, lines: &[TranscriptLine]) -> Option<SessionId> {
    let named = lines.iter().find_map(|line| match &line.record {
        LineRecord::Header(header) => header.id.clone(),
        LineRecord::Entry(_) | LineRecord::Foreign(_) => None,
    });
    named.or_else(|| SessionId::new(file.strip_suffix(".jsonl")?).ok())
}

async fn read_file(file: Option<JoinHandle<std::io::Result<FileContent>>>) -> std::io::Result<FileContent> {
    match file {
        Some(file) => file.await.unwrap_or_else(|ended| Err(std::io::Error::other(ended))),
        None => Ok(FileContent::Gone),
    }
}

/// Reads a file, unless its size says that it is known. Blocks.
fn look(path: &Path, is_known: impl FnOnce(usize) -> bool) -> std::io::Result<FileContent> {
    let outcome = std::fs::metadata(path).and_then(|found| {
        if usize::try_from(found.len()).is_ok_and(is_known) {
            return Ok(FileContent::Known);
        }
        let bytes = std::fs::read(path)?;
        Ok(FileContent::Read(bytes.len(), lines::read(&bytes)))
    });
    match outcome {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(FileContent::Gone),
        outcome => outcome,
    }
}

/// The names of the files of a directory, in order; none when there is no such directory.
async fn files(dir: &Path) -> Result<Vec<String>, SessionError> {
    let fault = |source| SessionError::File { path: dir.to_owned(), action: "listed", source };
    let mut listing = match tokio::fs::read_dir(dir).await {
        Ok(listing) => listing,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(fault(error)),
    };
    let mut names = Vec::new();
    while let Some(file) = listing.next_entry().await.map_err(fault)? {
        let plain = file.file_type().await.map_err(fault)?.is_file();
        names.extend(file.file_name().into_string().ok().filter(|_| plain));
    }
    names.sort();
    Ok(names)
}

/// A file; nothing when it is not there.
pub(super) async fn read(path: &Path) -> Result<Option<Vec<u8>>, SessionError> {
    match tokio::fs::read(path).await {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(SessionError::File { path: path.to_owned(), action: "read", source }),
    }
}
