//! Entries of the allow-list: patterns for the paths of programs.
//!
//! `*` stands for anything within a folder, `**` for anything, `?` for one character, `~` for the home directory; a
//! bare `*` allows every program that was found. An entry without a slash matches nothing, as in the original. Unlike
//! there, letters count: `LS` is not `ls`.

use std::path::{Path, PathBuf};

use openclaw_config::ExecSettings;

use crate::command_line::{Executable, Kin, LocatedStep};

/// An entry of the allow-list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AllowEntry {
    /// The pattern as it is written.
    pub pattern: String,
}

/// Folders whose links are those of the system, not of an agent.
const SYSTEM_DIRS: [&str; 6] =
    ["/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin"];

impl AllowEntry {
    /// Whether the entry covers a command. Uses that run something else are covered by the bare `*` alone, and programs
    /// that have such uses by an entry that spells their name out: nobody means shells with `/usr/bin/*`.
    pub(super) fn covers(&self, step: &LocatedStep, home: &Path) -> bool {
        let pattern = self.pattern.trim();
        let Some(executable) = &step.executable else { return false };
        if pattern == "*" {
            return true;
        }
        if step.carries.is_some() || !pattern.contains('/') || (step.kin != Kin::Plain && is_wild(pattern)) {
            return false;
        }
        let Some(path) = identity(step, executable) else { return false };
        let Some(path) = path.to_str() else { return false };
        expanded(pattern, home).iter().any(|pattern| matches(pattern.as_bytes(), path.as_bytes()))
    }
}

/// Whether the name of the file is left open.
fn is_wild(pattern: &str) -> bool {
    pattern.rsplit('/').next().is_some_and(|name| name.contains(['*', '?']))
}

/// The path by which a program is known to lists and grants: the file itself, unless the system has a name for it.
///
/// A link that an agent may have made counts as what it leads to, so that swapping it gains nothing.
pub(super) fn identity<'a>(step: &LocatedStep, executable: &'a Executable) -> Option<&'a Path> {
    if executable.found.file_name() == executable.real.file_name() {
        return Some(&executable.real);
    }
    if executable.found.parent().is_some_and(is_system_dir) {
        return Some(&executable.found);
    }
    step.carries.is_none().then_some(executable.real.as_path())
}

fn is_system_dir(folder: &Path) -> bool {
    SYSTEM_DIRS.iter().chain(&ExecSettings::SAFE_BIN_DIRS).any(|known| folder == Path::new(known))
}

/// The pattern with the home directory in it, and the same through the links of its folder.
fn expanded(pattern: &str, home: &Path) -> Vec<String> {
    let full = match pattern.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None => PathBuf::from(pattern),
    };
    let mut patterns = vec![full.to_string_lossy().into_owned()];
    let folder = full.parent().filter(|folder| !folder.to_string_lossy().contains(['*', '?']));
    if let (Some(Ok(folder)), Some(name)) = (folder.map(Path::canonicalize), full.file_name()) {
        patterns.push(folder.join(name).to_string_lossy().into_owned());
    }
    patterns
}

/// Matches with a set of places in the pattern, so that no pattern takes more than pattern × text steps.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let mut places = vec![false; pattern.len() + 1];
    places[0] = true;
    skip_stars(pattern, &mut places);
    for letter in text {
        let mut next = vec![false; pattern.len() + 1];
        for (place, sign) in pattern.iter().enumerate().filter(|(place, _)| places[*place]) {
            match sign {
                b'*' => next[place] |= *letter != b'/' || is_double(pattern, place),
                b'?' => next[place + 1] |= *letter != b'/',
                same => next[place + 1] |= same == letter,
            }
        }
        skip_stars(pattern, &mut next);
        places = next;
    }
    places[pattern.len()]
}

fn is_double(pattern: &[u8], place: usize) -> bool {
    pattern.get(place + 1) == Some(&b'*') || (place > 0 && pattern.get(place - 1) == Some(&b'*'))
}

fn skip_stars(pattern: &[u8], places: &mut [bool]) {
    for (place, sign) in pattern.iter().enumerate() {
        if *sign == b'*' && places[place] {
            places[place + 1] = true;
        }
    }
}
