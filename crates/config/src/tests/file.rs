//! Reading and writing the file on disk.

use serde_json::json;

use super::{World, brief, unstamped};
use crate::{BaseHash, KeyPath, WriteError};

fn path(text: &str) -> KeyPath {
    text.parse().expect("the test's path is fine")
}

#[test]
fn a_missing_file_is_an_empty_valid_configuration() {
    let snapshot = World::empty().read();
    assert_eq!(
        (snapshot.exists, snapshot.valid, snapshot.text, snapshot.parsed),
        (false, true, None, json!({}))
    );
    assert_eq!(snapshot.hash, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

#[test]
fn what_is_not_a_readable_text_file_is_an_issue() {
    let world = World::empty();
    std::fs::create_dir(world.path()).expect("writable");
    let snapshot = world.read();
    assert!(snapshot.exists && !snapshot.valid && snapshot.issues[0].message.contains("not a regular file"));
    std::fs::remove_dir(world.path()).expect("ours");
    std::fs::write(world.path(), [b'{', 0xff, b'}']).expect("writable");
    assert!(world.read().issues[0].message.contains("not UTF-8"));
    std::fs::write(world.path(), vec![b' '; crate::file::MAX_BYTES + 1]).expect("writable");
    assert!(world.read().issues[0].message.contains("was not read"));
}

#[test]
fn a_first_write_makes_a_private_file_with_a_stamp() {
    let world = World::empty();
    let snapshot = world.file.set_value(&path("gateway.port"), json!(20001)).expect("it can be written");
    assert_eq!(
        world.text("openclaw.json"),
        format!(
            "{{\n  \"gateway\": {{\n    \"port\": 20001\n  }},\n  \"meta\": {{\n    \"lastTouchedVersion\": \"{}\",\n    \
             \"lastTouchedAt\": \"2026-01-01T00:00:00.000Z\"\n  }}\n}}\n",
            env!("CARGO_PKG_VERSION")
        )
    );
    assert_eq!(world.mode("openclaw.json"), 0o600);
    assert_eq!(snapshot.config.gateway.port, 20001);
    assert_eq!(snapshot.hash, world.read().hash);
}

#[test]
fn five_earlier_versions_are_kept() {
    let world = World::with("{gateway: {port: 1000}}");
    for port in 1001..1008 {
        world.file.set_value(&path("gateway.port"), json!(port)).expect("it can be written");
    }
    let kept: Vec<_> = ["", ".1", ".2", ".3", ".4"]
        .map(|number| world.text(&format!("openclaw.json.bak{number}")))
        .iter()
        .filter_map(|text| json5::from_str::<serde_json::Value>(text).ok())
        .map(|config| config["gateway"]["port"].clone())
        .collect();
    assert_eq!(kept, [1006, 1005, 1004, 1003, 1002]);
    assert_eq!(world.mode("openclaw.json.bak"), 0o600);
    assert!(!world.home.path("openclaw.json.bak.5").exists());
    let left: Vec<_> = std::fs::read_dir(world.home.state_dir())
        .expect("readable")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".tmp"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn a_link_stays_a_link() {
    let world = World::empty();
    world.put("real.json", "{}");
    std::os::unix::fs::symlink(world.home.path("real.json"), world.path()).expect("links work here");
    world.file.set_value(&path("gateway.port"), json!(20001)).expect("it can be written");
    assert!(std::fs::symlink_metadata(world.path()).expect("there").is_symlink());
    assert!(world.text("real.json").contains("20001"));
    assert_eq!(world.text("openclaw.json.bak"), "{}");
}

#[test]
fn a_write_needs_the_hash_of_what_is_there() {
    let world = World::with("{}");
    let hash = world.read().hash;
    let new = "{gateway: {port: 20001}}";
    assert!(matches!(world.file.write_text(new, &BaseHash::Missing), Err(WriteError::HashRequired)));
    assert!(matches!(
        world.file.write_text(new, &BaseHash::Given("0".repeat(64))),
        Err(WriteError::ChangedSince)
    ));
    assert!(world.file.write_text(new, &BaseHash::from_request(Some(format!(" {hash} ")))).is_ok());
    assert!(matches!(world.file.patch("{}", &BaseHash::Given(hash)), Err(WriteError::ChangedSince)));
    assert!(World::empty().file.write_text(new, &BaseHash::from_request(None)).is_ok());
}

#[test]
fn an_invalid_result_is_refused_and_nothing_is_written() {
    let world = World::with("{gateway: {port: 20001}}");
    let before = world.text("openclaw.json");
    let outcomes = [
        world.file.set_value(&path("gateway.port"), json!("x")),
        world.file.write_text("{gateway: {port: 'x'}}", &BaseHash::Unchecked),
        world.file.patch("{gateway: {port: 'x'}}", &BaseHash::Unchecked),
    ];
    for outcome in outcomes {
        let Err(WriteError::Invalid { issues }) = outcome else { panic!("it was accepted: {outcome:?}") };
        assert_eq!(issues[0].path, "gateway.port");
    }
    for text in ["{", "[]", "5", ""] {
        assert!(
            matches!(world.file.patch(text, &BaseHash::Unchecked), Err(WriteError::Unusable { .. })),
            "{text}"
        );
    }
    let large = format!("{{a: '{}'}}", "x".repeat(crate::file::MAX_BYTES));
    assert!(matches!(world.file.write_text(&large, &BaseHash::Unchecked), Err(WriteError::TooLarge { .. })));
    assert_eq!(world.text("openclaw.json"), before);
    assert!(!world.home.path("openclaw.json.bak").exists());
}

#[test]
fn a_broken_file_can_be_replaced_but_not_edited() {
    let world = World::with("{oops");
    assert!(matches!(world.file.set_value(&path("gateway.port"), json!(1)), Err(WriteError::Invalid { .. })));
    assert!(matches!(world.file.patch("{}", &BaseHash::Unchecked), Err(WriteError::Invalid { .. })));
    world.file.write_text("{}", &BaseHash::Unchecked).expect("it can be replaced");
    assert_eq!(world.text("openclaw.json.bak"), "{oops");
}

#[test]
fn writing_what_is_already_there_changes_nothing() {
    let world = World::with("{ gateway: { port: 20001 } } // mine");
    world.file.set_value(&path("gateway.port"), json!(20001)).expect("it is fine");
    world.file.patch("{gateway: {port: 20001}}", &BaseHash::Unchecked).expect("it is fine");
    assert_eq!(world.text("openclaw.json"), "{ gateway: { port: 20001 } } // mine");
}

#[test]
fn whole_text_without_comments_keeps_the_comments_of_the_file() {
    let world = World::with("{\n  // mine\n  gateway: { port: 20001 },\n}\n");
    world.file.write_text(r#"{"gateway":{"port":20002}}"#, &BaseHash::Unchecked).expect("it can be written");
    let text = world.text("openclaw.json");
    assert!(text.starts_with("{\n  // mine\n  gateway: { port: 20002 },\n"), "{text}");
    world
        .file
        .write_text("// other\n{gateway: {port: 20003}}", &BaseHash::Unchecked)
        .expect("it can be written");
    assert!(!world.text("openclaw.json").contains("// mine"));
}

#[test]
fn references_to_variables_are_never_written_resolved() {
    let world = World::with_variables([("MY_COLOR", "#abcdef"), ("MY_TOKEN", "hush-hush-hush")]);
    world.put(
        "openclaw.json",
        "{ui: {seamColor: '${MY_COLOR}'}, gateway: {auth: {token: '${MY_TOKEN}'}, port: 20001}}",
    );
    let form = json!({"ui": {"seamColor": "#abcdef"}, "gateway": {"auth": {"token": "hush-hush-hush"}, "port": 20002}});
    world.file.write_text(&form.to_string(), &BaseHash::Unchecked).expect("it can be written");
    assert_eq!(
        unstamped(&world.read().parsed),
        json!({"ui": {"seamColor": "${MY_COLOR}"}, "gateway": {"auth": {"token": "${MY_TOKEN}"}, "port": 20002}})
    );
    world
        .file
        .patch("{ui: {seamColor: '#abcdef'}, gateway: {port: 20003}}", &BaseHash::Unchecked)
        .expect("fine");
    world
        .file
        .set_value(&path("gateway.auth"), json!({"token": "hush-hush-hush", "mode": "token"}))
        .expect("fine");
    let text = world.text("openclaw.json");
    assert!(!text.contains("hush") && !text.contains("#abcdef"), "{text}");
}

#[test]
fn included_files_are_neither_flattened_nor_fought() {
    let world = World::with("{ $include: 'base.json5', ui: { seamColor: '#000000' } }");
    world.put("base.json5", "{ gateway: { port: 20001 }, hooks: { allowedAgentIds: ['a'] } }");
    world.file.patch("{gateway: {port: 20002}}", &BaseHash::Unchecked).expect("a key of the file wins");
    let parsed = world.read().parsed;
    assert_eq!(parsed["$include"], "base.json5");
    assert_eq!(parsed["gateway"], json!({"port": 20002}));
    assert_eq!(world.text("base.json5"), "{ gateway: { port: 20001 }, hooks: { allowedAgentIds: ['a'] } }");

    let joined = world.file.patch("{hooks: {allowedAgentIds: ['b']}}", &BaseHash::Unchecked);
    assert!(
        matches!(&joined, Err(WriteError::InIncludedFile { path, .. }) if path == "hooks.allowedAgentIds"),
        "{joined:?}"
    );
    let removed = world.file.unset(&path("hooks.allowedAgentIds"));
    assert!(matches!(removed, Err(WriteError::InIncludedFile { .. })));
    assert!(matches!(world.file.unset(&path("gateway.bind")), Err(WriteError::NothingThere { .. })));
}

#[test]
fn old_keys_are_rewritten_on_request() {
    let world = World::with("{\n  // secret\n  gateway: { token: 'abc', port: 20001 },\n}\n");
    let snapshot = world.file.rewrite_legacy_keys().expect("it can be written").expect("something was old");
    assert_eq!(
        unstamped(&snapshot.parsed),
        json!({"gateway": {"port": 20001, "auth": {"token": "abc", "mode": "token"}}})
    );
    assert_eq!(brief(&snapshot.legacy_issues), Vec::<String>::new());
    assert!(world.text("openclaw.json").contains("// secret"));
    assert!(world.file.rewrite_legacy_keys().expect("nothing to write").is_none());
}

#[test]
fn a_writer_waits_its_turn_by_being_refused() {
    let world = World::with("{}");
    let lock = crate::write::lock_directory(world.home.state_dir()).expect("nobody writes");
    assert!(matches!(world.file.set_value(&path("gateway.port"), json!(1)), Err(WriteError::Busy)));
    drop(lock);
    assert!(world.file.set_value(&path("gateway.port"), json!(1)).is_ok());
}
