//! Reads the forms in which a reference to a secret may be written, and names references for people.
//!
//! The usual form is `{ source, provider, id }`. Older files leave the provider out, which means the one of
//! `secrets.defaults`, and a text `${NAME}` means a variable. Pure.

use serde_json::{Value, json};

use crate::sections::{EnvRef, ExecRef, FileRef, SecretRef, SecretsDefaults};

/// The provider that is meant when nothing names one.
const DEFAULT_PROVIDER: &str = "default";

/// Reads a reference in any of its forms; nothing when the value is none.
#[must_use]
pub fn read_secret_ref(value: &Value, defaults: Option<&SecretsDefaults>) -> Option<SecretRef> {
    match value {
        Value::String(text) => {
            let id = text.trim().strip_prefix("${")?.strip_suffix('}')?;
            is_variable(id)
                .then(|| SecretRef::Env(EnvRef { provider: default_for("env", defaults), id: id.to_owned() }))
        }
        Value::Object(fields) => {
            let text = |name: &str| {
                fields.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
            };
            let source = text("source")?;
            let id = text("id")?.to_owned();
            let provider = match fields.get("provider") {
                None => default_for(source, defaults),
                Some(_) => text("provider")?.to_owned(),
            };
            match source {
                "env" => Some(SecretRef::Env(EnvRef { provider, id })),
                "file" => Some(SecretRef::File(FileRef { provider, id })),
                "exec" => Some(SecretRef::Exec(ExecRef { provider, id })),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A reference in the form files hold it.
#[must_use]
pub fn secret_ref_value(reference: &SecretRef) -> Value {
    let (source, provider, id) = parts(reference);
    json!({ "source": source, "provider": provider, "id": id })
}

/// Source, provider and id.
pub(super) fn parts(reference: &SecretRef) -> (&'static str, &str, &str) {
    match reference {
        SecretRef::Env(EnvRef { provider, id }) => ("env", provider, id),
        SecretRef::File(FileRef { provider, id }) => ("file", provider, id),
        SecretRef::Exec(ExecRef { provider, id }) => ("exec", provider, id),
    }
}

/// The reference for people. An id is no secret.
pub(super) fn name(reference: &SecretRef) -> String {
    let (source, provider, id) = parts(reference);
    format!("{source}:{provider}:{id}")
}

/// The provider of a source when a reference names none.
pub(super) fn default_for(source: &str, defaults: Option<&SecretsDefaults>) -> String {
    let chosen = defaults.and_then(|defaults| match source {
        "env" => defaults.env.as_deref(),
        "file" => defaults.file.as_deref(),
        "exec" => defaults.exec.as_deref(),
        _ => None,
    });
    chosen.unwrap_or(DEFAULT_PROVIDER).to_owned()
}

fn is_variable(name: &str) -> bool {
    name.len() <= 128
        && name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}
