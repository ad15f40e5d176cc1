//! What every `SessionStore` does with sessions and agents. `transcripts` and `runs` have the rest of its contract.

use std::sync::Arc;

use futures_util::future::join_all;
use openclaw_ports::stores::{EntryChange, SessionStore};
use openclaw_types::{AgentId, SessionEntry, SessionId, SessionKey, UnixMillis};
use serde_json::json;

/// Tests sessions of a `SessionStore`; see the module for what `make` gives.
#[macro_export]
macro_rules! session_store_conformance {
    ($make:path) => {
        $crate::conformance_tests!(
            sessions,
            $make,
            [
                a_new_store_has_no_agents_and_no_sessions,
                a_session_comes_back_whole,
                a_change_sees_what_is_stored_and_gives_what_is_stored_afterwards,
                a_change_that_gives_nothing_removes_the_session,
                removing_what_is_not_there_is_no_error,
                the_session_that_changed_last_comes_first,
                sessions_of_one_agent_are_not_those_of_another,
                agents_are_listed_by_name_once_they_have_something,
                asking_about_an_unknown_agent_does_not_make_it,
                fifty_changes_at_once_lose_nothing,
                an_agent_whose_name_leaves_its_folder_is_refused,
            ]
        );
    };
}

/// An agent.
///
/// # Panics
/// When the name is no id.
#[must_use]
pub fn agent(name: &str) -> AgentId {
    AgentId::new(name).expect("an id")
}

/// The key of a session of `main`.
///
/// # Panics
/// When the name cannot stand in a key.
#[must_use]
pub fn key(name: &str) -> SessionKey {
    SessionKey::named(&AgentId::main(), name).expect("a name for a key")
}

/// The name of a transcript.
///
/// # Panics
/// When the name is no id.
#[must_use]
pub fn session(name: &str) -> SessionId {
    SessionId::new(name).expect("an id")
}

/// A session with a label, a counter, JSON of its own and a key that nobody knows.
#[must_use]
pub fn entry(name: &str, at: i64) -> SessionEntry {
    let mut entry = SessionEntry::new(session(name), UnixMillis(at));
    entry.facts.label = Some(format!("label of {name} \u{1f980}"));
    entry.facts.compaction_count = Some(3);
    entry.facts.total_tokens_fresh = Some(false);
    entry.facts.origin = Some(json!({"provider": "webchat", "nested": [1, null]}));
    entry.facts.memory_flush_at = Some(UnixMillis(at));
    entry.other.insert("fromTheFuture".to_owned(), json!({"kept": true}));
    entry
}

/// Stores this, whatever was there.
fn to(entry: Option<SessionEntry>) -> EntryChange {
    Box::new(move |_| entry)
}

async fn put(store: &dyn SessionStore, name: &str, entry: SessionEntry) {
    let stored = store.change(&AgentId::main(), &key(name), to(Some(entry.clone()))).await;
    assert_eq!(stored.expect("a store in order takes sessions").as_deref(), Some(&entry));
}

async fn get(store: &dyn SessionStore, name: &str) -> Option<SessionEntry> {
    let found = store.entry(&AgentId::main(), &key(name)).await;
    found.expect("a store in order can be read").map(Arc::unwrap_or_clone)
}

async fn all(store: &dyn SessionStore, of: &AgentId) -> Vec<(SessionKey, SessionEntry)> {
    store.entries(of).await.expect("a store in order can be read")
}

async fn agents(store: &dyn SessionStore) -> Vec<AgentId> {
    store.agents().await.expect("a store in order can be read")
}

/// Nothing is there at first.
pub async fn a_new_store_has_no_agents_and_no_sessions(store: &dyn SessionStore) {
    assert_eq!(agents(store).await, []);
    assert_eq!(all(store, &AgentId::main()).await, []);
    assert_eq!(get(store, "main").await, None);
}

/// Every field survives, also one that this version does not know.
pub async fn a_session_comes_back_whole(store: &dyn SessionStore) {
    let (full, bare) = (entry("s1", 5), SessionEntry::new(session("s2"), UnixMillis(-1)));
    put(store, "main", full.clone()).await;
    put(store, "other", bare.clone()).await;
    assert_eq!(get(store, "main").await, Some(full));
    assert_eq!(get(store, "other").await, Some(bare));
}

/// A change is told what is there.
pub async fn a_change_sees_what_is_stored_and_gives_what_is_stored_afterwards(store: &dyn SessionStore) {
    put(store, "main", entry("s1", 5)).await;
    let expected = entry("s1", 5);
    let later = SessionEntry { updated_at: UnixMillis(6), ..expected.clone() };
    let change: EntryChange = Box::new(move |stored| {
        assert_eq!(stored, Some(expected));
        stored.map(|entry| SessionEntry { updated_at: UnixMillis(6), ..entry })
    });
    let given = store.change(&AgentId::main(), &key("main"), change).await;
    assert_eq!(given.expect("a store in order takes sessions").as_deref(), Some(&later));
    assert_eq!(get(store, "main").await, Some(later));
}

