//! Who may give commands, and who is the owner.

use std::collections::BTreeMap;

use openclaw_types::{DmPolicy, NativeCommand};

use super::*;

fn owners(list: &[&str]) -> CommandAccess {
    CommandAccess { owners: texts(list), ..CommandAccess::default() }
}

fn allowed(channel: &str, list: &[&str]) -> CommandAccess {
    let allow_from = BTreeMap::from([(channel.to_owned(), texts(list))]);
    CommandAccess { allow_from, ..CommandAccess::default() }
}

fn rank(from: &str, access: CommandAccess) -> (SenderRank, Who) {
    let admission = World::direct(from, "hello")
        .with(|world| {
            world.access = access;
            world.rules.dm = DmPolicy::Open;
            world.rules.allow_from.ids.push("zoe".to_owned());
        })
        .admission();
    (admission.standing, admission.commands)
}

#[test]
fn the_owner_is_named_or_stands_in_the_account_s_own_list() {
    let rows = [
        ("ana", owners(&[]), SenderRank::Owner, Who::Owner),
        ("ben", owners(&[]), SenderRank::Guest, Who::Allowed),
        ("ana", owners(&["zoe"]), SenderRank::Guest, Who::Stranger),
        ("zoe", owners(&["zoe"]), SenderRank::Owner, Who::Owner),
        ("zoe", owners(&["chat:zoe"]), SenderRank::Owner, Who::Owner),
        ("zoe", owners(&["CH:Zoe"]), SenderRank::Owner, Who::Owner),
        ("zoe", owners(&["ch:user:zoe"]), SenderRank::Owner, Who::Owner),
        ("zoe", owners(&["user:zoe"]), SenderRank::Owner, Who::Owner),
        ("zoe", owners(&["other:zoe"]), SenderRank::Guest, Who::Stranger),
        ("zoe", owners(&["zoe_handle", "@zoe"]), SenderRank::Guest, Who::Stranger),
        ("ana", owners(&["*"]), SenderRank::Guest, Who::Allowed),
        ("zoe", owners(&["*", "zoe"]), SenderRank::Owner, Who::Owner),
    ];
    for (from, access, standing, who) in rows {
        assert_eq!(rank(from, access.clone()), (standing, who), "{from} {access:?}");
    }
}

#[test]
fn everybody_in_the_list_is_an_owner_but_nobody_when_it_says_star() {
    let world = World::direct("ana", "hello").with(|world| {
        world.rules.dm = DmPolicy::Open;
        world.rules.allow_from = list(&["*", "ana"]);
    });
    let admission = world.admission();
    assert_eq!((admission.standing, admission.commands), (SenderRank::Guest, Who::Allowed));
}

#[test]
fn a_list_for_commands_alone_decides_where_it_is_written() {
    let rows = [
        ("ana", allowed("chat", &["zoe"]), Who::Stranger),
        ("zoe", allowed("chat", &["zoe"]), Who::Owner),
        ("ben", allowed("chat", &["*"]), Who::Allowed),
        ("ben", allowed("*", &["chat:ben"]), Who::Allowed),
        ("ben", allowed("*", &[]), Who::Stranger),
        ("ben", allowed("elsewhere", &["zoe"]), Who::Allowed),
    ];
    for (from, access, who) in rows {
        assert_eq!(rank(from, access.clone()).1, who, "{from} {access:?}");
    }
}

#[test]
fn without_access_groups_everybody_who_is_let_in_may_give_commands() {
    let eve = |use_access_groups| {
        World::room("eve", "hello")
            .mentioned()
            .with(|world| {
                world.rules.group = GroupPolicy::Open;
                world.access.use_access_groups = use_access_groups;
            })
            .admission()
            .commands
    };
    assert_eq!((eve(true), eve(false)), (Who::Stranger, Who::Allowed));
}

#[test]
fn in_rooms_lists_count_and_codes_do_not() {
    let rows = [
        ("ana", vec![], Who::Owner),
        ("cleo", vec![], Who::Allowed),
        ("ben", vec![], Who::Stranger),
        ("eve", vec![RoomRule { allow_from: Some(list(&["eve"])), ..room("room") }], Who::Allowed),
    ];
    for (from, rooms, who) in rows {
        let world = World::room(from, "hello")
            .mentioned()
            .rooms(rooms)
            .with(|world| world.rules.group = GroupPolicy::Open);
        assert_eq!(world.admission().commands, who, "{from}");
    }
    let moderator = World::room("eve", "hello")
        .mentioned()
        .rooms(vec![RoomRule { roles: texts(&["mod"]), ..room("room") }])
        .with(|world| world.inbound.from.roles = texts(&["mod"]));
    assert_eq!(moderator.admission().commands, Who::Allowed);
}

