//! Secrets as they are written in the file: the text itself, or a reference to where it is kept.
//!
//! A reference names a provider of the `secrets` section and an id the provider understands. Looking it up is not
//! done here. `Debug` never shows secret text.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use openclaw_types::Secret;

/// Marks secret texts while the schema is being made. It is taken out again before anybody sees the schema.
pub(crate) const SECRET_MARK: &str = "x-secret";

/// A text that must not be shown.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct SecretText(Secret<String>);

impl SecretText {
    /// Shows the text to the one caller that needs it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        self.0.reveal()
    }

    /// The sealed text.
    #[must_use]
    pub fn secret(&self) -> &Secret<String> {
        &self.0
    }
}

impl JsonSchema for SecretText {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SecretText".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", SECRET_MARK: true })
    }
}

/// A secret, or where to find it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SecretInput {
    /// The secret itself.
    Text(SecretText),
    /// A reference resolved by a provider of the `secrets` section.
    Reference(SecretRef),
}

/// A reference to a secret kept elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(tag = "source", rename_all = "lowercase")]
pub enum SecretRef {
    /// An environment variable.
    Env(EnvRef),
    /// A value in a file.
    File(FileRef),
    /// The output of a program.
    Exec(ExecRef),
}

/// A secret in an environment variable.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct EnvRef {
    /// The provider that reads it.
    #[schemars(regex(pattern = r"^[a-z][a-z0-9_-]{0,63}$"))]
    pub provider: String,
    /// The name of the variable.
    #[schemars(regex(pattern = r"^[A-Z][A-Z0-9_]{0,127}$"))]
    pub id: String,
}

/// A secret in a file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct FileRef {
    /// The provider that reads it.
    #[schemars(regex(pattern = r"^[a-z][a-z0-9_-]{0,63}$"))]
    pub provider: String,
    /// The place inside the file: a JSON pointer, or `value` for the whole file.
    pub id: String,
}

/// A secret printed by a program.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ExecRef {
    /// The provider that runs the program.
    #[schemars(regex(pattern = r"^[a-z][a-z0-9_-]{0,63}$"))]
    pub provider: String,
    /// What the program is asked for.
    #[schemars(regex(pattern = r"^[A-Za-z0-9][A-Za-z0-9._:/-]{0,255}$"))]
    pub id: String,
}
