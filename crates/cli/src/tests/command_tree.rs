//! The command line against the original's command tree.
//!
//! Every option the original has on the commands we have is known here, or its command is listed with the reason why
//! it is left out. Options that are known but cannot be honoured are refused when they are used; see the end-to-end tests.

use serde_json::Value;

use crate::arguments;

/// What the original has and we leave out, and why.
const LEFT_OUT: [(&str, &str); 1] =
    [("gateway discover", "needs a search of the local network, which does not exist yet")];

/// The families of commands that we have.
const FAMILIES: [&str; 20] = [
    "agent",
    "agents",
    "approvals",
    "channels",
    "directory",
    "pairing",
    "message",
    "sessions",
    "setup",
    "completion",
    "gateway",
    "daemon",
    "health",
    "status",
    "config",
    "logs",
    "devices",
    "doctor",
    "dashboard",
    "models",
];

fn tree() -> Value {
    serde_json::from_str(include_str!("../../tests/fixtures/cli-tree-2026.2.26.json")).unwrap()
}

fn children(node: &Value) -> impl Iterator<Item = &Value> {
    node["sub"].as_array().into_iter().flatten()
}

fn compare(node: &Value, ours: &clap::Command, path: &str, missing: &mut Vec<String>) {
    for option in node["opts"].as_array().into_iter().flatten() {
        let flags = option["f"].as_str().unwrap();
        compare_option(flags, ours, path, missing);
    }
    for argument in node["args"].as_array().into_iter().flatten() {
        let name = argument["n"].as_str().unwrap();
        let required = argument["req"].as_bool().unwrap();
        let found = ours.get_positionals().find(|ours| {
            let value_names = ours.get_value_names().unwrap_or_default();
            ours.get_id() == name || value_names.iter().any(|value| value == name)
        });
        if found.is_none_or(|found| found.is_required_set() != required) {
            missing.push(format!("{path} <{name}>"));
        }
    }
    for child in children(node) {
        let name = child["name"].as_str().unwrap();
        let below = format!("{path} {name}").trim().to_owned();
        if LEFT_OUT.iter().any(|(left_out, _)| *left_out == below) {
            continue;
        }
        match ours.find_subcommand(name) {
            Some(found) => compare(child, found, &below, missing),
            None => missing.push(below),
        }
    }
}

fn compare_option(flags: &str, ours: &clap::Command, path: &str, missing: &mut Vec<String>) {
    let long = flags.split([' ', ',']).find_map(|word| word.strip_prefix("--")).unwrap();
    let short =
        flags.split([' ', ',']).find_map(|word| word.strip_prefix('-').filter(|rest| rest.len() == 1));
    let takes_value = flags.contains('<');
    let found = ours.get_arguments().find(|argument| argument.get_long() == Some(long));
    let Some(found) = found else { return missing.push(format!("{path} {flags}")) };
    if found.get_action().takes_values() != takes_value {
        missing.push(format!("{path} {flags} takes a value or not"));
    }
    if short.is_some_and(|short| found.get_short() != short.chars().next()) {
        missing.push(format!("{path} {flags} short form"));
    }
}

#[test]
fn every_option_of_the_original_is_known_on_the_commands_we_have() {
    let (tree, mut ours) = (tree(), arguments::command());
    ours.build();
    let mut missing = Vec::new();
    compare_option("--profile <name>", &ours, "", &mut missing);
    for option in tree["opts"].as_array().unwrap() {
        compare_option(option["f"].as_str().unwrap(), &ours, "", &mut missing);
    }
    for family in FAMILIES {
        let node = children(&tree).find(|child| child["name"] == family).unwrap();
        compare(node, ours.find_subcommand(family).unwrap(), family, &mut missing);
    }
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn what_is_left_out_is_really_absent() {
    let mut ours = arguments::command();
    ours.build();
    for (path, _) in LEFT_OUT {
        let found = path.split(' ').try_fold(&ours, |command, name| command.find_subcommand(name));
        assert!(found.is_none(), "{path} exists; take it off the list");
    }
}

#[test]
fn the_command_tree_is_sound() {
    arguments::command().debug_assert();
}
