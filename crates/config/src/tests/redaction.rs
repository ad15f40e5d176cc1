//! Secrets leave only as a mark, and come back from it.

use serde_json::{Value, json};

use super::{World, unstamped};
use crate::{BaseHash, REDACTED, WriteError, redact};

const SECRETS: &str = "// my file
{
  gateway: { auth: { token: 'ab', password: \"p4ss\" }, port: 18789 }, // ab stays
  channels: { telegram: { botToken: 'T0K', accounts: { ab: { botToken: 'SECOND' } } } },
  models: { providers: { x: { baseUrl: 'http://ab', apiKey: '${MY_KEY}', models: [] } } },
  env: { vars: { ANYTHING: 'V4R' } },
  agents: { list: [{ id: 'ab' }] },
}
";

fn world() -> World {
    let world = World::with_variables([("MY_KEY", "K3Y-of-the-environment")]);
    world.put("openclaw.json", SECRETS);
    world
}

#[test]
fn secrets_are_hidden_by_place_and_nothing_else_changes() {
    let shown = redact(&world().read());
    let mark = format!("\"{REDACTED}\"");
    let expected = SECRETS
        .replace("'ab', password", &format!("{mark}, password"))
        .replace("\"p4ss\"", &mark)
        .replace("'T0K'", &mark)
        .replace("'SECOND'", &mark)
        .replace("'V4R'", &mark);
    assert_eq!(shown.text.as_deref(), Some(expected.as_str()));
    assert_eq!(shown.parsed["models"]["providers"]["x"]["apiKey"], "${MY_KEY}");
    assert_eq!(shown.resolved["models"]["providers"]["x"]["apiKey"], REDACTED);
    assert_eq!(
        shown.config["gateway"],
        json!({"auth": {"token": REDACTED, "password": REDACTED}, "port": 18789})
    );
    assert_eq!(shown.parsed["agents"], json!({"list": [{"id": "ab"}]}));
}

#[test]
fn no_secret_shows_anywhere_in_a_redacted_snapshot() {
    let shown = format!("{:?}", redact(&world().read()));
    for secret in ["p4ss", "T0K", "SECOND", "V4R", "K3Y-of"] {
        assert!(!shown.contains(secret), "{secret} shows in {shown}");
    }
    let debug = format!("{:?}", world().read());
    for secret in ["p4ss", "T0K", "SECOND", "V4R", "K3Y-of"] {
        assert!(!debug.contains(secret), "{secret} shows in {debug}");
    }
}

#[test]
fn what_was_shown_can_be_written_back_unchanged() {
    let world = world();
    let before = world.read();
    let shown = redact(&before);
    let text = shown.text.expect("it is JSON5");
    world.file.write_text(&text, &BaseHash::Given(before.hash.clone())).expect("it can be written");
    assert_eq!(unstamped(&world.read().parsed), before.parsed);

    let form = serde_json::to_string_pretty(&shown.config).expect("a value prints");
    world.file.write_text(&form, &BaseHash::Unchecked).expect("it can be written");
    assert_eq!(unstamped(&world.read().parsed), before.parsed);
}

#[test]
fn entries_of_lists_find_their_secret_by_id() {
    let world = World::with("{channels: {x: {bots: [{id: 'a', token: 'one'}, {id: 'b', token: 'two'}]}}}");
    let mark = REDACTED;
    let text = format!("{{channels: {{x: {{bots: [{{id: 'b', token: '{mark}'}}]}}}}}}");
    world.file.write_text(&text, &BaseHash::Unchecked).expect("it can be written");
    assert_eq!(world.read().parsed["channels"]["x"]["bots"], json!([{"id": "b", "token": "two"}]));
    let patch = format!("{{channels: {{x: {{bots: [{{id: 'b', token: '{mark}', name: 'B'}}]}}}}}}");
    world.file.patch(&patch, &BaseHash::Unchecked).expect("it can be patched");
    assert_eq!(
        world.read().parsed["channels"]["x"]["bots"],
        json!([{"id": "b", "token": "two", "name": "B"}])
    );
}

#[test]
fn a_mark_with_nothing_behind_it_is_refused() {
    let world = world();
    let mark = REDACTED;
    let outcomes = [
        world.file.write_text(&format!("{{talk: {{apiKey: '{mark}'}}}}"), &BaseHash::Unchecked),
        world.file.patch(&format!("{{talk: {{apiKey: '{mark}'}}}}"), &BaseHash::Unchecked),
        world.file.set_value(&"talk.apiKey".parse().expect("a path"), json!(mark)),
    ];
    for outcome in outcomes {
        assert!(
            matches!(&outcome, Err(WriteError::NothingBehindRedaction { path }) if path == "talk.apiKey"),
            "{outcome:?}"
        );
    }
    assert_eq!(world.text("openclaw.json"), SECRETS);
}

#[test]
fn a_text_that_cannot_be_parsed_is_not_shown() {
    let shown = redact(&World::with("{gateway: {auth: {token: 'abc'}}").read());
    assert_eq!((shown.text, shown.parsed), (None, json!({})));
    assert!(!format!("{:?}", shown.issues).contains("abc"));
}

#[test]
fn an_issue_never_quotes_the_value() {
    let world = World::with("{gateway: {auth: {token: 5, mode: 'S3CR3T'}, port: 'S3CR3T'}, talk: 'S3CR3T'}");
    let snapshot = world.read();
    let shown = format!("{:?} {:?}", snapshot.issues, snapshot.warnings);
    assert!(!snapshot.issues.is_empty() && !shown.contains("S3CR3T"), "{shown}");
}

#[test]
fn whole_objects_at_secret_places_are_hidden_and_restored() {
    let world = World::with("{gateway: {auth: {token: {source: 'env', provider: 'default', id: 'X'}}}}");
    let before = world.read();
    let shown = redact(&before);
    assert_eq!(shown.parsed, json!({"gateway": {"auth": {"token": REDACTED}}}));
    let Value::Object(_) = &before.parsed["gateway"]["auth"]["token"] else { panic!("it is an object") };
}
