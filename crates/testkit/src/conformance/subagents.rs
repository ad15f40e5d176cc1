//! What every `SubagentStore` does.

use openclaw_ports::stores::{Cleanup, SpawnMode, Subagent, SubagentOutcome, SubagentStore};
use openclaw_types::{RunId, UnixMillis};

use super::sessions::key;

/// Tests a `SubagentStore`; see the module for what `make` gives.
#[macro_export]
macro_rules! subagent_store_conformance {
    ($make:path) => {
        $crate::conformance_tests!(
            subagents,
            $make,
            [
                a_new_store_keeps_no_subagents,
                a_subagent_comes_back_whole,
                saving_a_subagent_again_replaces_it,
                subagents_are_listed_oldest_first,
                a_subagent_that_is_removed_is_gone_and_the_others_stay,
            ]
        );
    };
}

/// A sub-agent with every field set.
///
/// # Panics
/// When the name is no id.
#[must_use]
pub fn subagent(run: &str, created_at: i64) -> Subagent {
    Subagent {
        run: RunId::new(run).expect("an id"),
        child: key("subagent:11111111-2222-3333-4444-555555555555"),
        requester: key("main"),
        requester_display: "main".to_owned(),
        depth: 1,
        task: "look \u{1f980}".to_owned(),
        label: Some("looker".to_owned()),
        model: Some("vendor/model".to_owned()),
        cleanup: Cleanup::Keep,
        mode: SpawnMode::Session,
        timeout_seconds: Some(60),
        created_at: UnixMillis(created_at),
        started_at: Some(UnixMillis(2)),
        ended_at: Some(UnixMillis(3)),
        outcome: Some(SubagentOutcome::Failed { message: "why".to_owned() }),
        result: Some("words".to_owned()),
        announced_at: Some(UnixMillis(4)),
        announce_attempts: 2,
        archive_at: Some(UnixMillis(5)),
    }
}

async fn save(store: &dyn SubagentStore, subagent: &Subagent) {
    store.save(subagent).await.expect("a store in order takes sub-agents");
}

async fn all(store: &dyn SubagentStore) -> Vec<Subagent> {
    store.all().await.expect("a store in order can be read")
}

/// Nothing is there at first.
pub async fn a_new_store_keeps_no_subagents(store: &dyn SubagentStore) {
    assert_eq!(all(store).await, []);
}

/// Every field survives, set or not, with every outcome.
pub async fn a_subagent_comes_back_whole(store: &dyn SubagentStore) {
    let outcomes = [
        Some(SubagentOutcome::Done),
        Some(SubagentOutcome::Failed { message: String::new() }),
        Some(SubagentOutcome::TimedOut),
        Some(SubagentOutcome::Killed),
        Some(SubagentOutcome::Interrupted),
        None,
    ];
    let mut expected = vec![subagent("full", 0)];
    for (number, outcome) in (1..).zip(outcomes) {
        expected.push(Subagent {
            outcome,
            cleanup: Cleanup::Delete,
            mode: SpawnMode::Run,
            label: None,
            model: None,
            timeout_seconds: None,
            started_at: None,
            ended_at: None,
            result: None,
            announced_at: None,
            archive_at: None,
            ..subagent(&format!("r{number}"), number)
        });
    }
    for subagent in &expected {
        save(store, subagent).await;
    }
    assert_eq!(all(store).await, expected);
}

/// One run, one sub-agent.
pub async fn saving_a_subagent_again_replaces_it(store: &dyn SubagentStore) {
    save(store, &subagent("r1", 1)).await;
    let later = Subagent { announce_attempts: 9, outcome: None, ..subagent("r1", 1) };
    save(store, &later).await;
    assert_eq!(all(store).await, [later]);
}

/// Those of one moment in the order they were first saved.
pub async fn subagents_are_listed_oldest_first(store: &dyn SubagentStore) {
    for (run, at) in [("late", 9), ("b", 5), ("a", 5), ("early", 1)] {
        save(store, &subagent(run, at)).await;
    }
    save(store, &subagent("b", 5)).await;
    let expected = [("early", 1), ("b", 5), ("a", 5), ("late", 9)].map(|(run, at)| subagent(run, at));
    assert_eq!(all(store).await, expected);
}

/// Removing what is not there is not an error.
pub async fn a_subagent_that_is_removed_is_gone_and_the_others_stay(store: &dyn SubagentStore) {
    for run in ["r1", "r2"] {
        save(store, &subagent(run, 1)).await;
    }
    for _ in 0..2 {
        store.remove(&subagent("r1", 1).run).await.expect("a store in order forgets");
    }
    assert_eq!(all(store).await, [subagent("r2", 1)]);
}
