//! Notices that a run goes round in circles: the same call with the same result, two calls in turn, waiting for
//! progress that does not come.
//!
//! Pure. `run::tools` asks before each call and tells the result after it. A call counts as long as it comes back
//! within the configured number of other calls, so that small talk between two repetitions does not hide them.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use openclaw_config::LoopRules;
use openclaw_types::Content;
use serde_json::Value;

/// Watches the calls of one run.
#[derive(Debug)]
pub(crate) struct LoopGuard {
    rules: LoopRules,
    /// How many calls there were.
    made: u64,
    seen: HashMap<Signature, Streak>,
    /// The last calls and their results, oldest first, for two calls in turn.
    tail: Vec<(Signature, u64)>,
}

/// A tool and its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Signature(u64);

#[derive(Debug, Clone, Copy)]
struct Streak {
    /// How often the call was made, whatever came of it.
    made: u64,
    /// How often in a row it gave the same result.
    same: u64,
    result: u64,
    last: u64,
}

/// What the guard says about a call that is about to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GuardVerdict {
    /// Go on.
    Fine,
    /// Go on, and tell the model.
    Warn(ToolLoop),
    /// Do not make the call, and end the run.
    Stop(ToolLoop),
}

/// A circle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ToolLoop {
    /// What kind.
    pub(crate) kind: ToolLoopKind,
    /// How many calls belong to it so far.
    pub(crate) count: u64,
}

/// The kinds of circles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolLoopKind {
    /// The same call again.
    Repeat,
    /// Two calls in turn.
    PingPong,
    /// Asking for progress that does not come.
    Poll,
}

impl LoopGuard {
    pub(crate) fn new(rules: LoopRules) -> Self {
        Self { rules, made: 0, seen: HashMap::new(), tail: Vec::new() }
    }

    /// Judges a call that is about to be made.
    pub(crate) fn judge(&self, tool: &str, arguments: &Value) -> GuardVerdict {
        if !self.rules.enabled {
            return GuardVerdict::Fine;
        }
        let call = signature(tool, arguments);
        let (made, same) = self.streak(call);
        let kind = if is_poll(tool, arguments) { ToolLoopKind::Poll } else { ToolLoopKind::Repeat };
        let counted = match kind {
            ToolLoopKind::Poll => self.rules.polls,
            _ => self.rules.repeats,
        };
        let circle = |count| ToolLoop { kind, count };
        if same >= self.rules.last_resort || (counted && same >= self.rules.critical) {
            return GuardVerdict::Stop(circle(same));
        }
        if self.rules.ping_pong
            && let Some((count, progress)) = self.in_turn(call)
        {
            let circle = ToolLoop { kind: ToolLoopKind::PingPong, count };
            if count >= self.rules.critical && progress == Progress::None {
                return GuardVerdict::Stop(circle);
            }
            if count >= self.rules.warning {
                return GuardVerdict::Warn(circle);
            }
        }
        // A poll that shows something new each time is what polls are for.
        let count = if kind == ToolLoopKind::Poll { same } else { made };
        if counted && count >= self.rules.warning {
            GuardVerdict::Warn(circle(count))
        } else {
            GuardVerdict::Fine
        }
    }

    /// Remembers a call and what came of it.
    pub(crate) fn note(&mut self, tool: &str, arguments: &Value, result: &[Content]) {
        let call = signature(tool, arguments);
        let result = digest(result);
        self.made = self.made.saturating_add(1);
        let now = self.made;
        let fresh = Streak { made: 0, same: 0, result, last: now };
        let streak = self.seen.entry(call).or_insert(fresh);
        if now.saturating_sub(streak.last) > self.rules.history {
            *streak = fresh;
        }
        streak.made = streak.made.saturating_add(1);
        streak.same = if streak.result == result { streak.same.saturating_add(1) } else { 1 };
        streak.result = result;
        streak.last = now;
        self.tail.push((call, result));
        let longest = usize::try_from(self.rules.history.max(self.rules.critical)).unwrap_or(usize::MAX);
        if self.tail.len() > longest {
            self.tail.remove(0);
        }
    }

    fn streak(&self, call: Signature) -> (u64, u64) {
        match self.seen.get(&call) {
            Some(streak) if self.made.saturating_sub(streak.last) < self.rules.history => {
                (streak.made, streak.same)
            }
            _ => (0, 0),
        }
    }

    /// How many calls two calls have taken in turn, the one to be made included; nothing when they have not.
    fn in_turn(&self, call: Signature) -> Option<(u64, Progress)> {
        let (other, _) = *self.tail.last()?;
        if other == call {
            return None;
        }
        let expected = [other, call];
        let turns: Vec<_> = self
            .tail
            .iter()
            .rev()
            .enumerate()
            .take_while(|(place, (made, _))| *made == expected[place % 2])
            .map(|(_, entry)| *entry)
            .collect();
        if turns.len() < 2 {
            return None;
        }
        let steady = |of: Signature| {
            let mut results = turns.iter().filter(|(made, _)| *made == of).map(|(_, result)| *result);
            let first = results.next();
            first.is_some_and(|first| results.all(|result| result == first))
        };
        let progress = if steady(call) && steady(other) { Progress::None } else { Progress::Some };
        Some((u64::try_from(turns.len()).unwrap_or(u64::MAX).saturating_add(1), progress))
    }
}

/// Whether anything changed from call to call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Some,
    None,
}

/// Asking how something is that goes on by itself.
fn is_poll(tool: &str, arguments: &Value) -> bool {
    let action = arguments.get("action").and_then(Value::as_str);
    tool == "process" && matches!(action, Some("poll" | "log"))
}

fn signature(tool: &str, arguments: &Value) -> Signature {
    let mut hasher = DefaultHasher::new();
    tool.hash(&mut hasher);
    hash_value(arguments, &mut hasher);
    Signature(hasher.finish())
}

/// The same for objects that differ in the order of their keys alone.
fn hash_value(value: &Value, hasher: &mut DefaultHasher) {
    match value {
        Value::Object(fields) => {
            let mut names: Vec<_> = fields.iter().collect();
            names.sort_by_key(|(name, _)| *name);
            names.len().hash(hasher);
            for (name, value) in names {
                name.hash(hasher);
                hash_value(value, hasher);
            }
        }
        Value::Array(items) => {
            items.len().hash(hasher);
            for item in items {
                hash_value(item, hasher);
            }
        }
        other => other.to_string().hash(hasher),
    }
}

fn digest(result: &[Content]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for piece in result {
        match piece {
            Content::Text(text) => text.text.trim().hash(&mut hasher),
            other => format!("{other:?}").hash(&mut hasher),
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests;
