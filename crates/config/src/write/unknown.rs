//! Which unknown keys a write adds, for writers that refuse them. Pure.
//!
//! A key that the file has already and whose value stays is not added, also when its place in a list changes. The same
//! goes for the section of a platform that does not exist here, whatever becomes of its content.

use std::collections::{HashMap, HashSet};

use openclaw_schema::PathStep;

use crate::key_path::dotted;
use crate::validate::as_refusal;
use crate::{ConfigIssue, FileSnapshot, KeyPath};

/// What is wrong with the unknown keys that `next` has and `current` has not.
pub(super) fn added_unknown_keys(current: &FileSnapshot, next: &FileSnapshot) -> Vec<ConfigIssue> {
    let mut present: HashMap<_, usize> = HashMap::new();
    for path in &current.unknown {
        *present.entry(unknown_key_fingerprint(current, path)).or_default() += 1;
    }
    let mut is_added = |path: &Vec<PathStep>| match present.get_mut(&unknown_key_fingerprint(next, path)) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    };
    let added: HashSet<String> =
        next.unknown.iter().filter(|path| is_added(path)).map(|path| dotted(path)).collect();
    let mut issues: Vec<ConfigIssue> =
        next.warnings.iter().filter(|warning| added.contains(&warning.path)).map(as_refusal).collect();
    // The list of warnings has an end.
    if issues.is_empty() && !added.is_empty() {
        let message = format!("{} unknown keys are added", added.len());
        issues.push(ConfigIssue::about_file(message, "remove them"));
    }
    issues
}

/// What makes an unknown key the same in two snapshots: its place, list positions apart, and its value. The section of a
/// platform counts as a whole.
fn unknown_key_fingerprint(snapshot: &FileSnapshot, path: &[PathStep]) -> (String, Option<String>) {
    let step =
        |step: &PathStep| if let PathStep::Index(_) = step { PathStep::Index(0) } else { step.clone() };
    let place = dotted(&path.iter().map(step).collect::<Vec<_>>());
    let is_platform = path.len() == 2 && matches!(&path[0], PathStep::Key(section) if section == "channels");
    let value = KeyPath::new(path.to_vec()).find(&snapshot.resolved).filter(|_| !is_platform);
    (place, value.map(ToString::to_string))
}
