//! What every `ProfileStore` does.

use std::collections::BTreeMap;

use openclaw_ports::stores::{OauthTokens, ProfileStore, StoredCredential, StoredProfile, StoredSecret};
use openclaw_types::{AgentId, AuthProfileId, ProviderId, Secret, UnixMillis};
use serde_json::{Map, Value, json};

/// Tests a `ProfileStore`; see the module for what `make` gives.
#[macro_export]
macro_rules! profile_store_conformance {
    ($make:path) => {
        $crate::conformance_tests!(
            profiles,
            $make,
            [
                a_new_store_knows_no_sign_in,
                every_kind_of_sign_in_comes_back_whole,
                a_sign_in_with_nothing_optional_comes_back_whole,
                any_text_can_be_a_secret,
                any_json_can_be_a_reference,
                putting_a_sign_in_again_replaces_it,
                a_sign_in_may_change_its_kind_and_vendor,
                removing_a_sign_in_says_whether_it_was_there,
                agents_do_not_see_each_others_sign_ins,
                sign_ins_are_ordered_by_id,
                an_order_is_kept_for_each_vendor,
                an_empty_order_is_forgotten,
                an_order_may_name_what_is_not_there,
                agents_with_sign_ins_or_an_order_are_listed,
            ]
        );
    };
}

/// An agent's id.
///
/// # Panics
/// When the text is no id.
#[must_use]
pub fn agent(name: &str) -> AgentId {
    AgentId::new(name).expect("an id")
}

/// A profile's id.
///
/// # Panics
/// When the text is no id.
#[must_use]
pub fn profile_id(name: &str) -> AuthProfileId {
    AuthProfileId::new(name).expect("an id")
}

fn provider(name: &str) -> ProviderId {
    ProviderId::new(name).expect("an id")
}

/// A sign-in that is renewed, with every field set.
#[must_use]
pub fn oauth(id: &str) -> StoredProfile {
    let tokens = OauthTokens {
        access: Secret::new(format!("access-secret-of-{id}")),
        refresh: Some(Secret::new(format!("refresh-secret-of-{id}"))),
        expires: UnixMillis(1_767_225_600_123),
        account_id: Some("account".to_owned()),
        project_id: Some("project".to_owned()),
        enterprise_url: Some("https://example.test".to_owned()),
        client_id: Some("client".to_owned()),
    };
    StoredProfile {
        id: profile_id(id),
        provider: provider("openai-codex"),
        email: Some("ana@example.test".to_owned()),
        credential: StoredCredential::Oauth(tokens),
        extra: Map::from_iter([("copyToAgents".to_owned(), json!({"nested": [1, null]}))]),
    }
}

/// A key.
#[must_use]
pub fn api_key(id: &str, key: &str) -> StoredProfile {
    let key = StoredSecret::Text(Secret::new(key.to_owned()));
    with(id, StoredCredential::ApiKey { key })
}

/// A token that runs out.
#[must_use]
pub fn token(id: &str, token: &str) -> StoredProfile {
    let token = StoredSecret::Text(Secret::new(token.to_owned()));
    with(id, StoredCredential::Token { token, expires: Some(UnixMillis(7)) })
}

/// A key that is somewhere else.
#[must_use]
pub fn referenced(id: &str, reference: Value) -> StoredProfile {
    with(id, StoredCredential::ApiKey { key: StoredSecret::Reference(reference) })
}

fn with(id: &str, credential: StoredCredential) -> StoredProfile {
    StoredProfile {
        id: profile_id(id),
        provider: provider("anthropic"),
        email: None,
        credential,
        extra: Map::new(),
    }
}

async fn put(store: &dyn ProfileStore, of: &str, profile: StoredProfile) {
    store.put(&agent(of), profile).await.expect("a store in order takes sign-ins");
}

async fn list(store: &dyn ProfileStore, of: &str) -> Vec<StoredProfile> {
    store.list(&agent(of)).await.expect("a store in order can be read")
}

async fn set_order(store: &dyn ProfileStore, of: &str, vendor: &str, order: &[&str]) {
    let order = order.iter().map(|id| profile_id(id)).collect();
    store.set_order(&agent(of), &provider(vendor), order).await.expect("a store in order takes an order");
}

async fn order(store: &dyn ProfileStore, of: &str) -> BTreeMap<ProviderId, Vec<AuthProfileId>> {
    store.order(&agent(of)).await.expect("a store in order can be read")
}

async fn agents(store: &dyn ProfileStore) -> Vec<AgentId> {
    store.agents().await.expect("a store in order can be read")
}

/// Nothing is there at first.
pub async fn a_new_store_knows_no_sign_in(store: &dyn ProfileStore) {
    assert_eq!(list(store, "main").await, []);
    assert_eq!(order(store, "main").await, BTreeMap::new());
    assert_eq!(agents(store).await, []);
}

/// Secrets, references and everything beside them.
pub async fn every_kind_of_sign_in_comes_back_whole(store: &dyn ProfileStore) {
    let reference = json!({"source": "env", "provider": "default", "id": "A_KEY"});
    let referenced_token = with(
        "e",
        StoredCredential::Token { token: StoredSecret::Reference(reference.clone()), expires: None },
    );
    let all =
        [api_key("a", "sk-1"), token("b", "tok-1"), oauth("c"), referenced("d", reference), referenced_token];
    for profile in all.clone() {
        put(store, "main", profile).await;
    }
    assert_eq!(list(store, "main").await, all);
}

