//! What a merge patch, or the setting of one value, means for a configuration. Pure.
//!
//! Objects merge, `null` removes, arrays whose entries all have an `id` merge by it, everything else is replaced.
//! `edit` does the same to text; that the two agree is checked after every write and by a property test.

use std::collections::HashMap;

use openclaw_schema::PathStep;
use serde_json::{Map, Value};

use crate::KeyPath;

/// The configuration with the patch applied.
pub(crate) fn merged(base: &Value, patch: &Value) -> Value {
    let Value::Object(changes) = patch else { return patch.clone() };
    let mut result = base.as_object().cloned().unwrap_or_default();
    for (key, change) in changes {
        if change.is_null() {
            result.shift_remove(key);
            continue;
        }
        let next = match (result.get(key), change) {
            (Some(Value::Array(before)), Value::Array(items)) if before.iter().all(has_id) => {
                merge_by_id(before, items)
            }
            (before, Value::Object(_)) => merged(before.unwrap_or(&Value::Null), change),
            _ => change.clone(),
        };
        result.insert(key.clone(), next);
    }
    Value::Object(result)
}

/// Whether an entry can be told from its siblings by its `id`.
pub(super) fn has_id(entry: &Value) -> bool {
    id(entry).is_some()
}

/// The `id` of an entry.
pub(super) fn id(entry: &Value) -> Option<&str> {
    entry.as_object()?.get("id")?.as_str().filter(|id| !id.is_empty())
}

fn merge_by_id(before: &[Value], items: &[Value]) -> Value {
    let mut result = before.to_vec();
    let mut places: HashMap<String, usize> =
        before.iter().enumerate().filter_map(|(at, entry)| Some((id(entry)?.to_owned(), at))).collect();
    for item in items {
        match id(item).and_then(|id| places.get(id).copied()) {
            Some(at) => result[at] = merged(&result[at], item),
            None => {
                places.extend(id(item).map(|id| (id.to_owned(), result.len())));
                result.push(item.clone());
            }
        }
    }
    Value::Array(result)
}

/// The configuration with one value set, or `None` when the path cannot be followed.
pub(super) fn set(base: &Value, path: &KeyPath, value: Value) -> Option<Value> {
    let mut root = base.clone();
    let mut at = &mut root;
    for step in path.steps() {
        at = match (at, step) {
            (Value::Array(items), step) => {
                let index = index(step)?;
                if index == items.len() {
                    items.push(Value::Null);
                }
                items.get_mut(index)?
            }
            (slot, PathStep::Key(key)) => {
                if !slot.is_object() {
                    *slot = Value::Object(Map::new());
                }
                slot.as_object_mut()?.entry(key.clone()).or_insert(Value::Null)
            }
            (slot, PathStep::Index(0)) => {
                *slot = Value::Array(vec![Value::Null]);
                slot.as_array_mut()?.first_mut()?
            }
            (_, PathStep::Index(_)) => return None,
        };
    }
    *at = value;
    Some(root)
}

/// A step as a position in an array.
pub(super) fn index(step: &PathStep) -> Option<usize> {
    match step {
        PathStep::Index(index) => Some(*index),
        PathStep::Key(key) => key.parse().ok(),
    }
}