#[test]
fn a_command_in_a_room_needs_no_mention_of_those_who_may_and_is_dropped_of_others() {
    let rows = [
        ("ana", "/status", "admit", Rule::GroupListed),
        ("ana", "/status@claw", "admit", Rule::GroupListed),
        ("ana", "/think@CLAW high", "admit", Rule::GroupListed),
        ("ana", "/status@other", "context", Rule::NotMentioned),
        ("ana", "/think high", "admit", Rule::GroupListed),
        ("ana", "/nonsense", "context", Rule::NotMentioned),
        ("ana", "stop", "context", Rule::NotMentioned),
        ("ana", "see /status", "context", Rule::NotMentioned),
        ("eve", "/status", "drop", Rule::CommandNotAllowed),
        ("eve", "@claw /status", "drop", Rule::CommandNotAllowed),
        ("eve", "/nonsense", "context", Rule::NotMentioned),
    ];
    for (from, text, word, rule) in rows {
        let world = World::room(from, text).with(|world| {
            if from == "eve" {
                world.rules.group = GroupPolicy::Open;
            }
        });
        assert_eq!(world.short(), (word, rule), "{from} {text}");
    }
}

#[test]
fn a_command_that_names_somebody_else_is_not_for_us() {
    let world = World::room("ana", "/status").with(|world| world.inbound.attention.mentions_anybody = true);
    assert_eq!(world.short().0, "context");
}

#[test]
fn without_text_commands_a_slash_is_talk() {
    let world = World::room("ana", "/status").with(|world| world.access.text = false);
    assert_eq!(world.short().0, "context");
}

#[test]
fn a_command_of_the_menu_is_for_those_who_may_everywhere() {
    let native = |mut world: World| {
        world.inbound.kind =
            InboundKind::Command(NativeCommand { name: "status".to_owned(), arguments: String::new() });
        world.access = allowed("chat", &["ana"]);
        world.short()
    };
    assert_eq!(native(World::room("ana", "")).0, "admit");
    assert_eq!(native(World::room("cleo", "")), ("drop", Rule::CommandNotAllowed));
    assert_eq!(native(World::direct("ben", "")), ("drop", Rule::CommandNotAllowed));
    let text = World::direct("ben", "/status").with(|world| world.access = allowed("chat", &["ana"]));
    assert_eq!(text.admission().commands, Who::Stranger, "as text it is talk of somebody who may talk");
}

#[test]
fn who_is_asked_about_commands_answers_where_they_may_not_talk_and_others_do_not() {
    use openclaw_types::{ApprovalRules, Press};
    let asked = |world: World| World {
        rules: DoorRules {
            approvals: Some(ApprovalRules { approvers: vec!["eve".to_owned()], ..ApprovalRules::default() }),
            ..world.rules.clone()
        },
        ..world
    };
    let pressed = |from: &str, data: &str| {
        let mut world = asked(World::direct(from, data));
        world.inbound.kind = InboundKind::Press(Press { data: data.to_owned(), on: None });
        world
    };
    let answer = "/approve abcd allow-once";
    for world in
        [pressed("eve", answer), asked(World::direct("eve", answer)), asked(World::room("eve", answer))]
    {
        let admission = world.admission();
        let facts = (admission.rule, admission.may_approve, admission.commands, admission.standing);
        assert_eq!(facts, (Rule::Approver, true, Who::Allowed, SenderRank::Guest));
    }
    for (from, data) in [("eve", "/status"), ("eve", "hello"), ("eve", "/approve abcd"), ("mallory", answer)]
    {
        assert_eq!(pressed(from, data).decide().word(), "pair", "{from} {data}");
    }
    let owner = pressed("ana", answer).admission();
    assert_eq!((owner.rule, owner.may_approve), (Rule::DmListed, false), "owners are not asked here");
    assert!(World::direct("ana", answer).admission().may_approve, "where nobody is named, they are");
}
