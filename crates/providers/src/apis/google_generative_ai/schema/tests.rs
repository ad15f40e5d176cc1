//! What is left of a tool's schema.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::cleaned;

/// Checks one property of a tool.
#[track_caller]
fn check(given: &Value, expected: &Value) {
    let schema = json!({ "type": "object", "properties": { "x": given }, "$defs": {
        "Name": { "type": "string", "minLength": 1 },
        "Tree": { "type": "object", "properties": { "left": { "$ref": "#/$defs/Tree" } } },
    } });
    assert_eq!(cleaned(&schema), Some(json!({ "type": "object", "properties": { "x": expected } })));
}

#[test]
fn a_tool_without_arguments_has_no_schema() {
    for schema in
        [json!({}), json!({ "type": "object" }), json!({ "type": "object", "properties": {} }), json!(true)]
    {
        assert_eq!(cleaned(&schema), None);
    }
}

#[test]
fn plain_schemas_stay_and_unknown_keywords_go() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "ReadArguments",
        "type": "object",
        "additionalProperties": false,
        "required": ["path", "gone"],
        "properties": {
            "path": { "type": "string", "description": "Which file", "examples": ["a"] },
            "lines": { "type": "array", "items": { "type": "integer", "format": "uint32" } },
            "at": { "type": "string", "format": "date-time" },
            "options": { "type": "object", "patternProperties": {}, "properties": { "deep": { "type": "boolean" } } },
        },
    });
    assert_eq!(
        cleaned(&schema),
        Some(json!({
            "type": "object",
            "description": "ReadArguments",
            "required": ["path"],
            "properties": {
                "path": { "type": "string", "description": "Which file" },
                "lines": { "type": "array", "items": { "type": "integer" } },
                "at": { "type": "string", "format": "date-time" },
                "options": { "type": "object", "properties": { "deep": { "type": "boolean" } } },
            },
        }))
    );
}

#[test]
fn limits_are_said_in_the_description() {
    check(
        &json!({ "type": "integer", "description": "How many", "minimum": 1, "maximum": 9, "default": 3 }),
        &json!({ "type": "integer", "description": "How many (at least 1, at most 9, default 3)" }),
    );
    check(
        &json!({ "type": "string", "pattern": "^a" }),
        &json!({ "type": "string", "description": "(pattern \"^a\")" }),
    );
}

#[test]
fn literals_become_a_list_of_texts() {
    check(&json!({ "const": "a" }), &json!({ "type": "string", "enum": ["a"] }));
    check(&json!({ "enum": ["a", "b"] }), &json!({ "type": "string", "enum": ["a", "b"] }));
    check(&json!({ "enum": ["a", null] }), &json!({ "type": "string", "enum": ["a"], "nullable": true }));
    check(&json!({ "enum": [1, 2] }), &json!({ "type": "integer", "description": "(one of 1, 2)" }));
    check(
        &json!({ "type": "string", "enum": ["", "a"] }),
        &json!({ "type": "string", "description": "(one of \"\", \"a\")" }),
    );
    check(
        &json!({ "oneOf": [{ "const": "a" }, { "const": "b", "type": "string" }], "description": "Which" }),
        &json!({ "type": "string", "enum": ["a", "b"], "description": "Which" }),
    );
}

#[test]
fn null_becomes_nullable() {
    check(&json!({ "type": ["string", "null"] }), &json!({ "type": "string", "nullable": true }));
    check(
        &json!({ "anyOf": [{ "$ref": "#/$defs/Name" }, { "type": "null" }], "description": "Who" }),
        &json!({ "type": "string", "nullable": true, "description": "Who (shortest length 1)" }),
    );
}

#[test]
fn alternatives_stand_alone_and_take_the_description_with_them() {
    check(
        &json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }], "description": "One or many" }),
        &json!({ "anyOf": [
            { "type": "string", "description": "One or many" },
            { "type": "array", "items": { "type": "string" }, "description": "One or many" },
        ] }),
    );
    check(
        &json!({ "type": ["integer", "string", "null"] }),
        &json!({ "anyOf": [{ "type": "integer", "nullable": true }, { "type": "string" }] }),
    );
}

#[test]
fn references_are_written_out_and_circles_end() {
    check(
        &json!({ "$ref": "#/$defs/Name", "description": "Who" }),
        &json!({ "type": "string", "description": "Who (shortest length 1)" }),
    );
    check(
        &json!({ "$ref": "#/$defs/Tree" }),
        &json!({ "type": "object", "properties": { "left": { "type": "object" } } }),
    );
    check(&json!({ "$ref": "#/$defs/Gone" }), &json!({ "type": "object" }));
}

