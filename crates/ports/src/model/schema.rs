//! The JSON Schema of a tool's arguments, as it is and as text.
//!
//! Every request carries the schemas of all tools, and they are most of what is written for a short conversation. So a
//! schema is shared and is written as text once; codecs that send it as it is send that text.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// The JSON Schema of a tool's arguments.
#[derive(Debug, Clone)]
pub struct ToolSchema(Arc<Inside>);

#[derive(Debug)]
struct Inside {
    value: Value,
    text: OnceLock<Option<Box<RawValue>>>,
}

impl From<Value> for ToolSchema {
    fn from(value: Value) -> Self {
        Self(Arc::new(Inside { value, text: OnceLock::new() }))
    }
}

impl Deref for ToolSchema {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0.value
    }
}

impl PartialEq for ToolSchema {
    fn eq(&self, other: &Self) -> bool {
        self.0.value == other.0.value
    }
}

impl Serialize for ToolSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.text.get_or_init(|| to_raw_value(&self.0.value).ok()) {
            Some(text) => text.serialize(serializer),
            None => self.0.value.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ToolSchema;

    #[test]
    fn a_schema_is_written_as_its_value_is_each_time() {
        let value = json!({ "type": "object", "properties": { "path": { "type": "string", "description": "a \"path\"\n" } } });
        let schema = ToolSchema::from(value.clone());
        for _ in 0..2 {
            assert_eq!(serde_json::to_string(&[&schema]).unwrap(), serde_json::to_string(&[&value]).unwrap());
            assert_eq!(serde_json::to_value(&schema).unwrap(), value);
        }
        assert_eq!(schema, ToolSchema::from(value));
        assert_eq!(schema["type"], "object");
    }
}
