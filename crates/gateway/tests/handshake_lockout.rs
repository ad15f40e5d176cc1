//! Guessing over real sockets: who is locked out, for how long, and who is left alone.

mod handshake;
mod support;

use std::sync::Arc;
use std::time::Duration;

use handshake::{Caller, Heard, Proof, attempt, connect};
use openclaw_testkit::SimClock;
use serde_json::{Value, json};
use support::{Setup, TOKEN, TestGateway};

const LOCAL_NAME: (&str, &str) = ("host", "localhost:18789");
const OWN_PAGE: (&str, &str) = ("origin", "http://localhost:18789");

const CONFIG: &str = r#"{ gateway: { trustedProxies: ["127.0.0.1"], auth: { mode: "token", token: "test-token-0123456789",
    rateLimit: { maxAttempts: 5, windowMs: 60000, lockoutMs: 120000 } } } }"#;

async fn gateway(config: &str) -> (TestGateway, Arc<SimClock>) {
    let clock = Arc::new(SimClock::new());
    let setup = Setup { clock: clock.clone(), ..Setup::config(config) };
    (setup.start().await, clock)
}

async fn code(gateway: &TestGateway, caller: &Caller<'_>, auth: Value) -> String {
    match attempt(gateway, caller.clone(), &connect(json!({"auth": auth}))).await {
        Heard::Welcome(_) => "welcome".to_owned(),
        Heard::Refused { error, .. } => error["details"]["code"].as_str().unwrap_or("none").to_owned(),
    }
}

#[tokio::test]
async fn a_page_in_a_browser_on_this_machine_cannot_guess_the_token() {
    let (gateway, clock) = gateway(support::TOKEN_CONFIG).await;
    let page = Caller { headers: &[LOCAL_NAME, OWN_PAGE], proof: None };
    for guess in 0..10 {
        assert_eq!(
            code(&gateway, &page, json!({"token": format!("guess {guess}")})).await,
            "AUTH_TOKEN_MISMATCH"
        );
    }
    let params = connect(json!({"auth": {"token": TOKEN}}));
    let Heard::Refused { error, code: close, reason } = attempt(&gateway, page.clone(), &params).await else {
        panic!("the right token after ten guesses must not help");
    };
    let text = "unauthorized: too many failed authentication attempts (retry later)";
    let details = json!({"code": "AUTH_RATE_LIMITED", "authReason": "rate_limited"});
    let expected = json!({
        "code": "INVALID_REQUEST", "message": text, "details": details, "retryable": true, "retryAfterMs": 300_000,
    });
    assert_eq!((error, close, reason.as_str()), (expected, 1008, text));
    assert_eq!(code(&gateway, &Caller::LOCAL, json!({"token": TOKEN})).await, "welcome", "programs go on");
    clock.advance(Duration::from_secs(300)).await;
    assert_eq!(code(&gateway, &page, json!({"token": TOKEN})).await, "welcome");
    assert_eq!(gateway.audited().await, ["auth.lockout"]);
}

#[tokio::test]
async fn each_address_behind_a_trusted_proxy_is_locked_out_for_itself() {
    let (gateway, clock) = gateway(CONFIG).await;
    let one = Caller { headers: &[LOCAL_NAME, ("x-forwarded-for", "198.51.100.1")], proof: None };
    let two = Caller { headers: &[LOCAL_NAME, ("x-forwarded-for", "10.9.9.9, 198.51.100.2")], proof: None };
    for _ in 0..5 {
        assert_eq!(code(&gateway, &one, json!({"token": "wrong"})).await, "AUTH_TOKEN_MISMATCH");
    }
    assert_eq!(code(&gateway, &one, json!({"token": TOKEN})).await, "AUTH_RATE_LIMITED");
    assert_eq!(code(&gateway, &two, json!({"token": TOKEN})).await, "welcome");
    clock.advance(Duration::from_secs(120)).await;
    assert_eq!(code(&gateway, &one, json!({"token": TOKEN})).await, "welcome");
}

#[tokio::test]
async fn a_proxy_nobody_vouched_for_is_counted_although_it_sits_on_loopback() {
    let (gateway, _clock) = gateway(support::TOKEN_CONFIG).await;
    let relayed = Caller { headers: &[LOCAL_NAME, ("x-forwarded-for", "198.51.100.1")], proof: None };
    for _ in 0..10 {
        assert_eq!(code(&gateway, &relayed, json!({"token": "wrong"})).await, "AUTH_TOKEN_MISMATCH");
    }
    assert_eq!(code(&gateway, &relayed, json!({"token": TOKEN})).await, "AUTH_RATE_LIMITED");
    assert_eq!(code(&gateway, &Caller::LOCAL, json!({"token": TOKEN})).await, "welcome");
}

#[tokio::test]
async fn programs_on_this_machine_are_counted_when_the_owner_wants_it() {
    let config = r#"{ gateway: { auth: { mode: "token", token: "test-token-0123456789",
        rateLimit: { maxAttempts: 3, exemptLoopback: false } } } }"#;
    let (gateway, _clock) = gateway(config).await;
    for _ in 0..3 {
        assert_eq!(code(&gateway, &Caller::LOCAL, json!({"token": "wrong"})).await, "AUTH_TOKEN_MISMATCH");
    }
    assert_eq!(code(&gateway, &Caller::LOCAL, json!({"token": TOKEN})).await, "AUTH_RATE_LIMITED");
}

#[tokio::test]
async fn wrong_device_tokens_are_counted_and_success_forgets_the_count() {
    let (gateway, _clock) = gateway(CONFIG).await;
    let caller =
        Caller { headers: &[LOCAL_NAME, ("x-forwarded-for", "198.51.100.1")], proof: Some(Proof::of(1)) };
    let wrong = json!({"deviceToken": "wrong"});
    for _ in 0..4 {
        assert_eq!(code(&gateway, &caller, wrong.clone()).await, "AUTH_DEVICE_TOKEN_MISMATCH");
    }
    assert_eq!(code(&gateway, &caller, json!({"token": "wrong"})).await, "AUTH_TOKEN_MISMATCH");
    assert_eq!(
        code(&gateway, &caller, wrong).await,
        "AUTH_RATE_LIMITED",
        "both kinds of guesses were device tokens too"
    );
    assert_eq!(
        code(&gateway, &caller, json!({"token": TOKEN})).await,
        "PAIRING_REQUIRED",
        "the owner's secret is counted apart"
    );
}
