//! Documents that must keep up with the code, file headers, changelog entries, and fixtures without secrets.

use super::tree::File;

const CHANGE_KINDS: &[&str] = &["added", "changed", "fixed", "removed", "security"];
const COMMANDS: &[&str] = &["cargo run --release -- gateway", "cargo xtask test"];
/// What must not stand in a fixture: paths of somebody's machine and the beginnings of real keys.
const MARKS: &[&str] = &["/root/", "/Users/", "sk-ant-", "ghp_", "xoxb-", "-----BEGIN PRIVATE KEY-----"];

pub(super) fn check(tree: &[File]) -> Vec<String> {
    let mut complaints = headers(tree);
    complaints.extend(architecture(tree));
    complaints.extend(readme(tree));
    complaints.extend(changelog(tree));
    complaints.extend(fixtures(tree));
    complaints
}

fn headers(tree: &[File]) -> Vec<String> {
    let sources = tree.iter().filter(|file| file.is_rust());
    let bare = sources.filter(|file| !file.text.starts_with("//!") && !file.text.starts_with("#!["));
    bare.map(|file| format!("{}: begin with what lives here and what does not (`//!`)", file.path)).collect()
}

fn architecture(tree: &[File]) -> Vec<String> {
    let Some(page) = tree.iter().find(|file| file.path == "ARCHITECTURE.md") else {
        return vec!["ARCHITECTURE.md is missing".to_owned()];
    };
    let mut crates: Vec<&str> = tree
        .iter()
        .filter_map(|file| file.path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml"))
        .filter(|name| !name.contains('/'))
        .collect();
    crates.sort_unstable();
    let unlisted = crates.into_iter().filter(|name| !page.text.contains(&format!("`{name}`")));
    unlisted.map(|name| format!("ARCHITECTURE.md does not mention the crate `{name}`")).collect()
}

fn readme(tree: &[File]) -> Vec<String> {
    let Some(page) = tree.iter().find(|file| file.path == "README.md") else {
        return vec!["README.md is missing".to_owned()];
    };
    let missing = COMMANDS.iter().filter(|command| !page.text.lines().any(|line| line.trim() == **command));
    missing.map(|command| format!("README.md does not show `{command}`")).collect()
}

fn changelog(tree: &[File]) -> Vec<String> {
    let entries =
        tree.iter().filter(|file| file.path.starts_with("changelog.d/") && file.name() != "README.md");
    let wrong = entries.filter(|file| {
        let mut parts = file.name().split('.');
        let (slug, kind, end) = (parts.next(), parts.next(), parts.next());
        slug.is_none_or(str::is_empty)
            || kind.is_none_or(|kind| !CHANGE_KINDS.contains(&kind))
            || end != Some("md")
    });
    wrong.map(|file| format!("{}: name it <slug>.<{}>.md", file.path, CHANGE_KINDS.join("|"))).collect()
}

fn fixtures(tree: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in tree.iter().filter(|file| file.path.contains("/fixtures/")) {
        for mark in MARKS.iter().filter(|mark| file.text.contains(**mark)) {
            complaints.push(format!("{}: contains '{mark}'; scrub it", file.path));
        }
    }
    complaints
}
