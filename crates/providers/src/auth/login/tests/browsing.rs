//! The way through a browser, and its way back.

use openclaw_config::Environment;
use openclaw_ports::SystemClock;
use openclaw_ports::stores::{OauthTokens, StoredCredential, StoredProfile};
use openclaw_testkit::planted_secret;
use openclaw_types::{AuthProfileId, ProviderId, UnixMillis};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::super::{LoginContext, LoginError, LoginReply, login};
use super::{Person, pasted};
use crate::auth::oauth::{Proof, field_of};
use crate::auth::testing::{FakeVendor, HurriedClock, Seen, provider, secret, transport, web_token};
use crate::auth::{SignInVendor, SignInVendors, VendorUrls};

fn chatgpt_token() -> String {
    web_token(&json!({
        "https://api.openai.com/auth": { "chatgpt_account_id": "acc-1" },
        "https://api.openai.com/profile": { "email": "ana@example.org" },
    }))
}

/// Gives tokens for the code `planted-code`.
fn redeem(seen: &Seen) -> (u16, Value) {
    match seen.field("code").as_deref() {
        Some("planted-code") => (
            200,
            json!({ "access_token": chatgpt_token(), "refresh_token": planted_secret("refresh"), "expires_in": 3600 }),
        ),
        _ => (400, json!({ "error": "invalid_grant" })),
    }
}

fn vendor_at(name: &str, urls: VendorUrls) -> SignInVendor {
    SignInVendors::known().with_urls(name, urls).get(&provider(name)).unwrap().clone()
}

/// Signs in with a person and a browser that does what the test says with the page's query.
async fn sign_in<F: Future<Output = ()>>(
    vendor: &SignInVendor,
    environment: &Environment,
    person: &Person,
    browser: impl FnOnce(String) -> F,
) -> Result<StoredProfile, LoginError> {
    let (transport, clock) = (transport(environment.home()), SystemClock::new());
    let context = LoginContext { transport: &transport, clock: &clock, environment };
    let browsing = async { browser(person.url().await).await };
    let (outcome, ()) = tokio::join!(login(vendor, context, person), browsing);
    outcome
}

fn nothing_set() -> Environment {
    Environment::fake([("A", "b")], "/nowhere")
}

/// What the door answers to a request for `target`.
async fn visit(url: &str, target: &str, host: Option<&str>) -> String {
    let back = field_of(url.split_once('?').unwrap().1, "redirect_uri").unwrap();
    let address = back.strip_prefix("http://localhost:").unwrap();
    let (port, path) = address.split_at(address.find('/').unwrap());
    let host = host.map_or_else(|| format!("localhost:{port}"), str::to_owned);
    let target = target.replace("PATH", path).replace("STATE", &state(url));
    let mut socket = TcpStream::connect(format!("127.0.0.1:{port}")).await.unwrap();
    let request = format!("GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.unwrap();
    answer
}

fn state(url: &str) -> String {
    field_of(url.split_once('?').unwrap().1, "state").unwrap()
}

#[tokio::test]
async fn the_browser_comes_back_and_the_proof_fits() {
    let server = FakeVendor::start(|seen, _| redeem(seen)).await;
    let vendor = vendor_at("openai-codex", server.urls());
    let person = Person::silent();
    let before = openclaw_ports::Clock::now(&SystemClock::new());
    let mut opened = String::new();
    let profile = sign_in(&vendor, &nothing_set(), &person, async |url| {
        let page = visit(&url, "PATH?code=planted-code&state=STATE", None).await;
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("You are signed in"), "{page}");
        assert!(!page.contains("planted-code"), "{page}");
        opened = url;
    })
    .await
    .unwrap();
    let query = opened.strip_prefix(&format!("{}/authorize?", server.url)).unwrap();
    let field = |name: &str| field_of(query, name).unwrap();
    assert_eq!(
        ["response_type", "client_id", "scope", "code_challenge_method", "originator"].map(field),
        ["code", "app_EMoamEEZ73f0CkXaXp7hrann", "openid profile email offline_access", "S256", "openclaw"]
    );
    let seen = server.seen();
    assert_eq!(seen.len(), 1);
    let verifier = seen[0].field("code_verifier").unwrap();
    assert_eq!(Proof::of(verifier).challenge, field("code_challenge"));
    assert_eq!(seen[0].field("redirect_uri").unwrap(), field("redirect_uri"));
    assert!(field("redirect_uri").ends_with("/auth/callback"));
    let StoredCredential::Oauth(tokens) = &profile.credential else { panic!("{profile:?}") };
    assert!((before.0 + 3_590_000..before.0 + 3_660_000).contains(&tokens.expires.0));
    let expected = StoredProfile {
        id: AuthProfileId::new("openai-codex:ana@example.org").unwrap(),
        provider: ProviderId::new("openai-codex").unwrap(),
        email: Some("ana@example.org".to_owned()),
        credential: StoredCredential::Oauth(OauthTokens {
            access: secret(&chatgpt_token()),
            refresh: Some(secret(&planted_secret("refresh"))),
            expires: tokens.expires,
            account_id: Some("acc-1".to_owned()),
            project_id: None,
            enterprise_url: None,
            client_id: None,
        }),
        extra: Default::default(),
    };
    assert_eq!(profile, expected);
}

