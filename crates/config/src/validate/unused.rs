//! Keys that the format has and this gateway does nothing with. Whoever writes one is told, instead of waiting for it.
//!
//! Whoever makes a key work takes its line out.

use openclaw_schema::PathStep;
use serde_json::Value;

use super::{Findings, IssuePart};
use crate::issue::{ConfigIssue, FilePosition};
use crate::key_path::dotted;

const NO_EFFECT: &str = "not used by this gateway: it has no effect";
/// The words it stands for go before what people write on that one platform.
const WHATSAPP_ONLY: &str = "only for WhatsApp, which this gateway does not have: it has no effect";
const NO_SKILLS: &str = "this gateway offers no skills yet: it has no effect";
const NO_VOICE: &str = "this gateway joins no voice channels: it has no effect";
const NO_ACP: &str = "this gateway connects no coding agents: it has no effect";

/// Keys without effect, and what is said of them. `*` stands for every key, or every place of a list.
const UNUSED: &[(&[&str], &str)] = &[
    (&["acp"], NO_EFFECT),
    (&["audio"], NO_EFFECT),
    (&["browser"], NO_EFFECT),
    (&["channels", "defaults", "heartbeat"], NO_EFFECT),
    (&["commands", "nativeSkills"], NO_SKILLS),
    (&["cron"], NO_EFFECT),
    (&["hooks"], NO_EFFECT),
    (&["messages", "messagePrefix"], WHATSAPP_ONLY),
    (&["messages", "tts"], NO_EFFECT),
    (&["session", "maintenance", "rotateBytes"], NO_EFFECT),
    (&["talk"], NO_EFFECT),
    (&["tools", "links"], NO_EFFECT),
    (&["tools", "media"], NO_EFFECT),
    (&["web"], NO_EFFECT),
    (&["agents", "defaults", "cliBackends"], NO_EFFECT),
    (&["agents", "defaults", "embeddedPi"], NO_EFFECT),
    (&["agents", "defaults", "models", "*", "streaming"], NO_EFFECT),
];

/// The same for what all agents have, and for each of them.
const UNUSED_OF_AGENTS: &[(&[&str], &str)] = &[
    (&["heartbeat", "*"], NO_EFFECT),
    (&["memorySearch"], NO_EFFECT),
    (&["sandbox", "browser"], NO_EFFECT),
    (&["sandbox", "docker"], NO_EFFECT),
    (&["sandbox", "perSession"], NO_EFFECT),
    (&["sandbox", "prune"], NO_EFFECT),
    (&["sandbox", "scope"], NO_EFFECT),
    (&["sandbox", "workspaceAccess"], NO_EFFECT),
    (&["sandbox", "workspaceRoot"], NO_EFFECT),
    (&["skills"], NO_SKILLS),
];

/// The same inside the section of a platform, and of each of its accounts.
const UNUSED_OF_PLATFORMS: &[(&[&str], &str)] = &[
    (&["commands", "nativeSkills"], NO_SKILLS),
    (&["groups", "*", "skills"], NO_SKILLS),
    (&["groups", "*", "topics", "*", "skills"], NO_SKILLS),
    (&["guilds", "*", "channels", "*", "skills"], NO_SKILLS),
    (&["guilds", "*", "slug"], NO_EFFECT),
    (&["channels", "*", "skills"], NO_SKILLS),
    (&["heartbeat"], NO_EFFECT),
    (&["rooms", "*", "skills"], NO_SKILLS),
    (&["threadBindings", "spawnAcpSessions"], NO_ACP),
    (&["voice"], NO_VOICE),
    (&["webhookHost"], NO_EFFECT),
    (&["webhookPort"], NO_EFFECT),
];

/// What the model is told of heartbeats is used, though none are sent.
const TOLD: [&str; 2] = ["heartbeat", "prompt"];

/// Adds a warning for each of them that is set.
pub(super) fn warn(
    config: &Value,
    place: &dyn Fn(&[PathStep], IssuePart) -> Option<FilePosition>,
    findings: &mut Findings,
) {
    let mut tell = |path: &[PathStep], message: &str| {
        findings.warnings.add(|| ConfigIssue {
            path: dotted(path),
            message: message.to_owned(),
            hint: None,
            place: place(path, IssuePart::Key),
        });
    };
    let tables: [(&[&[&str]], _); 3] = [
        (&[&[]], UNUSED),
        (&[&["agents", "defaults"], &["agents", "list", "*"]], UNUSED_OF_AGENTS),
        (&[&["channels", "*"], &["channels", "*", "accounts", "*"]], UNUSED_OF_PLATFORMS),
    ];
    for (begins, table) in tables {
        for (begin, (keys, message)) in
            begins.iter().flat_map(|begin| table.iter().map(move |row| (begin, row)))
        {
            visit(config, &[*begin, *keys].concat(), &mut Vec::new(), &mut |path| tell(path, message));
        }
    }
}

/// Finds every place that these keys lead to, unless what stands there asks for nothing.
fn visit(value: &Value, keys: &[&str], path: &mut Vec<PathStep>, found: &mut dyn FnMut(&[PathStep])) {
    let Some((key, rest)) = keys.split_first() else {
        let names: Vec<&str> = path.iter().filter_map(name_of).collect();
        if !names.ends_with(&TOLD) && !asks_nothing(&names, value) {
            found(path);
        }
        return;
    };
    let below: Vec<(PathStep, &Value)> = match value {
        Value::Object(fields) => {
            let fitting = fields.iter().filter(|(name, _)| *key == "*" || name == key);
            fitting.map(|(name, below)| (PathStep::Key(name.clone()), below)).collect()
        }
        Value::Array(all) if *key == "*" => {
            all.iter().enumerate().map(|(number, below)| (PathStep::Index(number), below)).collect()
        }
        _ => Vec::new(),
    };
    for (step, below) in below {
        path.push(step);
        visit(below, rest, path, found);
        path.pop();
    }
}

fn name_of(step: &PathStep) -> Option<&str> {
    match step {
        PathStep::Key(name) => Some(name),
        PathStep::Index(_) => None,
    }
}

/// Whether a key asks for what is so anyway: what is switched off, a switch as the original's setup writes it into every
/// file, heartbeats that never come.
fn asks_nothing(names: &[&str], value: &Value) -> bool {
    let off = Value::Bool(false);
    match names.last() {
        Some(&"nativeSkills") => *value != Value::Bool(true),
        Some(&"every") => value.as_str().is_some_and(|every| every.trim().starts_with('0')),
        _ => *value == off || value.get("enabled") == Some(&off),
    }
}
