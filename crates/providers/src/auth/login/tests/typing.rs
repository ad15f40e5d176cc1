//! The way with a code that is typed in elsewhere.

use std::time::Duration;

use openclaw_config::Environment;
use openclaw_ports::Clock;
use openclaw_ports::stores::{OauthTokens, StoredCredential, StoredProfile, StoredSecret};
use openclaw_testkit::planted_secret;
use openclaw_types::{AuthProfileId, Secret};
use serde_json::{Value, json};

use super::super::{DeviceCode, LoginContext, LoginError, login};
use super::Person;
use crate::auth::SignInVendors;
use crate::auth::oauth::Proof;
use crate::auth::testing::{FakeVendor, HurriedClock, provider, secret, transport};

struct Outcome {
    profile: Result<StoredProfile, LoginError>,
    codes: Vec<DeviceCode>,
    slept: Vec<u64>,
    now: openclaw_types::UnixMillis,
}

/// Signs in at a vendor that answers polls in this order.
async fn sign_in(name: &str, polls: Vec<(u16, Value)>) -> (Outcome, FakeVendor) {
    let server = FakeVendor::start(move |seen, before| match seen.path.as_str() {
        "/device" => (
            200,
            json!({
                "device_code": planted_secret("device"), "user_code": "ABCD-1234", "verification_uri": "https://v.example/device",
                "verification_uri_complete": "https://v.example/device?code=ABCD-1234", "expires_in": 60, "interval": 5,
            }),
        ),
        _ => polls.get(before).or(polls.last()).cloned().unwrap(),
    })
    .await;
    let vendor = SignInVendors::known().with_urls(name, server.urls()).get(&provider(name)).unwrap().clone();
    let (transport, clock) = (transport("/nowhere".as_ref()), HurriedClock::new());
    let environment = Environment::fake([("A", "b")], "/nowhere");
    let context = LoginContext { transport: &transport, clock: &clock, environment: &environment };
    let person = Person::silent();
    let profile = login(&vendor, context, &person).await;
    (Outcome { profile, codes: person.codes(), slept: clock.slept(), now: clock.now() }, server)
}

fn error(code: &str) -> Value {
    json!({ "error": code, "error_description": planted_secret("device") })
}

#[tokio::test]
async fn qwen_is_asked_as_often_as_it_likes_and_gets_its_proof() {
    let polls = vec![
        (400, error("authorization_pending")),
        (429, error("slow_down")),
        (400, error("authorization_pending")),
        (
            200,
            json!({ "access_token": planted_secret("access"), "refresh_token": planted_secret("refresh"), "expires_in": 7200, "resource_url": "portal.qwen.ai" }),
        ),
    ];
    let (outcome, server) = sign_in("qwen-portal", polls).await;
    assert_eq!(outcome.slept, [5, 5, 10, 10]);
    assert_eq!(
        outcome.codes,
        [DeviceCode {
            url: "https://v.example/device".to_owned(),
            complete_url: Some("https://v.example/device?code=ABCD-1234".to_owned()),
            code: "ABCD-1234".to_owned(),
            good_for: Duration::from_secs(60),
        }]
    );
    let asked = &server.at("/device")[0];
    assert_eq!(asked.field("client_id").as_deref(), Some("f0304373b74a44d2b584a3fb70ca9e56"));
    assert_eq!(asked.field("scope").as_deref(), Some("openid profile email model.completion"));
    let challenge = asked.field("code_challenge").unwrap();
    for poll in server.at("/token") {
        assert_eq!(poll.field("grant_type").as_deref(), Some("urn:ietf:params:oauth:grant-type:device_code"));
        assert_eq!(poll.field("device_code"), Some(planted_secret("device")));
        assert_eq!(Proof::of(poll.field("code_verifier").unwrap()).challenge, challenge);
    }
    let profile = outcome.profile.unwrap();
    let tokens = OauthTokens {
        access: secret(&planted_secret("access")),
        refresh: Some(secret(&planted_secret("refresh"))),
        expires: outcome.now.plus(Duration::from_secs(7200)),
        account_id: None,
        project_id: None,
        enterprise_url: None,
        client_id: None,
    };
    assert_eq!(
        profile,
        StoredProfile {
            id: AuthProfileId::new("qwen-portal:default").unwrap(),
            provider: provider("qwen-portal"),
            email: None,
            credential: StoredCredential::Oauth(tokens),
            extra: [("resourceUrl".to_owned(), json!("portal.qwen.ai"))].into_iter().collect(),
        }
    );
}

