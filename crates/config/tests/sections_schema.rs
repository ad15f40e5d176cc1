//! Proves that the section types describe the original's whole configuration format, and nothing else.
//!
//! Walks the original's schema and ours side by side. Every difference is either a bug or listed below with its
//! reason; a listed difference that no longer exists fails as well.

use std::collections::{BTreeMap, BTreeSet};

use comparison::differences;
use openclaw_config::config_schema;
use serde_json::Value;

/// Where we differ on purpose: the path, the difference, and why.
const DEVIATIONS: &[(&str, &str, &str)] = &[
    ("$schema", "only ours has it", "editors want the key; the original tolerates it outside its schema"),
    ("", "original requires 'commands'", "an artefact of a default: a file without the section is fine"),
    ("commands", "original requires 'native'", "an artefact of a default: the key may be left out"),
    ("commands", "original requires 'nativeSkills'", "an artefact of a default: the key may be left out"),
    ("commands", "original requires 'ownerDisplay'", "an artefact of a default: the key may be left out"),
    ("commands", "original requires 'restart'", "an artefact of a default: the key may be left out"),
    ("models.budgets", "only ours has it", "the original has no limits on spending"),
    (
        "tools.web.fetch.useTrustedEnvProxy",
        "only ours has it",
        "later versions of the original have it: whether a proxy may look names up",
    ),
    ("tools.web.search.searxng", "only ours has it", "a search server of one's own needs no key"),
    (
        "tools.web.search.provider",
        r#"choices {"\"brave\"", "\"gemini\"", "\"grok\"", "\"kimi\"", "\"perplexity\""}, ours {"\"brave\"", "\"duckduckgo\"", "\"gemini\"", "\"grok\"", "\"kimi\"", "\"perplexity\"", "\"searxng\""}"#,
        "two services more, for people without a key",
    ),
    (
        "messages.queue.byChannel",
        "original names its keys, ours is a map of the same",
        "any channel may be named, also one that a plugin brings",
    ),
    (
        "hooks.mappings[].channel",
        "choices, ours is any text",
        "any channel may be named, also one that a plugin brings",
    ),
];

#[test]
fn our_schema_equals_the_original_but_for_the_listed_deviations() {
    let found: BTreeSet<(String, String)> =
        differences(&original(), &config_schema().schema).into_iter().collect();
    let listed: BTreeSet<(String, String)> =
        DEVIATIONS.iter().map(|(path, what, _)| ((*path).to_owned(), (*what).to_owned())).collect();
    let unexpected: Vec<_> = found.difference(&listed).collect();
    let outdated: Vec<_> = listed.difference(&found).collect();
    assert_eq!((unexpected, outdated), (vec![], vec![]), "unexpected differences, outdated deviations");
}

#[test]
fn the_comparison_sees_every_kind_of_difference() {
    let theirs = serde_json::json!({ "type": "object", "additionalProperties": false, "required": ["a"], "properties": {
        "a": { "type": "string", "minLength": 1 }, "b": { "type": "integer", "minimum": 1 },
        "c": { "enum": ["x", "y"] }, "d": { "type": "array", "items": { "type": "string" } }, "e": { "type": "number" },
    } });
    let ours = serde_json::json!({ "type": "object", "properties": {
        "a": { "type": "string" }, "b": { "type": "integer", "minimum": 0 },
        "c": { "enum": ["x"] }, "d": { "type": "array", "items": { "type": "boolean" } }, "f": { "type": "number" },
    } });
    let found: BTreeMap<String, String> = differences(&theirs, &ours).into_iter().collect();
    let places: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(places, ["", "a", "b", "c", "d[]", "e", "f"]);
}

#[test]
fn no_reference_is_left_in_our_schema() {
    let text = &config_schema().schema.to_string();
    assert!(!text.contains("$ref") && !text.contains("$defs") && !text.contains("definitions"));
}