#[tokio::test]
async fn strangers_at_the_door_change_nothing_and_the_code_counts_once() {
    let server = FakeVendor::start(|seen, _| redeem(seen)).await;
    let vendor = vendor_at("openai-codex", server.urls());
    let mut door = String::new();
    let profile = sign_in(&vendor, &nothing_set(), &Person::silent(), async |url| {
        let wrong = [
            ("PATH?code=evil&state=wrong", None, "400"),
            ("PATH?code=evil&state=STATE", Some("evil.example"), "400"),
            ("/favicon.ico", None, "404"),
            ("PATH?state=STATE", None, "400"),
        ];
        for (target, host, status) in wrong {
            let page = visit(&url, target, host).await;
            assert!(page.starts_with(&format!("HTTP/1.1 {status} ")), "{target}: {page}");
        }
        visit(&url, "PATH?code=planted-code&state=STATE", None).await;
        door = url;
    })
    .await;
    assert!(profile.is_ok(), "{profile:?}");
    let back = field_of(door.split_once('?').unwrap().1, "redirect_uri").unwrap();
    let port: u16 = back.split(['/', ':']).nth(4).unwrap().parse().unwrap();
    assert!(TcpStream::connect(("127.0.0.1", port)).await.is_err(), "the door is still open");
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_declined_or_refused_sign_in_is_told_apart() {
    let server = FakeVendor::start(|seen, _| redeem(seen)).await;
    let vendor = vendor_at("openai-codex", server.urls());
    let rows = [
        ("PATH?error=access_denied&state=STATE", LoginError::Declined),
        ("PATH?error=server_error&state=STATE", LoginError::Refused { code: "server_error".to_owned() }),
        ("PATH?code=another-code&state=STATE", LoginError::Refused { code: "invalid_grant".to_owned() }),
    ];
    for (target, expected) in rows {
        let outcome = sign_in(&vendor, &nothing_set(), &Person::silent(), async |url| {
            visit(&url, target, None).await;
        })
        .await;
        assert_eq!(outcome, Err(expected), "{target}");
    }
}

#[tokio::test]
async fn a_person_may_paste_instead() {
    let server = FakeVendor::start(|seen, _| redeem(seen)).await;
    let vendor = vendor_at("openai-codex", server.urls());
    let outcomes = [
        (pasted("planted-code"), None),
        (pasted("planted-code#someone-elses"), Some(LoginError::WrongState)),
        (pasted("http://localhost/auth/callback?state=x"), Some(LoginError::WrongState)),
        (pasted(" "), Some(LoginError::NoCode)),
        (LoginReply::Cancelled, Some(LoginError::Cancelled)),
    ];
    for (reply, expected) in outcomes {
        let person = Person::answering(reply);
        let outcome = sign_in(&vendor, &nothing_set(), &person, async |_| {}).await;
        assert_eq!(outcome.err(), expected);
    }
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn with_the_port_taken_only_pasting_works() {
    let server = FakeVendor::start(|seen, _| redeem(seen)).await;
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let callback_port = taken.local_addr().unwrap().port();
    let vendor = vendor_at("openai-codex", VendorUrls { callback_port, ..server.urls() });
    let profile =
        sign_in(&vendor, &nothing_set(), &Person::answering(pasted("planted-code")), async |_| {}).await;
    assert!(profile.is_ok(), "{profile:?}");
    assert_eq!(
        server.seen()[0].field("redirect_uri").unwrap(),
        format!("http://localhost:{callback_port}/auth/callback")
    );
    let outcome =
        sign_in(&vendor, &nothing_set(), &Person::answering(LoginReply::Nobody), async |_| {}).await;
    assert!(outcome.unwrap_err().to_string().contains("free it or sign in from a terminal"));
}

#[tokio::test]
async fn nobody_coming_back_ends_the_sign_in() {
    let server = FakeVendor::start(|seen, _| redeem(seen)).await;
    let vendor = vendor_at("openai-codex", server.urls());
    let (transport, clock, environment) =
        (transport("/nowhere".as_ref()), HurriedClock::new(), nothing_set());
    let context = LoginContext { transport: &transport, clock: &clock, environment: &environment };
    assert_eq!(login(&vendor, context, &Person::silent()).await, Err(LoginError::TimedOut));
    assert_eq!(clock.slept(), [600]);
}

#[tokio::test]
async fn tokens_without_an_account_or_a_renewal_are_refused() {
    let rows = [
        (
            json!({ "access_token": "opaque", "refresh_token": planted_secret("refresh") }),
            "the token names no ChatGPT account",
        ),
        (json!({ "access_token": chatgpt_token() }), "no renewal token came along"),
    ];
    for (answer, code) in rows {
        let server = FakeVendor::start(move |_, _| (200, answer.clone())).await;
        let vendor = vendor_at("openai-codex", server.urls());
        let outcome = sign_in(&vendor, &nothing_set(), &Person::answering(pasted("c")), async |_| {}).await;
        assert_eq!(outcome, Err(LoginError::Refused { code: code.to_owned() }));
    }
}

/// Google's servers: tokens, the account, and a project that takes a while to make.
fn google(seen: &Seen, before: usize) -> (u16, Value) {
    match seen.path.as_str() {
        "/token" => (
            200,
            json!({ "access_token": "ya29.x", "refresh_token": planted_secret("refresh"), "expires_in": 3600 }),
        ),
        "/account" => (200, json!({ "email": "bo@example.org" })),
        "/v1internal:loadCodeAssist" => {
            (200, json!({ "allowedTiers": [{ "id": "paid" }, { "id": "free-tier", "isDefault": true }] }))
        }
        "/v1internal:onboardUser" => (200, json!({ "name": "operations/7" })),
        "/v1internal/operations/7" if before == 0 => (200, json!({ "name": "operations/7", "done": false })),
        "/v1internal/operations/7" => (
            200,
            json!({ "done": true, "response": { "cloudaicompanionProject": { "id": "made-for-you" } } }),
        ),
        _ => (404, json!({})),
    }
}

#[tokio::test]
async fn a_gemini_sign_in_gets_its_account_and_project() {
    let server = FakeVendor::start(google).await;
    let vendor = vendor_at("google-gemini-cli", server.urls());
    let variables =
        [("OPENCLAW_GEMINI_OAUTH_CLIENT_ID", "client"), ("OPENCLAW_GEMINI_OAUTH_CLIENT_SECRET", "hidden")];
    let environment = Environment::fake(variables, "/nowhere");
    let (transport, clock) = (transport("/nowhere".as_ref()), HurriedClock::new());
    let context = LoginContext { transport: &transport, clock: &clock, environment: &environment };
    let profile = login(&vendor, context, &Person::answering(pasted("planted-code"))).await.unwrap();
    assert_eq!(profile.id.as_str(), "google-gemini-cli:bo@example.org");
    let StoredCredential::Oauth(tokens) = &profile.credential else { panic!("{profile:?}") };
    assert_eq!(tokens.project_id.as_deref(), Some("made-for-you"));
    assert!(tokens.expires > UnixMillis(1_767_225_600_000));
    let redeemed = &server.at("/token")[0];
    assert_eq!(redeemed.field("client_secret").as_deref(), Some("hidden"));
    let asked = &server.at("/v1internal:loadCodeAssist")[0];
    assert_eq!(asked.headers["authorization"], "Bearer ya29.x");
    assert_eq!(server.at("/v1internal/operations/7").len(), 2);
}

#[tokio::test]
async fn a_gemini_account_of_a_company_needs_a_project() {
    let server = FakeVendor::start(|seen, before| match seen.path.as_str() {
        "/v1internal:loadCodeAssist" => (200, json!({ "currentTier": { "id": "standard-tier" } })),
        _ => google(seen, before),
    })
    .await;
    let vendor = vendor_at("google-gemini-cli", server.urls());
    let client = ("OPENCLAW_GEMINI_OAUTH_CLIENT_ID", "client");
    let (transport, clock) = (transport("/nowhere".as_ref()), HurriedClock::new());
    let without = Environment::fake([client], "/nowhere");
    let context = LoginContext { transport: &transport, clock: &clock, environment: &without };
    let error = login(&vendor, context, &Person::answering(pasted("c"))).await.unwrap_err();
    assert!(error.to_string().contains("set GOOGLE_CLOUD_PROJECT"), "{error}");
    let with = Environment::fake([client, ("GOOGLE_CLOUD_PROJECT", "ours")], "/nowhere");
    let context = LoginContext { transport: &transport, clock: &clock, environment: &with };
    let profile = login(&vendor, context, &Person::answering(pasted("c"))).await.unwrap();
    let StoredCredential::Oauth(tokens) = &profile.credential else { panic!("{profile:?}") };
    assert_eq!(tokens.project_id.as_deref(), Some("ours"));
}
