//! What a `MEDIA:` line names: an address, or a file; and whether a file lies where files may be sent from.
//!
//! Lexical only: no file is looked at. Whoever opens the file checks again with real directories, so that links cannot
//! lead out. `flow` calls this.

use openclaw_types::percent_decoded;

/// What is attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MediaSource {
    /// An address to fetch.
    Address(String),
    /// A file by its whole path.
    File(String),
    /// A file named from the agent's workspace.
    Relative(String),
    /// A file below the home directory, without `~/`.
    Home(String),
}

/// Why something cannot be attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MediaRefusal {
    /// It names nothing.
    Empty,
    /// Only `http`, `https` and files are read.
    Scheme,
    /// A path of another kind of machine.
    Foreign,
    /// It lies outside the folders from which files may be sent.
    Outside,
    /// There is no such file, or it cannot be read.
    Absent,
    /// It leads out of its folder, or is one of the gateway's own files.
    Guarded,
    /// It is larger than may be sent.
    TooLarge,
    /// The platform takes no files.
    NoFiles,
}

/// Reads what a line names.
pub fn media_source(text: &str) -> Result<MediaSource, MediaRefusal> {
    let text = text.trim();
    if text.is_empty() || text.contains('\0') {
        return Err(MediaRefusal::Empty);
    }
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some("http" | "https") => return Ok(MediaSource::Address(text.to_owned())),
        Some("file") => return file_address(text),
        Some(_) => return Err(MediaRefusal::Scheme),
        None => {}
    }
    if text.to_ascii_lowercase().starts_with("data:") {
        return Err(MediaRefusal::Scheme);
    }
    let drive = matches!(text.as_bytes(), [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    if drive || text.starts_with("\\\\") {
        return Err(MediaRefusal::Foreign);
    }
    if let Some(below) = text.strip_prefix("~/") {
        return Ok(MediaSource::Home(below.to_owned()));
    }
    if text.starts_with('/') {
        return Ok(MediaSource::File(text.to_owned()));
    }
    Ok(MediaSource::Relative(text.strip_prefix("./").unwrap_or(text).to_owned()))
}

/// Where a file is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MediaRoots<'a> {
    /// Folders from which files may be sent, by their whole paths. The root of all files is none.
    pub allowed: &'a [String],
    /// The folder that names without a folder begin in.
    pub workspace: &'a str,
    /// The home directory.
    pub home: &'a str,
}

/// A file that lies in an allowed folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contained {
    /// The folder.
    pub root: String,
    /// The way from there, without any step up. Empty is never given.
    pub below: String,
}

/// Where a file lies among the allowed folders: in the most exact of them.
pub fn contained(source: &MediaSource, roots: &MediaRoots<'_>) -> Result<Contained, MediaRefusal> {
    let path = match source {
        MediaSource::Address(_) => return Err(MediaRefusal::Scheme),
        MediaSource::File(path) => path.clone(),
        MediaSource::Relative(path) => format!("{}/{path}", roots.workspace),
        MediaSource::Home(path) => format!("{}/{path}", roots.home),
    };
    let steps = steps(&path).ok_or(MediaRefusal::Outside)?;
    let mut best: Option<(usize, &str)> = None;
    for root in roots.allowed {
        let Some(folder) = self::steps(root).filter(|folder| !folder.is_empty()) else { continue };
        let inside = folder.len() < steps.len() && steps.starts_with(&folder);
        if inside && best.is_none_or(|(depth, _)| depth < folder.len()) {
            best = Some((folder.len(), root));
        }
    }
    let (depth, root) = best.ok_or(MediaRefusal::Outside)?;
    Ok(Contained { root: root.to_owned(), below: steps[depth..].join("/") })
}

/// The steps of a whole path, with those up taken; nothing when they lead above the root.
fn steps(path: &str) -> Option<Vec<&str>> {
    let mut steps = Vec::new();
    for step in path.strip_prefix('/')?.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop()?;
            }
            step => steps.push(step),
        }
    }
    Some(steps)
}

/// Reads `file:///a%20b`. A host other than this machine is refused.
fn file_address(text: &str) -> Result<MediaSource, MediaRefusal> {
    let rest = text.get("file://".len()..).unwrap_or("");
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return Err(MediaRefusal::Foreign);
    }
    let path = String::from_utf8(percent_decoded(path)).map_err(|_bytes| MediaRefusal::Empty)?;
    if path.contains('\0') { Err(MediaRefusal::Empty) } else { Ok(MediaSource::File(path)) }
}
