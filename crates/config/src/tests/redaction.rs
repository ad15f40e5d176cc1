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

/// Secrets that stand in comments in one way or another, among comments that hold none.
const COMMENTED: &str = "// my file
{
  // where it listens: 18789 is the usual port
  gateway: { auth: { token: 'l1ve-token' }, port: 18789 }, // was l1ve-token before the move
  // token: 'old1'
  // password = old2
  // \"X-Api-Key\" : \"old3\"
  // headers: {
  //   Whatever:
  //     'old4'
  // }

  // the other part, maxTokens: 5
  env: {
    // NAMELESS: 'old5'
    vars: { A: 'v4lue', /* B: 'old6', */ },
  },
  /* browser: { cdpUrl:
     'http://old7' } */
  // key of last year AbCdEf0123456789
  // https://example.com/?apiKey=old8
  // K3Y-of-the-environment\r
  models: { providers: { x: { baseUrl: 'http://x', apiKey: '${MY_KEY}', models: [] } } },
  // model claude-sonnet-4-20250514
  skills: { entries: { s: { apiKey: { source: 'env', provider: 'default', /* an aside */ id: 'K' } } } },
  agents: { list: [{ id: 'main' }] }, // __OPENCLAW_REDACTED__
}
";

#[test]
fn comments_that_may_hold_a_secret_are_hidden_and_all_others_stay() {
    let world = World::with_variables([("MY_KEY", "K3Y-of-the-environment")]);
    world.put("openclaw.json", COMMENTED);
    let text = redact(&world.read()).text.expect("it is JSON5");
    for secret in ["l1ve", "old", "v4lue", "AbCdEf", "K3Y", "aside"] {
        assert!(!text.contains(secret), "{secret} shows in {text}");
    }
    for harmless in [
        "// my file",
        "// where it listens: 18789 is the usual port",
        "// the other part, maxTokens: 5",
        "// model claude-sonnet-4-20250514",
    ] {
        assert!(text.contains(harmless), "{harmless} is gone from {text}");
    }
    let hidden = text.lines().nth(4).expect("the first commented-out setting has its line");
    assert_eq!(hidden, "  // __OPENCLAW_REDACTED__ 3", "neither key nor length shows");
}

#[test]
fn hidden_comments_come_back_when_the_text_is_written() {
    let world = World::with_variables([("MY_KEY", "K3Y-of-the-environment")]);
    world.put("openclaw.json", COMMENTED);
    let before = world.read();
    let text = redact(&before).text.expect("it is JSON5");
    let changed = text.replace("port: 18789 }", "port: 20001 }").replace("// my file\n", "");
    world.file.write_text(&changed, &BaseHash::Given(before.hash)).expect("it can be written");
    let expected = COMMENTED.replace("port: 18789 }", "port: 20001 }").replace("// my file\n", "");
    let written = world.text("openclaw.json");
    let stamp = written.find("  \"meta\"").expect("a write leaves its stamp");
    assert_eq!(written[..stamp].trim_end(), expected.trim_end().trim_end_matches('}').trim_end());
}

#[test]
fn a_hidden_comment_that_was_changed_or_is_gone_is_refused() {
    let world = World::with("{} // token: 'old1'\n/* plain */");
    let shown = redact(&world.read()).text.expect("it is JSON5");
    assert_eq!(shown, format!("{{}} // {REDACTED} 0\n/* plain */"));
    for broken in ["0 and more", "", "1", "7", "-1", "99999999999999999999999"] {
        let text = format!("{{}} // {REDACTED} {broken}\n");
        let outcome = world.file.write_text(&text, &BaseHash::Unchecked);
        assert!(
            matches!(&outcome, Err(WriteError::Unusable { message }) if message.contains("comment")),
            "{broken}: {outcome:?}"
        );
    }
    assert_eq!(world.text("openclaw.json"), "{} // token: 'old1'\n/* plain */");
}

#[test]
fn secrets_typed_as_such_are_hidden_in_every_section() {
    let file = json!({
        "browser": {"cdpUrl": "http://h/?token=S3CR3T"},
        "agents": {"defaults": {"sandbox": {"docker": {"env": {"A": "S3CR3T"}}}}},
        "skills": {"entries": {"one": {"env": {"B": "S3CR3T"}}}},
        "models": {"providers": {"x": {"baseUrl": "http://x", "headers": {"X-Some": "S3CR3T"}, "models": []}}},
        "diagnostics": {"otel": {"headers": {"X-Other": "S3CR3T"}}},
        "cron": {"webhook": "https://h/S3CR3T"},
    });
    let world = World::with(&file.to_string());
    let before = world.read();
    assert!(before.valid, "{:?}", before.issues);
    let shown = redact(&before);
    assert!(!format!("{shown:?}").contains("S3CR3T"), "{shown:?}");
    let text = serde_json::to_string_pretty(&shown.config).expect("a value prints");
    world.file.write_text(&text, &BaseHash::Unchecked).expect("it can be written");
    assert_eq!(unstamped(&world.read().parsed), file);
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
