//! What every `GrantStore` does.

use openclaw_ports::stores::{ArgumentPattern, Grant, GrantStore, GrantedVariables};
use openclaw_types::{AgentId, UnixMillis};

use super::sessions::key;

/// Tests a `GrantStore`; see the module for what `make` gives.
#[macro_export]
macro_rules! grant_store_conformance {
    ($make:path) => {
        $crate::conformance_tests!(
            grants,
            $make,
            [
                a_new_store_has_no_grants,
                a_grant_comes_back_whole,
                adding_a_grant_again_replaces_it,
                grants_are_listed_oldest_first_and_expired_ones_too,
                the_last_use_of_a_grant_is_noted,
                a_grant_that_is_taken_back_is_gone_and_the_others_stay,
            ]
        );
    };
}

/// A grant with every field set.
#[must_use]
pub fn grant(id: &str, created_at: i64) -> Grant {
    Grant {
        id: id.to_owned(),
        agent: AgentId::main(),
        executable: "/usr/bin/git".to_owned(),
        arguments: ArgumentPattern::Prefix(vec!["log".to_owned(), "\u{1f980}".to_owned()]),
        variables: Some(GrantedVariables { names: vec!["MODE".to_owned()], digest: "0a1b".to_owned() }),
        directory: Some("/work".to_owned()),
        session: Some(key("main")),
        created_at: UnixMillis(created_at),
        granted_by: "device:cli".to_owned(),
        expires_at: Some(UnixMillis(6)),
        last_used_at: Some(UnixMillis(5)),
    }
}

async fn add(store: &dyn GrantStore, grant: &Grant) {
    store.add(grant).await.expect("a store in order takes grants");
}

async fn all(store: &dyn GrantStore) -> Vec<Grant> {
    store.all().await.expect("a store in order can be read")
}

/// Nothing is allowed at first.
pub async fn a_new_store_has_no_grants(store: &dyn GrantStore) {
    assert_eq!(all(store).await, []);
}

/// Every field survives, set or not, with every pattern.
pub async fn a_grant_comes_back_whole(store: &dyn GrantStore) {
    let bare = Grant {
        arguments: ArgumentPattern::Any,
        variables: None,
        directory: None,
        session: None,
        expires_at: None,
        last_used_at: None,
        ..grant("bare", 2)
    };
    let exact = Grant { arguments: ArgumentPattern::Exact(vec![]), ..grant("exact", 3) };
    let expected = [grant("full", 1), bare, exact];
    for grant in &expected {
        add(store, grant).await;
    }
    assert_eq!(all(store).await, expected);
}

/// One id, one grant.
pub async fn adding_a_grant_again_replaces_it(store: &dyn GrantStore) {
    add(store, &grant("g1", 1)).await;
    let narrower = Grant { arguments: ArgumentPattern::Exact(vec![]), last_used_at: None, ..grant("g1", 1) };
    add(store, &narrower).await;
    assert_eq!(all(store).await, [narrower]);
}

/// Those of one moment in the order they were first added.
pub async fn grants_are_listed_oldest_first_and_expired_ones_too(store: &dyn GrantStore) {
    for (id, at) in [("late", 9), ("b", 5), ("a", 5), ("early", 1)] {
        add(store, &grant(id, at)).await;
    }
    let expected = [("early", 1), ("b", 5), ("a", 5), ("late", 9)].map(|(id, at)| grant(id, at));
    assert_eq!(all(store).await, expected);
}

/// Using one that was taken back in between is not an error.
pub async fn the_last_use_of_a_grant_is_noted(store: &dyn GrantStore) {
    add(store, &grant("g1", 1)).await;
    add(store, &grant("g2", 2)).await;
    store.used("g1", UnixMillis(77)).await.expect("a store in order takes notes");
    store.used("unknown", UnixMillis(78)).await.expect("a store in order takes notes");
    let used = Grant { last_used_at: Some(UnixMillis(77)), ..grant("g1", 1) };
    assert_eq!(all(store).await, [used, grant("g2", 2)]);
}

/// A second time there is nothing to take back.
pub async fn a_grant_that_is_taken_back_is_gone_and_the_others_stay(store: &dyn GrantStore) {
    add(store, &grant("g1", 1)).await;
    add(store, &grant("g2", 2)).await;
    for expected in [true, false] {
        assert_eq!(store.revoke("g1").await.expect("a store in order forgets"), expected);
    }
    assert_eq!(all(store).await, [grant("g2", 2)]);
}
