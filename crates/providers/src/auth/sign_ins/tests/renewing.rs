//! Sign-ins that ran out: renewed once, stored before use, never lost.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::join_all;
use openclaw_ports::model::{CallCredential, Credentials, FaultReason, ModelFault, ProfileFacts};
use openclaw_ports::stores::{ProfileStore, StoreError, StoredCredential, StoredProfile};
use openclaw_ports::{Deadline, SystemClock};
use openclaw_stores::memory::MemoryProfileStore;
use openclaw_stores::sqlite::{StateDatabase, StateLocation};
use openclaw_testkit::planted_secret;
use openclaw_types::{AgentId, AuthProfileId, ProviderId};
use serde_json::{Value, json};

use crate::auth::testing::{FakeVendor, World, provider, secret, sign_in, web_token};
use crate::auth::{SignInVendors, SignIns, fault};

const ID: &str = "openai-codex:default";

/// Hands out new tokens, each time others: `new<n>-access` and `new<n>-refresh`.
async fn rotating() -> FakeVendor {
    FakeVendor::start(|_, before| (200, tokens(before + 1))).await
}

fn tokens(number: usize) -> Value {
    json!({
        "access_token": planted_secret(&format!("new{number}-access")),
        "refresh_token": planted_secret(&format!("new{number}-refresh")),
        "expires_in": 3600,
    })
}

async fn facts(sign_ins: &SignIns) -> ProfileFacts {
    let known = sign_ins.profiles(&AgentId::main(), &provider("openai-codex")).await.unwrap();
    assert_eq!(known.len(), 1);
    known.into_iter().next().unwrap()
}

async fn unlock(sign_ins: &SignIns) -> Result<CallCredential, ModelFault> {
    sign_ins.unlock(&AgentId::main(), &facts(sign_ins).await).await
}

fn given(access: &CallCredential) -> &str {
    access.secret.as_ref().unwrap().reveal()
}

