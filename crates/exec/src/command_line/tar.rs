//! Where `tar` keeps its archive: in a place of its own choice it could write any file.
//!
//! What else tar can do is in `carriers`: without being asked about it neither unpacks nor leaves its folder nor runs
//! programs. Its words are read as every known tar might read them, so that more may count as an archive than is one.
//! `resolve` calls this while it looks programs up.

use std::path::Path;

use super::place::is_below;

/// Letters that take a word of their own, in one tar or another.
const WITH_WORD: &str = "bCfFgHIKLNsTVWX";
/// Letters for a file that is written: the archive, and what is noted about it.
const FILES: [char; 2] = ['f', 'g'];
/// The same as words.
const FILE_WORDS: [&str; 2] = ["file", "listed-incremental"];
/// Letters that make an archive or change one.
const WRITES: &str = "cruA";
/// The same as words.
const WRITE_WORDS: [&str; 6] = ["create", "append", "update", "concatenate", "catenate", "delete"];

/// Whether a use of `tar` may write outside the folder in which the line starts, or reach for another machine.
pub(super) fn leaves_folder(arguments: &[String], directory: &Path, start: &Path) -> bool {
    let files = files(arguments);
    if files.iter().any(|name| is_elsewhere(name)) {
        return true;
    }
    if !writes(arguments) {
        return false;
    }
    let Ok(start) = start.canonicalize() else { return true };
    files.iter().any(|name| *name != "-" && !is_below(&directory.join(name), &start))
}

/// Whether a name is one of another machine, which is reached with another program.
fn is_elsewhere(name: &str) -> bool {
    name.split('/').next().is_some_and(|machine| machine.contains(':'))
}

/// Every word that may name a file to write.
fn files(arguments: &[String]) -> Vec<&str> {
    let mut found = Vec::new();
    // Letters without a dash stand first, and the words for them follow in their order.
    if let Some((letters, rest)) = arguments.split_first()
        && !letters.starts_with('-')
        && letters.contains(FILES)
    {
        let taken = letters.chars().filter(|letter| WITH_WORD.contains(*letter)).count();
        found.extend(rest.iter().take(taken).map(String::as_str));
    }
    for (index, word) in arguments.iter().enumerate() {
        let next = arguments.get(index + 1).map(String::as_str);
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, next), |(name, value)| (name, Some(value)));
            found.extend(value.filter(|_| names_file(name)));
        } else if let Some(letters) = word.strip_prefix('-') {
            let behind = FILES.iter().filter_map(|letter| letters.split_once(*letter));
            found.extend(behind.filter_map(|(_, rest)| if rest.is_empty() { next } else { Some(rest) }));
        }
    }
    found
}

/// Words may be shortened. `list` is one of its own.
fn names_file(name: &str) -> bool {
    !name.is_empty() && name != "list" && FILE_WORDS.iter().any(|word| word.starts_with(name))
}

fn writes(arguments: &[String]) -> bool {
    arguments.iter().enumerate().any(|(index, word)| {
        if let Some(long) = word.strip_prefix("--") {
            let name = long.split('=').next().unwrap_or(long);
            return !name.is_empty() && WRITE_WORDS.iter().any(|word| word.starts_with(name));
        }
        let letters = match word.strip_prefix('-') {
            // Behind its letter stands the name of the archive.
            Some(letters) => letters.split('f').next().unwrap_or(letters),
            None if index == 0 => word.as_str(),
            None => return false,
        };
        letters.contains(|letter: char| WRITES.contains(letter))
    })
}
