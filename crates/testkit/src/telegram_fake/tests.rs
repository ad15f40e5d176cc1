//! The fake's own judgement: what fits the description, what is markup, which updates wait.

use serde_json::{Map, Value, json};

use super::html::read_html;
use super::spec::Spec;
use super::updates::Updates;

fn complaints(method: &str, fields: Value) -> Vec<String> {
    let fields: Map<String, Value> = fields.as_object().expect("fields").clone();
    Spec::read().check_call(method, &fields)
}

#[test]
fn calls_that_do_not_fit_the_description_are_named() {
    assert_eq!(complaints("sendMessage", json!({ "chat_id": 1, "text": "a" })), Vec::<String>::new());
    assert_eq!(complaints("sendMessage", json!({ "chat_id": "@name" })), ["sendMessage.text: is missing"]);
    assert_eq!(
        complaints("sendMessage", json!({ "chat_id": 1, "text": "a", "disable_preview": true })),
        ["sendMessage.disable_preview: no such field"]
    );
    assert_eq!(
        complaints("sendMessage", json!({ "chat_id": 1, "text": 5 })),
        ["sendMessage.text: is no String"]
    );
    assert_eq!(
        complaints("sendMessage", json!({ "chat_id": 1, "text": "a", "reply_parameters": { "quote": "x" } })),
        ["sendMessage.reply_parameters.message_id: is missing"]
    );
    assert_eq!(
        complaints(
            "setMessageReaction",
            json!({ "chat_id": 1, "message_id": 2, "reaction": [{ "type": "emoji" }] })
        )
        .len(),
        1
    );
    let album = |second: Value| {
        complaints(
            "sendMediaGroup",
            json!({ "chat_id": 1, "media": [{ "type": "photo", "media": "a" }, second] }),
        )
    };
    assert_eq!(
        album(json!({ "type": "video", "media": "b", "supports_streaming": true })),
        Vec::<String>::new()
    );
    assert_eq!(album(json!({ "type": "photo" })), ["sendMediaGroup.media[1].media: is missing"]);
    assert_eq!(complaints("sendThing", json!({})), ["sendThing: no such method"]);
}

#[test]
fn answers_and_updates_are_held_against_it_too() {
    let spec = Spec::read();
    assert_eq!(
        spec.check_answer("getMe", &json!({ "id": 1, "is_bot": true, "first_name": "x" })),
        Vec::<String>::new()
    );
    assert!(!spec.check_answer("sendMessage", &json!({ "message_id": 1 })).is_empty());
    assert!(!spec.check("Update", &json!({ "update_id": 1, "mesage": {} })).is_empty());
}

#[test]
fn markup_is_read_strictly() {
    let (text, entities) = read_html("<b>a &amp; <i>ä🙂</i></b>").expect("markup");
    assert_eq!(text, "a & ä🙂");
    assert_eq!(
        entities,
        [
            json!({ "type": "italic", "offset": 4, "length": 3 }),
            json!({ "type": "bold", "offset": 0, "length": 7 })
        ]
    );
    let (_, code) = read_html("<pre><code class=\"language-rust\">fn</code></pre>").expect("markup");
    assert_eq!(code, [json!({ "type": "pre", "offset": 0, "length": 2, "language": "rust" })]);
    let wrong = [
        "<b>open",
        "close</b>",
        "<b><i>crossed</b></i>",
        "a < b",
        "a > b",
        "a & b",
        "&nbsp;",
        "<h1>x</h1>",
        "<a>x</a>",
        "<a href=x>y</a>",
        "<b><code>x</code></b>",
        "<code><b>x</b></code>",
        "<blockquote>a<blockquote>b</blockquote></blockquote>",
        "<code class=\"language-x\">a</code>",
    ];
    for markup in wrong {
        assert!(read_html(markup).is_err(), "{markup}");
    }
}

#[test]
fn updates_wait_until_a_later_one_is_asked_for() {
    let mut updates = Updates::default();
    let numbers: Vec<i64> = (0..3).map(|_| updates.next_number()).collect();
    for number in &numbers {
        updates.add(*number, json!({ "update_id": number, "message": {} }));
    }
    assert_eq!((updates.first(2).len(), updates.waiting()), (2, 3));
    updates.confirm(numbers[1]);
    assert_eq!(updates.first(5)[0]["update_id"], json!(numbers[1]));
    updates.confirm(-1);
    assert_eq!(updates.waiting(), 1);
    let unasked = updates.next_number();
    updates.add(unasked, json!({ "update_id": unasked, "message_reaction": {} }));
    assert_eq!(updates.waiting(), 1);
    updates.tell(Some(&json!(["message_reaction"])));
    updates.add(unasked, json!({ "update_id": unasked, "message_reaction": {} }));
    assert_eq!(updates.waiting(), 2);
}
