//! Makes the schema from `RawConfig`: draft-07, objects closed, choices as plain `enum`.
//!
//! It comes in two forms that say the same: with every type written once and without words, for checking; and with
//! everything in its place, for forms, which do not follow references. Optional keys are absent, never `null`, so the
//! `null` alternatives that `schemars` adds for `Option` are taken out again. Making it takes longer than all the rest of
//! a start, so the program carries what was made (`carried`) and this runs for tests and chores alone.

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform as _};
use schemars::{JsonSchema as _, Schema};
use serde_json::{Map, Value};

use crate::sections::{RawConfig, SECRET_MARK};

/// The schema as the section types make it.
#[derive(Debug, Clone, PartialEq)]
pub struct GeneratedSchema {
    /// With everything in its place.
    pub whole: Value,
    /// With every type written once, and without words.
    pub checked: Value,
}

impl GeneratedSchema {
    /// Makes both forms.
    #[must_use]
    pub fn make() -> Self {
        let mut checked = generate(Types::Once);
        RecursiveTransform(drop_words).transform(&mut checked);
        Self { whole: generate(Types::InPlace).to_value(), checked: checked.to_value() }
    }
}

/// Where the schema of a type stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Types {
    /// Under `definitions`, referred to.
    Once,
    /// Wherever it is used.
    InPlace,
}

/// The schema in place with the marks of secret texts still in it.
#[cfg(test)]
pub(super) fn marked_schema() -> Value {
    marked(Types::InPlace).to_value()
}

fn generate(types: Types) -> Schema {
    let mut schema = marked(types);
    RecursiveTransform(drop_secret_mark).transform(&mut schema);
    schema
}

fn marked(types: Types) -> Schema {
    let settings =
        SchemaSettings::draft07().with(|settings| settings.inline_subschemas = types == Types::InPlace);
    let mut generator = settings.into_generator();
    let mut schema = RawConfig::json_schema(&mut generator);
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() {
        schema.insert("definitions".to_owned(), Value::Object(definitions));
    }
    RecursiveTransform(tidy_node).transform(&mut schema);
    schema.insert("$schema".to_owned(), "http://json-schema.org/draft-07/schema#".into());
    schema.insert("title".to_owned(), "OpenClawConfig".into());
    accept_schema_key(&mut schema);
    schema
}

/// Editors want a `$schema` key at the root; it means nothing to the program.
fn accept_schema_key(schema: &mut Schema) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert("$schema".to_owned(), serde_json::json!({ "type": "string" }));
    }
}

fn tidy_node(schema: &mut Schema) {
    if let Some(node) = schema.as_object_mut() {
        drop_null(node);
        plain_choices(node);
        close(node);
        drop_number_format(node);
    }
}

fn drop_secret_mark(schema: &mut Schema) {
    if let Some(node) = schema.as_object_mut() {
        node.shift_remove(SECRET_MARK);
    }
}

/// What is told about a key says nothing about its value.
fn drop_words(schema: &mut Schema) {
    if let Some(node) = schema.as_object_mut() {
        node.shift_remove("description");
    }
}

/// `schemars` notes Rust number types as `format`, which says nothing about JSON.
fn drop_number_format(node: &mut Map<String, Value>) {
    if node.get("type").is_some_and(|kind| kind != "string") {
        node.remove("format");
    }
}

fn drop_null(node: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = node.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            node.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = node.get_mut("enum") {
        choices.retain(|choice| !choice.is_null());
    }
    if let Some(Value::Array(alternatives)) = node.get_mut("anyOf") {
        alternatives.retain(|alternative| alternative.get("type").is_none_or(|name| name != "null"));
        if alternatives.len() == 1 {
            unwrap_alternative(node);
        }
    }
}

/// Replaces a union of one by its only member; what the node says itself wins.
fn unwrap_alternative(node: &mut Map<String, Value>) {
    let Some(Value::Array(mut alternatives)) = node.remove("anyOf") else { return };
    if let Some(Value::Object(only)) = alternatives.pop() {
        for (key, value) in only {
            node.entry(key).or_insert(value);
        }
    }
}

/// Turns a union of single texts, which `schemars` makes of documented enums, into `enum`.
fn plain_choices(node: &mut Map<String, Value>) {
    let Some(Value::Array(alternatives)) = node.get("oneOf") else { return };
    let choices: Option<Vec<Value>> = alternatives
        .iter()
        .map(|alternative| alternative.get("const").filter(|value| value.is_string()).cloned())
        .collect();
    if let Some(choices) = choices {
        node.remove("oneOf");
        node.insert("type".to_owned(), "string".into());
        node.insert("enum".to_owned(), choices.into());
    }
}

/// An object with named keys accepts no others unless its type has a place for them.
fn close(node: &mut Map<String, Value>) {
    if node.contains_key("properties") && !node.contains_key("additionalProperties") {
        node.insert("additionalProperties".to_owned(), false.into());
    }
}
