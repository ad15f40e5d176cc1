//! The end of a text is found exactly where a parser would find it.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::JsonEnd;

fn is_reached(pieces: &[&str]) -> bool {
    let mut end = JsonEnd::default();
    pieces.iter().for_each(|piece| end.push(piece));
    end.is_reached()
}

#[test]
fn the_end_is_behind_the_last_bracket_and_nowhere_else() {
    for (text, reached) in [
        ("", false),
        (" ", false),
        (" {} ", true),
        ("{", false),
        ("{\"a\": [1, {}]}", true),
        ("{\"a\": \"}\"", false),
        ("{\"a\": \"\\\"}\"}", true),
        ("\"text\"", true),
        ("{}{", false),
        ("}", false),
        ("null", false),
    ] {
        assert_eq!(is_reached(&[text]), reached, "{text}");
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i32>().prop_map(Value::from),
        "[a\"\\\\{}\\[\\]é ]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a\"}]{0,3}", inner), 0..4)
                .prop_map(|fields| fields.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn a_parser_agrees_at_every_place(value in any_value()) {
        let text = json!({ "a": value }).to_string();
        for (place, _) in text.char_indices() {
            let (one, two) = text.split_at(place);
            prop_assert!(!is_reached(&[one]), "{}", one);
            prop_assert!(is_reached(&[one, two]));
        }
    }
}
