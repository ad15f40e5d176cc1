//! Keys that the format has and this gateway does nothing with. Whoever writes one is told, instead of waiting for it.
//!
//! Whoever makes a key work takes its line out.

use openclaw_schema::Step;
use serde_json::Value;

use super::{Findings, Part};
use crate::issue::{ConfigIssue, Place};
use crate::key_path::dotted;

const UNUSED: &[(&[&str], &str)] = &[
    (&["acp"], NO_EFFECT),
    (&["audio"], NO_EFFECT),
    (&["browser"], NO_EFFECT),
    (&["cron"], NO_EFFECT),
    (&["hooks"], NO_EFFECT),
    (&["messages", "messagePrefix"], WHATSAPP_ONLY),
    (&["messages", "tts"], NO_EFFECT),
    (&["talk"], NO_EFFECT),
    (&["web"], NO_EFFECT),
];

const NO_EFFECT: &str = "not used by this gateway: it has no effect";
/// The words it stands for go before what people write on that one platform.
const WHATSAPP_ONLY: &str = "only for WhatsApp, which this gateway does not have: it has no effect";

/// Adds a warning for each of them that is set.
pub(super) fn warn(config: &Value, place: &dyn Fn(&[Step], Part) -> Option<Place>, findings: &mut Findings) {
    for (keys, message) in UNUSED {
        if keys.iter().try_fold(config, |value, key| value.get(*key)).is_none() {
            continue;
        }
        let path: Vec<Step> = keys.iter().map(|key| Step::Key((*key).to_owned())).collect();
        findings.warnings.add(|| ConfigIssue {
            path: dotted(&path),
            message: (*message).to_owned(),
            hint: None,
            place: place(&path, Part::Key),
        });
    }
}
