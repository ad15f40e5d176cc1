//! What a repository brings along for `git`: its configuration and its hooks can run programs.
//!
//! A repository is only as harmless as its files: any of them may have been written by the agent or come out of an archive.
//! A listed `git` therefore runs alone where the configuration holds nothing but keys that are known to run nothing, and
//! without hooks, submodules and bare repositories in the way. `settings` reads configurations, `remotes` looks at what is
//! reached over addresses. `resolve` calls this while it looks programs up; `NEUTRAL` is the second line, for what changes
//! between the check and the run.

use std::path::{Path, PathBuf};

use super::place::is_below;
use super::read::SimpleCommand;

mod remotes;
mod settings;

use settings::{Owner, Settings};

/// Commands of git itself that an alias cannot replace. Those that run programs by their nature are in `carriers`.
#[rustfmt::skip]
const BUILT_IN: &[&str] = &[
    "add", "am", "annotate", "apply", "archive", "blame", "branch", "cat-file", "check-attr", "check-ignore", "checkout",
    "cherry", "cherry-pick", "clean", "clone", "commit", "commit-tree", "count-objects", "describe", "diff", "diff-files",
    "diff-index", "diff-tree", "fetch", "for-each-ref", "format-patch", "fsck", "gc", "grep", "hash-object", "init", "log",
    "ls-files", "ls-remote", "ls-tree", "merge", "merge-base", "merge-tree", "mktree", "mv", "name-rev", "notes", "prune",
    "pull", "push", "range-diff", "read-tree", "reflog", "remote", "repack", "replace", "reset", "restore", "rev-list",
    "rev-parse", "revert", "rm", "shortlog", "show", "show-branch", "show-ref", "sparse-checkout", "stash", "status",
    "stripspace", "switch", "symbolic-ref", "tag", "update-index", "update-ref", "var", "verify-commit", "verify-tag",
    "version", "whatchanged", "worktree", "write-tree",
];

/// Those that only look. Hooks are switched off for every checked `git`; nobody misses them here.
const READERS: &[&str] = &[
    "annotate",
    "blame",
    "cat-file",
    "describe",
    "diff",
    "for-each-ref",
    "grep",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "name-rev",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-ref",
    "status",
    "whatchanged",
];

/// Those that look into repositories inside this one, whatever they are told (seen with git 2.47).
const ENTERING: &[&str] = &["add", "stash", "diff-files", "diff-index"];

/// Whether a person would miss the hooks of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hooks {
    Matter,
    DoNotMatter,
}

/// What every checked `git` is told beside its words: nothing that a repository says about programs counts.
pub(crate) const NEUTRAL: &[(&str, &str)] = &[
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", ":"),
    ("GIT_SEQUENCE_EDITOR", ":"),
    ("GIT_ASKPASS", ""),
    ("GIT_TERMINAL_PROMPT", "0"),
    // Not `file`: another repository on this machine would run its own hooks, which nothing here switches off.
    ("GIT_ALLOW_PROTOCOL", "git:http:https:ssh"),
    ("GIT_CONFIG_COUNT", "5"),
    ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
    ("GIT_CONFIG_VALUE_0", "false"),
    ("GIT_CONFIG_KEY_1", "core.hooksPath"),
    ("GIT_CONFIG_VALUE_1", "/dev/null"),
    ("GIT_CONFIG_KEY_2", "safe.bareRepository"),
    ("GIT_CONFIG_VALUE_2", "explicit"),
    ("GIT_CONFIG_KEY_3", "diff.ignoreSubmodules"),
    ("GIT_CONFIG_VALUE_3", "all"),
    ("GIT_CONFIG_KEY_4", "submodule.recurse"),
    ("GIT_CONFIG_VALUE_4", "false"),
];

/// Programs that put files anywhere; one of them in front could change the repository after it was looked at.
const WRITERS: &[&str] = &[
    "cp", "mv", "ln", "tee", "dd", "install", "patch", "tar", "gtar", "bsdtar", "cpio", "unzip", "rsync",
    "7z", "unrar", "ditto",
];

/// Whether a program is `git`.
pub(crate) fn is_git(name: &str) -> bool {
    name == "git"
}

