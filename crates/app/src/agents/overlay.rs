//! Settings that hold until the next start: laid over the configuration that everything about answering reads.
//!
//! Nothing is written. An override that would make the configuration invalid is refused. What listens and what calls
//! models goes on with the file's own settings.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openclaw_config::{Config, FileSnapshot, KeyPath, LiveConfig, PathStep, redact};
use serde_json::{Map, Value};

/// The configuration with overrides.
pub(crate) struct Overlay {
    config: LiveConfig,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By path as it is printed, so that one setting has one override.
    overrides: BTreeMap<String, (KeyPath, Value)>,
    /// What the overrides make of a configuration, and of which one.
    made: Option<Made>,
}

struct Made {
    of: Arc<Config>,
    config: Arc<Config>,
}

impl Overlay {
    pub(super) fn new(config: &LiveConfig) -> Arc<Self> {
        Arc::new(Self { config: config.clone(), state: Mutex::default() })
    }

    /// The configuration of the moment, overrides included.
    pub(super) fn current(&self) -> Arc<Config> {
        let base = self.config.current();
        let mut state = self.state();
        if state.overrides.is_empty() {
            return base;
        }
        if let Some(made) = state.made.as_ref().filter(|made| Arc::ptr_eq(&made.of, &base)) {
            return Arc::clone(&made.config);
        }
        let snapshot = self.overlaid(&state.overrides);
        let config = if snapshot.valid {
            snapshot.config
        } else {
            tracing::warn!("the overrides do not fit the changed configuration; they are left aside");
            Arc::clone(&base)
        };
        state.made = Some(Made { of: base, config: Arc::clone(&config) });
        config
    }

    /// Overrides a setting.
    ///
    /// # Errors
    /// The configuration would not be valid; says why.
    pub(super) fn set(&self, path: &KeyPath, value: Value) -> Result<(), String> {
        let mut state = self.state();
        let mut overrides = state.overrides.clone();
        overrides.insert(path.to_string(), (path.clone(), value));
        let snapshot = self.overlaid(&overrides);
        if let Some(issue) = snapshot.issues.first() {
            return Err(format!("{} would not be valid: {}", issue.path, issue.message));
        }
        *state = State { overrides, made: None };
        Ok(())
    }

    /// Takes an override back; says whether there was one.
    pub(super) fn unset(&self, path: &KeyPath) -> bool {
        let mut state = self.state();
        state.made = None;
        state.overrides.remove(&path.to_string()).is_some()
    }

    /// Takes every override back.
    pub(super) fn clear(&self) {
        *self.state() = State::default();
    }

    /// The overrides as an object of paths and values, secrets hidden.
    pub(super) fn shown(&self) -> Value {
        let overrides = self.state().overrides.clone();
        let redacted = redact(&self.overlaid(&overrides)).config;
        let shown = overrides.into_iter().map(|(name, (path, _))| {
            let value = path.find(&redacted).cloned().unwrap_or(Value::Null);
            (name, value)
        });
        Value::Object(shown.collect::<Map<_, _>>())
    }

    /// What the running file would be with the overrides written into it.
    fn overlaid(&self, overrides: &BTreeMap<String, (KeyPath, Value)>) -> FileSnapshot {
        let mut written = self.config.running().parsed.clone();
        for (path, value) in overrides.values() {
            put(&mut written, path.steps(), value);
        }
        self.config.file().preview(&written.to_string())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Puts a value at a path, making the objects around it. What is in the way is replaced; an index beyond the end adds.
fn put(root: &mut Value, steps: &[PathStep], value: &Value) {
    let Some((step, rest)) = steps.split_first() else {
        root.clone_from(value);
        return;
    };
    match (step, &mut *root) {
        (PathStep::Index(place), Value::Array(items)) => put_item(items, *place, rest, value),
        (PathStep::Key(key), Value::Array(items)) if key.parse::<usize>().is_ok() => {
            put_item(items, key.parse().unwrap_or(usize::MAX), rest, value);
        }
        (PathStep::Key(key), Value::Object(fields)) => {
            put(fields.entry(key.as_str()).or_insert(Value::Null), rest, value);
        }
        (PathStep::Key(key), other) => {
            let mut inner = Value::Null;
            put(&mut inner, rest, value);
            *other = Value::Object(Map::from_iter([(key.clone(), inner)]));
        }
        (PathStep::Index(_), other) => {
            let mut inner = Value::Null;
            put(&mut inner, rest, value);
            *other = Value::Array(vec![inner]);
        }
    }
}

fn put_item(items: &mut Vec<Value>, place: usize, rest: &[PathStep], value: &Value) {
    if let Some(item) = items.get_mut(place) {
        return put(item, rest, value);
    }
    let mut inner = Value::Null;
    put(&mut inner, rest, value);
    items.push(inner);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_put_where_its_path_leads() {
        for (path, expected) in [
            ("a.b", json!({ "a": { "b": 9, "c": 1 }, "list": [{ "id": "x" }] })),
            ("a.c", json!({ "a": { "c": 9 }, "list": [{ "id": "x" }] })),
            ("list[0].id", json!({ "a": { "c": 1 }, "list": [{ "id": 9 }] })),
            ("list.0.name", json!({ "a": { "c": 1 }, "list": [{ "id": "x", "name": 9 }] })),
            ("list[7].id", json!({ "a": { "c": 1 }, "list": [{ "id": "x" }, { "id": 9 }] })),
            ("a.c.deep", json!({ "a": { "c": { "deep": 9 } }, "list": [{ "id": "x" }] })),
        ] {
            let mut root = json!({ "a": { "c": 1 }, "list": [{ "id": "x" }] });
            put(&mut root, path.parse::<KeyPath>().unwrap().steps(), &json!(9));
            assert_eq!(root, expected, "{path}");
        }
    }
}
