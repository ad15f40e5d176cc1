//! JSON that the core does not interpret: channel sections, plugin settings, free parameters.
//!
//! Its owner reads it later. Until then it may hold anything, secrets included, so `Debug` shows only its kind.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::Value;

/// A JSON value kept as written.
#[derive(Clone, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Raw(Value);

impl Raw {
    /// Wraps a value.
    #[must_use]
    pub fn new(value: Value) -> Self {
        Self(value)
    }

    /// The value, for the owner of the section.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.0
    }
}

impl fmt::Debug for Raw {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match &self.0 {
            Value::Null => "[null]",
            Value::Bool(_) => "[boolean]",
            Value::Number(_) => "[number]",
            Value::String(_) => "[text]",
            Value::Array(_) => "[list]",
            Value::Object(_) => "[object]",
        })
    }
}

impl JsonSchema for Raw {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Raw".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::default()
    }
}
