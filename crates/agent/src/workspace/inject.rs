//! Which workspace files a model sees, and how much of each.
//!
//! `choose` and `fit` are pure; `load` reads the files. A file that should be there and is not is told as missing, a
//! blank one is skipped, a long one keeps its head and its tail.

use std::path::{Path, PathBuf};

use openclaw_config::WorkspaceSettings;
use openclaw_ports::Clock;
use openclaw_types::{SenderRank, SessionKey, SessionScope};

use super::error::WorkspaceError;
use super::folder::{Folder, off_thread};
use super::marked::MarkedText;
use super::names;
use super::prepare::prepare_now;

/// Below this many characters the rest of the room is not worth a piece of a file.
const LEAST_ROOM: usize = 64;

/// Who reads along in a session. Decides which files are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Readers {
    /// The agent's person alone.
    Person,
    /// Several people, or a guest in a conversation of their own. What is remembered about the person stays out.
    Group,
    /// A delegated or scheduled task. It gets what describes the agent and its person, no lists and no memory.
    Task,
}

impl Readers {
    /// Who reads along in a session when somebody of such a standing speaks. The main session is the person's, whoever
    /// is let into it.
    #[must_use]
    pub fn of(key: &SessionKey, standing: SenderRank) -> Self {
        let is_guests = standing == SenderRank::Guest && !matches!(key.scope(), SessionScope::Main);
        if key.is_subagent() || key.is_cron() {
            Self::Task
        } else if key.is_group() || is_guests {
            Self::Group
        } else {
            Self::Person
        }
    }

    fn sees(self, name: &str) -> bool {
        match self {
            Self::Person => true,
            Self::Group => name != names::MEMORY && name != names::MEMORY_LOWER,
            Self::Task => {
                [names::AGENTS, names::SOUL, names::TOOLS, names::IDENTITY, names::USER].contains(&name)
            }
        }
    }
}

/// The workspace files that go into a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Injection {
    /// The files, in the order in which the model reads them.
    pub files: Vec<InjectedFile>,
    /// The most characters of one file.
    pub file_chars: usize,
    /// The most characters of all of them.
    pub total_chars: usize,
}

/// One workspace file as the prompt has it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InjectedFile {
    /// Its name.
    pub name: &'static str,
    /// Where it is, or would be.
    pub path: PathBuf,
    /// How long it is, in characters.
    pub raw_chars: usize,
    /// What the model sees of it; empty when it sees nothing.
    pub text: MarkedText,
    /// How much that is.
    pub extent: Extent,
}

/// How much of a file the model sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extent {
    /// All of it.
    Whole,
    /// Its head and its tail, or nothing when there was no room left.
    Cut,
    /// There is no such file.
    Missing,
}

/// Reads the files of a workspace that these readers may see, cut to fit.
///
/// A file that cannot be read or is not a plain file of the workspace counts as missing and is noted in the log.
///
/// # Errors
/// The directory itself cannot be read.
pub async fn load(
    dir: &Path,
    settings: &WorkspaceSettings,
    readers: Readers,
) -> Result<Injection, WorkspaceError> {
    let path = dir.to_path_buf();
    let sources = off_thread(move || sources(&path, readers)).await?;
    Ok(fit(dir, sources, settings))
}

/// Gets a workspace ready and reads its files, with one trip to the disk. See `prepare` and `load`.
///
/// # Errors
/// The directory or a file cannot be made or read.
pub(super) async fn prepare_and_load(
    dir: &Path,
    settings: &WorkspaceSettings,
    readers: Readers,
    clock: &dyn Clock,
) -> Result<Injection, WorkspaceError> {
    let (path, first, now) = (dir.to_path_buf(), settings.first_files, clock.now());
    let (prepared, sources) =
        off_thread(move || Ok((prepare_now(&path, first, now)?, sources(&path, readers)?))).await?;
    prepared.finish(dir, clock).await;
    Ok(fit(dir, sources, settings))
}

fn sources(path: &Path, readers: Readers) -> Result<Vec<LoadedFile>, WorkspaceError> {
    let folder = Folder::open(path)?;
    let mut sources = Vec::new();
    for name in choose(folder.as_ref(), readers)? {
        sources.push(LoadedFile { name, text: folder.as_ref().and_then(|folder| text_of(folder, name)) });
    }
    Ok(sources)
}

/// A file before it is cut; without a text when it is missing.
pub(super) struct LoadedFile {
    pub(super) name: &'static str,
    pub(super) text: Option<String>,
}

/// The names that are looked for: those that should be there, and those that may.
fn choose(folder: Option<&Folder>, readers: Readers) -> Result<Vec<&'static str>, WorkspaceError> {
    let mut all = names::STANDING.to_vec();
    if let Some(folder) = folder {
        let upper = folder.holds(names::MEMORY)?;
        let lower =
            folder.holds(names::MEMORY_LOWER)? && !(upper && folder.same(names::MEMORY, names::MEMORY_LOWER));
        all.extend(folder.holds(names::BOOTSTRAP)?.then_some(names::BOOTSTRAP));
        all.extend(upper.then_some(names::MEMORY));
        all.extend(lower.then_some(names::MEMORY_LOWER));
    }
    all.retain(|name| readers.sees(name));
    Ok(all)
}

fn text_of(folder: &Folder, name: &str) -> Option<String> {
    match folder.read(name) {
        Ok(found) => found.map(|found| found.text),
        Err(error) => {
            tracing::warn!(subsystem = "agent", name, %error, "a workspace file is not used");
            None
        }
    }
}

/// Cuts files to the room there is, first come, first served.
pub(super) fn fit(dir: &Path, sources: Vec<LoadedFile>, settings: &WorkspaceSettings) -> Injection {
    let mut room = settings.total_chars;
    let files = sources
        .into_iter()
        .map(|source| {
            let path = dir.join(source.name);
            let (text, raw_chars, extent) = match &source.text {
                None => (missing(&path, room), 0, Extent::Missing),
                Some(text) => cut(source.name, text.trim_end(), settings.file_chars.min(room)),
            };
            room = room.saturating_sub(text.chars().count());
            InjectedFile { name: source.name, path, raw_chars, text: text.into(), extent }
        })
        .collect();
    Injection { files, file_chars: settings.file_chars, total_chars: settings.total_chars }
}

fn missing(path: &Path, room: usize) -> String {
    let text = format!("[MISSING] expected at {}", path.display());
    if text.chars().count() > room { String::new() } else { text }
}

/// At most `room` characters of a text, its length, and how much that is.
fn cut(name: &str, text: &str, room: usize) -> (String, usize, Extent) {
    let length = text.chars().count();
    if length <= room {
        return (text.to_owned(), length, Extent::Whole);
    }
    let note = format!(
        "\n\n[TRUNCATED: {name} has {length} characters; read the file for the part left out here]\n\n"
    );
    let left = room.saturating_sub(note.chars().count());
    if left < LEAST_ROOM {
        return (String::new(), length, Extent::Cut);
    }
    let tail = left * 2 / 9;
    let head: String = text.chars().take(left - tail).collect();
    let tail: String = text.chars().skip(length - tail).collect();
    (format!("{head}{note}{tail}"), length, Extent::Cut)
}