/// Where a program is used.
pub(super) struct Surroundings<'a> {
    /// The commands in front.
    pub(super) before: &'a [SimpleCommand],
    /// The folder.
    pub(super) directory: &'a Path,
    /// The folder in which the whole line starts.
    pub(super) start: &'a Path,
    /// The person's own configurations, whether they exist or not.
    pub(super) configs: &'a [PathBuf],
}

/// Whether a use of `git` can run what a repository, a configuration or an alias says.
pub(super) fn is_unsafe(step: &SimpleCommand, around: &Surroundings<'_>) -> bool {
    let before = around.before;
    let arguments = step.words.get(1..).unwrap_or_default();
    let Some((folder, rest)) = order(arguments, around.directory) else { return true };
    let Some((command, rest)) = rest.split_first().map(|(command, rest)| (command.as_str(), rest)) else {
        return false;
    };
    let enters = ENTERING.contains(&command) && before.iter().any(may_add_repository);
    if !BUILT_IN.contains(&command) || enters || before.iter().any(may_change_repository) {
        return true;
    }
    let hooks = if READERS.contains(&command) { Hooks::DoNotMatter } else { Hooks::Matter };
    let settings = settings_around(&folder, hooks).and_then(|own| own.joined(around.configs));
    let renames = before.iter().any(|step| may_change_remotes(step, around.directory));
    settings.is_none_or(|settings| {
        leads_out(arguments) || remotes::stays_here(&remotes::Order { command, rest, renames }, &settings)
    })
}

/// Whether a use of `git` makes a work tree that is not below the folder in which the line starts. Its files are chosen by
/// whoever made the repository, and in the right place they run later.
pub(super) fn writes_elsewhere(step: &SimpleCommand, around: &Surroundings<'_>) -> bool {
    let arguments = step.words.get(1..).unwrap_or_default();
    let Some((folder, rest)) = order(arguments, around.directory) else { return true };
    let words: Vec<&str> = rest.iter().map(String::as_str).collect();
    let places = match words.as_slice() {
        ["clone" | "init", places @ ..] | ["worktree", "add" | "move", places @ ..] => places,
        _ => return false,
    };
    let Ok(start) = around.start.canonicalize() else { return true };
    places.iter().filter_map(|word| value(word)).any(|place| !is_below(&folder.join(place), &start))
}

/// What a word says: itself, or the value of an option that has one.
fn value(word: &str) -> Option<&str> {
    if word.starts_with('-') { word.split_once('=').map(|(_, value)| value) } else { Some(word) }
}

/// The folder that the words mean, and the command with its words; nothing when options in front are not understood.
fn order<'a>(arguments: &'a [String], directory: &Path) -> Option<(PathBuf, &'a [String])> {
    let mut folder = directory.to_owned();
    let mut words = arguments;
    while let Some((word, rest)) = words.split_first() {
        match word.as_str() {
            "-C" => {
                let (inner, rest) = rest.split_first()?;
                folder = folder.join(inner);
                words = rest;
                continue;
            }
            "--no-pager"
            | "-P"
            | "--no-optional-locks"
            | "--literal-pathspecs"
            | "--glob-pathspecs"
            | "--noglob-pathspecs"
            | "--icase-pathspecs"
            | "--no-replace-objects" => {}
            "--version" | "-v" | "--help" | "-h" => return Some((folder, &[])),
            option if option.starts_with('-') => return None,
            _command => return Some((folder, words)),
        }
        words = rest;
    }
    Some((folder, &[]))
}

fn may_change_repository(step: &SimpleCommand) -> bool {
    let name = step.words.first().and_then(|word| Path::new(word).file_name()?.to_str()).unwrap_or_default();
    let names_git = |word: &String| word.split('/').any(|part| part.eq_ignore_ascii_case(".git"));
    WRITERS.contains(&name) || step.words.iter().any(names_git)
}

/// A `git` in front that may put a repository inside this one on record.
fn may_add_repository(step: &SimpleCommand) -> bool {
    let harmless = |word: &String| READERS.contains(&word.as_str()) || word == "commit";
    is_git_step(step) && !step.words.get(1).is_some_and(harmless)
}

/// A `git` in front that may give a remote another address.
fn may_change_remotes(step: &SimpleCommand, directory: &Path) -> bool {
    let order = order(step.words.get(1..).unwrap_or_default(), directory);
    is_git_step(step) && order.is_none_or(|(_, rest)| rest.first().is_some_and(|command| command == "remote"))
}

