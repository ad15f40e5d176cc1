//! What a repository brings along for `git`: its configuration and its hooks can run programs.
//!
//! A repository is only as harmless as its files: any of them may have been written by the agent or come out of an archive.
//! A listed `git` therefore runs alone where the configuration holds nothing but keys that are known to run nothing, and
//! without hooks, submodules and bare repositories in the way. `resolve` calls this while it looks programs up; `NEUTRAL`
//! is the second line, for what changes between the check and the run.

use std::path::{Path, PathBuf};

use super::read::Step;

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

/// Sections and keys of a repository's configuration that run nothing and lead nowhere. `*` stands for a name in between.
#[rustfmt::skip]
const HARMLESS_KEYS: &[&str] = &[
    "core.repositoryformatversion", "core.filemode", "core.bare", "core.logallrefupdates", "core.ignorecase",
    "core.precomposeunicode", "core.symlinks", "core.autocrlf", "core.eol", "core.safecrlf", "core.quotepath",
    "core.abbrev", "core.whitespace", "core.preloadindex", "core.untrackedcache", "core.longpaths", "core.sparsecheckout",
    "core.sparsecheckoutcone", "core.commitgraph", "core.compression", "core.protecthfs", "core.protectntfs",
    "extensions.objectformat", "extensions.refstorage", "extensions.worktreeconfig", "user.name", "user.email",
    "author.name", "author.email", "committer.name", "committer.email", "init.defaultbranch", "remote.*.fetch",
    "remote.*.prune", "remote.*.tagopt", "remote.*.mirror", "branch.*.merge",
    "branch.*.rebase", "branch.*.description", "branch.autosetupmerge", "branch.autosetuprebase",
    "branch.sort", "pull.rebase", "pull.ff", "push.default", "push.autosetupremote", "push.followtags", "fetch.prune",
    "fetch.prunetags", "merge.conflictstyle", "merge.ff", "merge.log", "merge.renames", "diff.renames", "diff.algorithm",
    "diff.colormoved", "diff.mnemonicprefix", "diff.noprefix", "rerere.enabled", "gc.auto", "gc.autodetach", "color.ui",
    "color.status", "color.diff", "color.branch", "log.date", "log.decorate", "log.abbrevcommit", "status.short",
    "status.branch", "status.showuntrackedfiles", "tag.sort", "column.ui", "advice.*", "commit.verbose", "rebase.autosquash",
    "rebase.autostash", "index.version", "feature.manyfiles", "pack.threads", "lfs.repositoryformatversion",
];

/// Keys whose value is an address, or may be one.
const ADDRESS_KEYS: &[&str] =
    &["remote.*.url", "remote.*.pushurl", "remote.pushdefault", "branch.*.remote", "branch.*.pushremote"];

/// What every checked `git` is told beside its words: nothing that a repository says about programs counts.
pub(crate) const NEUTRAL: &[(&str, &str)] = &[
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", ":"),
    ("GIT_SEQUENCE_EDITOR", ":"),
    ("GIT_ASKPASS", ""),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh"),
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

/// Whether a use of `git` in a folder can run what the repository or an alias says. `before` are the commands in front.
pub(super) fn is_unsafe(step: &Step, before: &[Step], directory: &Path) -> bool {
    let arguments = step.words.get(1..).unwrap_or_default();
    let Some((folder, command)) = order(arguments, directory) else { return true };
    let Some(command) = command else { return false };
    let enters = ENTERING.contains(&command) && before.iter().any(may_add_repository);
    if !BUILT_IN.contains(&command) || enters || before.iter().any(may_change_repository) {
        return true;
    }
    let hooks = if READERS.contains(&command) { Hooks::DoNotMatter } else { Hooks::Matter };
    leads_out(arguments) || is_odd_place(&folder, hooks)
}

/// The folder and the command that the words mean; nothing when options in front are not understood.
fn order<'a>(arguments: &'a [String], directory: &Path) -> Option<(PathBuf, Option<&'a str>)> {
    let mut folder = directory.to_owned();
    let mut words = arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "-C" => folder = folder.join(words.next()?),
            "--no-pager"
            | "-P"
            | "--no-optional-locks"
            | "--literal-pathspecs"
            | "--glob-pathspecs"
            | "--noglob-pathspecs"
            | "--icase-pathspecs"
            | "--no-replace-objects" => {}
            "--version" | "-v" | "--help" | "-h" => return Some((folder, None)),
            option if option.starts_with('-') => return None,
            command => return Some((folder, Some(command))),
        }
    }
    Some((folder, None))
}

