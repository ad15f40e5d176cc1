//! Whether a program is heard.

use openclaw_types::{DoorRules, Person};

use super::room::Room;

/// Whether somebody is heard, as far as being a program goes. What the room says wins.
pub(super) fn heard(rules: &DoorRules, room: &Room<'_>, person: &Person) -> bool {
    !person.bot || room.allow_bots().unwrap_or(rules.allow_bots)
}
