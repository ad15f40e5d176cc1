//! Decides which parts of the configuration an agent may change. Pure.
//!
//! An agent reads what strangers write, so it must not be able to change who it is, when it wakes, whom it listens to,
//! what it may run, where secrets go. What is not on the list is changed by people; older names of settings are not on
//! it either, so that none of them is a way around.

use serde_json::Value;

use crate::stop::Stop;

/// What agents may change, with everything below it.
const OPEN: &[&[&str]] = &[
    &["agents", "defaults", "model"],
    &["agents", "defaults", "models"],
    &["agents", "defaults", "imageModel"],
    &["agents", "defaults", "thinkingDefault"],
    &["agents", "defaults", "verboseDefault"],
    &["agents", "defaults", "userTimezone"],
    &["agents", "defaults", "timeFormat"],
    &["agents", "defaults", "contextTokens"],
    &["agents", "defaults", "contextPruning"],
    &["agents", "defaults", "compaction"],
    &["agents", "defaults", "timeoutSeconds"],
    &["agents", "defaults", "maxConcurrent"],
    &["agents", "defaults", "subagents"],
    &["agents", "defaults", "typingMode"],
    &["agents", "defaults", "typingIntervalSeconds"],
    &["agents", "defaults", "humanDelay"],
    &["agents", "defaults", "blockStreamingDefault"],
    &["agents", "defaults", "blockStreamingBreak"],
    &["agents", "defaults", "blockStreamingChunk"],
    &["agents", "defaults", "blockStreamingCoalesce"],
    &["logging", "level"],
    &["messages", "queue"],
    &["messages", "inbound"],
    &["messages", "responsePrefix"],
    &["messages", "ackReaction"],
    &["session", "reset"],
    &["session", "resetByType"],
    &["session", "resetByChannel"],
    &["session", "resetTriggers"],
    &["session", "typingMode"],
    &["session", "typingIntervalSeconds"],
    &["session", "agentToAgent"],
    &["session", "maintenance"],
];

/// What lies below and is closed all the same: words that a model is given as orders.
const CLOSED: &[&[&str]] = &[
    &["agents", "defaults", "compaction", "memoryFlush", "prompt"],
    &["agents", "defaults", "compaction", "memoryFlush", "systemPrompt"],
];

/// Why a whole configuration is not taken from an agent.
pub(super) const WHOLE: &str = "A whole configuration is written by people only, since it would also replace what agents may \
                                not change. Use config.patch for the parts you may change, and tell the owner the rest.";

/// The change that an agent wants, when all of it may be changed by one.
pub(super) fn judged(raw: &str) -> Result<Value, Stop> {
    let change: Value = json5::from_str(raw)
        .map_err(|error| Stop::failed(format!("gateway: `raw` is no JSON5 object: {error}.")))?;
    if change.as_object().is_none_or(serde_json::Map::is_empty) {
        return Err(Stop::failed("gateway: `raw` must be a JSON5 object with the keys to change."));
    }
    let mut closed = Vec::new();
    look(&change, &mut Vec::new(), &mut closed);
    if closed.is_empty() {
        return Ok(change);
    }
    Err(Stop::refused(format!(
        "Agents may not change {}: identity, heartbeat, schedules, channels, sign-ins, exec and security settings are \
         changed by people only. Tell the owner the exact change, for `openclaw config set`. Agents may change {}.",
        closed.join(", "),
        open_words()
    )))
}

/// What agents may change, in one line.
pub(super) fn open_words() -> String {
    let words = |paths: &[&[&str]]| paths.iter().map(|path| path.join(".")).collect::<Vec<_>>().join(", ");
    format!("{} (without {})", words(OPEN), words(CLOSED))
}

/// Notes every value of a change that lies outside of what is open.
fn look<'a>(value: &'a Value, path: &mut Vec<&'a str>, closed: &mut Vec<String>) {
    // A value in place of everything above a closed key would change that key too.
    let is_closed = CLOSED.iter().any(|closed| path.starts_with(closed) || closed.starts_with(path));
    if !is_closed && OPEN.iter().any(|open| path.starts_with(open)) {
        return;
    }
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, below) in fields {
                path.push(name);
                look(below, path, closed);
                path.pop();
            }
        }
        _ => closed.push(path.join(".")),
    }
}
