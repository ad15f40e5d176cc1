//! Writes the sessions of agents as files that the original reads.
//!
//! Each file is written beside its place and then moved there, so that a crash leaves the old one or the new one. Files
//! that belong to no session are left alone.

use std::path::{Path, PathBuf};

use openclaw_ports::stores::StoredEntry;
use openclaw_types::{
    AgentId, CustomEntry, EntryBody, EntryId, LineEntry, LineRecord, SessionEntry, SessionHeader, SessionId,
    TranscriptLine, UnixMillis,
};
use serde_json::{Map, Value};

use super::import::LegacyParts;
use super::{index, lines, names};
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
    /// The list, `sessions.json` mostly, which is replaced. Transcripts go beside it.
    pub list: PathBuf,
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
}

/// Writes the sessions of all agents that share a list.
///
/// # Errors
/// When the store cannot be read or a file cannot be written. The list of sessions is written last.
pub async fn export_sessions(parts: &LegacyParts, order: &ExportOrder) -> Result<Exported, SessionError> {
    let dir = order.list.parent().unwrap_or(Path::new("/"));
    let fault = |source| SessionError::File { path: dir.to_owned(), action: "created", source };
    tokio::fs::create_dir_all(dir).await.map_err(fault)?;
    let mut done = Exported::default();
    let mut list = Map::new();
    for of in &order.agents {
        agent(parts, (of, dir), &mut list, &mut done).await?;
    }
    let list = format!("{:#}\n", Value::Object(list));
    write(&order.list, list.as_bytes()).await?;
    Ok(done)
}

async fn agent(
    parts: &LegacyParts,
    (of, dir): (&ExportedAgent, &Path),
    list: &mut Map<String, Value>,
    done: &mut Exported,
) -> Result<(), SessionError> {
    for (key, entry) in parts.store.entries(&of.id).await? {
        let (written, value) = index::write(&key, &entry);
        // A name without an agent can stand in a shared list once only.
        if list.contains_key(&written) {
            continue;
        }
        let path = dir.join(transcript_name(&entry));
        done.transcripts += transcript(parts, of, &entry.session_id, &path).await?;
        list.insert(written, value);
        done.sessions += 1;
    }
    for archived in parts.store.archived(&of.id).await? {
        let past = archived.archive;
        let Some(name) = names::archive_name(past.session.as_str(), past.reason, past.at) else { continue };
        done.transcripts += transcript(parts, of, &past.session, &dir.join(name)).await?;
    }
    Ok(())
}

fn transcript_name(entry: &SessionEntry) -> String {
    let name = names::transcript_names(entry).into_iter().next();
    name.unwrap_or_else(|| "session.jsonl".to_owned())
}

/// Writes one transcript and says how many that were: none when nothing was ever said.
async fn transcript(
    parts: &LegacyParts,
    of: &ExportedAgent,
    session: &SessionId,
    path: &Path,
) -> Result<usize, SessionError> {
    let stored = parts.store.transcript(&of.id, session).await?;
    if stored.is_empty() {
        return Ok(0);
    }
    let leaf = parts.store.leaf(&of.id, session).await?;
    let mut text = String::new();
    if !stored.iter().any(|stored| matches!(stored.line.record, LineRecord::Header(_))) {
        push(&mut text, &header(session, &stored, &of.cwd));
    }
    stored.iter().for_each(|stored| push(&mut text, &stored.line));
    if let Some(mark) = leaf_mark(&stored, leaf) {
        push(&mut text, &mark);
    }
    write(path, text.as_bytes()).await?;
    Ok(1)
}

fn push(text: &mut String, line: &TranscriptLine) {
    text.push_str(&lines::write(line));
    text.push('\n');
}

fn header(session: &SessionId, stored: &[StoredEntry], cwd: &str) -> TranscriptLine {
    let at = stored.iter().find_map(|stored| entry(stored)?.at);
    TranscriptLine::new(LineRecord::Header(SessionHeader {
        id: Some(session.clone()),
        version: Some(FORMAT),
        at: Some(at.unwrap_or(UnixMillis(0))),
        cwd: Some(cwd.to_owned()),
        parent_session: None,
    }))
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
