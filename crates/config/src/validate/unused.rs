//! Keys that the format has and this gateway does nothing with. Whoever writes one is told, instead of waiting for it.
//!
//! Whoever makes a key work takes its line out.

use openclaw_schema::Step;
use serde_json::Value;

use super::{Findings, Part};
use crate::issue::{ConfigIssue, Place};
use crate::key_path::dotted;

const NO_EFFECT: &str = "not used by this gateway: it has no effect";
/// The words it stands for go before what people write on that one platform.
const WHATSAPP_ONLY: &str = "only for WhatsApp, which this gateway does not have: it has no effect";
const NO_SKILLS: &str = "this gateway offers no skills yet: it has no effect";
const NO_VOICE: &str = "this gateway joins no voice channels: it has no effect";
const NO_ACP: &str = "this gateway connects no coding agents: it has no effect";

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

/// The same inside the section of a platform, and of each of its accounts. `*` stands for any name.
const UNUSED_OF_PLATFORMS: &[(&[&str], &str)] = &[
    (&["groups", "*", "skills"], NO_SKILLS),
    (&["groups", "*", "topics", "*", "skills"], NO_SKILLS),
    (&["guilds", "*", "channels", "*", "skills"], NO_SKILLS),
    (&["channels", "*", "skills"], NO_SKILLS),
    (&["rooms", "*", "skills"], NO_SKILLS),
    (&["threadBindings", "spawnAcpSessions"], NO_ACP),
    (&["voice"], NO_VOICE),
];

/// Adds a warning for each of them that is set.
pub(super) fn warn(config: &Value, place: &dyn Fn(&[Step], Part) -> Option<Place>, findings: &mut Findings) {
    let mut told = |path: &[Step], message: &str| {
        findings.warnings.add(|| ConfigIssue {
            path: dotted(path),
            message: message.to_owned(),
            hint: None,
            place: place(path, Part::Key),
        });
    };
    for (keys, message) in UNUSED {
        visit(config, keys, &mut Vec::new(), &mut |path| told(path, message));
    }
    for (keys, message) in UNUSED_OF_PLATFORMS {
        for begin in [&["channels", "*"][..], &["channels", "*", "accounts", "*"]] {
            let keys = [begin, keys].concat();
            visit(config, &keys, &mut Vec::new(), &mut |path| told(path, message));
        }
    }
}

/// Finds every place that these keys lead to. What is switched off there is as good as not written.
fn visit(value: &Value, keys: &[&str], path: &mut Vec<Step>, found: &mut dyn FnMut(&[Step])) {
    let Some((key, rest)) = keys.split_first() else {
        if !is_off(value) {
            found(path);
        }
        return;
    };
    let Some(fields) = value.as_object() else { return };
    for (name, below) in fields.iter().filter(|(name, _)| *key == "*" || name == key) {
        path.push(Step::Key(name.clone()));
        visit(below, rest, path, found);
        path.pop();
    }
}

fn is_off(value: &Value) -> bool {
    *value == Value::Bool(false) || value.get("enabled") == Some(&Value::Bool(false))
}
