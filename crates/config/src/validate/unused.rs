//! Keys that the format has and this gateway does nothing with. Whoever writes one is told, instead of waiting for it.
//!
//! Whoever makes a key work takes its line out.

use openclaw_schema::Step;
use serde_json::Value;

use super::{Findings, Part};
use crate::issue::{ConfigIssue, Place};
use crate::key_path::dotted;

const UNUSED: &[&[&str]] = &[
    &["acp"],
    &["audio"],
    &["browser"],
    &["cron"],
    &["hooks"],
    &["messages", "messagePrefix"],
    &["messages", "tts"],
    &["talk"],
    &["web"],
];

/// Adds a warning for each of them that is set.
pub(super) fn warn(config: &Value, place: &dyn Fn(&[Step], Part) -> Option<Place>, findings: &mut Findings) {
    for keys in UNUSED {
        if keys.iter().try_fold(config, |value, key| value.get(*key)).is_none() {
            continue;
        }
        let path: Vec<Step> = keys.iter().map(|key| Step::Key((*key).to_owned())).collect();
        findings.warnings.add(|| ConfigIssue {
            path: dotted(&path),
            message: "not used by this gateway: it has no effect".to_owned(),
            hint: None,
            place: place(&path, Part::Key),
        });
    }
}
