//! Credentials that are traded for tokens: GitHub's, Google's and a container's. And nothing of them is seen.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use futures_util::future::join_all;
use openclaw_ports::Clock;
use openclaw_ports::model::{AwsKeys, CallCredential, Credentials, FaultReason, ProfileFacts};
use openclaw_ports::stores::{StoredCredential, StoredSecret};
use openclaw_testkit::planted_secret;
use openclaw_types::{AgentId, Secret};
use ring::signature::{KeyPair, RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use serde_json::{Value, json};

use crate::auth::SignIns;
use crate::auth::oauth::field_of;
use crate::auth::testing::{FakeVendor, World, key_profile, profile, provider, secret, sign_in};

/// A key that was made for these tests and opens nothing: the body of the PEM text, without its frame.
const KEY: &str = include_str!("../../google/fixtures/made_for_tests_rsa_pkcs8.base64");

fn framed_key() -> String {
    format!("-----BEGIN PRIVATE KEY-----\n{KEY}-----END PRIVATE KEY-----\n")
}

async fn only(sign_ins: &SignIns, name: &str) -> ProfileFacts {
    let mut known = sign_ins.profiles(&AgentId::main(), &provider(name)).await.unwrap();
    assert_eq!(known.len(), 1, "{known:?}");
    known.remove(0)
}

fn copilot_token(number: usize, expires: i64) -> Value {
    json!({
        "token": format!("tid={number};exp=1;proxy-ep=proxy.business.githubcopilot.com;"),
        "expires_at": expires,
    })
}

#[tokio::test]
async fn a_github_token_is_traded_once_for_all_and_kept_until_it_runs_out() {
    let world = World::new();
    let later = world.in_seconds(1800).0 / 1000;
    let vendor = FakeVendor::start(move |_, before| (200, copilot_token(before + 1, later))).await;
    let world = world.at("github-copilot", &vendor).variable("GH_TOKEN", &planted_secret("ghu"));
    let sign_ins = world.sign_ins();
    let facts = only(&sign_ins, "github-copilot").await;
    let main = AgentId::main();
    let expected = |number: usize| CallCredential {
        secret: Some(secret(&format!("tid={number};exp=1;proxy-ep=proxy.business.githubcopilot.com;"))),
        base_url: Some("https://api.business.githubcopilot.com".to_owned()),
        traded_for: Some(secret(&planted_secret("ghu"))),
        ..CallCredential::default()
    };
    for access in join_all((0..20).map(|_| sign_ins.unlock(&main, &facts))).await {
        assert_eq!(access.unwrap(), expected(1));
    }
    let seen = vendor.seen();
    assert_eq!(seen.len(), 1);
    assert_eq!((seen[0].method.as_str(), seen[0].path.as_str()), ("GET", "/exchange"));
    assert_eq!(seen[0].headers["authorization"], format!("Bearer {}", planted_secret("ghu")));
    // Those who come back late with what was refused do not take away what was traded since.
    for _ in 0..3 {
        sign_ins.refused(&main, &facts, &expected(1)).await;
        assert_eq!(sign_ins.unlock(&main, &facts).await.unwrap(), expected(2));
    }
    assert_eq!(vendor.seen().len(), 2);
}

#[tokio::test]
async fn a_copilot_token_near_its_end_is_traded_again() {
    let world = World::new();
    let soon = world.in_seconds(200).0 / 1000;
    let vendor = FakeVendor::start(move |_, before| (200, copilot_token(before + 1, soon))).await;
    let token =
        StoredCredential::Token { token: StoredSecret::Text(secret(&planted_secret("ghu"))), expires: None };
    let world = world.at("github-copilot", &vendor).with(profile("github-copilot:github", token)).await;
    let sign_ins = world.sign_ins();
    let facts = only(&sign_ins, "github-copilot").await;
    for _ in 0..2 {
        sign_ins.unlock(&AgentId::main(), &facts).await.unwrap();
    }
    assert_eq!(vendor.seen().len(), 2);
}

#[tokio::test]
async fn a_copilot_sign_in_of_the_original_is_renewed_by_trading() {
    let world = World::new();
    let later = world.in_seconds(1800).0 / 1000;
    let vendor = FakeVendor::start(move |_, before| (200, copilot_token(before + 1, later))).await;
    let expires = world.in_seconds(-1);
    let world =
        world.at("github-copilot", &vendor).with(sign_in("github-copilot:github", "ghu", expires)).await;
    let sign_ins = world.sign_ins();
    let facts = only(&sign_ins, "github-copilot").await;
    let access = sign_ins.unlock(&AgentId::main(), &facts).await.unwrap();
    assert_eq!(access.secret, Some(secret("tid=1;exp=1;proxy-ep=proxy.business.githubcopilot.com;")));
    assert_eq!(access.traded_for, Some(secret(&planted_secret("ghu-refresh"))));
    assert_eq!(
        vendor.seen()[0].headers["authorization"],
        format!("Bearer {}", planted_secret("ghu-refresh"))
    );
    match world.stored("github-copilot:github").await.credential {
        StoredCredential::Oauth(tokens) => {
            assert_eq!(tokens.expires.0, later * 1000);
            assert_eq!(tokens.refresh, Some(secret(&planted_secret("ghu-refresh"))));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_github_token_without_copilot_says_to_sign_in() {
    let vendor = FakeVendor::start(|_, _| (401, json!({ "message": planted_secret("ghu") }))).await;
    let world = World::new().at("github-copilot", &vendor).variable("GITHUB_TOKEN", &planted_secret("ghu"));
    let sign_ins = world.sign_ins();
    let fault =
        sign_ins.unlock(&AgentId::main(), &only(&sign_ins, "github-copilot").await).await.unwrap_err();
    assert_eq!(fault.reason, FaultReason::Auth);
    assert_eq!(
        fault.message,
        "GitHub does not accept this token for Copilot; sign in again: openclaw models auth login --provider github-copilot"
    );
}

fn vertex(vendor: &FakeVendor, application: Value) -> World {
    let world = World::new();
    let mut application = application;
    application["token_uri"] = format!("{}/token", vendor.url).into();
    let path = world.home.path().join("planted-application.json");
    std::fs::write(&path, application.to_string()).unwrap();
    world
        .variable("GOOGLE_APPLICATION_CREDENTIALS", "~/planted-application.json")
        .variable("GOOGLE_CLOUD_LOCATION", "europe-west4")
}

fn at_vertex(token: &str, project: &str) -> CallCredential {
    CallCredential {
        headers: [("authorization".to_owned(), secret(&format!("Bearer {token}")))].into(),
        base_url: Some(format!(
            "https://europe-west4-aiplatform.googleapis.com/v1/projects/{project}/locations/europe-west4/publishers/google"
        )),
        ..CallCredential::default()
    }
}

#[tokio::test]
async fn a_service_account_signs_for_its_token() {
    let answer = json!({ "access_token": planted_secret("ya29"), "expires_in": 3599 });
    let vendor = FakeVendor::start(move |_, _| (200, answer.clone())).await;
    let world = vertex(
        &vendor,
        json!({
            "type": "service_account", "client_email": "bot@p.iam.gserviceaccount.com", "private_key": framed_key(),
            "private_key_id": "kid-1", "project_id": "my-project",
        }),
    );
    let sign_ins = world.sign_ins();
    let facts = only(&sign_ins, "google-vertex").await;
    let before = world.clock.now().0 / 1000;
    for _ in 0..3 {
        let access = sign_ins.unlock(&AgentId::main(), &facts).await.unwrap();
        assert_eq!(access, at_vertex(&planted_secret("ya29"), "my-project"));
        sign_ins.refused(&AgentId::main(), &facts, &at_vertex("ya29.older", "my-project")).await;
    }
    let seen = vendor.seen();
    assert_eq!(seen.len(), 1);
    assert_eq!(
        field_of(&seen[0].body, "grant_type").as_deref(),
        Some("urn:ietf:params:oauth:grant-type:jwt-bearer")
    );
    let assertion = seen[0].field("assertion").unwrap();
    let (message, signature) = assertion.rsplit_once('.').unwrap();
    let body: String = KEY.lines().collect();
    let pair = RsaKeyPair::from_pkcs8(&STANDARD.decode(body).unwrap()).unwrap();
    UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, pair.public_key().as_ref())
        .verify(message.as_bytes(), &URL_SAFE_NO_PAD.decode(signature).unwrap())
        .unwrap();
    let part =
        |text: &str| -> Value { serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).unwrap()).unwrap() };
    let (header, claims) = message.split_once('.').unwrap();
    assert_eq!(part(header), json!({ "alg": "RS256", "typ": "JWT", "kid": "kid-1" }));
    let claims = part(claims);
    let issued = claims["iat"].as_i64().unwrap();
    assert!((before..before + 60).contains(&issued));
    assert_eq!(
        claims,
        json!({
            "iss": "bot@p.iam.gserviceaccount.com",
            "scope": "https://www.googleapis.com/auth/cloud-platform",
            "aud": format!("{}/token", vendor.url),
            "iat": issued, "exp": issued + 3600,
        })
    );
}

#[tokio::test]
async fn a_person_signed_in_with_gcloud_is_renewed() {
    let answer = json!({ "access_token": planted_secret("ya29"), "expires_in": 3599 });
    let vendor = FakeVendor::start(move |_, _| (200, answer.clone())).await;
    let application = json!({
        "type": "authorized_user", "client_id": "cid", "client_secret": planted_secret("client"),
        "refresh_token": planted_secret("google"), "quota_project_id": "quota",
    });
    let world = vertex(&vendor, application).variable("GOOGLE_CLOUD_PROJECT", "chosen");
    let sign_ins = world.sign_ins();
    let access = sign_ins.unlock(&AgentId::main(), &only(&sign_ins, "google-vertex").await).await.unwrap();
    assert_eq!(access, at_vertex(&planted_secret("ya29"), "chosen"));
    assert_eq!(
        vendor.seen()[0].body,
        format!(
            "grant_type=refresh_token&client_id=cid&client_secret={}&refresh_token={}",
            planted_secret("client"),
            planted_secret("google")
        )
    );
}

#[tokio::test]
async fn what_google_lacks_is_said() {
    let vendor = FakeVendor::start(|_, _| {
        (400, json!({ "error": "invalid_grant", "error_description": planted_secret("google") }))
    })
    .await;
    let user = json!({ "type": "authorized_user", "client_id": "cid", "client_secret": "cs", "refresh_token": planted_secret("google") });
    let told = |world: World| async move {
        let sign_ins = world.sign_ins();
        let fault =
            sign_ins.unlock(&AgentId::main(), &only(&sign_ins, "google-vertex").await).await.unwrap_err();
        assert_eq!(fault.reason, FaultReason::Auth);
        assert!(!format!("{fault:?}").contains(&planted_secret("google")), "{fault}");
        fault.message.replace(&world.home.path().display().to_string(), "HOME")
    };
    assert_eq!(told(vertex(&vendor, user.clone())).await, "Vertex needs a project; set GOOGLE_CLOUD_PROJECT");
    assert_eq!(
        told(vertex(&vendor, user).variable("GOOGLE_CLOUD_PROJECT", "p")).await,
        "Google does not accept the application credentials any more; run: gcloud auth application-default login"
    );
    assert_eq!(
        told(vertex(&vendor, json!({ "type": "external_account", "private_key": planted_secret("google") })))
            .await,
        "HOME/planted-application.json holds neither a service account nor a sign-in of gcloud; run: gcloud auth \
         application-default login"
    );
    let broken = json!({ "type": "service_account", "client_email": "e", "private_key": planted_secret("google"), "project_id": "p" });
    assert_eq!(
        told(vertex(&vendor, broken)).await,
        "the service account's private key cannot be used; download a new key file from the Google console"
    );
}

#[tokio::test]
async fn a_container_lends_aws_keys() {
    let world = World::new();
    let expiration = jiff::Timestamp::from_millisecond(world.in_seconds(3600).0).unwrap().to_string();
    let vendor = FakeVendor::start(move |_, _| {
        let keys = json!({
            "AccessKeyId": "id", "SecretAccessKey": planted_secret("aws"), "Token": planted_secret("session"), "Expiration": expiration,
        });
        (200, keys)
    })
    .await;
    let world = world
        .variable("AWS_CONTAINER_CREDENTIALS_FULL_URI", &format!("{}/creds", vendor.url))
        .variable("AWS_CONTAINER_AUTHORIZATION_TOKEN", &planted_secret("door"))
        .variable("AWS_DEFAULT_REGION", "eu-north-1");
    let sign_ins = world.sign_ins();
    let facts = only(&sign_ins, "amazon-bedrock").await;
    let keys = AwsKeys {
        access_key_id: "id".to_owned(),
        secret_access_key: secret(&planted_secret("aws")),
        session_token: Some(secret(&planted_secret("session"))),
        region: "eu-north-1".to_owned(),
    };
    for _ in 0..3 {
        let access = sign_ins.unlock(&AgentId::main(), &facts).await.unwrap();
        assert_eq!(access, CallCredential { aws: Some(keys.clone()), ..CallCredential::default() });
    }
    let seen = vendor.seen();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].headers["authorization"], planted_secret("door"));
}

