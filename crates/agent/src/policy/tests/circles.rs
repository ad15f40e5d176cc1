//! What a channel's settings say about the tools of groups and senders.

use openclaw_types::SenderRank;
use serde_json::{Value, json};

use super::super::*;
use super::{got, model, owner, rules};

fn groups() -> Value {
    json!({
        "crew": {
            "tools": { "allow": ["read", "exec"] },
            "toolsBySender": {
                "id:42": { "allow": ["exec"] },
                "+491": { "allow": ["write"] },
                "name:Mallory": { "allow": ["gateway"], "deny": ["exec"] },
            },
        },
        "quiet": {},
        "broken": { "tools": { "allow": "read" } },
        "*": { "tools": { "allow": ["read"] }, "toolsBySender": { "id:7": { "allow": ["image"] }, "*": { "deny": ["exec"] } } },
    })
}

fn check(group: &str, id: Option<&str>, names: &[&str], expected: &str) {
    let groups = groups();
    let sections = GroupSections { path: "channels.wire.groups", group, groups: &groups };
    let circles = circle_rules(sections, SenderNames { id, names });
    let (rules, model) =
        (rules(json!({ "tools": { "allow": ["read", "exec", "write", "image"] } })), model("alpha/one"));
    let situation = ToolSituation { circles, standing: SenderRank::Guest, ..owner(&rules, &model) };
    assert_eq!(got(&situation), expected, "{group} {id:?} {names:?}");
}

#[test]
fn a_senders_own_rules_win_over_the_groups_and_these_over_those_for_all() {
    check("crew", None, &[], "read exec");
    check("crew", Some("42"), &[], "exec");
    check("crew", Some("+491"), &[], "write");
    check("crew", Some("7"), &[], "read exec");
    check("quiet", Some("7"), &[], "image");
    check("quiet", Some("8"), &[], "read write image");
    check("elsewhere", Some("7"), &[], "image");
}

#[test]
fn a_chosen_name_takes_tools_away_and_gives_none() {
    check("crew", Some("1"), &["mallory"], "read");
    check("crew", Some("42"), &["Mallory"], "");
    check("crew", Some("1"), &["42", "id:42"], "read exec");
}

#[test]
fn rules_that_cannot_be_read_let_nothing_pass() {
    check("broken", Some("1"), &[], "");
}