fn held(profile: &StoredProfile) -> (String, Option<String>) {
    match &profile.credential {
        StoredCredential::Oauth(tokens) => {
            (tokens.access.reveal().clone(), tokens.refresh.as_ref().map(|refresh| refresh.reveal().clone()))
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn fifty_callers_renew_once_and_the_new_renewal_token_is_stored() {
    let vendor = rotating().await;
    let world = World::new().at("openai-codex", &vendor);
    let expires = world.in_seconds(-1);
    let world = world.with(sign_in(ID, "old", expires)).await;
    let sign_ins = world.sign_ins();
    let facts = facts(&sign_ins).await;
    let main = AgentId::main();
    let all = join_all((0..50).map(|_| sign_ins.unlock(&main, &facts))).await;
    for access in all {
        assert_eq!(given(&access.unwrap()), planted_secret("new1-access"));
    }
    let seen = vendor.seen();
    assert_eq!(seen.len(), 1);
    assert_eq!(
        seen[0].body,
        format!(
            "grant_type=refresh_token&refresh_token={}&client_id=app_EMoamEEZ73f0CkXaXp7hrann",
            planted_secret("old-refresh")
        )
    );
    let stored = world.stored(ID).await;
    assert_eq!(held(&stored), (planted_secret("new1-access"), Some(planted_secret("new1-refresh"))));
    assert_eq!(given(&unlock(&sign_ins).await.unwrap()), planted_secret("new1-access"));
    assert_eq!(vendor.seen().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_renew_once() {
    let vendor = rotating().await;
    let home = tempfile::tempdir().unwrap();
    let location = || StateLocation::within(home.path());
    let open =
        || async { Arc::new(StateDatabase::open(location(), Arc::new(SystemClock::new())).await.unwrap()) };
    let (one, other) = (open().await, open().await);
    let world = World::new().at("openai-codex", &vendor).stored_in(one.clone());
    let expires = world.in_seconds(-1);
    let world = world.with(sign_in(ID, "old", expires)).await;
    let first = world.sign_ins();
    let world = world.stored_in(other.clone());
    let second = world.sign_ins();
    let facts = facts(&first).await;
    let main = AgentId::main();
    let calls = (0..50).map(|number| {
        let (sign_ins, main, facts) = (if number % 2 == 0 { &first } else { &second }, &main, &facts);
        async move { sign_ins.unlock(main, facts).await }
    });
    for access in join_all(calls).await {
        assert_eq!(given(&access.unwrap()), planted_secret("new1-access"));
    }
    assert_eq!(vendor.seen().len(), 1);
    one.close().await.unwrap();
    other.close().await.unwrap();
}

#[tokio::test]
async fn a_refused_renewal_is_asked_for_once_and_tells_the_person_to_sign_in() {
    let vendor = FakeVendor::start(|_, _| {
        (400, json!({ "error": "invalid_grant", "error_description": planted_secret("old-refresh") }))
    })
    .await;
    let world = World::new().at("openai-codex", &vendor);
    let expires = world.in_seconds(-1);
    let world = world.with(sign_in(ID, "old", expires)).await;
    let sign_ins = world.sign_ins();
    let facts = facts(&sign_ins).await;
    let main = AgentId::main();
    for outcome in join_all((0..50).map(|_| sign_ins.unlock(&main, &facts))).await {
        assert_eq!(
            outcome.unwrap_err(),
            ModelFault::new(
                FaultReason::Auth,
                "the sign-in has ended and cannot be renewed; sign in again: openclaw models auth login --provider openai-codex"
            )
        );
    }
    assert_eq!(vendor.seen().len(), 1);
    assert_eq!(held(&world.stored(ID).await).1, Some(planted_secret("old-refresh")));
}

#[tokio::test]
async fn trouble_on_the_way_leaves_a_token_that_is_still_good_in_use() {
    // The vendor hangs up without an answer.
    let vendor = FakeVendor::start(|_, _| (0, Value::Null)).await;
    let world = World::new().at("openai-codex", &vendor);
    let soon = world.in_seconds(30);
    let world = world.with(sign_in(ID, "old", soon)).await;
    assert_eq!(given(&unlock(&world.sign_ins()).await.unwrap()), planted_secret("old-access"));
    assert_eq!(vendor.seen().len(), 1);
    let gone = world.in_seconds(-1);
    let world = world.with(sign_in(ID, "old", gone)).await;
    let fault = unlock(&world.sign_ins()).await.unwrap_err();
    assert_eq!(fault.reason, FaultReason::Network);
}

#[tokio::test]
async fn the_troubles_of_a_vendor_are_told_apart() {
    let rows = [
        (429, json!({}), FaultReason::RateLimit),
        (503, json!({ "error": "server_error" }), FaultReason::Overloaded),
        (200, json!({ "token": planted_secret("old-refresh") }), FaultReason::Malformed),
        (
            401,
            json!({ "error": { "code": "refresh_token_reused", "message": planted_secret("old-refresh") } }),
            FaultReason::Auth,
        ),
        (400, json!({ "error": "unauthorized_client" }), FaultReason::Auth),
    ];
    for (status, body, expected) in rows {
        let answer = body.clone();
        let vendor = FakeVendor::start(move |_, _| (status, answer.clone())).await;
        let world = World::new().at("openai-codex", &vendor);
        let expires = world.in_seconds(-1);
        let world = world.with(sign_in(ID, "old", expires)).await;
        let fault = unlock(&world.sign_ins()).await.unwrap_err();
        assert_eq!(fault.reason, expected, "{status} {body}");
        assert!(!format!("{fault} {fault:?}").contains("planted-"), "{fault}");
    }
}

#[tokio::test]
async fn a_sign_in_is_good_until_shortly_before_its_end() {
    let vendor = rotating().await;
    let world = World::new().at("openai-codex", &vendor);
    let later = world.in_seconds(600);
    let world = world.with(sign_in(ID, "old", later)).await;
    assert_eq!(given(&unlock(&world.sign_ins()).await.unwrap()), planted_secret("old-access"));
    assert_eq!(vendor.seen().len(), 0);
    let soon = world.in_seconds(60);
    let world = world.with(sign_in(ID, "old", soon)).await;
    assert_eq!(given(&unlock(&world.sign_ins()).await.unwrap()), planted_secret("new1-access"));
}

#[tokio::test]
async fn what_a_vendor_refused_is_renewed_before_it_is_given_out_again() {
    let vendor = rotating().await;
    let world = World::new().at("openai-codex", &vendor);
    let later = world.in_seconds(3000);
    let world = world.with(sign_in(ID, "old", later)).await;
    let sign_ins = world.sign_ins();
    let refused = unlock(&sign_ins).await.unwrap();
    assert_eq!(given(&refused), planted_secret("old-access"));
    let facts = facts(&sign_ins).await;
    sign_ins.refused(&AgentId::main(), &facts, &refused).await;
    assert_eq!(given(&unlock(&sign_ins).await.unwrap()), planted_secret("new1-access"));
    assert_eq!(given(&unlock(&sign_ins).await.unwrap()), planted_secret("new1-access"));
    assert_eq!(vendor.seen().len(), 1);
}

#[tokio::test]
async fn fifty_callers_whose_token_was_taken_back_renew_once() {
    let vendor = rotating().await;
    let world = World::new().at("openai-codex", &vendor);
    let later = world.in_seconds(3000);
    let world = world.with(sign_in(ID, "old", later)).await;
    let sign_ins = world.sign_ins();
    let facts = facts(&sign_ins).await;
    let main = AgentId::main();
    let holding = join_all((0..50).map(|_| sign_ins.unlock(&main, &facts))).await;
    let again = |held: CallCredential| {
        let (sign_ins, main, facts) = (&sign_ins, &main, &facts);
        async move {
            assert_eq!(given(&held), planted_secret("old-access"));
            sign_ins.refused(main, facts, &held).await;
            sign_ins.unlock(main, facts).await
        }
    };
    // Half of them hear of it at the same time, half one after the other.
    let mut holding = holding.into_iter().map(Result::unwrap);
    let together: Vec<CallCredential> = holding.by_ref().take(25).collect();
    for access in join_all(together.into_iter().map(again)).await {
        assert_eq!(given(&access.unwrap()), planted_secret("new1-access"));
    }
    for held in holding {
        assert_eq!(given(&again(held).await.unwrap()), planted_secret("new1-access"));
    }
    assert_eq!(vendor.seen().len(), 1);
}

#[tokio::test]
async fn a_caller_that_gives_up_does_not_lose_the_new_tokens() {
    let vendor = rotating().await;
    let world = World::new().at("openai-codex", &vendor);
    let expires = world.in_seconds(-1);
    let world = world.with(sign_in(ID, "old", expires)).await;
    let sign_ins = world.sign_ins();
    vendor.hold();
    let facts = facts(&sign_ins).await;
    let main = AgentId::main();
    tokio::select! {
        outcome = sign_ins.unlock(&main, &facts) => panic!("{outcome:?}"),
        () = vendor.asked() => {}
    }
    vendor.release();
    let deadline = Deadline::after(world.clock.as_ref(), Duration::from_secs(10));
    world.scope.join(world.clock.as_ref(), deadline).await.unwrap();
    assert_eq!(held(&world.stored(ID).await).1, Some(planted_secret("new1-refresh")));
}

/// The memory store on a disk that may be full.
#[derive(Default)]
struct FullDisk {
    inner: MemoryProfileStore,
    full: AtomicBool,
}

#[async_trait]
impl ProfileStore for FullDisk {
    async fn list(&self, agent: &AgentId) -> Result<Vec<StoredProfile>, StoreError> {
        self.inner.list(agent).await
    }

    async fn put(&self, agent: &AgentId, profile: StoredProfile) -> Result<(), StoreError> {
        if self.full.load(Ordering::SeqCst) {
            return Err(StoreError::Busy);
        }
        self.inner.put(agent, profile).await
    }

    async fn remove(&self, agent: &AgentId, profile: &AuthProfileId) -> Result<bool, StoreError> {
        self.inner.remove(agent, profile).await
    }

    async fn order(&self, agent: &AgentId) -> Result<BTreeMap<ProviderId, Vec<AuthProfileId>>, StoreError> {
        self.inner.order(agent).await
    }

    async fn set_order(
        &self,
        agent: &AgentId,
        provider: &ProviderId,
        order: Vec<AuthProfileId>,
    ) -> Result<(), StoreError> {
        self.inner.set_order(agent, provider, order).await
    }

    async fn agents(&self) -> Result<Vec<AgentId>, StoreError> {
        self.inner.agents().await
    }
}

#[tokio::test]
async fn tokens_that_cannot_be_stored_are_kept_and_stored_later() {
    let vendor = rotating().await;
    let disk = Arc::new(FullDisk::default());
    let world = World::new().at("openai-codex", &vendor).stored_in(disk.clone());
    let expires = world.in_seconds(-1);
    let world = world.with(sign_in(ID, "old", expires)).await;
    let sign_ins = world.sign_ins();
    disk.full.store(true, Ordering::SeqCst);
    assert_eq!(given(&unlock(&sign_ins).await.unwrap()), planted_secret("new1-access"));
    assert_eq!(held(&world.stored(ID).await).1, Some(planted_secret("old-refresh")));
    disk.full.store(false, Ordering::SeqCst);
    assert_eq!(given(&unlock(&sign_ins).await.unwrap()), planted_secret("new1-access"));
    assert_eq!(held(&world.stored(ID).await).1, Some(planted_secret("new1-refresh")));
    assert_eq!(vendor.seen().len(), 1);
}

#[tokio::test]
async fn tokens_that_could_not_be_stored_give_way_to_what_another_process_stored_since() {
    let vendor = rotating().await;
    let disk = Arc::new(FullDisk::default());
    let world = World::new().at("openai-codex", &vendor).stored_in(disk.clone());
    let (expires, later) = (world.in_seconds(-1), world.in_seconds(3000));
    let world = world.with(sign_in(ID, "old", expires)).await;
    let sign_ins = world.sign_ins();
    disk.full.store(true, Ordering::SeqCst);
    assert_eq!(given(&unlock(&sign_ins).await.unwrap()), planted_secret("new1-access"));
    disk.full.store(false, Ordering::SeqCst);
    let other = sign_in(ID, "of-another", later);
    world.store.put(&AgentId::main(), other.clone()).await.unwrap();
    for _ in 0..2 {
        assert_eq!(given(&unlock(&sign_ins).await.unwrap()), planted_secret("of-another-access"));
        assert_eq!(world.stored(ID).await, other);
    }
    assert_eq!(vendor.seen().len(), 1);
}

#[tokio::test]
async fn tokens_that_could_not_be_stored_do_not_bring_back_a_removed_sign_in() {
    let vendor = rotating().await;
    let disk = Arc::new(FullDisk::default());
    let world = World::new().at("openai-codex", &vendor).stored_in(disk.clone());
    let expires = world.in_seconds(-1);
    let world = world.with(sign_in(ID, "old", expires)).await;
    let sign_ins = world.sign_ins();
    let facts = facts(&sign_ins).await;
    disk.full.store(true, Ordering::SeqCst);
    assert_eq!(given(&unlock(&sign_ins).await.unwrap()), planted_secret("new1-access"));
    disk.full.store(false, Ordering::SeqCst);
    world.store.remove(&AgentId::main(), &facts.id).await.unwrap();
    assert_eq!(sign_ins.unlock(&AgentId::main(), &facts).await.unwrap_err(), fault::gone(&facts.id));
    assert_eq!(world.store.list(&AgentId::main()).await.unwrap(), []);
}

#[tokio::test]
async fn a_renewal_under_way_neither_brings_back_nor_overwrites_a_sign_in() {
    let removed: Option<&str> = None;
    for put_meanwhile in [removed, Some("of-another")] {
        let vendor = rotating().await;
        let world = World::new().at("openai-codex", &vendor);
        let (expires, later) = (world.in_seconds(-1), world.in_seconds(3000));
        let world = world.with(sign_in(ID, "old", expires)).await;
        let sign_ins = world.sign_ins();
        let (main, facts) = (AgentId::main(), facts(&sign_ins).await);
        vendor.hold();
        let meanwhile = async {
            vendor.asked().await;
            match put_meanwhile {
                None => assert!(world.store.remove(&main, &facts.id).await.unwrap()),
                Some(name) => world.store.put(&main, sign_in(ID, name, later)).await.unwrap(),
            }
            vendor.release();
        };
        let (outcome, ()) = tokio::join!(sign_ins.unlock(&main, &facts), meanwhile);
        let left: Vec<_> = world.store.list(&main).await.unwrap().iter().map(held).collect();
        match put_meanwhile {
            None => {
                assert_eq!(outcome.unwrap_err(), fault::gone(&facts.id));
                assert_eq!(left, []);
            }
            Some(_) => {
                let access = planted_secret("of-another-access");
                assert_eq!(given(&outcome.unwrap()), access);
                assert_eq!(left, [(access, Some(planted_secret("of-another-refresh")))]);
            }
        }
    }
}

#[tokio::test]
async fn forgetting_a_sign_in_waits_for_its_renewal() {
    let vendor = rotating().await;
    let world = World::new().at("openai-codex", &vendor);
    let expires = world.in_seconds(-1);
    let world = world.with(sign_in(ID, "old", expires)).await;
    // Two desks, as in two processes.
    let (renewing, forgetting) = (world.sign_ins(), world.sign_ins());
    let (main, facts) = (AgentId::main(), facts(&renewing).await);
    vendor.hold();
    let forget = async {
        vendor.asked().await;
        let mut forget = std::pin::pin!(forgetting.forget(&main, &facts.id));
        assert!(futures_util::poll!(&mut forget).is_pending());
        vendor.release();
        assert!(forget.await.unwrap());
    };
    let (access, ()) = tokio::join!(renewing.unlock(&main, &facts), forget);
    assert_eq!(given(&access.unwrap()), planted_secret("new1-access"));
    assert_eq!(world.store.list(&main).await.unwrap(), []);
    assert!(!forgetting.forget(&main, &facts.id).await.unwrap());
}

#[tokio::test]
async fn the_main_agents_newer_sign_in_is_used_only_for_the_same_account() {
    type Names = (Option<&'static str>, Option<&'static str>);
    let of = |profile: StoredProfile, (account, email): Names| match profile.credential {
        StoredCredential::Oauth(mut tokens) => {
            tokens.account_id = account.map(str::to_owned);
            let credential = StoredCredential::Oauth(tokens);
            StoredProfile { credential, email: email.map(str::to_owned), ..profile }
        }
        other => panic!("{other:?}"),
    };
    let rows: [(Names, Names, &str); 7] = [
        ((Some("1"), None), (Some("1"), None), "main-access"),
        ((Some("1"), None), (Some("2"), None), "own-access"),
        ((None, Some("a@x")), (None, Some("A@x ")), "main-access"),
        ((None, Some("a@x")), (None, Some("b@x")), "own-access"),
        ((Some("1"), Some("a@x")), (Some("2"), Some("a@x")), "own-access"),
        ((Some("1"), None), (None, None), "own-access"),
        ((None, None), (None, None), "main-access"),
    ];
    for (own, main, expected) in rows {
        let world = World::new();
        let (soon, later) = (world.in_seconds(600), world.in_seconds(3000));
        let world = world.with(of(sign_in(ID, "main", later), main)).await;
        let work = AgentId::new("work").unwrap();
        world.store.put(&work, of(sign_in(ID, "own", soon), own)).await.unwrap();
        let sign_ins = world.sign_ins();
        let access = sign_ins.unlock(&work, &facts(&sign_ins).await).await.unwrap();
        assert_eq!(given(&access), planted_secret(expected), "{own:?} {main:?}");
    }
}

#[tokio::test]
async fn an_agent_uses_the_main_agents_sign_in_and_renews_it_there() {
    let vendor = rotating().await;
    let world = World::new().at("openai-codex", &vendor);
    let (older, newer) = (world.in_seconds(-100), world.in_seconds(-10));
    let world = world.with(sign_in(ID, "main", newer)).await;
    let work = AgentId::new("work").unwrap();
    world.store.put(&work, sign_in(ID, "stale-copy", older)).await.unwrap();
    let sign_ins = world.sign_ins();
    let facts = facts(&sign_ins).await;
    assert_eq!(given(&sign_ins.unlock(&work, &facts).await.unwrap()), planted_secret("new1-access"));
    assert_eq!(vendor.seen()[0].field("refresh_token"), Some(planted_secret("main-refresh")));
    assert_eq!(held(&world.stored(ID).await).1, Some(planted_secret("new1-refresh")));
    let fresh = AgentId::new("fresh").unwrap();
    assert_eq!(given(&sign_ins.unlock(&fresh, &facts).await.unwrap()), planted_secret("new1-access"));
    assert_eq!(vendor.seen().len(), 1);
}

#[tokio::test]
async fn a_vendor_that_gives_no_new_renewal_token_means_the_old_one() {
    let vendor = FakeVendor::start(|_, _| {
        (200, json!({ "access_token": planted_secret("next"), "expires_in": "60", "resource_url": "eu.qwen.ai" }))
    })
    .await;
    let world = World::new().at("qwen-portal", &vendor);
    let expires = world.in_seconds(-1);
    let world = world.with(sign_in("qwen-portal:default", "old", expires)).await;
    let sign_ins = world.sign_ins();
    let known = sign_ins.profiles(&AgentId::main(), &provider("qwen")).await.unwrap();
    let access = sign_ins.unlock(&AgentId::main(), &known[0]).await.unwrap();
    assert_eq!(
        access,
        CallCredential {
            secret: Some(secret(&planted_secret("next"))),
            base_url: Some("https://eu.qwen.ai/v1".to_owned()),
            ..CallCredential::default()
        }
    );
    let stored = world.stored("qwen-portal:default").await;
    assert_eq!(held(&stored), (planted_secret("next"), Some(planted_secret("old-refresh"))));
}

#[tokio::test]
async fn a_chatgpt_sign_in_names_its_account_with_each_call() {
    let token = web_token(&json!({ "https://api.openai.com/auth": { "chatgpt_account_id": "acc-1" } }));
    let answer = token.clone();
    let vendor = FakeVendor::start(move |_, _| {
        (200, json!({ "access_token": answer, "refresh_token": planted_secret("r"), "expires_in": 3600 }))
    })
    .await;
    let world = World::new().at("openai-codex", &vendor);
    let expires = world.in_seconds(-1);
    let world = world.with(sign_in(ID, "old", expires)).await;
    let access = unlock(&world.sign_ins()).await.unwrap();
    let headers: Vec<(&str, &str)> =
        access.headers.iter().map(|(name, value)| (name.as_str(), value.reveal().as_str())).collect();
    assert_eq!(
        headers,
        [
            ("chatgpt-account-id", "acc-1"),
            ("openai-beta", "responses=experimental"),
            ("originator", "openclaw")
        ]
    );
    assert_eq!(given(&access), token);
    match world.stored(ID).await.credential {
        StoredCredential::Oauth(tokens) => assert_eq!(tokens.account_id.as_deref(), Some("acc-1")),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_sign_in_that_nobody_can_renew_says_what_to_do() {
    let world = World::new();
    let expires = world.in_seconds(-1);
    let world = world.with(sign_in("somewhere:default", "old", expires)).await;
    let sign_ins = world.sign_ins();
    let known = sign_ins.profiles(&AgentId::main(), &provider("somewhere")).await.unwrap();
    let fault = sign_ins.unlock(&AgentId::main(), &known[0]).await.unwrap_err();
    assert_eq!(fault.reason, FaultReason::Auth);
    assert!(fault.message.contains("use a key instead"), "{fault}");
    assert_eq!(
        SignInVendors::known().offered().map(|vendor| vendor.provider).collect::<Vec<_>>(),
        ["openai-codex", "google-gemini-cli", "qwen-portal", "github-copilot",]
    );
}
