//! Values that a person may write in more than one way.
//!
//! Each union is untagged: the JSON type decides. None of them holds a secret.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use serde_json::Number;

/// A text or a number, such as a size (`"10mb"` or bytes) or an id that happens to be numeric.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum TextOrNumber {
    /// Written as text.
    Text(String),
    /// Written as a number.
    Number(Number),
}

/// A text, a number or a truth value.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Scalar {
    /// Written as text.
    Text(String),
    /// Written as a number.
    Number(Number),
    /// Written as `true` or `false`.
    Switch(bool),
}

/// A text, or `false` to switch the feature off.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum TextOrOff {
    /// Written as text.
    Text(String),
    /// Switched off.
    Off(Off),
}

/// A text, a number, or `false` to switch the feature off.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum TextNumberOrOff {
    /// Written as text.
    Text(String),
    /// Written as a number.
    Number(Number),
    /// Switched off.
    Off(Off),
}

/// On, off, or decided by the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ToggleOrAuto {
    /// Decided by the person.
    Switch(bool),
    /// Decided by the program.
    Auto(AutoWord),
}

/// The word `auto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AutoWord {
    /// Decided by the program.
    Auto,
}

/// Which model answers: one name, or a first choice with fallbacks.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ModelChoice {
    /// One model.
    Name(String),
    /// A first choice and what to try when it fails.
    WithFallbacks(ModelFallbacks),
}

/// A model and its replacements.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelFallbacks {
    /// The model tried first.
    pub primary: Option<String>,
    /// The models tried in order when the first one fails.
    pub fallbacks: Option<Vec<String>>,
}

/// The literal `false`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Off;

impl<'de> Deserialize<'de> for Off {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match bool::deserialize(from)? {
            false => Ok(Self),
            true => Err(de::Error::invalid_value(de::Unexpected::Bool(true), &"false")),
        }
    }
}

impl JsonSchema for Off {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Off".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "boolean", "const": false })
    }
}
