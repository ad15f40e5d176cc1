//! Rooms: policies, lists of rooms, lists of people, and what holds in a room.

use openclaw_types::ToolRule;

use super::*;

#[test]
fn every_policy_decides_about_everybody() {
    use GroupPolicy::{Allowlist, Disabled, Open};
    let rows = [
        (Allowlist, "ana", "admit", Rule::GroupListed),
        (Allowlist, "cleo", "admit", Rule::GroupListed),
        (Allowlist, "ben", "drop", Rule::GroupNotListed),
        (Allowlist, "eve", "drop", Rule::GroupNotListed),
        (Open, "ben", "admit", Rule::GroupOpen),
        (Open, "eve", "admit", Rule::GroupOpen),
        (Disabled, "ana", "drop", Rule::GroupDisabled),
        (Disabled, "eve", "drop", Rule::GroupDisabled),
    ];
    for (policy, from, word, rule) in rows {
        let world = World::room(from, "hello").mentioned().with(|world| world.rules.group = policy);
        assert_eq!(world.short(), (word, rule), "{policy:?} {from}");
    }
}

#[test]
fn without_a_list_for_rooms_the_list_for_direct_chats_holds_and_an_empty_one_lets_nobody_in() {
    let rows = [
        (None, list(&["ana"]), "ana", "admit", Rule::GroupListed),
        (None, list(&["ana"]), "ben", "drop", Rule::GroupNotListed),
        (None, list(&[]), "ana", "drop", Rule::GroupListEmpty),
        (Some(list(&[])), list(&["ana"]), "ana", "drop", Rule::GroupListEmpty),
        (Some(list(&["*"])), list(&[]), "eve", "admit", Rule::GroupListed),
    ];
    for (group_allow_from, allow_from, from, word, rule) in rows {
        let world = World::room(from, "hello").mentioned().with(|world| {
            world.rules.group_allow_from = group_allow_from;
            world.rules.allow_from = allow_from;
        });
        assert_eq!(world.short(), (word, rule), "{from}");
    }
}

#[test]
fn a_list_of_rooms_is_the_only_rooms_under_allowlist_and_settings_under_open() {
    let rooms = [
        (vec![room("room")], "admit", Rule::GroupListed, "admit"),
        (vec![room("ROOM")], "admit", Rule::GroupListed, "admit"),
        (vec![room("other")], "drop", Rule::RoomNotListed, "admit"),
        (vec![every_room()], "admit", Rule::GroupListed, "admit"),
        (
            vec![RoomRule { enabled: Some(false), ..room("room") }, every_room()],
            "drop",
            Rule::RoomOff,
            "drop",
        ),
        (
            vec![RoomRule { enabled: Some(false), ..every_room() }, room("room")],
            "admit",
            Rule::GroupListed,
            "admit",
        ),
        (
            vec![RoomRule { enabled: Some(false), ..every_room() }, room("other")],
            "drop",
            Rule::RoomOff,
            "drop",
        ),
    ];
    for (rooms, word, rule, open) in rooms {
        let world = World::room("ana", "hello").mentioned().rooms(rooms.clone());
        assert_eq!(world.short(), (word, rule), "{rooms:?}");
        let world = world.with(|world| world.rules.group = GroupPolicy::Open);
        assert_eq!(world.short().0, open, "{rooms:?}");
    }
}

#[test]
fn a_room_s_own_list_binds_under_every_policy() {
    let own = || RoomRule { allow_from: Some(list(&["eve"])), ..room("room") };
    let roles = || RoomRule { roles: texts(&["mod"]), ..room("room") };
    for policy in [GroupPolicy::Open, GroupPolicy::Allowlist] {
        let world = |from: &str, rule: RoomRule| {
            World::room(from, "hello").mentioned().rooms(vec![rule]).with(|world| world.rules.group = policy)
        };
        assert_eq!(world("eve", own()).short(), ("admit", Rule::RoomListed));
        assert_eq!(world("ana", own()).short(), ("drop", Rule::RoomNotForPerson));
        assert_eq!(world("eve", roles()).short(), ("drop", Rule::RoomNotForPerson));
        let moderator = world("eve", roles()).with(|world| world.inbound.from.roles = texts(&["mod"]));
        assert_eq!(moderator.short(), ("admit", Rule::RoomRole));
        let empty = RoomRule { allow_from: Some(list(&[])), ..room("room") };
        assert_eq!(world("ana", empty).short(), ("drop", Rule::RoomNotForPerson));
    }
}

#[test]
fn a_room_may_have_a_policy_of_its_own() {
    let with = |policy| vec![RoomRule { policy: Some(policy), ..room("room") }];
    let eve = |policy| World::room("eve", "hello").mentioned().rooms(with(policy));
    assert_eq!(eve(GroupPolicy::Open).short(), ("admit", Rule::GroupOpen));
    assert_eq!(eve(GroupPolicy::Allowlist).short(), ("drop", Rule::GroupNotListed));
    assert_eq!(eve(GroupPolicy::Disabled).short(), ("drop", Rule::GroupDisabled));
}

