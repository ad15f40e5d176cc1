//! What a method is, and how its params are read.
//!
//! A method is a name with a type for its params and one for its result. Reading params is plain serde; only when that
//! fails are they checked against the schema, to name every problem in the form original clients show. Which methods
//! exist and who may call them is in `table`; what they do is in `gateway`.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use openclaw_schema::{Checker, Issue, SchemaProblem};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::error::ErrorShape;
use crate::version::Dialect;

/// A method of the gateway.
pub trait Method {
    /// The name on the wire.
    const NAME: &'static str;
    /// What the caller sends.
    type Params: DeserializeOwned + Serialize + JsonSchema + Send + 'static;
    /// What the caller gets.
    type Result: DeserializeOwned + Serialize + JsonSchema + Send + 'static;
}

/// Declares methods as unit types, so that a name, its params and its result cannot be mixed up.
macro_rules! methods {
    ($( $(#[doc = $doc:literal])* $name:ident = $text:literal : $params:ty => $result:ty; )*) => {$(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name;

        impl $crate::method::Method for $name {
            const NAME: &'static str = $text;
            type Params = $params;
            type Result = $result;
        }
    )*};
}
pub(crate) use methods;

/// Reads the params of a method; absent and null are an empty object.
///
/// # Errors
/// "invalid <method> params: at /path: …; at root: …" with every problem found.
pub fn decode_params<M: Method>(params: Option<&RawValue>) -> Result<M::Params, ErrorShape> {
    decode_as::<M::Params>(M::NAME, params)
}

/// Reads the params of a method for a client of a given dialect.
///
/// Clients of protocol 4 send keys that protocol 3 does not know; they are left out and the rest is read as usual.
///
/// # Errors
/// The same as `decode_params`.
pub fn decode_params_in<M: Method>(
    dialect: Dialect,
    params: Option<&RawValue>,
) -> Result<M::Params, ErrorShape> {
    match (decode_params::<M>(params), dialect) {
        (Err(refusal), Dialect::V4) => params.and_then(without_unknown_keys).ok_or(refusal),
        (outcome, _) => outcome,
    }
}

/// Reads params without the keys that are unknown; nothing when something else is wrong with them.
#[cold]
fn without_unknown_keys<P: DeserializeOwned + JsonSchema + 'static>(params: &RawValue) -> Option<P> {
    let mut value: Value = serde_json::from_str(params.get()).ok()?;
    for issue in problems_of::<P>(&value) {
        let SchemaProblem::UnknownKey { key, .. } = &issue.problem else { return None };
        value.pointer_mut(&issue.pointer())?.as_object_mut()?.shift_remove(key)?;
    }
    serde_json::from_value(value).ok()
}

/// Reads params as a given type, for the methods whose shape depends on the caller.
pub(crate) fn decode_as<P: DeserializeOwned + JsonSchema + 'static>(
    method: &str,
    params: Option<&RawValue>,
) -> Result<P, ErrorShape> {
    let text = match params.map(RawValue::get) {
        None | Some("null") => "{}",
        Some(text) => text,
    };
    serde_json::from_str(text).map_err(|error| refuse::<P>(method, text, &error))
}

#[cold]
fn refuse<P: JsonSchema + 'static>(method: &str, text: &str, error: &serde_json::Error) -> ErrorShape {
    let problems = match serde_json::from_str::<Value>(text) {
        Ok(value) => explain::<P>(&value, Some(error)),
        Err(_) => format!("at root: {}", without_position(error)),
    };
    ErrorShape::invalid_params(method, &problems)
}

/// Names every problem of a value, or the one serde found when the schema sees none.
pub(crate) fn explain<T: JsonSchema + 'static>(value: &Value, error: Option<&serde_json::Error>) -> String {
    let issues = problems_of::<T>(value);
    match error {
        Some(error) if issues.is_empty() => format!("at root: {}", without_position(error)),
        _ => issues.iter().map(describe).collect::<Vec<_>>().join("; "),
    }
}

/// Every problem of a value. Where a type is a choice of several forms, those of the form the value comes closest to.
fn problems_of<T: JsonSchema + 'static>(value: &Value) -> Vec<Issue> {
    checkers::<T>().iter().map(|form| form.check(value)).min_by_key(Vec::len).unwrap_or_default()
}

fn describe(issue: &Issue) -> String {
    let pointer = issue.pointer();
    let place = if pointer.is_empty() { "root" } else { &pointer };
    format!("at {place}: {}", issue.message())
}

/// Whether the bytes are JSON at all, however deeply nested.
pub(crate) fn is_json(message: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(message).is_ok()
}

/// Serde's words without the line and column, which mean nothing inside a frame.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

type Forms = Arc<[Checker]>;

/// Checkers are built when a type is first refused and kept, so that bad requests stay cheap.
fn checkers<T: JsonSchema + 'static>() -> Forms {
    static KNOWN: LazyLock<RwLock<HashMap<TypeId, Forms>>> = LazyLock::new(RwLock::default);
    let id = TypeId::of::<T>();
    if let Some(found) = KNOWN.read().unwrap_or_else(PoisonError::into_inner).get(&id) {
        return Arc::clone(found);
    }
    let built: Forms = forms_of::<T>().into();
    KNOWN.write().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::clone(&built));
    built
}

/// One checker, or one for each form when the type is a choice.
fn forms_of<T: JsonSchema>() -> Vec<Checker> {
    let root = SchemaSettings::draft07().into_generator().into_root_schema_for::<T>();
    let Some(Value::Array(members)) = root.get("anyOf") else {
        return vec![Checker::from_schema(&root)];
    };
    let forms = members.iter().filter_map(|member| Schema::try_from(member.clone()).ok());
    forms
        .map(|mut form| {
            if let Some(definitions) = root.get("definitions") {
                form.insert("definitions".to_owned(), definitions.clone());
            }
            Checker::from_schema(&form)
        })
        .collect()
}
