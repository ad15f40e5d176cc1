//! Whether `git` speaks to another repository on this machine: such a one runs hooks and helpers of its own.
//!
//! Nothing that the first `git` is told reaches the second one (seen with git 2.47), so only addresses on other machines pass.
//! Words are understood in full or not at all: which of them is the address depends on the options in front of it.

use super::settings::{Settings, is_network};

/// A command of git with its words.
pub(super) struct Order<'a> {
    pub(super) command: &'a str,
    pub(super) rest: &'a [String],
    /// A `git` in front may have changed the remotes.
    pub(super) renames: bool,
}

/// Options without a value of the commands that speak to another repository.
#[rustfmt::skip]
const FLAGS: &[&str] = &[
    "-q", "--quiet", "-v", "--verbose", "--progress", "--no-progress", "--all", "-a", "--append", "--tags", "-t",
    "--no-tags", "-n", "--dry-run", "--prune", "--prune-tags", "-f", "--force", "--force-with-lease",
    "--force-if-includes", "--set-upstream", "--porcelain", "--delete", "-d", "--atomic", "--no-verify", "--follow-tags",
    "--no-follow-tags", "--mirror", "--rebase", "-r", "--no-rebase", "--ff", "--ff-only", "--no-ff", "--autostash",
    "--no-autostash", "--squash", "--no-squash", "--commit", "--no-commit", "--edit", "--no-edit", "--stat", "--no-stat",
    "-k", "--keep", "--unshallow", "--update-shallow", "-4", "-6", "--ipv4", "--ipv6", "--single-branch",
    "--no-single-branch", "--bare", "--no-checkout", "--sparse", "--heads", "--branches", "--refs", "--symref",
    "--exit-code", "-h",
];

/// Options that have one, in the next word or behind `=`.
#[rustfmt::skip]
const VALUED: &[&str] = &[
    "--depth", "--deepen", "-b", "--branch", "-j", "--jobs", "--shallow-since", "--shallow-exclude", "--filter", "--sort",
    "-s", "--strategy", "-X", "--strategy-option",
];

/// Options whose value may be left out.
const MAY_BE_VALUED: &[&str] = &["--force-with-lease", "--rebase"];

/// Orders to `git remote` that only look or write down.
const BOOKKEEPING: &[&str] = &["add", "remove", "rm", "rename", "set-url", "get-url", "set-branches"];

/// Whether a command may reach another repository on this machine.
pub(super) fn stays_here(order: &Order<'_>, settings: &Settings) -> bool {
    match order.command {
        "push" | "fetch" | "pull" | "clone" | "ls-remote" => {
            order.renames || !leads_over_network(order, settings)
        }
        "remote" => !is_bookkeeping(order.rest),
        // `--remote`, however it is shortened.
        "archive" => order.rest.iter().any(|word| word.starts_with("--r")),
        _ => false,
    }
}

fn leads_over_network(order: &Order<'_>, settings: &Settings) -> bool {
    let is_clone = order.command == "clone";
    let named = plain_words(order.rest).is_some_and(|words| match words.first() {
        Some(word) => is_network(word) || (!is_clone && settings.has_remote(word)),
        None => !is_clone,
    });
    named && settings.leads_over_network()
}

/// The words that are neither options nor their values; nothing when an option is not known.
fn plain_words(words: &[String]) -> Option<Vec<&str>> {
    let mut plain = Vec::new();
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let name = word.split_once('=').map(|(name, _)| name);
        match word {
            "--" => plain.extend(words.by_ref()),
            valued if VALUED.contains(&valued) => {
                words.next()?;
            }
            flag if FLAGS.contains(&flag) => {}
            option if option.starts_with('-') => {
                name.filter(|name| VALUED.contains(name) || MAY_BE_VALUED.contains(name))?;
            }
            word => plain.push(word),
        }
    }
    Some(plain)
}

fn is_bookkeeping(words: &[String]) -> bool {
    let fetches = |word: &String| {
        word.starts_with("--f") || (word.starts_with('-') && !word.starts_with("--") && word.contains('f'))
    };
    let order = words.iter().find(|word| !["-v", "--verbose"].contains(&word.as_str()));
    order.is_none_or(|order| BOOKKEEPING.contains(&order.as_str()) && !words.iter().any(fetches))
}
