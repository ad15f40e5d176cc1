//! Looks into the sections below `channels`, whose form their owners know.
//!
//! Unknown keys and wrong values come out like those of any other section; contradictions and sections of platforms
//! that do not exist here are told at once. Without owners nothing is looked into. Pure.

use openclaw_ports::channel::ChannelKind;
use openclaw_schema::{Checker, Issue, PathStep, closest};
use schemars::Schema;
use serde_json::{Map, Value};

use super::{Findings, IssuePart};
use crate::issue::{ConfigIssue, FilePosition};
use crate::key_path::{KeyPath, dotted};

/// Keys below `channels` that are no platforms.
const SHARED: [&str; 2] = ["defaults", "modelByChannel"];

/// What has the wrong form in the sections of platforms, with paths from the root.
pub(super) fn problems(config: &Value, owners: &[Box<dyn ChannelKind>]) -> Vec<Issue> {
    let mut found = Vec::new();
    for (owner, section) in owned(config, owners) {
        let Ok(form) = Schema::try_from(owner.form()) else { continue };
        for issue in Checker::from_schema(&form).check(section) {
            let mut path = section_path(owner.descriptor().id);
            path.extend(issue.path);
            found.push(Issue { path, ..issue });
        }
    }
    found
}

/// Adds what contradicts itself, and a warning for each section nobody owns. Gives the paths of the latter.
pub(super) fn judge(
    config: &Value,
    owners: &[Box<dyn ChannelKind>],
    place: &dyn Fn(&[PathStep], IssuePart) -> Option<FilePosition>,
    findings: &mut Findings,
) -> Vec<Vec<PathStep>> {
    for (owner, section) in owned(config, owners) {
        for fault in owner.contradictions(section) {
            let mut path = section_path(owner.descriptor().id);
            path.extend(fault.path.parse::<KeyPath>().unwrap_or_default().steps().iter().cloned());
            findings.issues.add(|| ConfigIssue {
                path: dotted(&path),
                message: fault.message,
                hint: None,
                place: place(&path, IssuePart::Value),
            });
        }
    }
    if owners.is_empty() {
        return Vec::new();
    }
    let known: Vec<&str> = owners.iter().map(|owner| owner.descriptor().id).chain(SHARED).collect();
    let names = sections(config).into_iter().flat_map(Map::keys);
    let mut unowned = Vec::new();
    for name in names.filter(|name| !known.contains(&name.as_str())) {
        let path = section_path(name);
        findings.warnings.add(|| ConfigIssue {
            path: dotted(&path),
            message: "this gateway has no such platform; the section has no effect".to_owned(),
            hint: closest(name, known.iter().copied()).map(|near| format!("did you mean '{near}'?")),
            place: place(&path, IssuePart::Key),
        });
        unowned.push(path);
    }
    unowned
}

/// The sections that somebody owns.
fn owned<'a>(
    config: &'a Value,
    owners: &'a [Box<dyn ChannelKind>],
) -> impl Iterator<Item = (&'a dyn ChannelKind, &'a Value)> {
    let sections = sections(config);
    owners.iter().filter_map(move |owner| Some((owner.as_ref(), sections?.get(owner.descriptor().id)?)))
}

fn sections(config: &Value) -> Option<&Map<String, Value>> {
    config.get("channels")?.as_object()
}

fn section_path(name: &str) -> Vec<PathStep> {
    vec![PathStep::Key("channels".to_owned()), PathStep::Key(name.to_owned())]
}
