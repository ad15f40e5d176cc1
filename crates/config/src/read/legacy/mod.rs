//! Moves keys of earlier versions to where they live now.
//!
//! Works on the configuration after includes and substitution, in memory: the file itself is only changed when a
//! person asks for it. A key that is already set at its new place wins, and the old one is dropped. Every move is
//! reported, so that the person knows and so that later issues point at what was really written. Pure.

mod agent;
mod chat;
mod routing;

#[cfg(test)]
mod tests;

use openclaw_schema::PathStep;
use serde_json::{Map, Value};

/// One thing that was moved or dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LegacyChange {
    /// Where it was written.
    pub(crate) from: Vec<PathStep>,
    /// Where it is now, when it moved as it was.
    pub(crate) to: Option<Vec<PathStep>>,
    /// What happened, for people.
    pub(crate) message: String,
}

/// Migrates a configuration in place.
pub(crate) fn migrate(config: &mut Value) -> Vec<LegacyChange> {
    let Value::Object(root) = config else { return Vec::new() };
    let mut migration = Migration { root, changes: Vec::new() };
    chat::migrate(&mut migration);
    agent::models(&mut migration);
    routing::migrate(&mut migration);
    agent::migrate(&mut migration);
    migration.changes
}

/// The way `path` was written before the migration moved it.
pub(crate) fn written_path(changes: &[LegacyChange], path: &[PathStep]) -> Vec<PathStep> {
    let mut written = path.to_vec();
    // The last move happened last, so it is undone first.
    for change in changes.iter().rev() {
        if let Some(to) = &change.to
            && let Some(rest) = written.strip_prefix(to.as_slice())
        {
            written = change.from.iter().chain(rest).cloned().collect();
        }
    }
    written
}

/// Where the value written at `path` is after the migration.
pub(crate) fn moved_path(changes: &[LegacyChange], path: &[PathStep]) -> Vec<PathStep> {
    let mut now = path.to_vec();
    for change in changes {
        if let Some(to) = &change.to
            && let Some(rest) = now.strip_prefix(change.from.as_slice())
        {
            now = to.iter().chain(rest).cloned().collect();
        }
    }
    now
}

/// The configuration being migrated.
struct Migration<'a> {
    root: &'a mut Map<String, Value>,
    changes: Vec<LegacyChange>,
}

impl Migration<'_> {
    fn get(&self, path: &[&str]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(self.root.get(*first)?, |value, key| value.as_object()?.get(*key))
    }

    /// Takes the value at `path` out, and the objects around it that become empty, the root's children included.
    fn take(&mut self, path: &[&str]) -> Option<Value> {
        take_from(self.root, path)
    }

    /// The object at `path`, made when it is not there. Something else in its place is replaced, as it is unusable.
    fn object(&mut self, path: &[&str]) -> &mut Map<String, Value> {
        path.iter().fold(&mut *self.root, |map, key| object_in(map, key))
    }

    /// Moves a value as it is. When the new place is taken, the old value is dropped.
    fn move_value(&mut self, from: &[&str], to: &[&str]) {
        let Some((name, parents)) = to.split_last() else { return };
        let Some(value) = self.take(from) else { return };
        if self.get(to).is_some() {
            self.dropped(from, &format!("{} is already set", to.join(".")));
            return;
        }
        self.object(parents).insert((*name).to_owned(), value);
        self.moved(from, to);
    }

    /// Moves an object; what the new place lacks is filled in, what it has is kept.
    fn merge_object(&mut self, from: &[&str], to: &[&str]) {
        if !self.get(from).is_some_and(Value::is_object) {
            return;
        }
        if let Some(Value::Object(old)) = self.take(from) {
            fill_missing(self.object(to), old);
            self.moved(from, to);
        }
    }

    fn moved(&mut self, from: &[&str], to: &[&str]) {
        let message = format!("{} is now {}; it was read from the old place", from.join("."), to.join("."));
        self.changes.push(LegacyChange { from: steps(from), to: Some(steps(to)), message });
    }

    fn dropped(&mut self, from: &[&str], reason: &str) {
        let message = format!("{} is no longer used and was ignored: {reason}", from.join("."));
        self.changes.push(LegacyChange { from: steps(from), to: None, message });
    }
}

fn steps(path: &[&str]) -> Vec<PathStep> {
    path.iter().map(|key| PathStep::Key((*key).to_owned())).collect()
}

fn take_from(map: &mut Map<String, Value>, path: &[&str]) -> Option<Value> {
    let (first, rest) = path.split_first()?;
    if rest.is_empty() {
        return map.shift_remove(*first);
    }
    let inner = map.get_mut(*first)?.as_object_mut()?;
    let value = take_from(inner, rest)?;
    if inner.is_empty() {
        map.shift_remove(*first);
    }
    Some(value)
}

fn object_in<'a>(map: &'a mut Map<String, Value>, key: &str) -> &'a mut Map<String, Value> {
    let slot = map.entry(key).or_insert_with(|| Value::Object(Map::new()));
    if !slot.is_object() {
        *slot = Value::Object(Map::new());
    }
    match slot {
        Value::Object(inner) => inner,
        _ => unreachable!("the slot was made an object above"),
    }
}

/// Copies what `target` lacks, object by object.
fn fill_missing(target: &mut Map<String, Value>, source: Map<String, Value>) {
    for (key, value) in source {
        match (target.get_mut(&key), value) {
            (None, value) => {
                target.insert(key, value);
            }
            (Some(Value::Object(inner)), Value::Object(more)) => fill_missing(inner, more),
            (Some(_), _) => {}
        }
    }
}

/// The entry of `agents.list` with this id, made when it is not there.
fn agent_entry<'a>(list: &'a mut Vec<Value>, id: &str) -> Option<&'a mut Map<String, Value>> {
    let has_id =
        |entry: &Value| entry.get("id").and_then(Value::as_str).is_some_and(|found| found.trim() == id);
    let at = list.iter().position(has_id).unwrap_or_else(|| {
        list.push(serde_json::json!({ "id": id }));
        list.len() - 1
    });
    list.get_mut(at)?.as_object_mut()
}

/// `agents.list`, made when it is not there.
fn agent_list<'a>(migration: &'a mut Migration<'_>) -> Option<&'a mut Vec<Value>> {
    let agents = migration.object(&["agents"]);
    let list = agents.entry("list").or_insert_with(|| Value::Array(Vec::new()));
    if !list.is_array() {
        *list = Value::Array(Vec::new());
    }
    list.as_array_mut()
}
