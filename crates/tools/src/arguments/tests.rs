//! What models write, and what is made of it.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ToolArguments, WrongArgument};

fn arguments(value: Value) -> ToolArguments {
    ToolArguments::of("test", value).unwrap()
}

fn wrong<T>(text: &str) -> Result<T, WrongArgument> {
    Err(WrongArgument(text.to_owned()))
}

#[test]
fn numbers_are_read_from_text_and_cut_to_whole_ones() {
    let given =
        arguments(json!({ "a": 7, "b": "12", "c": 3.9, "d": -4, "e": "", "f": null, "g": "x", "h": [] }));
    let read: Vec<_> = ["a", "b", "c", "d", "e", "f", "z"].map(|name| given.whole(name).unwrap()).into();
    assert_eq!(read, [Some(7), Some(12), Some(3), Some(0), None, None, None]);
    assert_eq!(given.whole("g"), wrong("test: the parameter `g` must be a number."));
    assert_eq!(given.whole("h"), wrong("test: the parameter `h` must be a number."));
}

#[test]
fn a_text_is_found_under_any_of_its_names_and_may_come_in_pieces() {
    let given = arguments(
        json!({ "file_path": " a ", "path": null, "p": [{ "text": "x" }, "y"], "n": 5, "bad": {} }),
    );
    assert_eq!(given.text(&["path", "file_path"]), Ok(Some(" a ".to_owned())));
    assert_eq!(given.word(&["path", "file_path"]), Ok(Some("a".to_owned())));
    assert_eq!(given.text(&["p"]), Ok(Some("xy".to_owned())));
    assert_eq!(given.text(&["n"]), Ok(Some("5".to_owned())));
    assert_eq!(given.text(&["bad"]), wrong("test: the parameter `bad` must be text."));
}

#[test]
fn what_is_missing_is_named_with_its_other_names() {
    let given = arguments(json!({ "path": "  " }));
    assert_eq!(
        given.needed_word(&["path", "file_path"]),
        wrong("test: the parameter `path` (also accepted as file_path) is missing. Call again with it.")
    );
}

#[test]
fn arguments_may_be_an_object_written_as_text_or_nothing() {
    assert_eq!(arguments(json!("{\"a\":1}")).whole("a"), Ok(Some(1)));
    assert_eq!(arguments(Value::Null).whole("a"), Ok(None));
    assert_eq!(
        ToolArguments::of("test", json!([1])).map(|_| ()),
        wrong("test: the arguments must be a JSON object.")
    );
}

/// Any JSON value, a few levels deep.
pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,40}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec(("[a-z_]{1,10}", inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_value_makes_reading_panic(value in any_json()) {
        if let Ok(given) = ToolArguments::of("test", json!({ "a": value })) {
            drop((given.text(&["a"]), given.word(&["a"]), given.whole("a"), given.flag("a"), given.texts("a")));
        }
    }
}