fn original() -> Value {
    serde_json::from_str(include_str!("fixtures/config-schema-2026.2.26.json"))
        .unwrap_or_else(|error| panic!("the fixture is not JSON: {error}"))
}

mod comparison {
    //! Compares two schemas by what they accept, not by how they are written.

    use std::collections::{BTreeMap, BTreeSet};

    use serde_json::Value;

    type Differences = Vec<(String, String)>;

    /// The largest whole number JSON carries exactly; as a bound it says nothing.
    const NO_BOUND: f64 = 9_007_199_254_740_991.0;

    /// What a node accepts: texts and other constants, or values of a kind.
    #[derive(Default)]
    struct Accepts<'a> {
        choices: BTreeSet<String>,
        kinds: BTreeMap<String, Vec<&'a Value>>,
    }

    pub(crate) fn differences(original: &Value, ours: &Value) -> Differences {
        let mut found = Vec::new();
        compare(original, ours, "", &mut found);
        found
    }

    fn compare(original: &Value, ours: &Value, path: &str, found: &mut Differences) {
        if path == "channels" || path == "plugins.entries.*.config" {
            return;
        }
        let mut note = |what: String| found.push((path.to_owned(), what));
        let (theirs, mine) = (accepts(original), accepts(ours));
        if !theirs.choices.is_empty() && mine.choices.is_empty() && mine.kinds.contains_key("string") {
            return note("choices, ours is any text".to_owned());
        }
        if theirs.choices != mine.choices {
            note(format!("choices {:?}, ours {:?}", theirs.choices, mine.choices));
        }
        let kinds: BTreeSet<&String> = theirs.kinds.keys().chain(mine.kinds.keys()).collect();
        for kind in kinds {
            match (theirs.kinds.get(kind), mine.kinds.get(kind)) {
                (Some(theirs), Some(mine)) if theirs.len() == mine.len() => {
                    for (theirs, mine) in theirs.iter().zip(mine) {
                        compare_kind(kind, (theirs, mine), path, found);
                    }
                }
                (theirs, mine) => {
                    let count = |list: Option<&Vec<&Value>>| list.map_or(0, Vec::len);
                    found.push((
                        path.to_owned(),
                        format!("{kind} × {}, ours × {}", count(theirs), count(mine)),
                    ));
                }
            }
        }
    }

    fn accepts(node: &Value) -> Accepts<'_> {
        let mut out = Accepts::default();
        collect(node, &mut out);
        if out.kinds.contains_key("any") {
            out.choices.clear();
            out.kinds.retain(|kind, _| kind == "any");
        }
        out
    }

    fn collect<'a>(node: &'a Value, out: &mut Accepts<'a>) {
        if let Some(constant) = node.get("const") {
            out.choices.insert(constant.to_string());
        } else if let Some(choices) = node.get("enum").and_then(Value::as_array) {
            out.choices.extend(choices.iter().map(Value::to_string));
        } else if let Some(alternatives) = node.get("anyOf").or(node.get("oneOf")).and_then(Value::as_array) {
            alternatives.iter().for_each(|alternative| collect(alternative, out));
        } else {
            match node.get("type") {
                Some(Value::String(kind)) => out.kinds.entry(kind.clone()).or_default().push(node),
                Some(Value::Array(kinds)) => {
                    for kind in kinds.iter().filter_map(Value::as_str) {
                        out.kinds.entry(kind.to_owned()).or_default().push(node);
                    }
                }
                _ => out.kinds.entry("any".to_owned()).or_default().push(node),
            }
        }
    }

    fn compare_kind(kind: &str, (original, ours): (&Value, &Value), path: &str, found: &mut Differences) {
        match kind {
            "integer" | "number" => note_unequal("range", range(original), range(ours), path, found),
            "string" => {
                for key in ["minLength", "maxLength", "pattern", "format"] {
                    note_unequal(key, original.get(key), ours.get(key), path, found);
                }
            }
            "array" => {
                note_unequal("maxItems", original.get("maxItems"), ours.get("maxItems"), path, found);
                compare(&original["items"], &ours["items"], &format!("{path}[]"), found);
            }
            "object" => compare_object(original, ours, path, found),
            _ => {}
        }
    }

    fn compare_object(original: &Value, ours: &Value, path: &str, found: &mut Differences) {
        let (theirs, mine) = (keys(original, path), keys(ours, path));
        if mine.is_empty() && !theirs.is_empty() && ours["additionalProperties"].is_object() {
            let same = theirs.values().all(|node| {
                let mut inner = Vec::new();
                compare(node, &ours["additionalProperties"], "", &mut inner);
                inner.is_empty()
            });
            let what = if same {
                "original names its keys, ours is a map of the same"
            } else {
                "ours is a map of others"
            };
            return found.push((path.to_owned(), what.to_owned()));
        }
        let names: BTreeSet<&str> = theirs.keys().chain(mine.keys()).copied().collect();
        for name in names {
            let place = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            match (theirs.get(name), mine.get(name)) {
                (Some(theirs), Some(mine)) => compare(theirs, mine, &place, found),
                (Some(_), None) => found.push((place, "only the original has it".to_owned())),
                _ => found.push((place, "only ours has it".to_owned())),
            }
        }
        compare_required(original, ours, path, found);
        let pattern = |node: &Value| node["propertyNames"].get("pattern").cloned();
        note_unequal("pattern of keys", pattern(original), pattern(ours), path, found);
        match (rest(original), rest(ours)) {
            (Rest::Like(theirs), Rest::Like(mine)) => compare(theirs, mine, &format!("{path}.*"), found),
            (theirs, mine) => note_unequal("other keys", theirs, mine, path, found),
        }
    }

    /// Settings of known plugins are their owners' business: only the form of any entry is compared.
    fn keys<'a>(node: &'a Value, path: &str) -> BTreeMap<&'a str, &'a Value> {
        if path == "plugins.entries" {
            return BTreeMap::new();
        }
        let properties = node.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(|(key, value)| (key.as_str(), value)).collect()
    }

    fn compare_required(original: &Value, ours: &Value, path: &str, found: &mut Differences) {
        let required = |node: &Value| -> BTreeSet<String> {
            let list = node.get("required").and_then(Value::as_array);
            list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let (theirs, mine) = (required(original), required(ours));
        for key in theirs.difference(&mine) {
            found.push((path.to_owned(), format!("original requires '{key}'")));
        }
        for key in mine.difference(&theirs) {
            found.push((path.to_owned(), format!("ours requires '{key}'")));
        }
    }

    #[derive(Debug, PartialEq)]
    enum Rest<'a> {
        Refused,
        Anything,
        Like(&'a Value),
    }

    fn rest(node: &Value) -> Rest<'_> {
        match node.get("additionalProperties") {
            Some(Value::Bool(false)) => Rest::Refused,
            None | Some(Value::Bool(true)) => Rest::Anything,
            Some(Value::Object(empty)) if empty.is_empty() => Rest::Anything,
            Some(like) => Rest::Like(like),
        }
    }

    fn range(node: &Value) -> (Option<f64>, Option<f64>, Option<f64>) {
        let number = |key: &str| node.get(key).and_then(Value::as_f64).filter(|bound| bound.abs() < NO_BOUND);
        let (least, above) = (number("minimum"), number("exclusiveMinimum"));
        if node["type"] == "integer" {
            (least.or(above.map(|bound| bound + 1.0)), None, number("maximum"))
        } else {
            (least, above, number("maximum"))
        }
    }

    fn note_unequal<T: PartialEq + std::fmt::Debug>(
        what: &str,
        original: T,
        ours: T,
        path: &str,
        found: &mut Differences,
    ) {
        if original != ours {
            found.push((path.to_owned(), format!("{what} {original:?}, ours {ours:?}")));
        }
    }
}
