//! Reads configurations of `git`: whether every line is known to run nothing, and which addresses they name.
//!
//! A repository may come from anybody, so few keys pass. The person's own configuration may hold more: what `NEUTRAL`
//! overrules anyway, what only commands read that are asked about, and helpers in their usual words. What is not
//! understood is not harmless. The system's configuration is the administrator's and is not looked at.

use std::path::PathBuf;

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

/// Keys that run nothing where a person wrote them: aliases cannot replace a command, editors and pagers are overruled, and
/// the tools are those of commands that are always asked about.
#[rustfmt::skip]
const PERSONAL_KEYS: &[&str] = &[
    "alias.*", "core.editor", "core.pager", "pager.*", "sequence.editor", "core.excludesfile", "core.attributesfile",
    "color.*", "column.*", "log.*", "user.signingkey", "user.useconfigonly", "commit.gpgsign", "tag.gpgsign", "gpg.format",
    "diff.tool", "difftool.*", "merge.tool", "mergetool.*", "delta.*", "help.autocorrect", "web.browser", "sendemail.*",
    "credential.*.username", "credential.username", "protocol.version", "safe.directory", "http.postbuffer",
    "http.version", "http.sslverify", "rerere.autoupdate", "blame.*", "commit.cleanup", "diff.wserrorhighlight",
    "fetch.parallel", "fetch.writecommitgraph", "interactive.singlekey", "status.*", "stash.showpatch",
];

/// The filter of git-lfs, word for word as its installation writes it.
const LARGE_FILES: &[(&str, &str)] = &[
    ("filter.lfs.clean", "git-lfs clean -- %f"),
    ("filter.lfs.smudge", "git-lfs smudge -- %f"),
    ("filter.lfs.process", "git-lfs filter-process"),
    ("filter.lfs.required", "true"),
];

/// Whose configuration it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Repository,
    Person,
}

/// What configurations say, once all of it is harmless.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// Keys in full, and their values.
    entries: Vec<(String, String)>,
}

impl Settings {
    /// What files say; those that do not exist say nothing. Nothing at all when one of them may run programs.
    pub(super) fn of(files: &[PathBuf], owner: Owner) -> Option<Self> {
        let mut entries = Vec::new();
        for file in files {
            match std::fs::read_to_string(file) {
                Ok(text) => entries.extend(read(&text, owner)?),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(_unreadable) => return None,
            }
        }
        Some(Self { entries })
    }

    /// The same with the person's own.
    pub(super) fn joined(mut self, files: &[PathBuf]) -> Option<Self> {
        self.entries.extend(Self::of(files, Owner::Person)?.entries);
        Some(self)
    }

    /// Whether a word names a remote that has an address.
    pub(super) fn has_remote(&self, name: &str) -> bool {
        let key = format!("remote.{name}.url");
        self.entries.iter().any(|(known, _)| *known == key)
    }

    /// Whether every remote is on another machine.
    pub(super) fn leads_over_network(&self) -> bool {
        self.entries.iter().all(|(key, value)| {
            let is_address = ["remote.*.url", "remote.*.pushurl"].iter().any(|known| same_key(known, key));
            let is_name = !is_address && ADDRESS_KEYS.iter().any(|known| same_key(known, key));
            let value = value.trim_matches('"');
            !(is_address || is_name) || is_network(value) || (is_name && self.has_remote(value))
        })
    }
}

/// Every line of a configuration; nothing when one is not known to be harmless.
fn read(text: &str, owner: Owner) -> Option<Vec<(String, String)>> {
    let mut section = String::new();
    let mut entries = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(header) = line.strip_prefix('[') {
            section = header.strip_suffix(']').and_then(section_name)?;
            continue;
        }
        let (key, value) = line.split_once('=').map_or((line, ""), |(key, value)| (key.trim(), value.trim()));
        let full = format!("{section}.{}", key.to_ascii_lowercase());
        // A value that goes on in the next line could hide another key from this reader.
        if !is_harmless(&full, value, owner) || value.ends_with('\\') {
            return None;
        }
        entries.push((full, value.to_owned()));
    }
    Some(entries)
}

fn is_harmless(key: &str, value: &str, owner: Owner) -> bool {
    let listed = |keys: &[&str]| keys.iter().any(|known| same_key(known, key));
    let personal = || listed(PERSONAL_KEYS) || is_usual(key, value.trim_matches('"'));
    listed(HARMLESS_KEYS)
        || (listed(ADDRESS_KEYS) && is_plain_remote(value))
        || (owner == Owner::Person && personal())
}

/// Whether a value that can name a program is one of the usual ones.
fn is_usual(key: &str, value: &str) -> bool {
    let instead = key
        .strip_prefix("url.")
        .and_then(|rest| rest.strip_suffix(".insteadof").or_else(|| rest.strip_suffix(".pushinsteadof")));
    let is_helper = key == "credential.helper" || same_key("credential.*.helper", key);
    LARGE_FILES.contains(&(key, value))
        || instead.is_some_and(is_network)
        || (is_helper && is_usual_helper(value))
}

/// A helper that git finds under its name, or the one that GitHub's program installs.
fn is_usual_helper(value: &str) -> bool {
    let words: Vec<&str> = value.split_whitespace().collect();
    let plain = |word: &&str| {
        word.chars().all(|next| next.is_ascii_alphanumeric() || matches!(next, '-' | '=' | '.' | '_'))
    };
    match words[..] {
        [program, "auth", "git-credential"] if program.starts_with('!') => {
            ["!gh", "!/usr/bin/gh", "!/usr/local/bin/gh", "!/opt/homebrew/bin/gh"].contains(&program)
        }
        _ => words.iter().all(plain),
    }
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

/// An address on another machine.
pub(super) fn is_network(value: &str) -> bool {
    is_plain_remote(value)
        && match value.split_once("://") {
            Some((scheme, _)) => scheme != "file",
            // As git reads it: a colon in front of every slash makes it a machine that is reached over ssh.
            None => value.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/')),
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
