//! The notation's promises: bounds hold when read, optional is not nullable, names are the wire's.

#![allow(unreachable_pub, dead_code, reason = "the macros declare public types, here inside a test")]

use schemars::schema_for;
use serde_json::json;

use super::{Int, NonEmpty, Num, SecretText, Text, Yes, choices, either, object, tagged};

choices! {
    /// A colour.
    Colour { Red = "red", DarkBlue = "dark-blue" }
}

object! {
    /// A sample of everything.
    closed Sample {
        /// Its name.
        display_name: NonEmpty,
        colour?: Colour,
        cleared?: Option<Text<0, 3>>,
        "payloadJSON" payload_json?: String,
    }
    closed Circle { radius: Int<1, 10>, }
    closed Square { side: Int<1>, }
    open Loose { name: String, ..rest }
}

tagged! { Figure by "kind" { Circle = "circle": Circle, Square = "square": Square } }
either! { CircleOrSquare { Circle(Circle), Square(Square) } }

#[test]
fn the_schema_says_what_serde_enforces() {
    let expected = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Sample",
        "description": "A sample of everything.",
        "type": "object",
        "properties": {
            "displayName": {"type": "string", "minLength": 1, "description": "Its name."},
            "colour": {"$ref": "#/$defs/Colour"},
            "cleared": {"type": ["string", "null"], "maxLength": 3},
            "payloadJSON": {"type": "string"}
        },
        "required": ["displayName"],
        "additionalProperties": false,
        "$defs": {"Colour": {"type": "string", "enum": ["red", "dark-blue"], "description": "A colour."}}
    });
    assert_eq!(schema_for!(Sample).to_value(), expected);
}

#[test]
fn an_optional_field_may_be_absent_but_not_null() {
    let read = |value| serde_json::from_value::<Sample>(value).map_err(drop);
    let plain =
        Sample { display_name: NonEmpty::new("a").unwrap(), colour: None, cleared: None, payload_json: None };
    assert_eq!(read(json!({"displayName": "a"})), Ok(plain.clone()));
    assert_eq!(
        read(json!({"displayName": "a", "cleared": null})),
        Ok(Sample { cleared: Some(None), ..plain })
    );
    assert_eq!(read(json!({"displayName": "a", "colour": null})), Err(()));
    assert_eq!(read(json!({"displayName": ""})), Err(()));
    assert_eq!(read(json!({"displayName": "a", "cleared": "four"})), Err(()));
    assert_eq!(read(json!({"displayName": "a", "other": 1})), Err(()));
}

#[test]
fn absent_is_not_written_and_cleared_is_written_as_null() {
    let sample = Sample {
        display_name: NonEmpty::new("a").unwrap(),
        colour: Some(Colour::DarkBlue),
        cleared: Some(None),
        payload_json: None,
    };
    assert_eq!(
        serde_json::to_value(sample).unwrap(),
        json!({"displayName": "a", "colour": "dark-blue", "cleared": null})
    );
}

#[test]
fn whole_numbers_are_read_in_every_spelling_and_bounded() {
    let read = |text| serde_json::from_str::<Int<1, 10>>(text).map(Int::get).map_err(drop);
    assert_eq!(
        ["1", "10.0", "5e0", "0", "11", "1.5", "\"1\"", "18446744073709551615", "-9223372036854775808"]
            .map(read),
        [Ok(1), Ok(10), Ok(5), Err(()), Err(()), Err(()), Err(()), Err(()), Err(())]
    );
}

#[test]
fn unions_are_read_by_tag_or_by_shape_and_stay_closed() {
    let circle = Circle { radius: Int::new(2).unwrap() };
    let read = |value| serde_json::from_value::<Figure>(value).map_err(drop);
    assert_eq!(read(json!({"kind": "circle", "radius": 2})), Ok(Figure::Circle(circle.clone())));
    assert_eq!(read(json!({"kind": "circle", "radius": 2, "side": 1})), Err(()));
    assert_eq!(read(json!({"kind": "oval", "radius": 2})), Err(()));
    let shape = serde_json::from_value::<CircleOrSquare>(json!({"radius": 2})).map_err(drop);
    assert_eq!(shape, Ok(CircleOrSquare::Circle(circle)));
}

#[test]
fn unknown_keys_of_an_open_object_survive_when_it_keeps_them() {
    let value = json!({"name": "n", "extra": {"deep": [1]}});
    let loose: Loose = serde_json::from_value(value.clone()).unwrap();
    assert_eq!(serde_json::to_value(loose).unwrap(), value);
}

#[test]
fn whole_decimals_are_written_without_a_point() {
    assert_eq!(serde_json::to_string(&[Num(0.0), Num(2.5), Num(-3.0)]).unwrap(), "[0,2.5,-3]");
}

#[test]
fn the_word_yes_reads_only_true() {
    assert!(serde_json::from_str::<Yes>("true").is_ok());
    assert!(serde_json::from_str::<Yes>("false").is_err());
}

#[test]
fn a_secret_is_written_to_the_wire_but_never_to_debug() {
    let secret = SecretText::new("hunter2");
    assert_eq!(serde_json::to_string(&secret).unwrap(), "\"hunter2\"");
    assert_eq!(format!("{secret:?}"), "[secret]");
}
