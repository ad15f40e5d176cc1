//! Names a model of a provider, written `<provider>/<model>`.
//!
//! The model's own name may hold further slashes. Aliases and defaults are the business of model selection.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{ModelRefError, ProviderId};

/// A model and the provider that serves it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelRef {
    provider: ProviderId,
    model: Arc<str>,
}

impl ModelRef {
    /// Joins a provider and the name it gives a model.
    ///
    /// # Errors
    /// `NoModel` when the name is empty.
    pub fn new(provider: ProviderId, model: &str) -> Result<Self, ModelRefError> {
        match model.trim() {
            "" => Err(ModelRefError::NoModel(format!("{provider}/"))),
            model => Ok(Self { provider, model: model.into() }),
        }
    }

    /// Reads `<provider>/<model>`, or a bare model name that belongs to `fallback`.
    ///
    /// # Errors
    /// The same as parsing, except that a text without a slash is fine.
    pub fn parse_with_provider(text: &str, fallback: &ProviderId) -> Result<Self, ModelRefError> {
        match text.contains('/') {
            true => text.parse(),
            false => Self::new(fallback.clone(), text),
        }
    }

    /// Who serves the model.
    #[must_use]
    pub fn provider(&self) -> &ProviderId {
        &self.provider
    }

    /// The provider's name for the model.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }
}

impl FromStr for ModelRef {
    type Err = ModelRefError;

    fn from_str(text: &str) -> Result<Self, ModelRefError> {
        let text = text.trim();
        let Some((provider, model)) = text.split_once('/') else {
            return Err(ModelRefError::NoProvider(text.to_owned()));
        };
        let provider = provider.trim();
        if provider.is_empty() {
            return Err(ModelRefError::NoProvider(text.to_owned()));
        }
        Self::new(ProviderId::new(provider)?, model)
    }
}

impl fmt::Display for ModelRef {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.provider, self.model)
    }
}

impl Serialize for ModelRef {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ModelRef {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for ModelRef {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ModelRef".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[^/]+/.+$" })
    }
}
