//! Edits in place, as before and after texts.

use serde_json::{Value, json};

use super::edit::{become_value, has_comments, patch, set, unset};
use super::merge::merged;
use crate::KeyPath;

const COMMENTED: &str = "// my gateway
{
  // where it listens
  gateway: {
    port: 18789, // the usual
    'bind': \"loopback\",
  },

  /* people */
  agents: {
    list: [
      { id: 'main', default: true }, // me
      // the other one
      { id: 'work' },
    ],
  },
}
";

fn path(text: &str) -> KeyPath {
    text.parse().expect("the test's path is fine")
}

#[test]
fn setting_a_value_keeps_comments_order_and_quotes() {
    let text = set(COMMENTED, &path("gateway.port"), &json!(20000)).expect("it can be set");
    assert_eq!(text, COMMENTED.replace("18789", "20000"));
    let text = set(COMMENTED, &path("agents.list[1].id"), &json!("job")).expect("it can be set");
    assert_eq!(text, COMMENTED.replace("'work'", "\"job\""));
}

#[test]
fn setting_what_is_already_so_changes_nothing() {
    for (at, value) in [
        ("gateway.port", json!(18789)),
        ("gateway", json!({"port": 18789, "bind": "loopback"})),
        ("agents.list.0.id", json!("main")),
    ] {
        assert_eq!(set(COMMENTED, &path(at), &value).expect("it can be set"), COMMENTED, "{at}");
    }
}

#[test]
fn new_keys_are_added_where_they_belong() {
    let text = set(COMMENTED, &path("gateway.auth.mode"), &json!("token")).expect("it can be set");
    let expected = COMMENTED.replace(
        "    'bind': \"loopback\",\n",
        "    'bind': \"loopback\",\n    \"auth\": {\n      \"mode\": \"token\",\n    },\n",
    );
    assert_eq!(text, expected);
    assert_eq!(
        set("{}", &path("a[0].b"), &json!(1)).expect("it can be set"),
        "{\n  \"a\": [\n    {\n      \"b\": 1\n    }\n  ]\n}"
    );
}

#[test]
fn an_index_past_the_end_is_refused() {
    assert!(set(COMMENTED, &path("agents.list[3].id"), &json!("x")).is_err());
    assert!(set(COMMENTED, &path("agents.list[2].id"), &json!("x")).is_ok());
    assert!(set(COMMENTED, &path("gateway[1]"), &json!("x")).is_err());
}

#[test]
fn removing_a_value_removes_objects_that_become_empty() {
    let text =
        unset("{\n  // keep\n  a: { b: { c: 1 } },\n  d: 2\n}", &path("a.b.c")).expect("it can be removed");
    assert_eq!(text.as_deref(), Some("{\n  // keep\n  d: 2\n}"));
    assert_eq!(
        unset(COMMENTED, &path("agents.list[0]"))
            .expect("it can be removed")
            .map(|text| text.contains("'main'")),
        Some(false)
    );
    assert_eq!(unset(COMMENTED, &path("no.such")).expect("nothing is wrong"), None);
}

#[test]
fn a_patch_merges_objects_and_entries_with_ids() {
    let change = json!({"gateway": {"port": 1, "bind": null}, "agents": {"list": [{"id": "work", "name": "Work"}, {"id": "new"}]}});
    let text = patch(COMMENTED, &change).expect("it can be patched");
    assert_eq!(
        text,
        "// my gateway
{
  // where it listens
  gateway: {
    port: 1, // the usual
  },

  /* people */
  agents: {
    list: [
      { id: 'main', default: true }, // me
      // the other one
      {
        id: 'work',
        \"name\": \"Work\"
      },
      {
        \"id\": \"new\",
      },
    ],
  },
}
"
    );
}

#[test]
fn merge_patches_mean_what_the_protocol_says() {
    let rows: [(Value, Value, Value); 8] = [
        (json!({"a": 1, "b": 2}), json!({"b": null, "c": 3}), json!({"a": 1, "c": 3})),
        (
            json!({"a": {"x": 1}}),
            json!({"a": {"y": {"z": null, "w": 1}}}),
            json!({"a": {"x": 1, "y": {"w": 1}}}),
        ),
        (json!({"a": [1, 2]}), json!({"a": [3]}), json!({"a": [3]})),
        (
            json!({"a": [{"id": "x", "v": 1}]}),
            json!({"a": [{"id": "x", "w": 2}]}),
            json!({"a": [{"id": "x", "v": 1, "w": 2}]}),
        ),
        (json!({"a": [{"id": "x"}]}), json!({"a": [{"v": 1}]}), json!({"a": [{"id": "x"}, {"v": 1}]})),
        (json!({"a": [{"v": 1}]}), json!({"a": [{"id": "x"}]}), json!({"a": [{"id": "x"}]})),
        (json!({"a": 1}), json!({"a": {"b": null}}), json!({"a": {}})),
        (json!({}), json!({"a": [null, {"b": null}]}), json!({"a": [null, {"b": null}]})),
    ];
    for (base, change, expected) in rows {
        assert_eq!(merged(&base, &change), expected, "{base} + {change}");
        let text = patch(&base.to_string(), &change).expect("text can be patched");
        assert_eq!(json5::from_str::<Value>(&text).expect("it is JSON5"), expected, "{base} + {change}");
    }
}

#[test]
fn becoming_another_value_keeps_the_comments_of_what_stays() {
    let target = json!({"gateway": {"port": 18789, "bind": "lan"}, "agents": {"list": [{"id": "work"}]}, "ui": {"a": [1]}});
    let text = become_value(COMMENTED, &target).expect("it can become that");
    for comment in
        ["// my gateway", "// where it listens", "// the usual", "/* people */", "// the other one"]
    {
        assert!(text.contains(comment), "{comment} is gone from:\n{text}");
    }
    assert_eq!(json5::from_str::<Value>(&text).expect("it is JSON5"), target);
}

#[test]
fn comments_are_told_from_texts_that_look_like_them() {
    assert!(has_comments("{} // x") && has_comments("/**/{}"));
    assert!(!has_comments("{a: '// x'}") && !has_comments("{") && !has_comments(""));
}

#[test]
fn a_byte_order_mark_and_windows_lines_survive() {
    let text = set("\u{feff}{\r\n  a: 1\r\n}\r\n", &path("b"), &json!("x")).expect("it can be set");
    assert_eq!(text, "\u{feff}{\r\n  a: 1,\r\n  \"b\": \"x\"\r\n}\r\n");
}

#[test]
fn paths_are_parsed_and_printed() {
    for text in
        ["a", "a.b.c", "agents.list[0].id", "channels[\"my.id\"].x", "a[\"q\\\"t\"]", "a[0][1]", "[\"\"]"]
    {
        assert_eq!(path(text).to_string(), text);
    }
    assert_eq!(path("a['b c'].d ").to_string(), "a.b c.d");
    for text in [
        "",
        " ",
        ".a",
        "a.",
        "a..b",
        "a[",
        "a[x]",
        "a[0",
        "a['x]",
        "a[0]b",
        "a.[0]",
        "a[-1]",
        "__proto__.x",
        "a.constructor",
        "a[\"prototype\"]",
    ] {
        assert!(text.parse::<KeyPath>().is_err(), "{text} was accepted");
    }
}
