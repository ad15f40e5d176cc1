//! The variables that the `env` section of the configuration sets.
//!
//! They count only where the process does not already set them, and only names that a file may set are taken. Pure.

use serde_json::Value;

use super::substitute::has_reference;
use crate::environment::may_be_set_by_a_file;

/// The variables of `env.vars` and of the other keys of `env`; the latter win.
///
/// A value that itself refers to a variable is skipped: the order in which they would be needed is not defined.
pub(crate) fn variables(config: &Value) -> Vec<(String, String)> {
    let Some(env) = config.get("env").and_then(Value::as_object) else { return Vec::new() };
    let own = env.iter().filter(|(name, _)| !matches!(name.as_str(), "vars" | "shellEnv"));
    let listed = env.get("vars").and_then(Value::as_object).into_iter().flatten();
    own.chain(listed)
        .filter_map(|(name, value)| {
            let (name, text) = (name.trim(), value.as_str()?);
            let usable = may_be_set_by_a_file(name) && !text.trim().is_empty() && !has_reference(text);
            usable.then(|| (name.to_owned(), text.to_owned()))
        })
        .collect()
}
