//! Tables for the checker: one row for each kind of problem, and hostile values that must not hang it.

use proptest::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Checker, closest};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "only the schema of this type is used")]
struct Sample {
    #[schemars(length(min = 1, max = 5))]
    name: String,
    #[schemars(range(min = 1, max = 10))]
    count: Option<u32>,
    mode: Option<Mode>,
    shape: Option<Shape>,
    either: Option<Either>,
    #[schemars(regex(pattern = "^[0-9]+$"))]
    digits: Option<String>,
    inner: Option<Box<Sample>>,
    tags: Option<Vec<String>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    Token,
    Password,
    TrustedProxy,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[expect(dead_code, reason = "only the schema of this type is used")]
enum Shape {
    At { at: String },
    Every { every_ms: u32 },
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the schema of this type is used")]
enum Either {
    Text(String),
    Pair { primary: String, fallbacks: Vec<String> },
}

fn check(value: &Value, expected: &[(&str, &str)]) {
    let issues = Checker::of::<Sample>().check(value);
    let found: Vec<_> = issues.iter().map(|issue| (issue.pointer(), issue.message())).collect();
    let expected: Vec<_> = expected.iter().map(|(at, text)| ((*at).to_owned(), (*text).to_owned())).collect();
    assert_eq!(found, expected, "for {value}");
}

#[test]
fn a_fitting_value_has_no_problems() {
    check(
        &json!({"name": "a", "count": 3, "mode": "token", "shape": {"kind": "at", "at": "x"}, "either": "y", "digits": "12",
            "inner": {"name": "b"}, "tags": ["c"]}),
        &[],
    );
}

#[test]
fn each_kind_of_problem_is_said_with_its_place() {
    check(&json!({}), &[("", "must have required property 'name'")]);
    check(&json!([]), &[("", "must be object, found array")]);
    check(&json!({"name": ""}), &[("/name", "must be 1 to 5 characters long")]);
    check(&json!({"name": "abcdef"}), &[("/name", "must be 1 to 5 characters long")]);
    check(&json!({"name": 1}), &[("/name", "must be string, found number")]);
    check(&json!({"name": "a", "count": 0}), &[("/count", "must be at least 1 and at most 10")]);
    check(&json!({"name": "a", "count": 1.5}), &[("/count", "must be integer or null, found number")]);
    check(&json!({"name": "a", "digits": "x"}), &[("/digits", "must match the pattern ^[0-9]+$")]);
    check(&json!({"name": "a", "tags": ["b", 2]}), &[("/tags/1", "must be string, found number")]);
    check(
        &json!({"name": "a", "inner": {"name": "b", "nmae": 1}}),
        &[("/inner", "unexpected property 'nmae' (did you mean 'name'?)")],
    );
}

#[test]
fn the_alternative_that_was_meant_is_explained() {
    let shape = |value: Value| json!({"name": "a", "shape": value});
    check(&shape(json!({"kind": "at"})), &[("/shape", "must have required property 'at'")]);
    check(
        &shape(json!({"kind": "every", "every_ms": "x"})),
        &[("/shape/every_ms", "must be integer, found string")],
    );
    check(
        &json!({"name": "a", "mode": "pasword"}),
        &[("/mode", r#"must be one of "token", "password", "trusted-proxy" (did you mean "password"?)"#)],
    );
    check(
        &json!({"name": "a", "either": {"primary": "m"}}),
        &[("/either", "must have required property 'fallbacks'")],
    );
    check(&json!({"name": "a", "either": 4}), &[("/either", "must be string or object")]);
}

#[test]
fn places_are_also_written_as_people_write_them() {
    let issues =
        Checker::of::<Sample>().check(&json!({"name": "a", "inner": {"name": "b", "tags": [1], "extra": 2}}));
    let dotted: Vec<_> = issues.iter().map(crate::Issue::dotted).collect();
    assert_eq!(dotted, ["inner.tags[0]", "inner.extra"]);
}

#[test]
fn only_names_that_are_close_are_suggested() {
    let names = ["port", "bind", "auth", "controlUi"];
    for (text, expected) in [
        ("prot", Some("port")),
        ("controlui", Some("controlUi")),
        ("atuh", Some("auth")),
        ("something", None),
        ("x", None),
    ] {
        assert_eq!(closest(text, names), expected, "for {text}");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z]{0,8}".prop_map(Value::from),
    ];
    let key = prop_oneof![
        "[a-z]{1,6}",
        Just("name".to_owned()),
        Just("inner".to_owned()),
        Just("shape".to_owned())
    ];
    leaf.prop_recursive(6, 64, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_serde_accepts_has_no_problems_and_nothing_panics(value in any_json()) {
        let issues = Checker::of::<Sample>().check(&value);
        if serde_json::from_value::<Sample>(value.clone()).is_err() {
            return Ok(());
        }
        // Lengths, ranges and patterns are the schema's own; everything else serde and the checker see alike.
        let beyond_serde = issues.iter().all(|issue| matches!(
            issue.problem,
            crate::SchemaProblem::OutOfRange { .. } | crate::SchemaProblem::WrongSize { .. } | crate::SchemaProblem::Pattern { .. }
        ));
        prop_assert!(beyond_serde, "{issues:?} for {value}");
    }
}
