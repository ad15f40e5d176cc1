//! Events that nobody answers.

use openclaw_types::{DmPolicy, Reaction};

use super::*;

fn reaction(on_ours: bool) -> InboundKind {
    let on = MessageId::new("m0").unwrap();
    InboundKind::Reaction(Reaction { emoji: "👍".to_owned(), on, on_ours, removed: false })
}

#[test]
fn reactions_are_told_as_the_account_says() {
    use ReactionNotices::{All, From, Off, Own};
    let rows = [
        (Off, true, "drop"),
        (Own, true, "notice"),
        (Own, false, "drop"),
        (All, false, "notice"),
        (From(texts(&["chat:ana"])), false, "notice"),
        (From(texts(&["cleo"])), true, "drop"),
    ];
    for (reactions, on_ours, word) in rows {
        let world = World::room("ana", "").with(|world| {
            world.inbound.kind = reaction(on_ours);
            world.reactions = reactions.clone();
        });
        assert_eq!(world.short().0, word, "{reactions:?}");
    }
}

#[test]
fn reactions_of_those_who_may_not_talk_there_are_not_told() {
    let rows = [
        (World::room("eve", ""), Rule::GroupNotListed),
        (World::direct("eve", ""), Rule::DmStranger),
        (World::direct("eve", "").with(|world| world.rules.dm = DmPolicy::Disabled), Rule::DmDisabled),
    ];
    for (world, rule) in rows {
        let world = world.with(|world| {
            world.inbound.kind = reaction(true);
            world.reactions = ReactionNotices::All;
        });
        assert_eq!(world.short(), ("drop", rule));
    }
}

#[test]
fn what_happens_in_a_room_where_we_are_is_told_whoever_it_is_about() {
    let joined = |world: World| world.with(|world| world.inbound.kind = InboundKind::Happening).short();
    assert_eq!(joined(World::room("eve", "eve joined")), ("notice", Rule::ToldLater));
    assert_eq!(
        joined(World::room("eve", "eve joined").rooms(vec![room("other")])),
        ("drop", Rule::RoomNotListed)
    );
    assert_eq!(joined(World::direct("eve", "eve called")), ("drop", Rule::DmStranger));
    assert_eq!(joined(World::direct("ana", "ana called")), ("notice", Rule::ToldLater));
}

#[test]
fn changed_messages_are_told_without_a_mention() {
    let world = World::room("ana", "changed").with(|world| world.inbound.kind = InboundKind::Edited);
    assert_eq!(world.short(), ("notice", Rule::ToldLater));
}
