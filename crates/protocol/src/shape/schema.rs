//! Writes the JSON Schema side of the wire notation.
//!
//! The serde side is derived by the macros in `shape`; these functions produce the matching schema, which explains
//! refused parameters to people and is exported for other languages. Only the macros call them.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// Collects the properties of one object.
pub(crate) struct ObjectSchema<'g> {
    generator: &'g mut SchemaGenerator,
    properties: Map<String, Value>,
    required: Vec<Value>,
    description: String,
    closed: bool,
}

impl<'g> ObjectSchema<'g> {
    pub(crate) fn new(generator: &'g mut SchemaGenerator, description: &str) -> Self {
        Self {
            generator,
            properties: Map::new(),
            required: Vec::new(),
            description: tidy_words(description),
            closed: false,
        }
    }

    pub(crate) fn required<T: JsonSchema>(mut self, name: &str, words: &str) -> Self {
        self.required.push(Value::String(name.to_owned()));
        self.optional::<T>(name, words)
    }

    pub(crate) fn optional<T: JsonSchema>(mut self, name: &str, words: &str) -> Self {
        let mut schema = self.generator.subschema_for::<T>();
        let words = tidy_words(words);
        if !words.is_empty() {
            schema.insert("description".to_owned(), Value::String(words));
        }
        self.properties.insert(name.to_owned(), schema.to_value());
        self
    }

    /// Takes over the properties of another object.
    pub(crate) fn include<T: JsonSchema>(mut self) -> Self {
        let schema = T::json_schema(self.generator);
        if let Some(Value::Object(properties)) = schema.get("properties") {
            self.properties.extend(properties.clone());
        }
        if let Some(Value::Array(required)) = schema.get("required") {
            self.required.extend(required.iter().cloned());
        }
        self
    }

    pub(crate) fn close(mut self) -> Self {
        self.closed = true;
        self
    }

    pub(crate) fn finish(self) -> Schema {
        let mut schema = Schema::default();
        schema.insert("type".to_owned(), json!("object"));
        if !self.description.is_empty() {
            schema.insert("description".to_owned(), Value::String(self.description));
        }
        schema.insert("properties".to_owned(), Value::Object(self.properties));
        if !self.required.is_empty() {
            schema.insert("required".to_owned(), Value::Array(self.required));
        }
        if self.closed {
            schema.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
        schema
    }
}

/// A fixed set of words.
pub(crate) fn choice(description: &str, words: &[&str]) -> Schema {
    let mut schema = Schema::default();
    schema.insert("type".to_owned(), json!("string"));
    schema.insert("enum".to_owned(), json!(words));
    describe(&mut schema, description);
    schema
}

/// A union told apart by shape.
pub(crate) fn alternatives(description: &str, members: Vec<Schema>) -> Schema {
    let mut schema = Schema::default();
    schema.insert("anyOf".to_owned(), Value::Array(members.into_iter().map(Schema::to_value).collect()));
    describe(&mut schema, description);
    schema
}

/// A union told apart by the field `tag`, which is added to each member.
pub(crate) fn tagged_alternatives(description: &str, tag: &str, members: Vec<(&str, Schema)>) -> Schema {
    let members = members
        .into_iter()
        .map(|(word, mut member)| {
            add_tag(&mut member, tag, word);
            member
        })
        .collect();
    alternatives(description, members)
}

fn add_tag(member: &mut Schema, tag: &str, word: &str) {
    let object = member.ensure_object();
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.insert(tag.to_owned(), json!({"type": "string", "const": word}));
    }
    match object.get_mut("required") {
        Some(Value::Array(required)) => required.insert(0, json!(tag)),
        _ => {
            object.insert("required".to_owned(), json!([tag]));
        }
    }
}

fn describe(schema: &mut Schema, description: &str) {
    let words = tidy_words(description);
    if !words.is_empty() {
        schema.insert("description".to_owned(), Value::String(words));
    }
}

fn tidy_words(words: &str) -> String {
    words.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
