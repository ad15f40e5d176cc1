//! Decides which file a path in a call means: from which folder it is opened, and how it is called in answers.
//!
//! Pure: nothing is looked up. `reach` opens what is decided here, and holds it inside its folder whatever links say.
//! Paths are made plain by name first (`a/../b` is `b`), so that no `..` is left to be walked.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use openclaw_ports::tool::FileReach;

use crate::stop::Stop;

/// The longest path that is looked at, and its longest part, in bytes: what Linux allows.
const LONGEST_PATH: usize = 4095;
const LONGEST_PART: usize = 255;

/// What a path may start from.
#[derive(Debug, Clone)]
pub(super) struct Starts {
    /// Where the agent works, as it is configured and as it really is.
    pub(super) workspace: PathBuf,
    pub(super) workspace_real: PathBuf,
    /// The folder of long outputs, which can be read whatever the reach is.
    pub(super) keep: PathBuf,
    /// What `~` stands for.
    pub(super) home: PathBuf,
    pub(super) reach: FileReach,
}

/// The folder a file is opened from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// The workspace: nothing outside of it can be opened.
    Workspace,
    /// The folder of long outputs: nothing outside of it can be opened.
    Keep,
    /// The root of the file system.
    Machine,
}

/// A file, as a call means it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedFile {
    pub(super) base: Base,
    /// From the base, without `..`; empty for the base itself.
    pub(super) relative: PathBuf,
    /// For answers: relative to the workspace when it is inside.
    pub(super) shown: String,
}

impl Starts {
    /// What a path means.
    pub(super) fn place(&self, text: &str) -> Result<NamedFile, Stop> {
        let path = self.written(text)?;
        let absolute = plain(&self.workspace.join(&path));
        let shown = self.shown(&absolute);
        if self.reach == FileReach::Machine {
            let relative = absolute.strip_prefix("/").unwrap_or(&absolute).to_owned();
            return Ok(NamedFile { base: Base::Machine, relative, shown });
        }
        if let Some(relative) = self.inside(&absolute) {
            return Ok(NamedFile { base: Base::Workspace, relative: relative.to_owned(), shown });
        }
        if let Ok(relative) = absolute.strip_prefix(plain(&self.keep)) {
            return Ok(NamedFile { base: Base::Keep, relative: relative.to_owned(), shown });
        }
        Err(outside(&shown))
    }

    /// The path as it was written, fit to be joined.
    fn written(&self, text: &str) -> Result<PathBuf, Stop> {
        let text = text.trim_matches(['\n', '\r', ' ', '\t']);
        // Models mark files with `@`, as chat programs do.
        let text = text.strip_prefix('@').unwrap_or(text);
        let text = text.strip_prefix("file://").unwrap_or(text);
        if text.is_empty() {
            return Err(Stop::failed("The path is empty. Name a file."));
        }
        if text.contains('\0') {
            return Err(Stop::failed("The path holds a NUL character, which no file name can."));
        }
        let too_long = |part: &OsStr| part.as_bytes().len() > LONGEST_PART;
        let path = match text.strip_prefix('~') {
            Some("") => self.home.clone(),
            Some(rest) if rest.starts_with('/') => self.home.join(rest.trim_start_matches('/')),
            _ => PathBuf::from(text),
        };
        if path.as_os_str().len() > LONGEST_PATH || path.iter().any(too_long) {
            return Err(Stop::failed("The path is longer than a file system allows."));
        }
        Ok(path)
    }

    /// The part of an absolute path below the workspace, whichever way the workspace is spelled.
    fn inside<'p>(&self, absolute: &'p Path) -> Option<&'p Path> {
        let spelled = absolute.strip_prefix(plain(&self.workspace));
        spelled.or_else(|_elsewhere| absolute.strip_prefix(&self.workspace_real)).ok()
    }

    fn shown(&self, absolute: &Path) -> String {
        match self.inside(absolute) {
            Some(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
            Some(inside) => inside.display().to_string(),
            None => absolute.display().to_string(),
        }
    }
}

/// The refusal of a path that is not below the workspace.
pub(super) fn outside(shown: &str) -> Stop {
    Stop::refused(format!(
        "{shown} is outside the workspace, and the file tools of this agent only reach files inside it \
         (tools.fs.workspaceOnly, or tools.exec.applyPatch.workspaceOnly for patches). Use a path inside the workspace."
    ))
}

/// An absolute path without `.` and `..`, by name.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::Normal(part) => out.push(part),
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    out
}
