//! Files of the original, in and out again.

use std::path::Path;
use std::sync::Arc;

use openclaw_ports::stores::{SessionStore, StateStore, UsageLedger, UsageQuery, UsageRecord};
use openclaw_stores::memory::{MemoryStateStore, MemoryUsageLedger};
use openclaw_types::{AgentId, SessionKey, UnixMillis};
use serde_json::{Value, json};

use super::*;
use crate::testing::{World, key, said};
use crate::{AnewReason, BranchTo, Leaving};

struct Desk {
    world: World,
    parts: LegacyParts,
    from: tempfile::TempDir,
    to: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        let world = World::new();
        let store: Arc<dyn SessionStore> = world.store.clone();
        let state: Arc<dyn StateStore> = Arc::new(MemoryStateStore::default());
        let ledger: Arc<dyn UsageLedger> = Arc::new(MemoryUsageLedger::default());
        let parts = LegacyParts { store, state, ledger, clock: world.clock.clone() };
        let dir = || tempfile::tempdir().expect("a directory");
        Self { world, parts, from: dir(), to: dir() }
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.from.path().join(name), text).expect("written");
    }

    fn index(&self, index: &Value) {
        self.write("sessions.json", &index.to_string());
    }

    async fn import(&self) -> Imported {
        import_sessions(&self.parts, &self.order()).await.expect("an import")
    }

    fn order(&self) -> ImportOrder {
        let list = self.from.path().join("sessions.json");
        ImportOrder { agent: AgentId::main(), list, further: Vec::new() }
    }

    async fn export(&self) -> Exported {
        let list = self.to.path().join("sessions.json");
        let order = ExportOrder { agents: vec![exported("main")], list, place: ExportPlace::Apart };
        export_sessions(&self.parts, &order).await.expect("an export")
    }

    /// Exports over the list that was imported.
    async fn export_back(&self) -> Exported {
        let list = self.from.path().join("sessions.json");
        let order = ExportOrder { agents: vec![exported("main")], list, place: ExportPlace::InUse };
        export_sessions(&self.parts, &order).await.expect("an export")
    }

    fn listed(&self) -> Value {
        serde_json::from_str(&read(self.from.path(), "sessions.json")).expect("JSON")
    }

    fn exported(&self, name: &str) -> String {
        read(self.to.path(), name)
    }
}

fn exported(agent: &str) -> ExportedAgent {
    ExportedAgent { id: AgentId::new(agent).expect("an id"), cwd: "/work".into() }
}

fn counted(sessions: usize, transcripts: usize) -> Exported {
    Exported { sessions, transcripts, ..Exported::default() }
}