#[tokio::test]
async fn github_says_no_with_success_and_gives_a_token_that_stays() {
    let polls = vec![
        (200, error("authorization_pending")),
        (200, json!({ "access_token": planted_secret("ghu"), "token_type": "bearer" })),
    ];
    let (outcome, server) = sign_in("github-copilot", polls).await;
    let asked = &server.at("/device")[0];
    assert_eq!(asked.body, "client_id=Iv1.b507a08c87ecfe98&scope=read%3Auser");
    assert!(server.at("/token").iter().all(|poll| poll.field("code_verifier").is_none()));
    let token = StoredSecret::Text(Secret::new(planted_secret("ghu")));
    let profile = outcome.profile.unwrap();
    assert_eq!(profile.id.as_str(), "github-copilot:github");
    assert_eq!(profile.credential, StoredCredential::Token { token, expires: None });
}

#[tokio::test]
async fn the_ways_a_code_can_fail_are_told_apart() {
    let rows = [
        (vec![(400, error("access_denied"))], LoginError::Declined),
        (vec![(400, error("authorization_pending")), (400, error("expired_token"))], LoginError::CodeExpired),
        (
            vec![(400, error("unauthorized_client"))],
            LoginError::Refused { code: "unauthorized_client".to_owned() },
        ),
        (vec![(200, json!({}))], LoginError::Refused { code: "an answer without tokens".to_owned() }),
        (
            vec![(200, json!({ "access_token": planted_secret("access") }))],
            LoginError::Refused { code: "no renewal token came along".to_owned() },
        ),
    ];
    for (polls, expected) in rows {
        let (outcome, _) = sign_in("qwen-portal", polls).await;
        let failed = outcome.profile.unwrap_err();
        assert!(!format!("{failed} {failed:?}").contains("planted-"), "{failed}");
        assert_eq!(failed, expected);
    }
}

#[tokio::test]
async fn a_code_that_nobody_types_in_runs_out() {
    let (outcome, server) = sign_in("qwen-portal", vec![(400, error("authorization_pending"))]).await;
    assert_eq!(outcome.profile, Err(LoginError::CodeExpired));
    assert_eq!(outcome.slept.iter().sum::<u64>(), 55);
    assert_eq!(server.at("/token").len(), 11);
}

#[tokio::test]
async fn a_few_lost_calls_are_borne_and_many_are_not() {
    let lost = (0, Value::Null);
    let good = (
        200,
        json!({ "access_token": planted_secret("access"), "refresh_token": planted_secret("refresh") }),
    );
    let (outcome, _) = sign_in("qwen-portal", vec![lost.clone(), lost.clone(), (503, json!({})), good]).await;
    assert!(outcome.profile.is_ok(), "{:?}", outcome.profile);
    let (outcome, _) = sign_in("qwen-portal", vec![lost]).await;
    assert!(matches!(outcome.profile, Err(LoginError::Trouble(_))), "{:?}", outcome.profile);
}

#[tokio::test]
async fn a_code_without_an_address_to_open_is_refused() {
    for (status, body) in [
        (500, json!({})),
        (200, json!({ "device_code": planted_secret("device") })),
        (
            200,
            json!({ "device_code": planted_secret("device"), "user_code": "A", "verification_uri": "javascript:alert(1)", "expires_in": 60 }),
        ),
    ] {
        let server = FakeVendor::start(move |_, _| (status, body.clone())).await;
        let vendor = SignInVendors::known().with_urls("qwen-portal", server.urls());
        let vendor = vendor.get(&provider("qwen-portal")).unwrap().clone();
        let (transport, clock) = (transport("/nowhere".as_ref()), HurriedClock::new());
        let environment = Environment::fake([("A", "b")], "/nowhere");
        let context = LoginContext { transport: &transport, clock: &clock, environment: &environment };
        let person = Person::silent();
        let failed = login(&vendor, context, &person).await.unwrap_err();
        assert!(!format!("{failed} {failed:?}").contains("planted-"), "{failed}");
        assert_eq!(person.codes(), []);
    }
}
