//! What a model sees of a branch, and random histories against a simple model.

use std::sync::Arc;

use openclaw_ports::stores::{BranchQuery, BranchReach, Flush, SessionStore, StoredEntry};
use openclaw_stores::memory::MemorySessionStore;
use openclaw_testkit::{Random, SimClock};
use openclaw_types::{
    AgentId, EntryBody, EntryId, LineRecord, Message, SessionId, TranscriptLine, write_message,
};
use serde_json::{Value, json};

use super::*;
use crate::testing::said;

fn stored(line: Value) -> StoredEntry {
    StoredEntry { sequence: 0, run: None, line: TranscriptLine::from_value(&line).into() }
}

fn message(id: &str, message: Value) -> Value {
    json!({ "type": "message", "id": id, "parentId": null, "timestamp": "2026-01-01T00:00:00.000Z", "message": message })
}

fn user(id: &str) -> Value {
    message(id, json!({ "role": "user", "content": [{ "type": "text", "text": id }] }))
}

fn call(id: &str) -> Value {
    message(
        id,
        json!({ "role": "assistant", "content": [{ "type": "toolCall", "id": id, "name": "t", "arguments": {} }] }),
    )
}

fn result(id: &str, of: &str) -> Value {
    message(
        id,
        json!({ "role": "toolResult", "toolCallId": of, "toolName": "t", "content": [], "isError": false }),
    )
}

fn compaction(id: &str, first_kept: &str) -> Value {
    json!({
        "type": "compaction", "id": id, "parentId": null, "timestamp": "2026-01-01T00:00:00.000Z",
        "summary": format!("summary {id}"), "firstKeptEntryId": first_kept, "tokensBefore": 9,
    })
}

#[test]
fn a_model_sees_the_summary_then_what_was_kept_then_the_rest() {
    let check = |branch: &[Value], expected: &[&str]| {
        let branch: Vec<StoredEntry> = branch.iter().cloned().map(stored).collect();
        let seen = project(&branch);
        let names: Vec<&str> = seen.iter().map(|one| one.entry.as_ref().expect("an id").as_str()).collect();
        assert_eq!(names, expected);
    };
    let note = json!({ "type": "custom", "customType": "x", "id": "n", "parentId": null });
    let label = json!({ "type": "label", "targetId": "a", "label": "l", "id": "l", "parentId": null });
    let model =
        json!({ "type": "model_change", "provider": "p", "modelId": "m", "id": "m", "parentId": null });
    let custom = json!({ "type": "custom_message", "customType": "x", "content": "hi", "display": true, "id": "c", "parentId": null });
    let left =
        json!({ "type": "branch_summary", "fromId": "a", "summary": "left", "id": "b", "parentId": null });
    let hidden = message(
        "h",
        json!({ "role": "bashExecution", "command": "ls", "output": "", "excludeFromContext": true }),
    );
    check(&[], &[]);
    check(&[user("a"), note, label, model, custom, left, hidden, user("z")], &["a", "c", "b", "z"]);
    check(&[user("a"), user("b"), compaction("k", "b"), user("c")], &["k", "b", "c"]);
    check(&[user("a"), compaction("k", "gone"), user("c")], &["k", "c"]);
    let twice = [user("a"), compaction("k", "a"), user("b"), compaction("j", "b"), user("c")];
    check(&twice, &["j", "b", "c"]);
    let over = [user("a"), compaction("k", "a"), user("b"), compaction("j", "a"), user("c")];
    check(&over, &["j", "a", "b", "c"]);
    // A result whose call was not kept goes; a call without a result stays.
    check(&[call("1"), result("2", "1"), user("3"), compaction("k", "2"), user("4")], &["k", "3", "4"]);
    check(&[call("1"), result("2", "1"), compaction("k", "1")], &["k", "1", "2"]);
    check(&[result("2", "1"), call("3")], &["3"]);
}

#[test]
fn what_was_put_in_while_a_tool_worked_stands_behind_its_result() {
    let put_in = message(
        "n1",
        json!({ "role": "assistant", "provider": "openclaw", "model": "gateway-injected", "content": [{ "type": "text", "text": "note" }] }),
    );
    let branch: Vec<StoredEntry> =
        [user("u1"), call("c1"), put_in, result("r1", "c1"), user("u2")].into_iter().map(stored).collect();
    let seen: Vec<String> =
        project(&branch).iter().filter_map(|one| one.entry.as_ref().map(ToString::to_string)).collect();
    assert_eq!(seen, ["u1", "c1", "r1", "n1", "u2"]);
}

#[test]
fn a_summary_stands_as_a_message_of_its_own() {
    let seen = project(&[stored(user("a")), stored(compaction("k", "a"))]);
    let written: Vec<Value> = seen.iter().map(|one| write_message(&one.message)).collect();
    let expected = [
        json!({ "role": "compactionSummary", "summary": "summary k", "tokensBefore": 9, "timestamp": 1_767_225_600_000_i64 }),
        json!({ "role": "user", "content": [{ "type": "text", "text": "a" }] }),
    ];
    assert_eq!(written, expected);
}

/// A branch as a list of what each entry says, kept by hand.
#[derive(Debug, Clone)]
struct Known {
    id: EntryId,
    says: Says,
}

#[derive(Debug, Clone, PartialEq)]
enum Says {
    Words(String),
    Compacted(EntryId),
}

