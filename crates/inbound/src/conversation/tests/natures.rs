//! What waits for more, and what does not.

use super::*;
use crate::access::Us;

#[test]
fn talk_waits_and_everything_else_goes_at_once() {
    let us = Us { id: None, handle: Some("claw") };
    let album = Inbound { bundle: Some("b".to_owned()), media: vec![picture("a")], ..direct("look") };
    let rows = [
        (direct("hello"), Nature::Words),
        (direct("see /status"), Nature::Words),
        (direct("/status@other"), Nature::Words),
        (direct("/status"), Nature::AtOnce),
        (direct("@claw /status"), Nature::AtOnce),
        (direct("!ls"), Nature::AtOnce),
        (direct("stop"), Nature::AtOnce),
        (direct(" "), Nature::AtOnce),
        (Inbound { media: vec![picture("a")], ..direct("look") }, Nature::AtOnce),
        (Inbound { kind: InboundKind::Edited, ..direct("x") }, Nature::AtOnce),
        (album, Nature::Part("b".to_owned())),
    ];
    for (inbound, expected) in rows {
        assert_eq!(nature(&inbound, us), expected, "{:?}", inbound.text);
    }
}