fn read(dir: &Path, name: &str) -> String {
    std::fs::read_to_string(dir.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn lines(text: &str) -> Vec<Value> {
    let value = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| json!({ "no JSON": line }));
    text.lines().filter(|line| !line.trim().is_empty()).map(value).collect()
}

fn user(id: &str, parent: Option<&str>, text: &str) -> Value {
    json!({
        "type": "message", "id": id, "parentId": parent, "timestamp": "2026-01-31T07:26:10.958Z",
        "message": { "role": "user", "content": [{ "type": "text", "text": text }], "timestamp": 1 },
    })
}

fn file(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn header(id: &str) -> Value {
    json!({ "type": "session", "version": 3, "id": id, "timestamp": "2026-01-31T07:26:00.000Z", "cwd": "/w", "extra": 1 })
}

fn odd_index() -> Value {
    json!({
        "agent:main:main": {
            "sessionId": "s1", "updatedAt": 100, "sessionFile": "/elsewhere/sessions/s1.jsonl", "systemSent": true,
            "lastThreadId": 42, "origin": { "provider": "chat" }, "mystery": { "deep": [1, null] }, "label": null,
        },
        "main-old": { "sessionId": "s2", "updatedAt": 50.5, "queueCap": -1, "label": 7 },
        "agent:main:Chat:DM:Ana": { "sessionId": "s3", "updatedAt": 60, "channel": "chat" },
        "agent:main:chat:group:-100:topic:9": {
            "sessionId": "s4", "updatedAt": 70, "sessionFile": "/x/s4-topic-9.jsonl", "lastThreadId": 9,
        },
        "agent:main:notime": { "sessionId": "s5" },
    })
}

#[tokio::test]
async fn what_is_imported_is_exported_as_the_same_values() {
    let desk = Desk::new();
    let index = odd_index();
    desk.index(&index);
    let odd = [
        header("s1"),
        user("a1", None, "one"),
        json!({ "type": "message", "message": { "role": "user", "content": "no id" } }),
        user("a1", Some("a1"), "an id again"),
        user("a4", Some("gone"), "a lost parent"),
        json!([1, 2]),
        json!({ "type": "invented", "id": "a5", "parentId": "a4", "timestamp": 5, "x": { "y": 1 } }),
        json!({ "type": "message", "id": "a6", "parentId": null, "message": { "role": "user", "content": "a root" } }),
    ];
    let text = file(&odd).replace("[1,2]\n", "[1,2]\n{\"type\": \"mess\n\n");
    desk.write("s1.jsonl", &text);
    desk.write("s4-topic-9.jsonl", &file(&[header("s4"), user("b1", None, "in a topic")]));
    desk.write("lonely.jsonl", "{}\n");
    desk.write("s1.jsonl.reset.2026-01-30T00-00-00.000Z", "{}\n");
    let imported = desk.import().await;
    let problems: Vec<LineProblem> = imported.problems.iter().map(|(_, problem)| problem.clone()).collect();
    let expected = [
        LineProblem::RepeatedId { line: 4 },
        LineProblem::LostParent { line: 5 },
        LineProblem::Foreign { line: 6 },
        LineProblem::Damaged { line: 7 },
    ];
    assert_eq!(problems, expected);
    assert_eq!(imported.sessions.len(), 5);
    assert_eq!((imported.skipped, imported.orphans), (vec![], vec!["lonely.jsonl".to_owned()]));
    assert_eq!(imported.archives, ["s1.jsonl.reset.2026-01-30T00-00-00.000Z"]);
    assert_eq!(desk.export().await, counted(5, 2));
    let list: Value = serde_json::from_str(&desk.exported("sessions.json")).expect("JSON");
    assert_eq!(list, index);
    assert_eq!(lines(&desk.exported("s1.jsonl")), lines(&text));
    assert_eq!(lines(&desk.exported("s4-topic-9.jsonl")), lines(&read(desk.from.path(), "s4-topic-9.jsonl")));
    // What was exported is imported as the same.
    let again = Desk::new();
    std::fs::copy(desk.to.path().join("sessions.json"), again.from.path().join("sessions.json"))
        .expect("copied");
    std::fs::copy(desk.to.path().join("s1.jsonl"), again.from.path().join("s1.jsonl")).expect("copied");
    again.import().await;
    let entries = |desk: &Desk| desk.world.store.clone();
    let one = entries(&desk).entries(&AgentId::main()).await.expect("a store");
    assert_eq!(entries(&again).entries(&AgentId::main()).await.expect("a store"), one);
}

#[tokio::test]
async fn an_imported_conversation_reads_as_one_even_where_its_file_was_damaged() {
    let desk = Desk::new();
    desk.index(&json!({ "agent:main:main": { "sessionId": "s1", "updatedAt": 100 } }));
    let old = json!({ "type": "message", "message": { "role": "user", "content": [{ "type": "text", "text": "old" }] } });
    desk.write("s1.jsonl", &file(&[old, user("a2", Some("lost"), "new"), user("a3", Some("a2"), "newest")]));
    desk.import().await;
    let history = desk.world.sessions.history(&key("agent:main:main"), None).await.expect("a session");
    let texts: Vec<&Value> = history.messages.iter().map(|message| &message["content"][0]["text"]).collect();
    assert_eq!(texts, ["old", "new", "newest"]);
}

#[tokio::test]
async fn a_session_is_taken_once_and_never_over_something_newer() {
    let desk = Desk::new();
    let (main, gone) = (key("agent:main:main"), key("agent:main:gone"));
    let index = |updated: i64| {
        json!({
            "agent:main:main": { "sessionId": "s1", "updatedAt": updated }, "agent:main:gone": { "sessionId": "s2", "updatedAt": 5 },
        })
    };
    let skipped = |key: &SessionKey, cause| Skipped { key: key.to_string(), cause };
    desk.index(&index(100));
    desk.write("s1.jsonl", &file(&[header("s1"), user("a1", None, "one")]));
    desk.import().await;
    desk.world.sessions.delete(&gone, Leaving::Archive).await.expect("a session");
    let again = desk.import().await;
    let taken = [skipped(&main, SkippedCause::Unchanged), skipped(&gone, SkippedCause::Unchanged)];
    assert_eq!((again.sessions, again.skipped), (vec![], taken.to_vec()));
    assert_eq!(desk.world.sessions.entry(&gone).await.expect("a store"), None);
    // The original went on, we did not.
    desk.index(&index(200));
    desk.write("s1.jsonl", &file(&[header("s1"), user("a1", None, "one"), user("a2", Some("a1"), "two")]));
    assert_eq!(desk.import().await.sessions, std::slice::from_ref(&main));
    let entry = desk.world.sessions.entry(&main).await.expect("a store").expect("an entry");
    assert_eq!(entry.updated_at, UnixMillis(200));
    // Both went on.
    desk.world.sessions.append(&main, vec![said("ours")]).await.expect("a session");
    desk.index(&index(300));
    let theirs = [
        header("s1"),
        user("a1", None, "one"),
        user("a2", Some("a1"), "two"),
        user("a3", Some("a2"), "theirs"),
    ];
    desk.write("s1.jsonl", &file(&theirs));
    assert!(desk.import().await.skipped.contains(&skipped(&main, SkippedCause::Diverged)));
    // We began anew, and that is newer.
    desk.world.sessions.reset(&main, AnewReason::Request).await.expect("a session");
    assert!(desk.import().await.skipped.contains(&skipped(&main, SkippedCause::Newer)));
}

/// What the main session says, oldest first.
async fn texts(desk: &Desk) -> Vec<String> {
    let history = desk.world.sessions.history(&key("agent:main:main"), None).await.expect("a session");
    let text = |message: &Value| message["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    history.messages.iter().map(text).collect()
}

async fn touch(desk: &Desk, text: &str) {
    let main = key("agent:main:main");
    desk.world.sessions.open(crate::Opening::new(main.clone(), None)).await.expect("a session");
    desk.world.sessions.append(&main, vec![said(text)]).await.expect("a session");
}

#[tokio::test]
async fn a_session_that_was_touched_before_its_import_gets_its_past() {
    let desk = Desk::new();
    let main = key("agent:main:main");
    let patch = crate::SessionPatch { label: crate::FieldChange::Set("Home".into()), ..Default::default() };
    desk.world.sessions.patch(&main, patch, crate::PatchBounds::default()).await.expect("a session");
    touch(&desk, "ours").await;
    touch(&desk, "ours too").await;
    let short =
        desk.world.sessions.entry(&main).await.expect("a store").expect("an entry").session_id.clone();
    let older = json!({ "sessionId": "s1", "updatedAt": 100, "thinkingLevel": "high", "mystery": 1 });
    desk.index(&json!({ "agent:main:main": older }));
    desk.write("s1.jsonl", &file(&[header("s1"), user("a1", None, "old"), user("a2", Some("a1"), "older")]));
    assert_eq!(desk.import().await.sessions, std::slice::from_ref(&main));
    assert_eq!(texts(&desk).await, ["old", "older", "ours", "ours too"]);
    let entry = desk.world.sessions.entry(&main).await.expect("a store").expect("an entry");
    assert_eq!(entry.session_id.as_str(), "s1");
    assert_eq!(entry.facts.label.as_deref(), Some("Home"));
    assert_eq!(json!(*entry)["mystery"], json!(1));
    let left = desk.world.store.transcript(&AgentId::main(), &short).await.expect("a store");
    assert_eq!(left, [], "what was copied does not stand twice");
    // Nothing more comes of the next start.
    assert_eq!(desk.import().await.skipped[0].cause, SkippedCause::Unchanged);
    assert_eq!(texts(&desk).await, ["old", "older", "ours", "ours too"]);
}

#[tokio::test]
async fn a_session_that_began_anew_before_its_import_keeps_the_old_one_as_its_past() {
    let desk = Desk::new();
    touch(&desk, "ours").await;
    let main = key("agent:main:main");
    desk.world.sessions.reset(&main, AnewReason::Asked).await.expect("a session");
    touch(&desk, "anew").await;
    desk.index(&json!({ "agent:main:main": { "sessionId": "s1", "updatedAt": 100 } }));
    desk.write("s1.jsonl", &file(&[header("s1"), user("a1", None, "old")]));
    let imported = desk.import().await;
    assert_eq!((imported.sessions, imported.past), (vec![], vec![main]));
    assert_eq!(texts(&desk).await, ["anew"]);
    let archived = desk.world.store.archived(&AgentId::main()).await.expect("a store");
    assert!(archived.iter().any(|one| one.archive.session.as_str() == "s1"), "{archived:?}");
}

#[tokio::test]
async fn two_names_of_one_session_do_not_become_one_conversation() {
    let desk = Desk::new();
    desk.index(&json!({
        "agent:main:main": { "sessionId": "s1", "updatedAt": 100 },
        "main": { "sessionId": "s2", "updatedAt": 200 },
    }));
    desk.write("s1.jsonl", &file(&[header("s1"), user("a1", None, "older")]));
    desk.write("s2.jsonl", &file(&[header("s2"), user("b1", None, "newer")]));
    for _ in 0..2 {
        desk.import().await;
        assert_eq!(texts(&desk).await, ["newer"]);
    }
}

#[tokio::test]
async fn what_calls_took_before_counts_once() {
    let desk = Desk::new();
    let reply = |id: &str, at: i64, dollars: f64| {
        json!({
            "type": "message", "id": id, "parentId": null, "timestamp": "2026-01-31T07:26:10.958Z",
            "message": {
                "role": "assistant", "content": [{ "type": "text", "text": "done" }], "provider": "v", "model": "m",
                "usage": {
                    "input": 10, "output": 5, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 15,
                    "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": dollars },
                },
                "stopReason": "stop", "timestamp": at,
            },
        })
    };
    desk.index(&json!({ "agent:main:main": { "sessionId": "s1", "updatedAt": 100 } }));
    desk.write("s1.jsonl", &file(&[header("s1"), user("a1", None, "hi"), reply("a2", 1_000, 0.5)]));
    // No session uses it, but money was spent.
    desk.write("s0.jsonl", &file(&[header("s0"), reply("b1", 2_000, 0.25)]));
    desk.import().await;
    desk.import().await;
    let records = desk.parts.ledger.records(UsageQuery::default(), 10).await.expect("a ledger");
    let told = |record: &UsageRecord| {
        (record.at.0, record.session.clone().unwrap_or_default(), record.usage.total_tokens, record.cost)
    };
    let money = |dollars| Some(openclaw_types::Money::from_dollars(dollars));
    assert_eq!(
        records.iter().map(told).collect::<Vec<_>>(),
        [(1_000, "agent:main:main".to_owned(), 15, money(0.5)), (2_000, "s0".to_owned(), 15, money(0.25))]
    );
    // The original went on: what is new is added.
    desk.index(&json!({ "agent:main:main": { "sessionId": "s1", "updatedAt": 200 } }));
    let longer = [header("s1"), user("a1", None, "hi"), reply("a2", 1_000, 0.5), reply("a3", 3_000, 0.125)];
    desk.write("s1.jsonl", &file(&longer));
    desk.import().await;
    let records = desk.parts.ledger.records(UsageQuery::default(), 10).await.expect("a ledger");
    assert_eq!(records.iter().map(|record| record.at.0).collect::<Vec<_>>(), [1_000, 2_000, 3_000]);
}

#[tokio::test]
async fn calls_wait_for_the_gate_and_are_told_to_come_again_when_it_takes_too_long() {
    let world = World::new();
    let gate = ImportGate::new(world.clock.clone());
    let gated = GatedStore::new(gate.clone(), world.store.clone());
    let agent = AgentId::main();
    assert!(gated.entries(&agent).await.is_ok());
    gate.close();
    let later = async {
        tokio::task::yield_now().await;
        gate.open();
    };
    assert!(tokio::join!(gated.entries(&agent), later).0.is_ok());
    gate.close();
    let (refused, ()) = tokio::join!(gated.entries(&agent), world.clock.advance(IMPORT_WAIT));
    let refused = refused.expect_err("nothing yet");
    assert!(refused.is_retryable(), "{refused}");
}

#[tokio::test]
async fn the_older_list_of_sessions_is_read_too() {
    let desk = Desk::new();
    desk.index(&json!({
        "version": 2,
        "agents": {
            "agent:main:main": {
                "activeSessionId": "s1", "model": { "provider": "v", "model": "m" },
                "tokenCounts": { "inputTokens": 1, "outputTokens": 2, "totalTokens": 3 },
                "deliveryContext": { "channel": "chat", "to": "5" }, "skills": [{ "name": "notes" }],
            },
            "agent:main:broken": { "model": {} },
        },
    }));
    desk.write("s1.jsonl", &file(&[user("a1", None, "one")]));
    let imported = desk.import().await;
    let broken = Skipped { key: "agent:main:broken".into(), cause: SkippedCause::Unreadable };
    assert_eq!((imported.sessions, imported.skipped), (vec![key("agent:main:main")], vec![broken]));
    desk.export().await;
    let list: Value = serde_json::from_str(&desk.exported("sessions.json")).expect("JSON");
    let expected = json!({
        "agent:main:main": {
            "sessionId": "s1", "modelProvider": "v", "model": "m", "inputTokens": 1, "outputTokens": 2,
            "totalTokens": 3, "deliveryContext": { "channel": "chat", "to": "5" }, "skills": [{ "name": "notes" }],
        },
    });
    assert_eq!(list, expected);
}

#[tokio::test]
async fn our_own_sessions_are_exported_with_a_header_their_leaf_last_and_their_past() {
    let desk = Desk::new();
    let main = key("agent:main:main");
    let sessions = &desk.world.sessions;
    let opening = || crate::Opening::new(main.clone(), None);
    let old = sessions.open(opening()).await.expect("a session").entry.session_id.clone();
    sessions.append(&main, vec![said("before")]).await.expect("a session");
    let new = sessions.reset(&main, AnewReason::Asked).await.expect("a session").session_id;
    let ids = sessions.append(&main, vec![said("one"), said("two")]).await.expect("a session").entries;
    sessions.branch_from(&main, &ids[0], BranchTo::Here).await.expect("a branch");
    assert_eq!(desk.export().await, counted(1, 2));
    let written = lines(&desk.exported(&format!("{new}.jsonl")));
    let kinds: Vec<&Value> = written.iter().map(|line| &line["type"]).collect();
    assert_eq!(kinds, ["session", "message", "message", "custom"]);
    assert_eq!(
        (&written[0]["id"], &written[0]["version"], &written[0]["cwd"]),
        (&json!(new), &json!(3), &json!("/work"))
    );
    assert_eq!(written[3]["parentId"], json!(ids[0]));
    let past = lines(&desk.exported(&format!("{old}.jsonl.reset.2026-11-16T12-00-00.000Z")));
    assert_eq!(past.len(), 2);
}

#[tokio::test]
async fn a_list_that_cannot_be_read_is_said_and_an_empty_directory_is_fine() {
    let desk = Desk::new();
    assert_eq!(desk.import().await, Imported::default());
    desk.write("sessions.json", "[1");
    let order = desk.order();
    let refused = import_sessions(&desk.parts, &order).await;
    assert!(matches!(refused, Err(crate::SessionError::Refused { .. })));
    let missing = ImportOrder { list: desk.from.path().join("none/sessions.json"), ..order };
    assert_eq!(import_sessions(&desk.parts, &missing).await.expect("nothing"), Imported::default());
}

#[tokio::test]
async fn a_list_of_another_name_that_agents_share_is_read_and_written_as_one() {
    let desk = Desk::new();
    let index = json!({
        "agent:main:main": { "sessionId": "s1", "updatedAt": 100 },
        "agent:ops:main": { "sessionId": "s2", "updatedAt": 200 },
        "global": { "sessionId": "s3", "updatedAt": 300 },
    });
    desk.write("talks.json", &index.to_string());
    desk.write("s2.jsonl", &file(&[header("s2"), user("a1", None, "of ops")]));
    let order = ImportOrder { list: desk.from.path().join("talks.json"), ..desk.order() };
    let imported = import_sessions(&desk.parts, &order).await.expect("an import");
    assert_eq!(imported.sessions.len(), 3);
    let store = desk.world.store.clone();
    let ops = AgentId::new("ops").expect("an id");
    assert_eq!(store.entries(&ops).await.expect("a store").len(), 1);
    let list = desk.to.path().join("deeper/all.json");
    let agents = vec![exported("main"), exported("ops")];
    let order = ExportOrder { agents, list, place: ExportPlace::Apart };
    let done = export_sessions(&desk.parts, &order).await.expect("an export");
    assert_eq!(done, counted(3, 1));
    let list: Value = serde_json::from_str(&desk.exported("deeper/all.json")).expect("JSON");
    assert_eq!(list, index);
    assert_eq!(lines(&desk.exported("deeper/s2.jsonl")).len(), 2);
}

#[tokio::test]
async fn a_transcript_that_is_not_beside_the_list_is_found_in_the_folders_that_are_named() {
    let desk = Desk::new();
    desk.index(&json!({
        "agent:main:main": { "sessionId": "s1", "updatedAt": 100, "sessionFile": "/old/agents/main/sessions/s1.jsonl" },
    }));
    std::fs::write(desk.to.path().join("s1.jsonl"), file(&[header("s1"), user("a1", None, "one")]))
        .expect("written");
    let order = ImportOrder { further: vec![desk.to.path().to_owned()], ..desk.order() };
    import_sessions(&desk.parts, &order).await.expect("an import");
    let history = desk.world.sessions.history(&key("agent:main:main"), None).await.expect("a session");
    assert_eq!(history.messages.len(), 1);
}

#[tokio::test]
async fn an_export_over_the_files_of_the_original_loses_nothing() {
    let desk = Desk::new();
    let broken = json!({ "label": "no session" });
    let of_others = json!({ "sessionId": "s9", "updatedAt": 9 });
    let index = json!({
        "agent:main:main": { "sessionId": "s1", "updatedAt": 100 },
        "agent:main:gone": { "sessionId": "s2", "updatedAt": 5 },
        "agent:main:broken": broken,
        "agent:old:main": of_others,
    });
    desk.index(&index);
    desk.write("s1.jsonl", &file(&[header("s1"), user("a1", None, "one")]));
    // Without anything of ours the list stays as it is.
    assert_eq!(desk.export_back().await, Exported::default());
    assert_eq!(desk.listed(), index);
    desk.import().await;
    let main = key("agent:main:main");
    desk.world.sessions.delete(&key("agent:main:gone"), Leaving::Archive).await.expect("a session");
    desk.world.sessions.append(&main, vec![said("ours")]).await.expect("a session");
    let theirs = file(&[header("s1"), user("a1", None, "one"), user("a2", Some("a1"), "theirs")]);
    desk.write("s1.jsonl", &theirs);
    let done = desk.export_back().await;
    assert_eq!((done.sessions, done.kept, done.backups.len()), (1, 2, 2), "{done:?}");
    let listed = desk.listed();
    assert_eq!(listed["agent:main:main"]["sessionId"], json!("s1"));
    assert_eq!((&listed["agent:main:broken"], &listed["agent:old:main"]), (&broken, &of_others));
    assert_eq!(listed.get("agent:main:gone"), None, "it was removed here");
    let before = |name: &str| format!("{name}.bak.{}", desk.parts.clock.now().0);
    assert_eq!(read(desk.from.path(), &before("s1.jsonl")), theirs);
    assert_eq!(read(desk.from.path(), &before("sessions.json")), index.to_string());
    // The same again replaces nothing.
    assert_eq!(desk.export_back().await.backups, Vec::<std::path::PathBuf>::new());
}

#[tokio::test]
async fn a_session_that_was_exported_and_removed_here_does_not_come_back() {
    let desk = Desk::new();
    let ours = key("agent:main:ours");
    let sessions = &desk.world.sessions;
    sessions.open(crate::Opening::new(ours.clone(), None)).await.expect("a session");
    sessions.append(&ours, vec![said("hello")]).await.expect("a session");
    assert_eq!(desk.export_back().await, counted(1, 1));
    sessions.delete(&ours, Leaving::Archive).await.expect("a session");
    let again = desk.import().await;
    let taken = Skipped { key: ours.to_string(), cause: SkippedCause::Unchanged };
    assert_eq!((again.sessions, again.skipped), (vec![], vec![taken]));
    assert_eq!(sessions.entry(&ours).await.expect("a store"), None);
}

#[tokio::test]
async fn an_exported_entry_leads_to_the_transcript_that_was_written_with_it() {
    let desk = Desk::new();
    let beside = desk.from.path().join("s2.jsonl");
    desk.index(&json!({
        "agent:main:main": { "sessionId": "s1", "updatedAt": 100, "sessionFile": "/old/agents/main/sessions/s1.jsonl" },
        "agent:main:side": { "sessionId": "s2", "updatedAt": 100, "sessionFile": beside },
        "agent:main:name": { "sessionId": "s3", "updatedAt": 100, "sessionFile": "s3.jsonl" },
    }));
    desk.write("s1.jsonl", &file(&[header("s1"), user("a1", None, "one")]));
    desk.import().await;
    desk.export_back().await;
    let listed = desk.listed();
    let file_of = |key: &str| listed[key]["sessionFile"].clone();
    assert_eq!(file_of("agent:main:main"), json!(desk.from.path().join("s1.jsonl")));
    assert_eq!(file_of("agent:main:side"), json!(beside));
    assert_eq!(file_of("agent:main:name"), json!("s3.jsonl"));
}

#[test]
fn an_entry_cannot_lead_out_of_its_directory() {
    let check = |fields: Value, expected: &[&str]| {
        let mut all = json!({ "sessionId": "s", "updatedAt": 0 });
        all.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        let entry = serde_json::from_value(all).expect("an entry");
        assert_eq!(names::transcript_names(&entry), expected, "{fields}");
    };
    check(json!({}), &["s.jsonl"]);
    check(json!({ "sessionFile": "../../etc/passwd" }), &["s.jsonl"]);
    check(json!({ "sessionFile": "/a/b/x.jsonl" }), &["x.jsonl", "s.jsonl"]);
    check(json!({ "sessionFile": "..\\y.jsonl", "lastThreadId": "1/2" }), &["y.jsonl", "s.jsonl"]);
    check(json!({ "sessionId": "../up" }), &[]);
    check(json!({ "lastThreadId": 7 }), &["s.jsonl", "s-topic-7.jsonl"]);
}
