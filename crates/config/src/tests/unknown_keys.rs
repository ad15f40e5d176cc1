//! Writers that pass on what somebody else wrote do not add keys nobody knows.

use serde_json::json;

use super::World;
use crate::{BaseHash, FileSnapshot, WriteError};

/// A file that has unknown keys already.
const FILE: &str =
    "{ gateway: { port: 20001, prot: 1 }, agents: { list: [{ id: 'a' }, { id: 'b', nmae: 'B' }] } }";

/// The issues of a refused write as `path: message (hint)`, or nothing when it was made.
fn refusal(result: Result<FileSnapshot, WriteError>) -> Vec<String> {
    match result {
        Ok(_) => Vec::new(),
        Err(WriteError::Invalid { issues }) => issues.iter().map(ToString::to_string).collect(),
        Err(other) => panic!("{other}"),
    }
}

fn replace(world: &World, text: &str) -> Vec<String> {
    refusal(world.file.refusing_unknown_keys().write_text(text, &BaseHash::Given(world.read().hash)))
}

fn patch(world: &World, text: &str) -> Vec<String> {
    refusal(world.file.refusing_unknown_keys().patch(text, &BaseHash::Given(world.read().hash)))
}

#[test]
fn an_added_key_nobody_knows_is_refused_and_the_file_stays() {
    let world = World::with("{}");
    let nearest = "gateway.prot: unknown key 'prot' (did you mean 'port'?)";
    assert_eq!(replace(&world, "{ gateway: { prot: 1 } }"), [nearest]);
    assert_eq!(patch(&world, "{ gateway: { prot: 1 } }"), [nearest]);
    assert_eq!(
        replace(&world, "{ zzz: 1, agents: { list: [{ id: 'a', nmae: 1 }] } }"),
        [
            "zzz: unknown key 'zzz' (remove it, or check its spelling and indentation)",
            "agents.list[0].nmae: unknown key 'nmae' (did you mean 'name'?)",
        ]
    );
    let set = world.file.refusing_unknown_keys().set_value(&"gateway.prot".parse().unwrap(), json!(1));
    assert_eq!(refusal(set), [nearest]);
    assert_eq!(world.text("openclaw.json"), "{}");
}

#[test]
fn unknown_keys_the_file_has_already_do_not_matter() {
    let world = World::with(FILE);
    assert_eq!(patch(&world, "{ gateway: { port: 20002 } }"), [] as [&str; 0]);
    assert_eq!(replace(&world, &FILE.replace("20001", "20003")), [] as [&str; 0]);
    let moved = "{ gateway: { prot: 1 }, agents: { list: [{ id: 'b', nmae: 'B' }] } }";
    assert_eq!(replace(&world, moved), [] as [&str; 0]);
}

#[test]
fn a_changed_unknown_key_is_refused() {
    let world = World::with(FILE);
    assert_eq!(
        patch(&world, "{ gateway: { prot: 2 } }"),
        ["gateway.prot: unknown key 'prot' (did you mean 'port'?)"]
    );
}

#[test]
fn the_same_unknown_key_in_another_entry_is_added() {
    let world = World::with(FILE);
    let more = "{ gateway: { prot: 1 }, agents: { list: [{ id: 'a', nmae: 'B' }, { id: 'b', nmae: 'B' }] } }";
    assert_eq!(replace(&world, more).len(), 1);
}

#[test]
fn other_writers_and_the_file_itself_go_on_with_a_warning() {
    let world = World::with(FILE);
    assert!(world.read().valid);
    let written = world.file.set_value(&"gateway.prto".parse().unwrap(), json!(1)).unwrap();
    assert!(written.valid && written.warnings.iter().any(|warning| warning.path == "gateway.prto"));
}
