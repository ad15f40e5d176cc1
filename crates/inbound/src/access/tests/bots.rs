//! Programs, and ourselves.

use super::*;

#[test]
fn our_own_messages_are_never_heard() {
    for world in [World::direct("bot", "hello"), World::room("bot", "hello").mentioned()] {
        let world = world.with(|world| {
            world.rules.allow_bots = true;
            world.rules.allow_from = list(&["*"]);
            world.rules.group = GroupPolicy::Open;
        });
        assert_eq!(world.short(), ("drop", Rule::OwnMessage));
    }
}

#[test]
fn programs_are_heard_where_the_account_or_the_room_says_so() {
    let rows = [
        (false, None, "drop"),
        (true, None, "admit"),
        (false, Some(true), "admit"),
        (true, Some(false), "drop"),
    ];
    for (account, of_room, word) in rows {
        let world = World::room("ana", "hello")
            .mentioned()
            .rooms(vec![RoomRule { allow_bots: of_room, ..room("room") }])
            .with(|world| {
                world.inbound.from.bot = true;
                world.rules.allow_bots = account;
            });
        assert_eq!(world.short().0, word, "{account} {of_room:?}");
    }
}

#[test]
fn a_program_never_gets_a_code() {
    let world = World::direct("eve", "hello").with(|world| {
        world.inbound.from.bot = true;
        world.rules.allow_bots = true;
    });
    assert_eq!(world.short(), ("drop", Rule::Bot));
}
