//! The words that commands are read from.

use super::*;

#[test]
fn what_only_names_us_is_taken_away() {
    let id = PeerId::new("99").unwrap();
    let us = Us { id: Some(&id), handle: Some("claw_bot") };
    let rows = [
        ("/status", Some("/status")),
        ("/status@claw_bot", Some("/status")),
        ("/think@CLAW_BOT high", Some("/think high")),
        ("/status@other_bot", None),
        ("@claw_bot /status", Some("/status")),
        ("@Claw_Bot, /status", Some("/status")),
        ("<@99> /status", Some("/status")),
        ("<@!99>: @claw_bot /status", Some("/status")),
        ("/status @claw_bot", Some("/status")),
        ("@claw_bots /status", Some("@claw_bots /status")),
        ("hello @claw_bot there", Some("hello @claw_bot there")),
        ("mail me@home", Some("mail me@home")),
        ("  ", Some("")),
    ];
    for (text, expected) in rows {
        assert_eq!(command_text(text, us).as_deref(), expected, "{text:?}");
    }
    assert_eq!(command_text("/status@claw_bot", Us::default()), None);
}
