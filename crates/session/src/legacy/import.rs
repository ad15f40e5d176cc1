//! Takes the sessions of the original over into the store.
//!
//! For each session once: what was taken is remembered, so that a session removed here does not come back, and a
//! session that went on here stays as it is. A session that went on there is taken again, as long as nobody wrote here.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use openclaw_ports::Clock;
use openclaw_ports::stores::{Append, Archive, ArchiveReason, Flush, SessionStore, StateStore};
use openclaw_types::{
    AgentId, EntryId, KeyContext, LineRecord, SessionBreadth, SessionEntry, SessionId, SessionKey,
    TranscriptLine,
};
use serde_json::{Value, json};

use super::index::{self, Indexed};
use super::lines::{self, LineProblem, Lines};
use super::names::{self, FileKind};
use crate::SessionError;

/// How many lines are stored at once.
const BATCH: usize = 500;
/// Where what was taken is remembered.
pub(super) const TAKEN: &str = "sessions.imported";

/// What an import or an export needs.
#[derive(Clone)]
pub struct LegacyParts {
    /// Keeps sessions.
    pub store: Arc<dyn SessionStore>,
    /// Remembers what was taken.
    pub state: Arc<dyn StateStore>,
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
    Taken,
    /// What is here is newer.
    Newer,
    /// It went on here and there. What is here stays; compare the two by hand.
    Diverged,
    /// Its entry cannot be read.
    Unreadable,
}

/// Takes over a list of sessions with their transcripts. A list that is not there is an empty one.
///
/// # Errors
/// When a file cannot be read or the store cannot write. What was taken until then stays, and the next import goes on.
pub async fn import_sessions(parts: &LegacyParts, order: &ImportOrder) -> Result<Imported, SessionError> {
    let mut done = Imported::default();
    let shelf = Shelf::of(order).await?;
    let Some(text) = read(&order.list).await? else {
        return Ok(listed(done, shelf.beside(), &HashSet::new()));
    };
    let context = keys(&order.agent);
    let value = serde_json::from_slice::<Value>(&text).unwrap_or(Value::Null);
    let Some(index) = index::read(&value, &context) else {
        return Err(SessionError::refused(format!(
            "{} holds no list of sessions; restore it from a copy, or move it away to begin without one",
            order.list.display()
        )));
    };
    let unreadable = |key: &String| Skipped { key: key.clone(), cause: SkippedCause::Unreadable };
    done.skipped.extend(index.unreadable.iter().map(unreadable));
    let mut used = HashSet::new();
    for indexed in index.entries {
        let importer = Importer { parts, order, shelf: &shelf };
        importer.session(indexed, &mut done, &mut used).await?;
    }
    Ok(listed(done, shelf.beside(), &used))
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

fn listed(mut done: Imported, files: &[String], used: &HashSet<String>) -> Imported {
    for name in files {
        match names::kind(name) {
            FileKind::Archive => done.archives.push(name.clone()),
            FileKind::Transcript if !used.contains(name) => done.orphans.push(name.clone()),
            FileKind::Transcript | FileKind::Other => {}
        }
    }
    done
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
            let name = names.iter().find(|name| files.contains(name))?;
            Some((folder.join(name), name.clone()))
        })
    }
}

struct Importer<'a> {
    parts: &'a LegacyParts,
    order: &'a ImportOrder,
    shelf: &'a Shelf,
}

impl Importer<'_> {
    async fn session(
        &self,
        indexed: Indexed,
        done: &mut Imported,
        used: &mut HashSet<String>,
    ) -> Result<(), SessionError> {
        let Indexed { key, entry } = indexed;
        let agent = key.agent_or(&self.order.agent).clone();
        let (text, name) = match self.shelf.find(&names::transcript_names(&entry)) {
            Some((path, name)) => (read(&path).await?, name),
            None => (None, String::new()),
        };
        used.insert(name.clone());
        let mark = mark(&entry, text.as_ref().map_or(0, Vec::len));
        let place = mark_place(&agent, &key);
        if self.parts.state.get(TAKEN, &place).await?.as_ref() == Some(&mark) {
            done.skipped.push(Skipped { key: key.to_string(), cause: SkippedCause::Taken });
            return Ok(());
        }
        let read = text.as_deref().map(lines::read).unwrap_or_default();
        let Lines { lines, problems } = read;
        match self.take(&agent, &key, &entry, lines).await? {
            None => {
                done.problems.extend(problems.into_iter().map(|problem| (name.clone(), problem)));
                done.sessions.push(key);
                self.parts.state.put(TAKEN, &place, mark).await?;
            }
            Some(cause) => done.skipped.push(Skipped { key: key.to_string(), cause }),
        }
        Ok(())
    }

    /// Stores a session unless what is here is newer. Says why not.
    async fn take(
        &self,
        agent: &AgentId,
        key: &SessionKey,
        entry: &SessionEntry,
        lines: Vec<TranscriptLine>,
    ) -> Result<Option<SkippedCause>, SessionError> {
        let store = &self.parts.store;
        let here = store.entry(agent, key).await?;
        let is_newer = |here: &SessionEntry| here.updated_at > entry.updated_at;
        match &here {
            Some(here) if here.session_id != entry.session_id && is_newer(here) => {
                return Ok(Some(SkippedCause::Newer));
            }
            Some(here) if here.session_id != entry.session_id => {
                let (session, reason) = (here.session_id.clone(), ArchiveReason::Reset);
                let at = self.parts.clock.now();
                let archive = Archive { agent: agent.clone(), session, key: key.clone(), reason, at };
                store.archive(archive).await?;
            }
            _ => {}
        }
        let stored =
            ids(store.transcript(agent, &entry.session_id).await?.iter().map(|stored| &*stored.line));
        let written = ids(lines.iter());
        match (stored.is_subset(&written), written.is_subset(&stored)) {
            (true, _) => self.append(agent, &entry.session_id, lines).await?,
            (false, true) => return Ok(Some(SkippedCause::Newer)),
            (false, false) => return Ok(Some(SkippedCause::Diverged)),
        }
        let (expected, next) = (here, entry.clone());
        let change = Box::new(move |stored: Option<SessionEntry>| match stored {
            // Somebody wrote here meanwhile, or what is here is newer: that stays.
            Some(stored) if Some(&stored) != expected.as_deref() || stored.updated_at > next.updated_at => {
                Some(stored)
            }
            _ => Some(next),
        });
        store.change(agent, key, change).await?;
        Ok(None)
    }

    async fn append(
        &self,
        agent: &AgentId,
        session: &SessionId,
        lines: Vec<TranscriptLine>,
    ) -> Result<(), SessionError> {
        for batch in lines.chunks(BATCH) {
            let append = Append {
                agent: agent.clone(),
                session: session.clone(),
                run: None,
                begins: None,
                flush: Flush::Now,
                lines: batch.to_vec(),
            };
            self.parts.store.append(append).await?;
        }
        Ok(())
    }
}

fn ids<'a>(lines: impl Iterator<Item = &'a TranscriptLine>) -> HashSet<EntryId> {
    let id = |line: &TranscriptLine| match &line.record {
        LineRecord::Entry(entry) => entry.id.clone(),
        LineRecord::Header(_) | LineRecord::Foreign(_) => None,
    };
    lines.filter_map(id).collect()
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
