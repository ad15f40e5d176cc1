//! Cuts a JSON Schema down to the part of it that the protocol takes for tools.
//!
//! References are written out, alternatives become `anyOf` and stand alone, literals become `enum`, `null` becomes
//! `nullable`. Limits that the protocol does not take are said in the description, so that the model still knows them;
//! the tools check their arguments themselves. Bounded: a schema that grows without end is cut.

mod alternatives;
mod words;

#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

/// The most schemas that are written out for one tool. References can multiply.
const MOST_NODES: usize = 2_000;

/// The deepest nesting that is written out.
const DEEPEST: usize = 24;

/// The schema for the wire; nothing when the tool takes no arguments.
pub(super) fn cleaned(schema: &Value) -> Option<Value> {
    let mut cleaner = Cleaner { root: schema, nodes: 0, open: Vec::new() };
    let mut object = alternatives::flattened(cleaner.clean(schema));
    let has_properties =
        object.get("properties").and_then(Value::as_object).is_some_and(|all| !all.is_empty());
    if !has_properties {
        return None;
    }
    object.remove("nullable");
    object.insert("type".to_owned(), json!("object"));
    Some(Value::Object(object))
}

struct Cleaner<'a> {
    root: &'a Value,
    nodes: usize,
    /// The references that are being written out, to stop at one that leads back to itself.
    open: Vec<String>,
}

impl Cleaner<'_> {
    /// One schema. Never fails: what cannot be said is left out.
    fn clean(&mut self, schema: &Value) -> Map<String, Value> {
        self.nodes += 1;
        let Some(given) = schema.as_object() else { return typed("string") };
        if self.nodes > MOST_NODES || self.open.len() > DEEPEST {
            return typed("object");
        }
        if let Some(reference) = given.get("$ref").and_then(Value::as_str) {
            return self.written_out(reference, given);
        }
        self.open.push(String::new());
        let whole = self.merged(given);
        let mut object = self.kind(&whole);
        self.open.pop();
        words::describe(&whole, &mut object);
        object
    }

    /// What a reference means, together with what stands beside it.
    fn written_out(&mut self, reference: &str, given: &Map<String, Value>) -> Map<String, Value> {
        let mut whole = given.clone();
        whole.remove("$ref");
        let found = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        match found.and_then(Value::as_object) {
            Some(found) if !self.open.iter().any(|open| open == reference) => {
                take_in(&mut whole, found.iter())
            }
            _ => {
                let mut object = typed("object");
                words::describe(&whole, &mut object);
                return object;
            }
        }
        self.open.push(reference.to_owned());
        let object = self.clean(&Value::Object(whole));
        self.open.pop();
        object
    }

    /// The schema with its `allOf` parts taken in.
    fn merged(&mut self, given: &Map<String, Value>) -> Map<String, Value> {
        let mut whole = given.clone();
        let Some(Value::Array(parts)) = whole.remove("allOf") else { return whole };
        for part in &parts {
            let part = Value::Object(self.clean(part));
            take_in(&mut whole, part.as_object().into_iter().flatten());
        }
        whole
    }

    fn kind(&mut self, given: &Map<String, Value>) -> Map<String, Value> {
        if let Some(object) = alternatives::of(self, given) {
            return object;
        }
        let (kinds, nullable) = alternatives::kinds(given);
        let mut object = match kinds.as_slice() {
            [] => self.of_kind(guessed(given), given),
            [one] => self.of_kind(one, given),
            many => {
                let each = many.iter().map(|kind| self.of_kind(kind, given)).collect();
                alternatives::any_of(each)
            }
        };
        if nullable {
            alternatives::allow_null(&mut object);
        }
        object
    }

    fn of_kind(&mut self, kind: &str, given: &Map<String, Value>) -> Map<String, Value> {
        let mut object = typed(kind);
        match kind {
            "object" => self.properties(given, &mut object),
            "array" => {
                let items = self.items(given);
                object.insert("items".to_owned(), Value::Object(items));
            }
            "string" => {
                if let Some(values) = words::literals(given) {
                    object.insert("enum".to_owned(), Value::Array(values));
                } else if given.get("format").and_then(Value::as_str) == Some("date-time") {
                    object.insert("format".to_owned(), json!("date-time"));
                }
            }
            _ => {}
        }
        object
    }

    fn properties(&mut self, given: &Map<String, Value>, object: &mut Map<String, Value>) {
        let Some(Value::Object(all)) = given.get("properties") else { return };
        let cleaned: Map<String, Value> =
            all.iter().map(|(name, schema)| (name.clone(), Value::Object(self.clean(schema)))).collect();
        let required: Vec<Value> = given
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter(|name| name.as_str().is_some_and(|name| cleaned.contains_key(name)))
            .cloned()
            .collect();
        object.insert("properties".to_owned(), Value::Object(cleaned));
        if !required.is_empty() {
            object.insert("required".to_owned(), Value::Array(required));
        }
    }

    /// What a list holds. A fixed row of kinds becomes any of them.
    fn items(&mut self, given: &Map<String, Value>) -> Map<String, Value> {
        let row = given.get("prefixItems").or_else(|| given.get("items").filter(|items| items.is_array()));
        if let Some(Value::Array(row)) = row {
            let each = row.iter().map(|schema| self.clean(schema)).collect();
            return alternatives::any_of(each);
        }
        match given.get("items") {
            Some(items) => self.clean(items),
            None => typed("string"),
        }
    }
}

fn typed(kind: &str) -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), json!(kind))])
}

/// The kind of a schema that does not name one.
fn guessed(given: &Map<String, Value>) -> &'static str {
    if given.contains_key("properties") || given.contains_key("additionalProperties") {
        return "object";
    }
    if given.contains_key("items") || given.contains_key("prefixItems") {
        return "array";
    }
    let literal = given.get("const").or_else(|| given.get("enum").and_then(|all| all.get(0)));
    match literal {
        Some(Value::Bool(_)) => "boolean",
        Some(Value::Number(number)) if number.is_i64() || number.is_u64() => "integer",
        Some(Value::Number(_)) => "number",
        Some(Value::Object(_)) => "object",
        Some(Value::Array(_)) => "array",
        _ if given.contains_key("minimum") || given.contains_key("maximum") => "number",
        _ => "string",
    }
}

/// Adds what another schema says; where both say something, properties and required names add up and the first wins.
fn take_in<'a>(whole: &mut Map<String, Value>, other: impl Iterator<Item = (&'a String, &'a Value)>) {
    for (key, value) in other {
        match (whole.get_mut(key), value) {
            (None, value) => {
                whole.insert(key.clone(), value.clone());
            }
            (Some(Value::Object(mine)), Value::Object(theirs)) if key == "properties" => {
                for (name, schema) in theirs {
                    match (mine.get_mut(name).and_then(Value::as_object_mut), schema.as_object()) {
                        (Some(mine), Some(theirs)) => {
                            alternatives::join_literals(mine, theirs);
                        }
                        _ => {
                            mine.entry(name.clone()).or_insert_with(|| schema.clone());
                        }
                    }
                }
            }
            (Some(Value::Array(mine)), Value::Array(theirs)) if key == "required" => {
                mine.extend(theirs.iter().cloned());
            }
            _ => {}
        }
    }
}