#[test]
fn below_a_guild_only_listed_rooms_count_and_below_a_room_topics_are_settings() {
    let guild =
        |children: Vec<RoomRule>| RoomRule { children, policy: Some(GroupPolicy::Open), ..room("guild") };
    let rows = [
        (vec![guild(vec![])], in_guild("guild", "help"), "admit"),
        (vec![guild(vec![room("help")])], in_guild("guild", "help"), "admit"),
        (vec![guild(vec![room("help")])], in_guild("guild", "random"), "drop"),
        (vec![guild(vec![room("help"), every_room()])], in_guild("guild", "random"), "admit"),
        (vec![guild(vec![])], in_guild("elsewhere", "help"), "drop"),
        (
            vec![RoomRule { children: vec![room("help")], policy: Some(GroupPolicy::Open), ..every_room() }],
            in_guild("elsewhere", "help"),
            "admit",
        ),
        (
            vec![RoomRule { children: vec![room("help")], policy: Some(GroupPolicy::Open), ..every_room() }],
            in_guild("elsewhere", "random"),
            "drop",
        ),
        (
            vec![RoomRule { children: vec![room("7")], policy: Some(GroupPolicy::Open), ..room("room") }],
            in_topic("room", "8"),
            "admit",
        ),
    ];
    for (rooms, place, word) in rows {
        let world = World::new(place, "eve", "hello").mentioned().rooms(rooms.clone());
        assert_eq!(world.short().0, word, "{rooms:?}");
    }
}

#[test]
fn a_thread_that_is_a_room_of_its_own_has_the_rules_of_the_room_above() {
    let place = ChatPlace { parent: Some(peer("help")), ..in_guild("guild", "thread") };
    let rules = vec![RoomRule { children: vec![room("help")], ..room("guild") }];
    assert_eq!(World::new(place, "ana", "hello").mentioned().rooms(rules).short().0, "admit");
}

#[test]
fn an_id_wins_over_a_name_and_a_name_over_all() {
    let named = |name: &str| RoomName::Name(name.to_owned());
    let prompt = |room: RoomName, text: &str| RoomRule {
        room,
        system_prompt: Some(text.to_owned()),
        ..RoomRule::default()
    };
    let all = [
        prompt(RoomName::Any, "all"),
        prompt(named("general chat"), "name"),
        prompt(RoomName::Id("room".to_owned()), "id"),
    ];
    for (count, expected) in [(3, "id"), (2, "name"), (1, "all")] {
        let world = World::room("ana", "hello")
            .mentioned()
            .rooms(all[..count].to_vec())
            .with(|world| world.inbound.place.name = Some("#General Chat".to_owned()));
        assert_eq!(world.admission().room.system_prompt.as_deref(), Some(expected));
    }
}

#[test]
fn a_topic_adds_to_the_prompt_of_its_room_and_wins_in_everything_else() {
    let topic = RoomRule {
        system_prompt: Some("topic".to_owned()),
        skills: Some(texts(&["b"])),
        require_mention: Some(false),
        ..room("7")
    };
    let rules = RoomRule {
        system_prompt: Some(" room ".to_owned()),
        skills: Some(texts(&["a"])),
        children: vec![topic],
        ..room("room")
    };
    let world = World::new(in_topic("room", "7"), "ana", "hello").rooms(vec![rules]);
    let expected = RoomFacts {
        tools: None,
        skills: Some(texts(&["b"])),
        system_prompt: Some("room\n\ntopic".to_owned()),
    };
    assert_eq!(world.admission().room, expected);
}

fn deny(tool: &str) -> ToolRule {
    ToolRule { deny: texts(&[tool]), ..ToolRule::default() }
}

#[test]
fn tools_of_a_person_win_over_those_of_the_room_and_the_room_over_all_rooms() {
    let by_sender = |entries: &[(&str, &str)]| -> Vec<(String, ToolRule)> {
        entries.iter().map(|(key, tool)| ((*key).to_owned(), deny(tool))).collect()
    };
    let exact = RoomRule {
        tools: Some(deny("room")),
        tools_by_sender: by_sender(&[
            ("*", "star"),
            ("name:ana the name", "name"),
            ("username:@ana_handle", "handle"),
            ("id:ana", "id"),
            ("cleo", "bare"),
        ]),
        ..room("room")
    };
    let all = RoomRule {
        tools: Some(deny("all")),
        tools_by_sender: by_sender(&[("ana", "ana-all")]),
        ..every_room()
    };
    let tools = |from: &str, rooms: Vec<RoomRule>| {
        World::room(from, "hello").mentioned().rooms(rooms).admission().room.tools
    };
    // Names and handles only take away.
    let denies = |names: &[&str]| Some(ToolRule { deny: texts(names), ..ToolRule::default() });
    assert_eq!(tools("ana", vec![exact.clone(), all.clone()]), denies(&["id", "name", "handle"]));
    assert_eq!(tools("cleo", vec![exact.clone(), all.clone()]), Some(deny("bare")));
    let mut without = exact.clone();
    without.tools_by_sender.retain(|(key, _)| key != "id:ana");
    assert_eq!(tools("ana", vec![without.clone()]), denies(&["star", "name", "handle"]));
    without.tools_by_sender.retain(|(key, _)| !key.starts_with("username"));
    assert_eq!(tools("ana", vec![without.clone()]), denies(&["star", "name"]));
    without.tools_by_sender.retain(|(key, _)| key == "*");
    assert_eq!(tools("ana", vec![without.clone()]), Some(deny("star")));
    without.tools_by_sender.clear();
    assert_eq!(tools("ana", vec![without, all.clone()]), Some(deny("room")));
    assert_eq!(tools("ana", vec![room("room"), all.clone()]), Some(deny("ana-all")));
    assert_eq!(tools("cleo", vec![room("room"), all]), Some(deny("all")));
    assert_eq!(tools("ana", vec![room("room")]), None);
}