/// What a vendor does not give is not invented.
pub async fn a_sign_in_with_nothing_optional_comes_back_whole(store: &dyn ProfileStore) {
    let tokens = OauthTokens {
        access: Secret::new("access".to_owned()),
        refresh: None,
        expires: UnixMillis(0),
        account_id: None,
        project_id: None,
        enterprise_url: None,
        client_id: None,
    };
    let bare = with("a", StoredCredential::Oauth(tokens));
    put(store, "main", bare.clone()).await;
    assert_eq!(list(store, "main").await, [bare]);
}

/// Secrets are not parsed, trimmed or cut.
pub async fn any_text_can_be_a_secret(store: &dyn ProfileStore) {
    for text in ["", " ", "\u{0}", "line\nline", "\u{1f980}", &"x".repeat(100_000)] {
        put(store, "main", api_key("a", text)).await;
        assert_eq!(list(store, "main").await, [api_key("a", text)]);
    }
}

/// References are kept as they were written, never followed.
pub async fn any_json_can_be_a_reference(store: &dyn ProfileStore) {
    for reference in [json!("${A_KEY}"), json!({"source": "exec", "id": "x"}), Value::Null] {
        put(store, "main", referenced("a", reference.clone())).await;
        assert_eq!(list(store, "main").await, [referenced("a", reference)]);
    }
}

/// One id, one sign-in.
pub async fn putting_a_sign_in_again_replaces_it(store: &dyn ProfileStore) {
    put(store, "main", api_key("a", "old")).await;
    put(store, "main", api_key("a", "new")).await;
    assert_eq!(list(store, "main").await, [api_key("a", "new")]);
}

/// Nothing of the earlier kind is left behind.
pub async fn a_sign_in_may_change_its_kind_and_vendor(store: &dyn ProfileStore) {
    for profile in
        [oauth("a"), referenced("a", json!("${KEY}")), token("a", "t"), api_key("a", "k"), oauth("a")]
    {
        put(store, "main", profile.clone()).await;
        assert_eq!(list(store, "main").await, [profile]);
    }
}

/// Removing twice is not an error.
pub async fn removing_a_sign_in_says_whether_it_was_there(store: &dyn ProfileStore) {
    put(store, "main", api_key("a", "k")).await;
    put(store, "main", api_key("b", "k")).await;
    for expected in [true, false] {
        let removed = store.remove(&agent("main"), &profile_id("a")).await;
        assert_eq!(removed.expect("a store in order forgets"), expected);
    }
    assert_eq!(list(store, "main").await, [api_key("b", "k")]);
}

/// The same id in two agents is two sign-ins.
pub async fn agents_do_not_see_each_others_sign_ins(store: &dyn ProfileStore) {
    put(store, "one", api_key("a", "of one")).await;
    put(store, "two", api_key("a", "of two")).await;
    set_order(store, "one", "anthropic", &["a"]).await;
    assert!(store.remove(&agent("one"), &profile_id("a")).await.expect("a store in order forgets"));
    assert_eq!(list(store, "two").await, [api_key("a", "of two")]);
    assert_eq!(order(store, "two").await, BTreeMap::new());
}

/// By the bytes of the id, not by when it was put.
pub async fn sign_ins_are_ordered_by_id(store: &dyn ProfileStore) {
    for id in ["b", "a:z", "B", "a"] {
        put(store, "main", api_key(id, "k")).await;
    }
    assert_eq!(list(store, "main").await, ["B", "a", "a:z", "b"].map(|id| api_key(id, "k")));
}

/// Setting it again replaces it.
pub async fn an_order_is_kept_for_each_vendor(store: &dyn ProfileStore) {
    set_order(store, "main", "openai", &["o"]).await;
    set_order(store, "main", "anthropic", &["a", "b"]).await;
    set_order(store, "main", "anthropic", &["c", "b", "a"]).await;
    let expected = [
        (provider("anthropic"), ["c", "b", "a"].map(profile_id).to_vec()),
        (provider("openai"), vec![profile_id("o")]),
    ];
    assert_eq!(order(store, "main").await, BTreeMap::from(expected));
}

/// No order is the same as none ever set.
pub async fn an_empty_order_is_forgotten(store: &dyn ProfileStore) {
    set_order(store, "main", "anthropic", &["a"]).await;
    set_order(store, "main", "anthropic", &[]).await;
    set_order(store, "main", "openai", &[]).await;
    assert_eq!(order(store, "main").await, BTreeMap::new());
    assert_eq!(agents(store).await, []);
}

/// The order outlives the sign-ins it names.
pub async fn an_order_may_name_what_is_not_there(store: &dyn ProfileStore) {
    put(store, "main", api_key("a", "k")).await;
    set_order(store, "main", "anthropic", &["gone", "a"]).await;
    store.remove(&agent("main"), &profile_id("a")).await.expect("a store in order forgets");
    let expected = BTreeMap::from([(provider("anthropic"), vec![profile_id("gone"), profile_id("a")])]);
    assert_eq!(order(store, "main").await, expected);
}

/// Once each, in order.
pub async fn agents_with_sign_ins_or_an_order_are_listed(store: &dyn ProfileStore) {
    put(store, "c", api_key("a", "k")).await;
    put(store, "c", api_key("b", "k")).await;
    put(store, "gone", api_key("a", "k")).await;
    set_order(store, "c", "anthropic", &["a"]).await;
    set_order(store, "b", "anthropic", &["a"]).await;
    store.remove(&agent("gone"), &profile_id("a")).await.expect("a store in order forgets");
    assert_eq!(agents(store).await, [agent("b"), agent("c")]);
}
