//! Implementations of one plug point do not know each other: a folder below an adapter's root imports no sibling.
//!
//! What several of them truly share has a folder of its own, listed here with its reason.

use super::tree::File;

/// Folders whose subfolders are implementations of one plug point.
const ROOTS: &[&str] = &["crates/providers/src/apis/", "crates/channels/src/", "crates/tools/src/"];

/// Folders below a root that are there to be shared.
const SHARED: &[(&str, &str)] = &[
    ("shared", "faults, answers and pictures of all protocols"),
    ("blocks", "the block protocol that two vendors' servers speak"),
    ("openai_dialect", "what a family of protocols has in common"),
    ("conformance", "the suite that all of them pass"),
    ("samples", "test material"),
];

/// An implementation that is made of others.
const MADE_OF: &[(&str, &[&str])] = &[("github_copilot", &["openai_completions", "openai_responses"])];

pub(super) fn check(tree: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for root in ROOTS {
        let mut folders: Vec<&str> = tree
            .iter()
            .filter_map(|file| file.path.strip_prefix(root)?.split_once('/').map(|(folder, _)| folder))
            .collect();
        folders.sort_unstable();
        folders.dedup();
        for file in tree.iter().filter(|file| file.is_rust()) {
            let Some((own, _)) = file.path.strip_prefix(root).and_then(|rest| rest.split_once('/')) else {
                continue;
            };
            for other in folders.iter().filter(|other| **other != own && !may_see(own, other)) {
                if imports(&file.text, other) {
                    complaints.push(format!("{}: {own} must not know its sibling {other}", file.path));
                }
            }
        }
    }
    complaints
}

fn may_see(own: &str, other: &str) -> bool {
    SHARED.iter().any(|(shared, _)| *shared == other)
        || MADE_OF.iter().any(|(whole, parts)| *whole == own && parts.contains(&other))
}

fn imports(text: &str, sibling: &str) -> bool {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).any(|line| {
        line.contains(&format!("super::{sibling}::")) || line.contains(&format!("apis::{sibling}::"))
    })
}
