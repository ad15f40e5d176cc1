//! From a file's content to the switches of commands.

use serde_json::{Value, json};

use super::*;

fn resolve(file: Value) -> CommandSettings {
    CommandSettings::resolve(&serde_json::from_value(file).unwrap())
}

#[test]
fn what_can_do_harm_is_off_until_it_is_switched_on() {
    assert_eq!(resolve(json!({})), CommandSettings::default());
    assert_eq!(resolve(json!({"commands": {}})), CommandSettings::default());
    let file = json!({"commands": {
        "bash": true, "bashForegroundMs": 0, "config": true, "debug": true, "restart": false
    }});
    let expected = CommandSettings {
        bash: true,
        bash_foreground: Duration::ZERO,
        config: true,
        debug: true,
        restart: false,
    };
    assert_eq!(resolve(file), expected);
}
