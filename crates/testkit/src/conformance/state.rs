//! What every `StateStore` does.

use openclaw_ports::stores::StateStore;
use serde_json::{Value, json};

/// Tests a `StateStore`; see the module for what `make` gives.
#[macro_export]
macro_rules! state_store_conformance {
    ($make:path) => {
        $crate::conformance_tests!(
            state,
            $make,
            [
                a_value_that_was_never_put_is_absent,
                every_kind_of_json_comes_back,
                putting_again_replaces_the_value,
                removing_says_whether_the_value_was_there,
                namespaces_do_not_see_each_other,
                a_list_is_ordered_by_key,
                an_unknown_namespace_lists_nothing,
                any_text_can_be_a_key,
            ]
        );
    };
}

const SPACE: &str = "cursors";

async fn put(store: &dyn StateStore, namespace: &str, key: &str, value: Value) {
    store.put(namespace, key, value).await.expect("a store in order takes values");
}

async fn get(store: &dyn StateStore, namespace: &str, key: &str) -> Option<Value> {
    store.get(namespace, key).await.expect("a store in order can be read")
}

async fn list(store: &dyn StateStore, namespace: &str) -> Vec<(String, Value)> {
    store.list(namespace).await.expect("a store in order can be listed")
}

/// Absence is `None`, not an error.
pub async fn a_value_that_was_never_put_is_absent(store: &dyn StateStore) {
    assert_eq!(get(store, SPACE, "offset").await, None);
}

/// Values are JSON, whatever kind; a stored `null` is not absence.
pub async fn every_kind_of_json_comes_back(store: &dyn StateStore) {
    let values = [
        Value::Null,
        json!(true),
        json!(-7),
        json!(u64::MAX),
        json!(1.5),
        json!("a \"quoted\" line\nand \u{1f980}"),
        json!([1, [2, {}], null]),
        json!({"z": 1, "a": {"b": []}}),
    ];
    for value in values {
        put(store, SPACE, "offset", value.clone()).await;
        assert_eq!(get(store, SPACE, "offset").await, Some(value));
    }
}

/// One key, one value.
pub async fn putting_again_replaces_the_value(store: &dyn StateStore) {
    put(store, SPACE, "offset", json!(1)).await;
    put(store, SPACE, "offset", json!(2)).await;
    assert_eq!(list(store, SPACE).await, [("offset".to_owned(), json!(2))]);
}

/// Removing twice is not an error.
pub async fn removing_says_whether_the_value_was_there(store: &dyn StateStore) {
    put(store, SPACE, "offset", json!(1)).await;
    assert!(store.remove(SPACE, "offset").await.expect("a store in order forgets"));
    assert!(!store.remove(SPACE, "offset").await.expect("a store in order forgets"));
    assert_eq!(get(store, SPACE, "offset").await, None);
}

/// The same key in two namespaces is two values.
pub async fn namespaces_do_not_see_each_other(store: &dyn StateStore) {
    put(store, "a", "key", json!("of a")).await;
    put(store, "b", "key", json!("of b")).await;
    assert!(store.remove("a", "key").await.expect("a store in order forgets"));
    assert_eq!(get(store, "b", "key").await, Some(json!("of b")));
    assert_eq!(list(store, "a").await, []);
}

/// By the bytes of the key, not by when it was put.
pub async fn a_list_is_ordered_by_key(store: &dyn StateStore) {
    for key in ["b", "a", "C", "\u{e9}", "aa"] {
        put(store, SPACE, key, json!(key)).await;
    }
    let expected = ["C", "a", "aa", "b", "\u{e9}"].map(|key| (key.to_owned(), json!(key)));
    assert_eq!(list(store, SPACE).await, expected);
}

/// A namespace needs no making.
pub async fn an_unknown_namespace_lists_nothing(store: &dyn StateStore) {
    assert_eq!(list(store, "nowhere").await, []);
}

/// Keys and namespaces are not parsed.
pub async fn any_text_can_be_a_key(store: &dyn StateStore) {
    for key in ["", " ", "a/b", "%", "'; DROP TABLE state_values; --", "\u{0}x"] {
        put(store, key, key, json!(key)).await;
        assert_eq!(get(store, key, key).await, Some(json!(key)), "the key {key:?}");
    }
}