impl Known {
    /// What a model sees of a branch, worked out the slow way.
    fn seen(branch: &[Known]) -> Vec<String> {
        let newest = branch.iter().rposition(|one| matches!(one.says, Says::Compacted(_)));
        let words = |one: &Known| match &one.says {
            Says::Words(words) => Some(words.clone()),
            Says::Compacted(_) => None,
        };
        let Some(newest) = newest else { return branch.iter().filter_map(words).collect() };
        let Says::Compacted(kept) = &branch[newest].says else { unreachable!("found above") };
        let from = branch.iter().position(|one| one.id == *kept).expect("it was on the branch");
        let rest = branch[from..].iter().filter_map(words);
        std::iter::once(format!("after {newest}")).chain(rest).collect()
    }
}

#[tokio::test]
async fn random_appends_branches_and_compactions_agree_with_a_simple_model() {
    let mut random = Random::new();
    for _ in 0..40 {
        random_history(&mut random).await;
    }
}

async fn random_history(random: &mut Random) {
    let store = Arc::new(MemorySessionStore::default());
    let journal = Journal::new(store.clone(), Arc::new(SimClock::new()));
    let (agent, session) = (AgentId::main(), SessionId::new("s").expect("an id"));
    // Every branch that was ever current, by its last entry.
    let mut branches: Vec<Vec<Known>> = vec![Vec::new()];
    let mut current = Vec::new();
    for step in 0..60 {
        match random.below(6) {
            0 if !current.is_empty() => {
                let place = random.below(branches.len() as u64) as usize;
                let Some(leaf) = branches[place].last().map(|one| one.id.clone()) else { continue };
                assert!(store.set_leaf(&agent, &session, &leaf).await.expect("a store"));
                current = branches[place].clone();
            }
            1 if !current.is_empty() => {
                let kept = current[random.below(current.len() as u64) as usize].id.clone();
                let body = compaction_body(format!("after {}", current.len()), kept.clone());
                let id = append(&journal, &agent, &session, vec![body]).await.remove(0);
                current.push(Known { id, says: Says::Compacted(kept) });
                branches.push(current.clone());
            }
            _ => {
                let words: Vec<String> = (0..=random.below(3)).map(|at| format!("{step}.{at}")).collect();
                let bodies = words.iter().map(|words| said(words)).collect();
                let ids = append(&journal, &agent, &session, bodies).await;
                for (id, words) in ids.into_iter().zip(words) {
                    current.push(Known { id, says: Says::Words(words) });
                    branches.push(current.clone());
                }
            }
        }
        let query = |reach| BranchQuery { agent: agent.clone(), session: session.clone(), leaf: None, reach };
        let whole = store.branch(query(BranchReach::Whole)).await.expect("a store");
        let since = store.branch(query(BranchReach::SinceCompaction)).await.expect("a store");
        let ids: Vec<&EntryId> = current.iter().map(|one| &one.id).collect();
        assert_eq!(whole.iter().filter_map(id_of).collect::<Vec<_>>(), ids);
        assert_eq!(words(&project(&whole)), Known::seen(&current));
        assert_eq!(words(&project(&since)), Known::seen(&current));
    }
}

fn compaction_body(summary: String, kept: EntryId) -> EntryBody {
    EntryBody::Compaction(openclaw_types::Compaction {
        summary,
        first_kept: Some(kept),
        tokens_before: None,
        tokens_after: None,
        details: None,
        author: openclaw_types::SummaryAuthor::Agent,
    })
}

async fn append(
    journal: &Journal,
    agent: &AgentId,
    session: &SessionId,
    bodies: Vec<EntryBody>,
) -> Vec<EntryId> {
    let writing = Writing {
        agent: agent.clone(),
        session: session.clone(),
        run: None,
        begins: None,
        flush: Flush::Now,
        bodies,
    };
    journal.append(writing).await.expect("a store").entries
}

fn id_of(stored: &StoredEntry) -> Option<&EntryId> {
    match &stored.line.record {
        LineRecord::Entry(entry) => entry.id.as_ref(),
        _ => None,
    }
}

fn words(seen: &[Projected]) -> Vec<String> {
    let words = |one: &Projected| match &*one.message {
        Message::CompactionSummary { summary, .. } => summary.clone(),
        message => message.plain_text(),
    };
    seen.iter().map(words).collect()
}

#[tokio::test]
async fn entries_written_at_the_same_time_follow_each_other() {
    let store = Arc::new(MemorySessionStore::default());
    let journal = Arc::new(Journal::new(store.clone(), Arc::new(SimClock::new())));
    let (agent, session) = (AgentId::main(), SessionId::new("s").expect("an id"));
    let writings =
        (0..20).map(|at| append(&journal, &agent, &session, vec![said(&at.to_string()), said("more")]));
    let ids = futures_util::future::join_all(writings).await;
    let query =
        BranchQuery { agent: agent.clone(), session: session.clone(), leaf: None, reach: BranchReach::Whole };
    let branch = store.branch(query).await.expect("a store");
    assert_eq!(branch.len(), 40);
    assert!(
        ids.iter()
            .flatten()
            .all(|id| id.as_str().len() == 8 && id.as_str().chars().all(|digit| digit.is_ascii_hexdigit()))
    );
}
