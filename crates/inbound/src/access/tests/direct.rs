//! Direct chats: every policy for everybody.

use openclaw_types::DmPolicy;

use super::*;

#[test]
fn every_policy_decides_about_everybody() {
    use DmPolicy::{Allowlist, Disabled, Open, Pairing};
    let rows = [
        (Pairing, "ana", "admit", Rule::DmListed),
        (Pairing, "ben", "admit", Rule::DmPaired),
        (Pairing, "cleo", "pair", Rule::DmStranger),
        (Pairing, "eve", "pair", Rule::DmStranger),
        (Allowlist, "ana", "admit", Rule::DmListed),
        (Allowlist, "ben", "drop", Rule::DmNotListed),
        (Allowlist, "eve", "drop", Rule::DmNotListed),
        (Open, "ana", "admit", Rule::DmListed),
        (Open, "ben", "admit", Rule::DmPaired),
        (Open, "eve", "drop", Rule::DmOpenWithoutStar),
        (Disabled, "ana", "drop", Rule::DmDisabled),
        (Disabled, "ben", "drop", Rule::DmDisabled),
        (Disabled, "eve", "drop", Rule::DmDisabled),
    ];
    for (policy, from, word, rule) in rows {
        let world = World::direct(from, "hello").with(|world| world.rules.dm = policy);
        assert_eq!(world.short(), (word, rule), "{policy:?} {from}");
    }
}

#[test]
fn a_star_lets_everybody_in_where_the_policy_is_not_off() {
    for (policy, rule) in [
        (DmPolicy::Open, Rule::DmOpen),
        (DmPolicy::Pairing, Rule::DmListed),
        (DmPolicy::Allowlist, Rule::DmListed),
    ] {
        let world = World::direct("eve", "hello").with(|world| {
            world.rules.dm = policy;
            world.rules.allow_from = list(&["*"]);
        });
        assert_eq!(world.short(), ("admit", rule));
    }
}

#[test]
fn ids_decide_and_names_only_where_the_account_accepts_the_danger() {
    let lists = [
        (list(&["eve_handle"]), "pair"),
        (list(&["eve the name"]), "pair"),
        (list(&[" EVE "]), "admit"),
        (AllowList { ids: Vec::new(), names: texts(&["eve_handle"]) }, "admit"),
        (AllowList { ids: Vec::new(), names: texts(&["eve the name"]) }, "admit"),
        (AllowList { ids: Vec::new(), names: texts(&["ana_handle"]) }, "pair"),
        (list(&[]), "pair"),
    ];
    for (allow_from, word) in lists {
        let world = World::direct("eve", "hello").with(|world| world.rules.allow_from = allow_from.clone());
        assert_eq!(world.short().0, word, "{allow_from:?}");
    }
}

#[test]
fn nothing_but_talk_makes_a_stranger_get_a_code() {
    let world = World::direct("eve", "changed").with(|world| world.inbound.kind = InboundKind::Edited);
    assert_eq!(world.short(), ("drop", Rule::DmStranger));
}

#[test]
fn direct_chats_with_several_people_follow_the_list_for_direct_chats_without_codes() {
    let rows = [
        (Some(false), "ana", "drop", Rule::GroupDmOff),
        (Some(true), "ana", "admit", Rule::DmListed),
        (Some(true), "ben", "admit", Rule::DmPaired),
        (Some(true), "cleo", "drop", Rule::DmNotListed),
        (Some(true), "eve", "drop", Rule::DmNotListed),
    ];
    for (group_dms, from, word, rule) in rows {
        let world = World::room(from, "hello").with(|world| world.rules.group_dms = group_dms);
        assert_eq!(world.short(), (word, rule), "{group_dms:?} {from}");
    }
    let off = RoomRule { enabled: Some(false), ..room("room") };
    let world = World::room("ana", "hello").rooms(vec![off]).with(|world| world.rules.group_dms = Some(true));
    assert_eq!(world.short(), ("drop", Rule::RoomOff));
}

#[test]
fn direct_chats_with_several_people_can_be_listed() {
    let rows = [
        (vec![RoomName::Id("ROOM".into())], ("admit", Rule::DmListed)),
        (vec![RoomName::Any], ("admit", Rule::DmListed)),
        (vec![RoomName::Id("other".into())], ("drop", Rule::RoomNotListed)),
    ];
    for (listed, expected) in rows {
        let world = World::room("ana", "hello").with(|world| {
            world.rules.group_dms = Some(true);
            world.rules.group_dm_rooms = listed.clone();
        });
        assert_eq!(world.short(), expected, "{listed:?}");
    }
}

#[test]
fn somebody_who_is_let_in_has_the_whole_admission() {
    let expected = AuthorRights {
        may_approve: true,
        standing: SenderRank::Owner,
        commands: Who::Owner,
        mention: MentionFacts { was_mentioned: true, required: false, detectable: false },
        room: RoomFacts::default(),
        rule: Rule::DmListed,
    };
    assert_eq!(World::direct("ana", "hello").decide(), AccessVerdict::Admit(expected));
}

/// The first example of the documentation about several agents: one number, two people, each with an agent.
#[test]
fn one_number_lets_in_the_two_people_whose_agents_answer() {
    let rows = [
        ("+15551230001", "admit", Rule::DmListed),
        ("+15551230002", "admit", Rule::DmListed),
        ("+15551239999", "drop", Rule::DmNotListed),
    ];
    for (from, word, rule) in rows {
        let world = World::direct(from, "hello").with(|world| {
            world.rules.dm = DmPolicy::Allowlist;
            world.rules.allow_from = list(&["+15551230001", "+15551230002"]);
        });
        assert_eq!(world.short(), (word, rule), "{from}");
    }
}
