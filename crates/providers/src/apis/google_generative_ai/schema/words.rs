//! What a schema says in words: its description, and the limits that the protocol has no field for.

use serde_json::{Map, Value, json};

/// Limits that are said in the description, and how.
const LIMITS: &[(&str, &str)] = &[
    ("minimum", "at least"),
    ("exclusiveMinimum", "more than"),
    ("maximum", "at most"),
    ("exclusiveMaximum", "less than"),
    ("multipleOf", "a multiple of"),
    ("minLength", "shortest length"),
    ("maxLength", "longest length"),
    ("pattern", "pattern"),
    ("minItems", "fewest items"),
    ("maxItems", "most items"),
    ("default", "default"),
];

/// Puts description and limits where the model reads them. What is there already stays.
pub(super) fn describe(given: &Map<String, Value>, object: &mut Map<String, Value>) {
    if let Some(Value::Array(each)) = object.get_mut("anyOf") {
        for one in each.iter_mut().filter_map(Value::as_object_mut) {
            describe(given, one);
        }
        return;
    }
    if object.contains_key("description") {
        return;
    }
    let own =
        given.get("description").or_else(|| given.get("title")).and_then(Value::as_str).unwrap_or_default();
    let mut limits: Vec<String> = LIMITS
        .iter()
        .filter_map(|(key, words)| {
            given.get(*key).filter(|value| is_short(value)).map(|value| format!("{words} {value}"))
        })
        .collect();
    if let Some(values) = unlisted(given, object) {
        limits.push(format!("one of {values}"));
    }
    let text = match (own.trim(), limits.is_empty()) {
        ("", true) => return,
        (own, true) => own.to_owned(),
        ("", false) => format!("({})", limits.join(", ")),
        (own, false) => format!("{own} ({})", limits.join(", ")),
    };
    object.insert("description".to_owned(), json!(text));
}

/// The texts that are allowed, where all are texts.
pub(super) fn literals(given: &Map<String, Value>) -> Option<Vec<Value>> {
    let all = listed(given)?;
    let texts: Vec<Value> = all.into_iter().filter(|value| !value.is_null()).collect();
    // The server refuses an empty text as a literal.
    let usable = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    (!texts.is_empty() && texts.iter().all(usable)).then_some(texts)
}

fn listed(given: &Map<String, Value>) -> Option<Vec<Value>> {
    match (given.get("const"), given.get("enum")) {
        (Some(literal), _) => Some(vec![literal.clone()]),
        (None, Some(Value::Array(all))) => Some(all.clone()),
        _ => None,
    }
}

/// Literals that could not be listed as such.
fn unlisted(given: &Map<String, Value>, object: &Map<String, Value>) -> Option<String> {
    let all = listed(given).filter(|all| !all.is_empty() && !object.contains_key("enum"))?;
    let text = all.iter().map(Value::to_string).collect::<Vec<_>>().join(", ");
    (text.len() <= 500).then_some(text)
}

fn is_short(value: &Value) -> bool {
    !value.is_null() && value.to_string().len() <= 200
}
