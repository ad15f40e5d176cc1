//! A resolver for sections of tests: secrets stand in them as they are, and nothing comes from elsewhere.

use openclaw_ports::channel::Resolver;
use openclaw_types::Secret;
use serde_json::Value;

/// Gives secrets as they are written.
#[derive(Debug, Clone, Copy, Default)]
pub struct AsWritten;

impl Resolver for AsWritten {
    fn variable(&self, _name: &str) -> Option<Secret<String>> {
        None
    }

    fn file(&self, path: &str) -> Result<Secret<String>, String> {
        Err(format!("there is no {path}"))
    }

    fn secret(&self, value: &Value) -> Result<Secret<String>, String> {
        value.as_str().map(|text| Secret::new(text.to_owned())).ok_or_else(|| "not a text".to_owned())
    }
}
