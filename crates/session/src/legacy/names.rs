//! The names of files in a directory of sessions.

use openclaw_ports::stores::ArchiveReason;
use openclaw_types::{SessionEntry, UnixMillis};

/// What a file of the directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    /// A transcript in use.
    Transcript,
    /// A transcript that belongs to the past.
    Archive,
    /// Something else.
    Other,
}

/// What a file is, by its name.
pub(super) fn kind(name: &str) -> FileKind {
    let archived = [".jsonl.reset.", ".jsonl.deleted.", ".jsonl.bak."].iter().any(|mark| name.contains(mark));
    match name {
        _ if archived => FileKind::Archive,
        _ if name.ends_with(".jsonl") => FileKind::Transcript,
        _ => FileKind::Other,
    }
}

/// The names that the transcript of a session may have, the likeliest first. Only names, never paths: an entry must
/// not lead out of the directory.
pub(super) fn transcript_names(entry: &SessionEntry) -> Vec<String> {
    let id = entry.session_id.as_str();
    let written = entry.facts.session_file.as_deref().and_then(file_name);
    let topic = entry.facts.last_thread_id.as_ref().map(|thread| match thread.as_str() {
        Some(text) => format!("{id}-topic-{text}.jsonl"),
        None => format!("{id}-topic-{thread}.jsonl"),
    });
    let names = written.into_iter().chain([format!("{id}.jsonl")]).chain(topic);
    names.filter(|name| is_plain(name)).collect()
}

/// The name of an archived transcript.
pub(super) fn archive_name(session: &str, reason: ArchiveReason, at: UnixMillis) -> Option<String> {
    let word = match reason {
        ArchiveReason::Reset => "reset",
        ArchiveReason::Deleted => "deleted",
        ArchiveReason::Compacted => "bak",
    };
    let at = jiff::Timestamp::from_millisecond(at.0).ok()?;
    let at = format!("{at:.3}").replace(':', "-");
    Some(format!("{session}.jsonl.{word}.{at}")).filter(|name| is_plain(name))
}

fn file_name(path: &str) -> Option<String> {
    let name = path.rsplit(['/', '\\']).next()?;
    (kind(name) == FileKind::Transcript).then(|| name.to_owned())
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0'])
}
