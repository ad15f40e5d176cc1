//! What holds for every text and every value.

use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::redact::{KnownTexts, REDACTED, redact_text, redact_value, restore_text};
use crate::{KeyPath, PathStep};

use super::World;

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1000i32..1000).prop_map(|number| Value::from(f64::from(number) / 8.0)),
        "[a-z $'\"\\\\/{}\\[\\]:,\n\t\u{e4}\u{1F600}]{0,12}".prop_map(Value::from),
    ]
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z_$][a-zA-Z0-9_$]{0,6}",
        1 => "[a-z .\\[\\]'\"-]{1,6}",
        1 => Just("id".to_owned()),
        1 => Just("token".to_owned()),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..5)
                .prop_map(|entries| Value::Object(Map::from_iter(entries))),
        ]
    })
}

fn object() -> impl Strategy<Value = Value> {
    prop::collection::vec((key(), value()), 0..5).prop_map(|entries| Value::Object(Map::from_iter(entries)))
}

/// Prints a value as JSON5 with comments; `style` picks quotes, commas and where comments stand.
fn print(value: &Value, style: &mut impl Iterator<Item = u8>, comments: &mut Vec<String>, out: &mut String) {
    let mut pick = |limit: u8| style.next().unwrap_or(0) % limit;
    match pick(6) {
        0 => {
            let comment = format!("// note {}", comments.len());
            out.push_str(&format!("{comment}\n"));
            comments.push(comment);
        }
        1 => {
            let comment = format!("/* note {} */", comments.len());
            out.push_str(&comment);
            comments.push(comment);
        }
        2 => out.push_str("\n  "),
        _ => {}
    }
    match value {
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                print(item, style, comments, out);
                if at + 1 < items.len() || style.next().is_none_or(|byte| byte < 128) {
                    out.push_str(", ");
                }
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (at, (key, item)) in map.iter().enumerate() {
                let plain = key
                    .chars()
                    .all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$')
                    && !key.starts_with(|letter: char| letter.is_ascii_digit());
                if plain && style.next().is_none_or(|byte| byte < 128) {
                    out.push_str(key);
                } else {
                    out.push_str(&Value::from(key.as_str()).to_string());
                }
                out.push_str(": ");
                print(item, style, comments, out);
                if at + 1 < map.len() || style.next().is_none_or(|byte| byte < 128) {
                    out.push_str(",\n");
                }
            }
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}

fn document() -> impl Strategy<Value = (Value, String, Vec<String>)> {
    (object(), prop::collection::vec(any::<u8>(), 0..80)).prop_map(|(value, style)| {
        let (mut text, mut comments) = (String::new(), Vec::new());
        print(&value, &mut style.into_iter(), &mut comments, &mut text);
        (value, text, comments)
    })
}

fn read(text: &str) -> Option<Value> {
    crate::read::parse(text, 0).ok().map(|parsed| parsed.node.to_value())
}

/// The comments of a text, in order.
fn comments_left(text: &str, comments: &[String]) -> Vec<String> {
    comments.iter().filter(|comment| text.contains(comment.as_str())).cloned().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics_the_reader(text in "\\PC{0,60}") {
        read(&text);
        redact_text(&text, &KnownTexts::default());
    }

    #[test]
    fn no_text_of_brackets_and_quotes_panics_the_reader(text in "[\\[\\]{}:,'\"/*\\\\ a1.+$\n-]{0,60}") {
        let ours = read(&text);
        // Where both accept, both must mean the same.
        if let (Some(ours), Ok(theirs)) = (ours, json5::from_str::<Value>(&text)) {
            prop_assert_eq!(ours, theirs);
        }
        redact_text(&text, &KnownTexts::default());
    }

    #[test]
    fn valid_documents_mean_what_the_oracle_says((value, text, _) in document()) {
        prop_assert_eq!(json5::from_str::<Value>(&text).ok(), Some(value.clone()));
        prop_assert_eq!(read(&text), Some(value));
    }

    #[test]
    fn what_is_set_can_be_got_and_every_comment_stays((before, text, comments) in document(), name in key(), new in scalar()) {
        let path = KeyPath::new(vec![PathStep::Key(name)]);
        // Replacing an object or list takes the comments inside it along.
        prop_assume!(!path.find(&before).is_some_and(|old| old.is_object() || old.is_array()));
        let after = crate::write::edit_set(&text, &path, &new).expect("a key of the root can always be set");
        let value = read(&after).expect("an edit is JSON5");
        prop_assert_eq!(path.find(&value), Some(&new));
        prop_assert_eq!(comments_left(&after, &comments), comments);
    }

    #[test]
    fn a_patch_of_text_means_what_a_patch_of_values_means((before, text, _) in document(), change in object()) {
        let after = crate::write::edit_patch(&text, &change).expect("a patch can always be applied");
        prop_assert_eq!(read(&after), Some(crate::write::merged_value(&before, &change)));
    }

    #[test]
    fn a_text_can_become_any_value((_, text, _) in document(), target in object()) {
        let after = crate::write::edit_become(&text, &target).expect("any object can be reached");
        prop_assert_eq!(read(&after), Some(target));
    }

    #[test]
    fn paths_print_as_they_parse(keys in prop::collection::vec(prop_oneof![key().prop_map(PathStep::Key), (0usize..9).prop_map(PathStep::Index)], 1..5)) {
        let path = KeyPath::new(keys);
        prop_assert_eq!(path.to_string().parse::<KeyPath>(), Ok(path));
    }

    #[test]
    fn redaction_of_text_and_of_values_agree_and_leak_nothing((value, _, _) in document(), style in prop::collection::vec(any::<u8>(), 0..80)) {
        let planted = plant(&value, &mut 0);
        let mut text = String::new();
        print(&planted, &mut style.into_iter(), &mut Vec::new(), &mut text);
        let hidden = redact_text(&text, &KnownTexts::default()).expect("it is JSON5");
        prop_assert_eq!(read(&hidden), Some(redact_value(&planted)));
        prop_assert!(!hidden.contains("planted-secret"), "{}", hidden);
    }

    #[test]
    fn hidden_comments_all_come_back((value, text, comments) in document()) {
        let text = text.replace("note ", "token: ");
        let hidden = redact_text(&text, &KnownTexts::default()).expect("it is JSON5");
        prop_assert!(!hidden.contains("token: 0 */") && !hidden.contains("// token: "), "{}", hidden);
        prop_assert_eq!(read(&hidden), Some(redact_value(&value)));
        let restored = restore_text(&hidden, &text).expect("every comment is there");
        let comments: Vec<String> = comments.iter().map(|comment| comment.replace("note ", "token: ")).collect();
        prop_assert_eq!(comments_left(&restored, &comments), comments);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn a_redacted_configuration_can_be_written_back(section in object()) {
        let planted = plant(&serde_json::json!({"channels": {"x": section}}), &mut 0);
        let world = World::with(&planted.to_string());
        let before = world.read();
        prop_assume!(before.valid);
        let shown = crate::redact(&before);
        let written = world.file.write_text(&shown.text.expect("it is JSON5"), &crate::BaseHash::Given(before.hash.clone()));
        prop_assert_eq!(super::unstamped(&written.expect("it can be written back").parsed), before.parsed);
    }

    #[test]
    fn no_file_panics_the_loader(text in "[\\[\\]{}:,'\"/ a$\n]{0,20}(gateway|agents|channels|\\$include|routing|agent|env)?[\\[\\]{}:,'\" a1$\n]{0,20}") {
        let snapshot = World::with(&text).read();
        prop_assert_eq!(snapshot.valid, snapshot.issues.is_empty());
    }
}

/// Puts a recognisable secret at every text whose key says it is one. Marks would not survive a round trip.
fn plant(value: &Value, count: &mut usize) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.iter()
                .map(|(key, inner)| {
                    let inner = plant(inner, count);
                    if key == "token" && inner.is_string() {
                        *count += 1;
                        return (key.clone(), Value::from(format!("planted-secret-{count}")));
                    }
                    (key.clone(), inner)
                })
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.iter().map(|item| plant(item, count)).collect()),
        Value::String(text) => Value::from(text.replace('$', "").replace(REDACTED, "")),
        other => other.clone(),
    }
}
