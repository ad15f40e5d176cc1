//! Holds calls and answers against the platform's own description: names and types of fields, and which must be there.
//!
//! The description is a table in `specs/`, made from one that others keep. A fake is believed only as far as it fits.

use serde_json::{Map, Value};

const TABLE: &str = include_str!("../../specs/telegram-bot-api.json");

/// The description.
#[derive(Debug)]
pub(super) struct Spec {
    table: Value,
}

impl Spec {
    pub(super) fn read() -> Self {
        Self { table: serde_json::from_str(TABLE).expect("the table is JSON") }
    }

    /// Whether the platform has a method.
    pub(super) fn knows(&self, method: &str) -> bool {
        self.table["methods"].get(method).is_some()
    }

    /// The types a field of a call may have.
    pub(super) fn field_types(&self, method: &str, field: &str) -> Vec<&str> {
        let types = self.table["methods"][method]["fields"][field].as_str().unwrap_or_default();
        types.trim_end_matches('!').split('|').collect()
    }

    /// What is wrong with a call.
    pub(super) fn check_call(&self, method: &str, fields: &Map<String, Value>) -> Vec<String> {
        let mut complaints = Vec::new();
        match self.table["methods"][method]["fields"].as_object() {
            Some(known) => self.check_fields(known, fields, method, &mut complaints),
            None => complaints.push(format!("{method}: no such method")),
        }
        complaints
    }

    /// What is wrong with the answer to a call.
    pub(super) fn check_answer(&self, method: &str, answer: &Value) -> Vec<String> {
        let returns = self.table["methods"][method]["returns"].as_array().cloned().unwrap_or_default();
        let types: Vec<&str> = returns.iter().filter_map(Value::as_str).collect();
        self.one_of(&types, answer, method)
    }

    /// What is wrong with a value of a type.
    pub(super) fn check(&self, kind: &str, value: &Value) -> Vec<String> {
        self.one_of(&[kind], value, kind)
    }

    /// What is wrong with a value that fits none of several types; nothing when it fits one.
    fn one_of(&self, types: &[&str], value: &Value, path: &str) -> Vec<String> {
        // A list of one type or of another may hold both.
        let lists: Vec<&str> = types.iter().filter_map(|kind| kind.strip_prefix("Array of ")).collect();
        if let (true, Some(items)) = (lists.len() > 1 && lists.len() == types.len(), value.as_array()) {
            let numbered = items.iter().enumerate();
            return numbered
                .flat_map(|(number, item)| self.one_of(&lists, item, &format!("{path}[{number}]")))
                .collect();
        }
        let mut closest: Option<Vec<String>> = None;
        for kind in types {
            let mut complaints = Vec::new();
            self.check_type(kind, value, path, &mut complaints);
            if complaints.is_empty() {
                return complaints;
            }
            if closest.as_ref().is_none_or(|closest| complaints.len() < closest.len()) {
                closest = Some(complaints);
            }
        }
        closest.unwrap_or_else(|| vec![format!("{path}: has no type")])
    }

    fn check_type(&self, kind: &str, value: &Value, path: &str, complaints: &mut Vec<String>) {
        if let Some(of) = kind.strip_prefix("Array of ") {
            match value.as_array() {
                Some(items) => items.iter().enumerate().for_each(|(number, item)| {
                    self.check_type(of, item, &format!("{path}[{number}]"), complaints);
                }),
                None => complaints.push(format!("{path}: is no list")),
            }
            return;
        }
        if let Some(word) = kind.strip_prefix("String=") {
            if value.as_str() != Some(word) {
                complaints.push(format!("{path}: is not \"{word}\""));
            }
            return;
        }
        let fits = match kind {
            "Integer" => value.is_i64() || value.is_u64(),
            "Float" => value.is_number(),
            "String" | "InputFile" => value.is_string(),
            "Boolean" => value.is_boolean(),
            _ => return self.check_object(kind, value, path, complaints),
        };
        if !fits {
            complaints.push(format!("{path}: is no {kind}"));
        }
    }

    fn check_object(&self, kind: &str, value: &Value, path: &str, complaints: &mut Vec<String>) {
        match (&self.table["types"][kind], value.as_object()) {
            (Value::Array(subtypes), _) => {
                let types: Vec<&str> = subtypes.iter().filter_map(Value::as_str).collect();
                complaints.extend(self.one_of(&types, value, path));
            }
            (Value::Object(known), Some(fields)) => self.check_fields(known, fields, path, complaints),
            (Value::Object(_), None) => complaints.push(format!("{path}: is no {kind}")),
            _ => complaints.push(format!("{path}: the type {kind} is not described")),
        }
    }

    fn check_fields(
        &self,
        known: &Map<String, Value>,
        fields: &Map<String, Value>,
        path: &str,
        complaints: &mut Vec<String>,
    ) {
        for (name, value) in fields {
            let path = format!("{path}.{name}");
            match known.get(name).and_then(Value::as_str) {
                Some(types) => {
                    let types: Vec<&str> = types.trim_end_matches('!').split('|').collect();
                    complaints.extend(self.one_of(&types, value, &path));
                }
                None => complaints.push(format!("{path}: no such field")),
            }
        }
        let must = known.iter().filter(|(_, types)| types.as_str().is_some_and(|types| types.ends_with('!')));
        let missing = must.filter(|(name, _)| !fields.contains_key(*name));
        complaints.extend(missing.map(|(name, _)| format!("{path}.{name}: is missing")));
    }
}