fn is_git_step(step: &SimpleCommand) -> bool {
    step.words.first().and_then(|word| Path::new(word).file_name()?.to_str()).is_some_and(is_git)
}

/// Whether a word is an address with a program in it: `ext::`, or a helper that is named.
fn leads_out(arguments: &[String]) -> bool {
    arguments.iter().any(|word| !is_plain_address(word))
}

/// Words that are no address at all are fine here.
fn is_plain_address(word: &str) -> bool {
    let value = match word.strip_prefix("--") {
        Some(option) => option.split_once('=').map_or("", |(_, value)| value),
        None => word,
    };
    // `a::b` in a message is no helper: those have names without spaces.
    value.split_once("::").is_none_or(|(helper, _)| {
        helper.is_empty() || helper.contains(char::is_whitespace) || helper.starts_with('-')
    })
}

/// The settings of the repository around a folder, none where there is no repository. Nothing when it may run programs.
fn settings_around(folder: &Path, hooks: Hooks) -> Option<Settings> {
    let folder = folder.canonicalize().ok()?;
    for place in folder.ancestors() {
        if is_bare(place) {
            return None;
        }
        let marker = place.join(".git");
        match std::fs::symlink_metadata(&marker) {
            Ok(_) => return repository_settings(place, &marker, hooks),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(_unreadable) => return None,
        }
    }
    Some(Settings::default())
}

/// A folder that git itself would take for a repository without a work tree.
fn is_bare(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

fn repository_settings(root: &Path, marker: &Path, hooks: Hooks) -> Option<Settings> {
    let places = git_dirs(root, marker)?;
    if root.join(".gitmodules").exists() || places.iter().any(|place| is_odd_git_dir(place, hooks)) {
        return None;
    }
    let files: Vec<PathBuf> =
        places.iter().flat_map(|place| [place.join("config"), place.join("config.worktree")]).collect();
    Settings::of(&files, Owner::Repository)
}

/// The folder of the repository, and the one it shares with others where it is a work tree of them.
fn git_dirs(root: &Path, marker: &Path) -> Option<Vec<PathBuf>> {
    let own = if marker.is_dir() {
        marker.to_owned()
    } else {
        let text = std::fs::read_to_string(marker).ok()?;
        root.join(text.trim().strip_prefix("gitdir:")?.trim())
    };
    match std::fs::read_to_string(own.join("commondir")) {
        Ok(text) => Some(vec![own.join(text.trim()), own]),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(vec![own]),
        Err(_unreadable) => None,
    }
}

fn is_odd_git_dir(place: &Path, hooks: Hooks) -> bool {
    let hooked = hooks == Hooks::Matter && holds(&place.join("hooks"), |name| !name.ends_with(".sample"));
    // Remotes were kept in files of their own once, and still count.
    let old_remotes = ["remotes", "branches"].iter().any(|old| holds(&place.join(old), |_any| true));
    hooked || old_remotes || place.join("modules").exists() || has_inner_repositories(place)
}

/// The mode under which the index records another repository.
const INNER_REPOSITORY: [u8; 4] = [0x00, 0x00, 0xe0, 0x00];
/// The largest index that is looked through.
const LARGEST_INDEX: u64 = 64 * 1024 * 1024;

/// Whether the index may record a repository inside this one. Bytes that look so by chance count as well; an index in
/// parts is not followed.
fn has_inner_repositories(place: &Path) -> bool {
    let index = place.join("index");
    match std::fs::metadata(&index) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return false,
        Ok(about) if about.len() <= LARGEST_INDEX => {}
        Ok(_) | Err(_) => return true,
    }
    let Ok(bytes) = std::fs::read(&index) else { return true };
    bytes.windows(INNER_REPOSITORY.len()).any(|found| found == INNER_REPOSITORY) || is_index_split(place)
}

fn is_index_split(place: &Path) -> bool {
    std::fs::read_dir(place).map_or(true, |mut entries| {
        entries.any(|entry| {
            entry.map_or(true, |entry| entry.file_name().to_string_lossy().starts_with("sharedindex."))
        })
    })
}

/// Whether a folder may hold a file of such a name. Hooks of a fresh repository end in `.sample`.
fn holds(folder: &Path, wanted: impl Fn(&str) -> bool) -> bool {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => {
            entries.any(|entry| entry.map_or(true, |entry| wanted(&entry.file_name().to_string_lossy())))
        }
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}
