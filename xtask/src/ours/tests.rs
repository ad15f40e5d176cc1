//! How settings of a step join the configuration that all steps share.

use serde_json::json;

use super::merge;

#[test]
fn settings_are_added_beside_others_and_replace_the_same() {
    let mut config = json!({"gateway": {"mode": "local", "port": 1}, "agents": ["main"]});
    merge(&mut config, &json!({"gateway": {"port": 2, "http": {"on": true}}, "agents": []}));
    assert_eq!(config, json!({"gateway": {"mode": "local", "port": 2, "http": {"on": true}}, "agents": []}));
}
