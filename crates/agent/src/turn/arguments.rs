//! Checks the arguments of a tool call before the tool sees them, in words that help a model to call again.
//!
//! Pure and small on purpose: an object, the required fields, the plain types. Other names for fields are the tool's
//! business, so a missing field is left to the tool as long as the call holds a field the schema does not name.

use serde_json::{Map, Value};

/// Checks arguments against the schema of their tool.
///
/// # Errors
/// Says what is wrong and what would be right, for the model.
pub(crate) fn check(tool: &str, schema: &Value, arguments: &Value) -> Result<(), String> {
    let Some(given) = arguments.as_object() else {
        return Err(format!(
            "The arguments of {tool} are not a JSON object{}. Call it again with one complete JSON object.",
            shown(arguments)
        ));
    };
    let nothing = Map::new();
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&nothing);
    let missing = missing(schema, given);
    let aliased = given.keys().any(|name| !known.contains_key(name));
    if !missing.is_empty() && !aliased {
        return Err(format!(
            "{tool} needs {}. Call it again with {}.",
            quoted(&missing),
            if missing.len() == 1 { "this field" } else { "these fields" }
        ));
    }
    for (name, value) in given {
        if let Some(kinds) = known.get(name).and_then(kinds)
            && !kinds.iter().any(|kind| fits(kind, value))
        {
            return Err(format!(
                "The field \"{name}\" of {tool} must be {}, not {}. Call it again with the right type.",
                kinds.join(" or "),
                kind_of(value)
            ));
        }
    }
    Ok(())
}

fn missing<'a>(schema: &'a Value, given: &Map<String, Value>) -> Vec<&'a str> {
    let required = schema.get("required").and_then(Value::as_array);
    required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .filter(|name| !given.contains_key(*name))
        .collect()
}

/// The types that a property may have; nothing when its schema says more than that.
fn kinds(property: &Value) -> Option<Vec<&str>> {
    match property.get("type")? {
        Value::String(kind) => Some(vec![kind]),
        Value::Array(kinds) => Some(kinds.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

/// Models write numbers and switches as texts, and leave things out with null; tools read both.
fn fits(kind: &str, value: &Value) -> bool {
    match (kind, value) {
        (_, Value::Null)
        | ("string", Value::String(_) | Value::Number(_) | Value::Bool(_))
        | ("number", Value::Number(_))
        | ("boolean", Value::Bool(_))
        | ("array", Value::Array(_) | Value::String(_))
        | ("object", Value::Object(_)) => true,
        ("integer", Value::Number(number)) => {
            number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        ("number" | "integer", Value::String(text)) => text.trim().parse::<f64>().is_ok(),
        ("boolean", Value::String(text)) => matches!(text.trim(), "true" | "false"),
        ("object", Value::String(text)) => serde_json::from_str::<Map<String, Value>>(text).is_ok(),
        (kind, _) => !matches!(kind, "string" | "number" | "integer" | "boolean" | "array" | "object"),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn shown(arguments: &Value) -> String {
    const LONGEST: usize = 120;
    let text = match arguments {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let start: String = text.chars().take(LONGEST).collect();
    let rest = if text.chars().nth(LONGEST).is_some() { "…" } else { "" };
    format!(" (they begin with {start:?}{rest})")
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::check;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": { "type": "string" },
                "limit": { "type": "integer" },
                "deep": { "type": "boolean" },
                "edits": { "type": "array" },
                "either": { "anyOf": [{ "type": "string" }, { "type": "array" }] },
                "both": { "type": ["string", "null"] },
            },
            "required": ["path"],
        })
    }

    #[test]
    fn arguments_that_a_tool_can_read_pass() {
        for arguments in [
            json!({ "path": "a" }),
            json!({ "path": "a", "limit": 3, "deep": true, "edits": [], "either": 4, "both": null }),
            json!({ "path": "a", "limit": "3", "deep": "false", "edits": "[]" }),
            json!({ "path": "a", "limit": 3.0 }),
            json!({ "file_path": "a" }),
            json!({ "path": "a", "unknown": {} }),
        ] {
            assert_eq!(check("read", &schema(), &arguments), Ok(()), "{arguments}");
        }
    }

    #[test]
    fn arguments_that_no_tool_can_read_are_refused_in_words_for_a_model() {
        let rows = [
            (
                json!("{\"path\": \"a"),
                "The arguments of read are not a JSON object (they begin with \"{\\\"path\\\": \\\"a\"). Call it again with one complete JSON object.",
            ),
            (json!({}), "read needs \"path\". Call it again with this field."),
            (
                json!({ "path": ["a"] }),
                "The field \"path\" of read must be string, not array. Call it again with the right type.",
            ),
            (
                json!({ "path": "a", "limit": "many" }),
                "The field \"limit\" of read must be integer, not string. Call it again with the right type.",
            ),
        ];
        for (arguments, words) in rows {
            assert_eq!(check("read", &schema(), &arguments), Err(words.to_owned()), "{arguments}");
        }
    }
}
