//! Schemas that allow several things: `anyOf`, `oneOf`, lists of types, `null`.
//!
//! The server wants `anyOf` to stand alone, so what is said beside it moves into each alternative.

use serde_json::{Map, Value, json};

use super::{Cleaner, take_in};

/// The schema of alternatives; nothing when there are none.
pub(super) fn of(cleaner: &mut Cleaner<'_>, given: &Map<String, Value>) -> Option<Map<String, Value>> {
    let key = ["anyOf", "oneOf"].into_iter().find(|key| given.contains_key(*key))?;
    let all = given.get(key)?.as_array()?;
    let (nulls, others): (Vec<&Value>, Vec<&Value>) = all.iter().partition(|schema| is_null(schema));
    let mut beside = given.clone();
    beside.remove("anyOf");
    beside.remove("oneOf");
    let each = others.into_iter().map(|schema| cleaner.clean(&with(schema, &beside))).collect::<Vec<_>>();
    let mut object = if each.is_empty() { cleaner.clean(&Value::Object(beside)) } else { any_of(each) };
    if !nulls.is_empty() || allows_null(given) {
        allow_null(&mut object);
    }
    Some(object)
}

/// Joins alternatives: the same ones once, literals into one list, a single one as itself.
pub(super) fn any_of(each: Vec<Map<String, Value>>) -> Map<String, Value> {
    let mut different: Vec<Map<String, Value>> = Vec::new();
    for one in each {
        let joined = different.iter_mut().any(|other| join_literals(other, &one));
        if !joined && !different.contains(&one) {
            different.push(one);
        }
    }
    if different.len() < 2 {
        return different.pop().unwrap_or_else(|| super::typed("string"));
    }
    // Alternatives of alternatives are one flat list.
    let flat = different.into_iter().flat_map(|mut one| match one.remove("anyOf") {
        Some(Value::Array(inner)) => inner,
        _ => vec![Value::Object(one)],
    });
    Map::from_iter([("anyOf".to_owned(), Value::Array(flat.collect()))])
}

/// One object that takes the arguments of every alternative: a tool's arguments must be a single object. Required is
/// what all of them require.
pub(super) fn flattened(mut object: Map<String, Value>) -> Map<String, Value> {
    let Some(Value::Array(each)) = object.remove("anyOf") else { return object };
    let mut whole = super::typed("object");
    let mut required: Option<Vec<Value>> = None;
    for one in each.iter().filter_map(Value::as_object).filter(|one| one.contains_key("properties")) {
        let own = one.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        required = Some(match required {
            None => own,
            Some(before) => before.into_iter().filter(|name| own.contains(name)).collect(),
        });
        take_in(&mut whole, one.iter().filter(|(key, _)| *key != "required"));
    }
    if let Some(required) = required.filter(|required| !required.is_empty()) {
        whole.insert("required".to_owned(), Value::Array(required));
    }
    whole
}

/// Lets the value be missing.
pub(super) fn allow_null(object: &mut Map<String, Value>) {
    match object.get_mut("anyOf") {
        Some(Value::Array(each)) => {
            if let Some(first) = each.first_mut().and_then(Value::as_object_mut) {
                first.insert("nullable".to_owned(), json!(true));
            }
        }
        _ => {
            object.insert("nullable".to_owned(), json!(true));
        }
    }
}

/// The types that are named apart from `null`, and whether `null` is allowed.
pub(super) fn kinds(given: &Map<String, Value>) -> (Vec<String>, bool) {
    let known = |kind: &str| ["object", "array", "string", "integer", "number", "boolean"].contains(&kind);
    let named: Vec<String> = match given.get("type") {
        Some(Value::String(kind)) => vec![kind.to_lowercase()],
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(str::to_lowercase).collect(),
        _ => Vec::new(),
    };
    (named.into_iter().filter(|kind| known(kind)).collect(), allows_null(given))
}

fn allows_null(given: &Map<String, Value>) -> bool {
    let named = match given.get("type") {
        Some(Value::Array(all)) => all.iter().any(|kind| kind == "null"),
        _ => false,
    };
    let listed = given.get("enum").and_then(Value::as_array).is_some_and(|all| all.contains(&Value::Null));
    named || listed || given.get("nullable") == Some(&Value::Bool(true))
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null") || schema.get("const") == Some(&Value::Null)
}

/// An alternative together with what stands beside it.
fn with(schema: &Value, beside: &Map<String, Value>) -> Value {
    let Some(own) = schema.as_object() else { return schema.clone() };
    let mut whole = own.clone();
    let bare = beside.iter().filter(|(key, _)| !["$defs", "definitions", "nullable"].contains(&key.as_str()));
    take_in(&mut whole, bare);
    Value::Object(whole)
}

/// Takes the literals of `one` into `other` when both are lists of literals and say nothing else.
pub(super) fn join_literals(other: &mut Map<String, Value>, one: &Map<String, Value>) -> bool {
    let same_words = other.get("description") == one.get("description") && other.len() == one.len();
    match (other.get_mut("enum"), one.get("enum")) {
        (Some(Value::Array(mine)), Some(Value::Array(theirs))) if same_words => {
            for literal in theirs {
                if !mine.contains(literal) {
                    mine.push(literal.clone());
                }
            }
            true
        }
        _ => false,
    }
}