#[test]
fn parts_that_all_hold_are_taken_together() {
    check(
        &json!({ "allOf": [
            { "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] },
            { "properties": { "b": { "type": "integer" } }, "required": ["b"] },
        ] }),
        &json!({
            "type": "object",
            "properties": { "a": { "type": "string" }, "b": { "type": "integer" } },
            "required": ["a", "b"],
        }),
    );
}

#[test]
fn arguments_with_alternatives_become_one_object() {
    let schema = json!({ "oneOf": [
        { "type": "object", "properties": { "action": { "const": "add" }, "job": { "type": "string" } }, "required": ["action", "job"] },
        { "type": "object", "properties": { "action": { "const": "list" } }, "required": ["action"] },
    ] });
    assert_eq!(
        cleaned(&schema),
        Some(json!({
            "type": "object",
            "properties": { "action": { "type": "string", "enum": ["add", "list"] }, "job": { "type": "string" } },
            "required": ["action"],
        }))
    );
}

#[test]
fn every_value_has_a_type() {
    check(&json!({}), &json!({ "type": "string" }));
    check(&json!(true), &json!({ "type": "string" }));
    check(&json!({ "additionalProperties": { "type": "string" } }), &json!({ "type": "object" }));
    check(&json!({ "type": "array" }), &json!({ "type": "array", "items": { "type": "string" } }));
    check(
        &json!({ "prefixItems": [{ "type": "string" }, { "type": "string" }] }),
        &json!({ "type": "array", "items": { "type": "string" } }),
    );
}

#[test]
fn a_schema_that_multiplies_is_cut() {
    let wide = |name: &str| {
        let all: serde_json::Map<String, Value> = (0..20)
            .map(|number| (format!("p{number}"), json!({ "$ref": format!("#/$defs/{name}") })))
            .collect();
        json!({ "type": "object", "properties": all })
    };
    let schema = json!({ "$ref": "#/$defs/A", "$defs": {
        "A": wide("B"), "B": wide("C"), "C": wide("D"), "D": wide("E"), "E": { "type": "string" },
    } });
    assert!(cleaned(&schema).unwrap().to_string().len() < 2_000_000);
}

fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({ "type": "string" })),
        Just(json!({ "type": ["null", "integer"] })),
        Just(json!({ "const": 4 })),
        Just(json!({ "enum": ["a", null] })),
        Just(json!({ "$ref": "#" })),
        Just(json!({ "$ref": "#/properties/x" })),
        Just(json!(false)),
        Just(Value::Null),
        Just(json!([1])),
        Just(json!({ "type": 7, "properties": [], "required": {}, "anyOf": {}, "enum": {} })),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            list.clone().prop_map(|all| json!({ "anyOf": all, "description": "d" })),
            list.clone().prop_map(|all| json!({ "oneOf": all, "type": "object" })),
            list.clone().prop_map(|all| json!({ "allOf": all })),
            list.prop_map(|all| json!({ "items": all })),
            (inner.clone(), inner).prop_map(
                |(x, y)| json!({ "type": "object", "properties": { "x": x, "y": y }, "required": ["x"] })
            ),
        ]
    })
}

/// Insists on what the server takes.
fn is_accepted(schema: &Value) {
    const KEYS: [&str; 9] =
        ["type", "description", "enum", "format", "items", "nullable", "properties", "required", "anyOf"];
    let object = schema.as_object().unwrap_or_else(|| panic!("{schema} is no object"));
    assert!(object.keys().all(|key| KEYS.contains(&key.as_str())), "{schema}");
    if let Some(each) = object.get("anyOf") {
        assert_eq!(object.len(), 1, "{schema}");
        each.as_array().unwrap().iter().for_each(is_accepted);
        return;
    }
    assert!(object["type"].is_string(), "{schema}");
    assert_eq!(object["type"] == "array", object.contains_key("items"), "{schema}");
    object.get("items").into_iter().for_each(is_accepted);
    object
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|all| all.values())
        .for_each(is_accepted);
}

proptest! {
    #[test]
    fn whatever_comes_in_the_server_takes_what_comes_out(schema in any_schema()) {
        if let Some(cleaned) = cleaned(&schema) {
            is_accepted(&cleaned);
        }
    }
}