fn may_change_repository(step: &Step) -> bool {
    let name = step.words.first().and_then(|word| Path::new(word).file_name()?.to_str()).unwrap_or_default();
    let names_git = |word: &String| word.split('/').any(|part| part.eq_ignore_ascii_case(".git"));
    WRITERS.contains(&name) || step.words.iter().any(names_git)
}

/// A `git` in front that may put a repository inside this one on record.
fn may_add_repository(step: &Step) -> bool {
    let is_git =
        step.words.first().and_then(|word| Path::new(word).file_name()?.to_str()).is_some_and(is_git);
    let harmless = |word: &String| READERS.contains(&word.as_str()) || word == "commit";
    is_git && !step.words.get(1).is_some_and(harmless)
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

/// Whether the repository around a folder may run programs. Without one there is nothing to run.
fn is_odd_place(folder: &Path, hooks: Hooks) -> bool {
    let Ok(folder) = folder.canonicalize() else { return true };
    for place in folder.ancestors() {
        if is_bare(place) {
            return true;
        }
        let marker = place.join(".git");
        match std::fs::symlink_metadata(&marker) {
            Ok(_) => return is_odd_repository(place, &marker, hooks),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(_unreadable) => return true,
        }
    }
    false
}

/// A folder that git itself would take for a repository without a work tree.
fn is_bare(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

fn is_odd_repository(root: &Path, marker: &Path, hooks: Hooks) -> bool {
    let Some(places) = git_dirs(root, marker) else { return true };
    root.join(".gitmodules").exists() || places.iter().any(|place| is_odd_git_dir(place, hooks))
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
    let configured =
        ["config", "config.worktree"].iter().any(|name| match std::fs::read_to_string(place.join(name)) {
            Ok(text) => !is_harmless_config(&text),
            Err(error) => error.kind() != std::io::ErrorKind::NotFound,
        });
    let hooked = hooks == Hooks::Matter && has_hooks(&place.join("hooks"));
    configured || hooked || place.join("modules").exists() || has_inner_repositories(place)
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

/// Hooks are programs without an ending; what a fresh repository brings along ends in `.sample`.
fn has_hooks(folder: &Path) -> bool {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.any(|entry| {
            entry.map_or(true, |entry| !entry.file_name().to_string_lossy().ends_with(".sample"))
        }),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

/// Whether every line of a configuration is one that is known. What is not understood is not harmless.
fn is_harmless_config(text: &str) -> bool {
    let mut section = String::new();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(header) = line.strip_prefix('[') {
            let Some(name) = header.strip_suffix(']').and_then(section_name) else { return false };
            section = name;
            continue;
        }
        let (key, value) = line.split_once('=').map_or((line, ""), |(key, value)| (key.trim(), value.trim()));
        let full = format!("{section}.{}", key.to_ascii_lowercase());
        // A value that goes on in the next line could hide another key from this reader.
        let known = HARMLESS_KEYS.iter().any(|known| same_key(known, &full))
            || (ADDRESS_KEYS.iter().any(|known| same_key(known, &full)) && is_plain_remote(value));
        if !known || value.ends_with('\\') {
            return false;
        }
    }
    true
}

/// `core` of `[core]`, `remote.origin` of `[remote "origin"]`.
fn section_name(header: &str) -> Option<String> {
    let Some((name, rest)) = header.split_once(char::is_whitespace) else {
        return (!header.is_empty() && !header.contains(['"', ']', '[']))
            .then(|| header.to_ascii_lowercase());
    };
    let inner = rest.trim().strip_prefix('"')?.strip_suffix('"')?;
    (!inner.contains(['"', '\\', ']'])).then(|| format!("{}.{inner}", name.to_ascii_lowercase()))
}

fn same_key(known: &str, full: &str) -> bool {
    match known.split_once('*') {
        Some((start, end)) => {
            full.len() >= start.len() + end.len() && full.starts_with(start) && full.ends_with(end)
        }
        None => known == full,
    }
}

/// An address that runs no program of its own to be reached.
fn is_plain_remote(value: &str) -> bool {
    let value = value.trim_matches('"');
    let scheme = value.split_once("://").map(|(scheme, _)| scheme);
    !value.contains("::")
        && !value.starts_with('-')
        && !value.contains(['\\', '"'])
        && scheme.is_none_or(|scheme| ["http", "https", "ssh", "git", "file"].contains(&scheme))
}
