//! Which rights a command asks for.

use openclaw_types::Scope;

use crate::call::scopes_for;
use crate::print;

#[test]
fn a_command_asks_for_the_least_and_for_everything_only_to_grant_rights() {
    let cases = [
        (["health"].as_slice(), vec![Scope::Read]),
        (&["device.pair.list", "device.pair.reject"], vec![Scope::Pairing]),
        (&["device.pair.approve"], vec![Scope::Admin]),
        (&["device.token.rotate"], vec![Scope::Admin]),
        (&["no.such.method"], vec![Scope::Admin]),
    ];
    for (methods, scopes) in cases {
        assert_eq!(scopes_for(methods.iter().copied()), scopes, "{methods:?}");
    }
}

#[test]
fn a_hint_that_repeats_the_message_adds_nothing() {
    let message = "must be one of \"loopback\", \"lan\" (did you mean \"lan\"?)";
    let cases = [("write \"lan\"", false), ("write \"loopback\"", true), ("", false), ("remove it", true)];
    for (hint, adds) in cases {
        assert_eq!(print::adds_something(hint, message), adds, "{hint:?}");
    }
}
