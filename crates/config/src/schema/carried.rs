//! The schema that the program carries: what `generate` made of the section types, as the files in `schemas/` hold it.

use std::sync::LazyLock;

use serde_json::Value;

use super::hints::ui_hints;

/// The version of the configuration format that the schema describes.
const FORMAT_VERSION: &str = "2026.2.26";

/// The schema of the configuration file with what a form needs to draw it.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigSchema {
    /// Draft-07 JSON Schema without references.
    pub schema: Value,
    /// Label, help, group and more for each dotted path.
    pub ui_hints: Value,
    /// The version of the configuration format.
    pub version: String,
}

/// The schema and its form hints, as `config.schema` answers it.
#[must_use]
pub fn config_schema() -> ConfigSchema {
    static READ: LazyLock<ConfigSchema> = LazyLock::new(|| {
        let schema = read(include_str!("../../../../schemas/config.json"));
        let ui_hints = ui_hints(&schema);
        ConfigSchema { schema, ui_hints, version: FORMAT_VERSION.to_owned() }
    });
    READ.clone()
}

/// The schema that a configuration file is checked against.
#[must_use]
pub fn root_schema() -> Value {
    read(include_str!("../../../../schemas/config-checked.json"))
}

/// A test holds the files against the types, so that they are JSON for certain.
fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}
