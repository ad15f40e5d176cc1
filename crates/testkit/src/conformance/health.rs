//! What every `HealthStore` does.

use openclaw_ports::stores::{HealthKey, HealthRecord, HealthStore};
use openclaw_types::{AgentId, AuthProfileId, UnixMillis};

/// Tests a `HealthStore`; see the module for what `make` gives.
#[macro_export]
macro_rules! health_store_conformance {
    ($make:path) => {
        $crate::conformance_tests!(
            health,
            $make,
            [
                a_new_store_knows_of_no_trouble,
                a_health_record_comes_back_whole,
                putting_a_record_again_replaces_it,
                a_credential_and_its_models_are_remembered_apart,
                records_are_ordered_by_agent_profile_and_model,
                one_agent_can_be_read_alone,
                forgetting_a_profile_leaves_the_others,
                forgetting_an_agent_leaves_the_others,
            ]
        );
    };
}

/// A record with every field set; an empty `model` stands for the credential as a whole.
///
/// # Panics
/// When a name is no id.
#[must_use]
pub fn health(agent: &str, profile: &str, model: &str) -> HealthRecord {
    HealthRecord {
        key: HealthKey {
            agent: AgentId::new(agent).expect("an id"),
            profile: AuthProfileId::new(profile).expect("an id"),
            model: (!model.is_empty()).then(|| model.to_owned()),
        },
        last_used: Some(UnixMillis(1)),
        last_good: Some(UnixMillis(2)),
        last_failure: Some(UnixMillis(3)),
        reason: Some("rate_limit".to_owned()),
        failures: u32::MAX,
        billing_failures: 4,
        paused_until: Some(UnixMillis(5)),
        disabled_until: Some(UnixMillis(6)),
    }
}

async fn put(store: &dyn HealthStore, records: Vec<HealthRecord>) {
    store.put(records).await.expect("a store in order takes records");
}

async fn load(store: &dyn HealthStore) -> Vec<HealthRecord> {
    store.load().await.expect("a store in order can be read")
}

/// What another agent learned is not among it.
pub async fn one_agent_can_be_read_alone(store: &dyn HealthStore) {
    let mains =
        [health("main", "alpha:1", ""), health("main", "alpha:1", "one"), health("main", "beta:1", "")];
    put(store, vec![health("ops", "alpha:1", ""), health("mainly", "alpha:1", "")]).await;
    put(store, mains.to_vec()).await;
    let main = store.load_agent(&AgentId::main()).await.expect("a store in order can be read");
    assert_eq!(main, mains);
    let nobody = AgentId::new("nobody").expect("an id");
    assert_eq!(store.load_agent(&nobody).await.expect("a store in order can be read"), []);
}

/// Nothing is known at first.
pub async fn a_new_store_knows_of_no_trouble(store: &dyn HealthStore) {
    assert_eq!(load(store).await, []);
}

/// Every field survives, set or not.
pub async fn a_health_record_comes_back_whole(store: &dyn HealthStore) {
    let full = health("main", "anthropic:default", "claude");
    let bare = HealthRecord::new(health("main", "openai:default", "").key);
    put(store, vec![full.clone(), bare.clone()]).await;
    assert_eq!(load(store).await, [full, bare]);
}

/// One key, one record; within one call the later one wins.
pub async fn putting_a_record_again_replaces_it(store: &dyn HealthStore) {
    let first = health("main", "a", "m");
    let second = HealthRecord { failures: 2, reason: None, paused_until: None, ..first.clone() };
    put(store, vec![first.clone()]).await;
    put(store, vec![first, second.clone()]).await;
    assert_eq!(load(store).await, [second]);
}

/// A pause for one model is not a pause for the credential.
pub async fn a_credential_and_its_models_are_remembered_apart(store: &dyn HealthStore) {
    let records = vec![health("main", "a", ""), health("main", "a", "m"), health("main", "a", "n")];
    put(store, records.clone()).await;
    assert_eq!(load(store).await, records);
}

/// The credential as a whole comes before its models.
pub async fn records_are_ordered_by_agent_profile_and_model(store: &dyn HealthStore) {
    let sorted =
        [("a", "p", ""), ("a", "p", "B"), ("a", "p", "a"), ("a", "q", ""), ("b", "a", "z"), ("b", "b", "a")]
            .map(|(agent, profile, model)| health(agent, profile, model));
    put(store, sorted.iter().rev().cloned().collect()).await;
    assert_eq!(load(store).await, sorted);
}

/// All its models are forgotten with it.
pub async fn forgetting_a_profile_leaves_the_others(store: &dyn HealthStore) {
    let kept = [health("a", "q", "m"), health("b", "p", "m")];
    put(store, vec![health("a", "p", ""), health("a", "p", "m")]).await;
    put(store, kept.to_vec()).await;
    let gone = health("a", "p", "").key;
    store.forget(&gone.agent, Some(&gone.profile)).await.expect("a store in order forgets");
    assert_eq!(load(store).await, kept);
}

/// Forgetting what is not there is not an error.
pub async fn forgetting_an_agent_leaves_the_others(store: &dyn HealthStore) {
    let kept = health("b", "p", "m");
    put(store, vec![health("a", "p", ""), health("a", "q", "m"), kept.clone()]).await;
    for _ in 0..2 {
        let agent = AgentId::new("a").expect("an id");
        store.forget(&agent, None).await.expect("a store in order forgets");
    }
    assert_eq!(load(store).await, [kept]);
}
