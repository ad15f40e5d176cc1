//! Moves the state directory of an earlier product name to the present one.
//!
//! The old name stays as a link, so programs that still know it keep working. Nothing is merged and nothing is
//! deleted: when anything is in the way, nothing moves and the reason is returned. Called by `doctor` and at start.

use std::path::{Path, PathBuf};

use crate::Environment;
use crate::locations::LEGACY_STATE_DIRECTORIES;

/// What became of a legacy state directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Adoption {
    /// There is none, or it already leads to the present one.
    Nothing,
    /// It was moved, and the old name now links to the new one.
    Moved {
        /// The old directory.
        from: PathBuf,
        /// The new one.
        to: PathBuf,
    },
    /// It was left alone.
    Skipped {
        /// The old directory.
        from: PathBuf,
        /// Why, and what a person can do.
        reason: String,
    },
}

/// Moves `~/.clawdbot`, `~/.moldbot` or `~/.moltbot` to `~/.openclaw`, when the latter does not exist.
///
/// Does nothing when `OPENCLAW_STATE_DIR` says where the state is. Call it before `Locations::resolve`.
#[must_use]
pub fn adopt_legacy_state_dir(environment: &Environment) -> Adoption {
    if environment.get_trimmed("OPENCLAW_STATE_DIR").is_some() {
        return Adoption::Nothing;
    }
    let target = environment.home().join(".openclaw");
    let found = LEGACY_STATE_DIRECTORIES
        .iter()
        .map(|name| environment.home().join(name))
        .find_map(|path| std::fs::symlink_metadata(&path).ok().map(|metadata| (path, metadata)));
    let Some((from, metadata)) = found else { return Adoption::Nothing };
    if metadata.is_symlink() {
        return adopt_link(from, &target);
    }
    if !metadata.is_dir() {
        return skipped(from, "it is not a directory; move it away by hand".to_owned());
    }
    if std::fs::symlink_metadata(&target).is_ok() {
        let reason =
            format!("{} already exists; merge the two by hand and remove the old one", target.display());
        return skipped(from, reason);
    }
    move_and_link(from, target)
}

fn adopt_link(from: PathBuf, target: &Path) -> Adoption {
    match (std::fs::canonicalize(&from), std::fs::canonicalize(target)) {
        (Ok(real), Ok(wanted)) if real == wanted => Adoption::Nothing,
        (Ok(real), _) => {
            skipped(from, format!("it is a link to {}; move that directory by hand", real.display()))
        }
        (Err(error), _) => skipped(from, format!("it is a link that leads nowhere ({error}); remove it")),
    }
}

fn move_and_link(from: PathBuf, to: PathBuf) -> Adoption {
    if let Err(error) = std::fs::rename(&from, &to) {
        return skipped(from, format!("it could not be moved to {}: {error}", to.display()));
    }
    match std::os::unix::fs::symlink(&to, &from) {
        Ok(()) => Adoption::Moved { from, to },
        Err(error) => match std::fs::rename(&to, &from) {
            Ok(()) => skipped(from, format!("no link could be left at the old place: {error}")),
            // The move itself worked; only the link for old programs is missing.
            Err(_) => Adoption::Moved { from, to },
        },
    }
}

fn skipped(from: PathBuf, reason: String) -> Adoption {
    Adoption::Skipped { from, reason }
}
