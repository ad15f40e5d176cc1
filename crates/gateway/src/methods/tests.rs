//! The set of methods as a whole.

use super::*;

#[test]
fn every_method_promised_today_has_a_handler_and_a_row_in_the_table() {
    let mut names = Registry::complete(None, None).listed();
    names.sort();
    assert_eq!(
        names,
        [
            "config.apply",
            "config.get",
            "config.patch",
            "config.schema",
            "config.set",
            "device.pair.approve",
            "device.pair.list",
            "device.pair.reject",
            "device.pair.remove",
            "device.token.revoke",
            "device.token.rotate",
            "health",
            "last-heartbeat",
            "logs.tail",
            "secrets.reload",
            "set-heartbeats",
            "status",
            "system-event",
            "system-presence",
        ]
    );
}
