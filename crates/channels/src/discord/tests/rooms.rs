//! What is known of rooms stays bounded, and what was forgotten is only forgotten.

use crate::discord::rooms::Rooms;
use crate::discord::wire::{Channel, Guild};

fn room(id: usize, guild: &str) -> Channel {
    Channel { id: id.to_string(), guild_id: Some(guild.to_owned()), ..Channel::default() }
}

#[test]
fn the_oldest_rooms_and_chats_are_forgotten() {
    let mut rooms = Rooms::default();
    for number in 0..20_001 {
        rooms.note(room(number, "1"));
        rooms.note_direct(&number.to_string(), "chat");
    }
    rooms.note(room(20_000, "1"));
    assert_eq!((rooms.channels().count(), rooms.channel("0")), (20_000, None));
    assert!(rooms.channel("20000").is_some() && rooms.direct("0").is_none() && rooms.direct("1").is_some());
}

#[test]
fn rooms_of_a_guild_go_with_it_and_make_room() {
    let mut rooms = Rooms::default();
    rooms.note(room(1, "1"));
    rooms.note(room(2, "2"));
    rooms.leave(&Guild { id: "1".to_owned(), ..Guild::default() });
    rooms.forget("3");
    assert_eq!(rooms.channels().map(|room| room.id.as_str()).collect::<Vec<_>>(), ["2"]);
}

#[test]
fn our_messages_are_known_by_what_they_were_named() {
    let mut rooms = Rooms::default();
    rooms.note_own("1", Some("a"));
    rooms.note_own("2", None);
    assert_eq!((rooms.own_named("a"), rooms.own_named("b")), (Some("1"), None));
    assert_eq!((rooms.name_of("1"), rooms.name_of("2"), rooms.name_of("3")), (Some("a"), None, None));
    assert!(rooms.is_own("2") && !rooms.is_own("3"));
}
