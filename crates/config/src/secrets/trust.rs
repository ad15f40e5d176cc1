//! Decides whether a file with secrets, or a program that prints them, is safe from other people on this machine.
//!
//! `judge_file`, `judge_program` and `judge_directory` are pure decisions over what the system says about a path; each refusal comes
//! with the command that repairs it.

use std::path::Path;

/// What the system says about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Facts {
    /// Who owns it.
    pub(super) owner: u32,
    /// Its permission bits.
    pub(super) mode: u32,
    /// What it is.
    pub(super) kind: Kind,
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A file with content.
    Regular,
    /// A symbolic link.
    Link,
    /// A directory, device, pipe or socket.
    Other,
}

/// Why a path is not trusted, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Distrust {
    pub(super) problem: &'static str,
    pub(super) fix: String,
}

impl Facts {
    #[cfg(unix)]
    pub(super) fn of(metadata: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let kind = match metadata.file_type() {
            kind if kind.is_file() => Kind::Regular,
            kind if kind.is_symlink() => Kind::Link,
            _ => Kind::Other,
        };
        Self { owner: metadata.uid(), mode: metadata.mode() & 0o7777, kind }
    }
}

/// A file with secrets must be ours alone.
pub(super) fn judge_file(path: &Path, facts: Facts, us: u32) -> Result<(), Distrust> {
    plain(facts)?;
    if facts.owner != us {
        return distrust("belongs to another user", format!("run: sudo chown {us} {}", shown(path)));
    }
    if facts.mode & 0o077 != 0 {
        return distrust("can be read or changed by other users", format!("run: chmod 600 {}", shown(path)));
    }
    Ok(())
}

/// A program must be ours or the system's, and only its owner may change it.
pub(super) fn judge_program(path: &Path, facts: Facts, us: u32) -> Result<(), Distrust> {
    plain(facts)?;
    if facts.owner != us && facts.owner != 0 {
        return distrust("belongs to another user", format!("run: sudo chown {us} {}", shown(path)));
    }
    if facts.mode & 0o022 != 0 {
        return distrust("can be changed by other users", format!("run: chmod go-w {}", shown(path)));
    }
    Ok(())
}

/// A directory on the way to a program must not let others replace what is in it: it is ours or the system's, and
/// only its owner may change it. A sticky directory protects what is in it.
pub(super) fn judge_directory(path: &Path, facts: Facts, us: u32) -> Result<(), Distrust> {
    if facts.owner != us && facts.owner != 0 {
        return distrust(
            "is in a directory of another user",
            format!("move the program, or run: sudo chown {us} {}", shown(path)),
        );
    }
    if facts.mode & 0o022 != 0 && facts.mode & 0o1000 == 0 {
        return distrust(
            "is in a directory that other users may change",
            format!("run: chmod go-w {}", shown(path)),
        );
    }
    Ok(())
}

fn plain(facts: Facts) -> Result<(), Distrust> {
    match facts.kind {
        Kind::Regular => Ok(()),
        Kind::Link => distrust("is a symbolic link", "name the file it leads to".to_owned()),
        Kind::Other => distrust("is not a regular file", "name a regular file".to_owned()),
    }
}

fn distrust(problem: &'static str, fix: String) -> Result<(), Distrust> {
    Err(Distrust { problem, fix })
}

/// A path as a word of a shell command.
fn shown(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+@%,:=~".contains(&byte));
    if plain { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