#[tokio::test]
async fn no_secret_is_seen_in_what_the_desk_shows_or_says() {
    let planted = planted_secret("sign_ins");
    let vendor = FakeVendor::start(|seen, _| {
        (400, json!({ "error": seen.body, "message": seen.headers.get("authorization") }))
    })
    .await;
    let mut world = World::new()
        .at("openai-codex", &vendor)
        .at("github-copilot", &vendor)
        .at("anthropic", &vendor)
        .variable("OPENAI_API_KEY", &planted)
        .variable("GH_TOKEN", &planted)
        .variable("AWS_ACCESS_KEY_ID", "AKIA")
        .variable("AWS_SECRET_ACCESS_KEY", &planted)
        .config(json!({ "models": { "providers": { "mine": {
            "baseUrl": "http://127.0.0.1:9", "models": [], "apiKey": planted,
        } } } }));
    let (past, future) = (world.in_seconds(-1), world.in_seconds(900));
    for (id, expires) in [("openai-codex:a", past), ("anthropic:a", past), ("qwen-portal:a", future)] {
        world = world.with(sign_in(id, "sign_ins", expires)).await;
    }
    world = world.with(key_profile("openai:a", StoredSecret::Text(Secret::new(planted)))).await;
    let sign_ins = world.sign_ins();
    let mut said = format!("{sign_ins:?} {:?}", sign_ins.vendors());
    for name in
        ["openai", "openai-codex", "anthropic", "qwen-portal", "github-copilot", "amazon-bedrock", "mine"]
    {
        let known = sign_ins.profiles(&AgentId::main(), &provider(name)).await.unwrap();
        assert!(!known.is_empty(), "{name}");
        for facts in known {
            let outcome = sign_ins.unlock(&AgentId::main(), &facts).await;
            said.push_str(&format!("{facts:?} {outcome:?} "));
            if let Err(fault) = outcome {
                said.push_str(&fault.to_string());
            }
        }
    }
    assert!(said.contains("[secret]"), "{said}");
    assert!(!said.contains("planted-"), "{said}");
}
