//! How large a file and a folder may grow before an idea is missing.

use std::collections::BTreeMap;

use super::tree::File;

const MOST_LINES: usize = 700;
const MOST_FILES: usize = 20;
const MOST_PACKAGES: usize = 440;

/// Flat tables that may be longer, each with its reason.
const LONGER: &[(&str, &str)] = &[];

pub(super) fn check(tree: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in tree.iter().filter(|file| file.is_rust() && !file.is_test()) {
        let lines = file.text.lines().count();
        let excused = LONGER.iter().any(|(path, _)| *path == file.path);
        if lines > MOST_LINES && !excused {
            complaints.push(format!("{} has {lines} lines; find the idea that splits it", file.path));
        }
    }
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for file in tree.iter().filter(|file| file.is_rust()) {
        *folders.entry(file.folder()).or_default() += 1;
    }
    for (folder, files) in folders {
        if files > MOST_FILES {
            complaints.push(format!("{folder} holds {files} source files; group them"));
        }
    }
    let packages = tree
        .iter()
        .find(|file| file.path == "Cargo.lock")
        .map_or(0, |lock| lock.text.matches("[[package]]").count());
    if packages > MOST_PACKAGES {
        complaints.push(format!(
            "Cargo.lock holds {packages} packages, more than {MOST_PACKAGES}: is the newest worth it?"
        ));
    }
    complaints
}
