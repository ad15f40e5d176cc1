//! Every policy, kind of chat, person, mention, command and list of rooms together, against a plain reading of the rule.

use openclaw_types::DmPolicy;

use super::*;

const PEOPLE: [&str; 4] = ["ana", "ben", "cleo", "eve"];
const DM: [DmPolicy; 4] = [DmPolicy::Pairing, DmPolicy::Allowlist, DmPolicy::Open, DmPolicy::Disabled];
const GROUP: [GroupPolicy; 3] = [GroupPolicy::Open, GroupPolicy::Allowlist, GroupPolicy::Disabled];

#[derive(Debug, Clone, Copy)]
struct Case {
    dm: DmPolicy,
    group: GroupPolicy,
    kind: ChatKind,
    from: &'static str,
    mentioned: bool,
    text: &'static str,
    rooms: Rooms,
}

#[derive(Debug, Clone, Copy)]
enum Rooms {
    None,
    This,
    Other,
    Off,
    ForEve,
    Free,
}

impl Rooms {
    const ALL: [Self; 6] = [Self::None, Self::This, Self::Other, Self::Off, Self::ForEve, Self::Free];

    fn rules(self) -> Vec<RoomRule> {
        match self {
            Self::None => Vec::new(),
            Self::This => vec![room("room")],
            Self::Other => vec![room("other")],
            Self::Off => vec![RoomRule { enabled: Some(false), ..room("room") }],
            Self::ForEve => vec![RoomRule { allow_from: Some(list(&["eve"])), ..room("room") }],
            Self::Free => vec![RoomRule { require_mention: Some(false), ..room("room") }],
        }
    }
}

/// What should become of a case, read from the rule directly.
fn expected(case: Case) -> &'static str {
    let listed = case.from == "ana";
    if case.kind == ChatKind::Direct {
        return match case.dm {
            DmPolicy::Disabled => "drop",
            _ if listed => "admit",
            DmPolicy::Allowlist => "drop",
            _ if case.from == "ben" => "admit",
            DmPolicy::Open => "drop",
            DmPolicy::Pairing => "pair",
        };
    }
    let for_rooms = matches!(case.from, "ana" | "cleo");
    let may_talk = match (case.group, case.rooms) {
        (GroupPolicy::Disabled, _) | (_, Rooms::Off) | (GroupPolicy::Allowlist, Rooms::Other) => false,
        (_, Rooms::ForEve) => case.from == "eve",
        (GroupPolicy::Open, _) => true,
        (GroupPolicy::Allowlist, _) => for_rooms,
    };
    if !may_talk {
        return "drop";
    }
    let may_command = for_rooms || (matches!(case.rooms, Rooms::ForEve) && case.from == "eve");
    let is_command = case.text == "/status";
    match (is_command, may_command) {
        (true, true) => "admit",
        (true, false) => "drop",
        (false, _) if case.mentioned || matches!(case.rooms, Rooms::Free) => "admit",
        (false, _) => "context",
    }
}

#[test]
fn every_combination_is_decided_as_the_rule_reads() {
    let mut seen = 0;
    for dm in DM {
        for group in GROUP {
            for kind in [ChatKind::Direct, ChatKind::Group, ChatKind::Channel] {
                for from in PEOPLE {
                    for (mentioned, text) in
                        [(false, "hello"), (true, "hello"), (false, "/status"), (true, "/status")]
                    {
                        for rooms in Rooms::ALL {
                            check(Case { dm, group, kind, from, mentioned, text, rooms });
                            seen += 1;
                        }
                    }
                }
            }
        }
    }
    assert_eq!(seen, 4 * 3 * 3 * 4 * 4 * 6);
}

fn check(case: Case) {
    let id = if case.kind == ChatKind::Direct { case.from } else { "room" };
    let world =
        World::new(place(case.kind, id), case.from, case.text).rooms(case.rooms.rules()).with(|world| {
            world.rules.dm = case.dm;
            world.rules.group = case.group;
            world.inbound.attention.mentions_us = case.mentioned;
        });
    assert_eq!(world.short().0, expected(case), "{case:?}");
}