/// The others stay.
pub async fn a_change_that_gives_nothing_removes_the_session(store: &dyn SessionStore) {
    put(store, "main", entry("s1", 5)).await;
    put(store, "other", entry("s2", 5)).await;
    let given = store.change(&AgentId::main(), &key("main"), to(None)).await;
    assert_eq!(given.expect("a store in order takes sessions"), None);
    assert_eq!(all(store, &AgentId::main()).await, [(key("other"), entry("s2", 5))]);
}

/// What is not there stays so.
pub async fn removing_what_is_not_there_is_no_error(store: &dyn SessionStore) {
    let given = store.change(&AgentId::main(), &key("main"), to(None)).await;
    assert_eq!(given.expect("a store in order takes sessions"), None);
    assert_eq!(all(store, &AgentId::main()).await, []);
}

/// Equal times are ordered by key, so that a list does not jump.
pub async fn the_session_that_changed_last_comes_first(store: &dyn SessionStore) {
    for (name, at) in [("b", 5), ("a", 5), ("old", 1), ("new", 9)] {
        put(store, name, entry("s", at)).await;
    }
    put(store, "old", entry("s", 10)).await;
    let keys: Vec<_> = all(store, &AgentId::main()).await.into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, [key("old"), key("new"), key("a"), key("b")]);
}

/// A key can be the same in two databases.
pub async fn sessions_of_one_agent_are_not_those_of_another(store: &dyn SessionStore) {
    put(store, "main", entry("s1", 1)).await;
    let global = SessionKey::global();
    store.change(&agent("ops"), &global, to(Some(entry("s2", 2)))).await.expect("a store in order");
    assert_eq!(all(store, &AgentId::main()).await, [(key("main"), entry("s1", 1))]);
    assert_eq!(all(store, &agent("ops")).await, [(global, entry("s2", 2))]);
}

/// Being asked about is not having something.
pub async fn agents_are_listed_by_name_once_they_have_something(store: &dyn SessionStore) {
    for name in ["ops", "main", "a-b_c"] {
        let kept = to(Some(entry("s", 1)));
        store.change(&agent(name), &SessionKey::global(), kept).await.expect("a store in order");
    }
    assert_eq!(agents(store).await, [agent("a-b_c"), agent("main"), agent("ops")]);
}

/// Every question has an empty answer.
pub async fn asking_about_an_unknown_agent_does_not_make_it(store: &dyn SessionStore) {
    let (nobody, nothing) = (agent("nobody"), session("s"));
    assert_eq!(store.entry(&nobody, &key("main")).await.expect("answers"), None);
    assert_eq!(store.entries(&nobody).await.expect("answers"), []);
    assert_eq!(store.leaf(&nobody, &nothing).await.expect("answers"), None);
    assert_eq!(store.transcript(&nobody, &nothing).await.expect("answers"), []);
    assert_eq!(store.archived(&nobody).await.expect("answers"), []);
    assert_eq!(store.unfinished(&nobody).await.expect("answers"), []);
    assert_eq!(store.forget_runs(&nobody, UnixMillis(i64::MAX)).await.expect("answers"), 0);
    assert!(!store.holds_message(&nobody, &nothing, "k").await.expect("answers"));
    store.erase(&nobody, &nothing).await.expect("answers");
    assert_eq!(agents(store).await, []);
}

/// Each of many counts the one before.
pub async fn fifty_changes_at_once_lose_nothing(store: &dyn SessionStore) {
    let (main, one) = (AgentId::main(), key("main"));
    let changes = (0..50).map(|_| {
        let change: EntryChange = Box::new(|stored| {
            let mut entry = stored.unwrap_or_else(|| SessionEntry::new(session("s"), UnixMillis(0)));
            entry.facts.compaction_count = Some(entry.facts.compaction_count.unwrap_or(0) + 1);
            Some(entry)
        });
        store.change(&main, &one, change)
    });
    let mut seen: Vec<_> = join_all(changes)
        .await
        .into_iter()
        .map(|given| given.expect("a store in order").and_then(|entry| entry.facts.compaction_count))
        .collect();
    seen.sort_unstable();
    assert_eq!(seen, (1..=50).map(Some).collect::<Vec<_>>());
    let counted = get(store, "main").await.and_then(|entry| entry.facts.compaction_count);
    assert_eq!(counted, Some(50));
}

/// Reading and writing alike, and nothing is made.
pub async fn an_agent_whose_name_leaves_its_folder_is_refused(store: &dyn SessionStore) {
    for name in ["..", ".", "../main", "a/b", "/etc", "a\\b", "Main", "\u{e9}", " ", "a b", ".hidden"] {
        let Ok(agent) = AgentId::new(name) else { continue };
        assert!(store.entries(&agent).await.is_err(), "reading {name:?}");
        let kept = to(Some(entry("s", 1)));
        assert!(store.change(&agent, &key("main"), kept).await.is_err(), "writing {name:?}");
    }
    assert_eq!(agents(store).await, []);
}
