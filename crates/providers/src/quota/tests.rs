//! What vendors answered, read; and whole rounds of questions over real sockets.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use openclaw_config::Environment;
use openclaw_ports::model::{
    CallCredential, CredentialKind, CredentialOrigin, Credentials, FaultReason, ModelCatalog, ModelFault,
    ProfileFacts, ProviderQuota, QuotaWindow, Quotas as _,
};
use openclaw_ports::stores::StoreError;
use openclaw_ports::{Clock, SystemClock, TaskScope};
use openclaw_testkit::SimClock;
use openclaw_types::{AgentId, AuthProfileId, ProviderId, Secret, UnixMillis};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::vendor::Told;
use super::{QuotaParts, VENDORS, VendorQuotas};
use crate::{Catalog, CatalogInputs, Demonstration, Transport, TransportLimits};

fn window(label: &str, used_percent: f64, reset_at: Option<i64>) -> QuotaWindow {
    QuotaWindow { label: label.to_owned(), used_percent, reset_at: reset_at.map(UnixMillis) }
}

fn check(provider: &str, answer: &Value, windows: Vec<QuotaWindow>, plan: Option<&str>) {
    let vendor = VENDORS.iter().find(|vendor| vendor.provider == provider).unwrap();
    let expected = Told { windows, plan: plan.map(str::to_owned) };
    assert_eq!((vendor.read)(answer), Ok(expected), "{provider}: {answer}");
}

fn check_error(provider: &str, answer: &Value, error: &str) {
    let vendor = VENDORS.iter().find(|vendor| vendor.provider == provider).unwrap();
    assert_eq!((vendor.read)(answer), Err(error.to_owned()), "{provider}: {answer}");
}

#[test]
fn vendors_are_ordered_and_named_once() {
    let mut names = VENDORS.map(|vendor| vendor.provider);
    assert!(names.is_sorted());
    let count = names.len();
    names.sort_unstable();
    assert_eq!(names.iter().collect::<std::collections::BTreeSet<_>>().len(), count);
}

#[test]
fn anthropic_tells_of_five_hours_a_week_and_the_larger_models() {
    let answer = json!({
        "five_hour": {"utilization": 37.5, "resets_at": "2026-02-26T15:00:00.123456+00:00"},
        "seven_day": {"utilization": 12, "resets_at": null},
        "seven_day_opus": {"utilization": 130.0, "resets_at": null},
        "seven_day_sonnet": null,
        "seven_day_oauth_apps": null,
    });
    let windows = vec![
        window("5h", 37.5, Some(1_772_118_000_123)),
        window("Week", 12.0, None),
        window("Opus", 100.0, None),
    ];
    check("anthropic", &answer, windows, None);
    check("anthropic", &json!({"five_hour": null}), Vec::new(), None);
}

#[test]
fn codex_tells_of_a_short_and_a_long_window_and_of_credits() {
    let answer = json!({
        "plan_type": "plus",
        "rate_limit": {
            "allowed": true,
            "primary_window": {"used_percent": 12, "limit_window_seconds": 18000, "reset_after_seconds": 9, "reset_at": 1_772_118_000},
            "secondary_window": {"used_percent": 71, "limit_window_seconds": 604_800, "reset_at": 1_772_500_000},
        },
        "credits": {"has_credits": true, "balance": "4.5"},
    });
    let windows =
        vec![window("5h", 12.0, Some(1_772_118_000_000)), window("Week", 71.0, Some(1_772_500_000_000))];
    check("openai-codex", &answer, windows, Some("plus ($4.50)"));
    let bare = json!({"rate_limit": {"primary_window": {}, "secondary_window": {"limit_window_seconds": 86400}}, "credits": {"balance": 3}});
    check("openai-codex", &bare, vec![window("3h", 0.0, None), window("Day", 0.0, None)], Some("$3.00"));
}

#[test]
fn copilot_tells_what_is_left() {
    let answer = json!({
        "copilot_plan": "individual",
        "quota_snapshots": {
            "premium_interactions": {"percent_remaining": 62.5, "unlimited": false},
            "chat": {"percent_remaining": 100.0, "unlimited": true},
            "completions": {"percent_remaining": 100.0},
        },
    });
    let windows = vec![window("Premium", 37.5, None), window("Chat", 0.0, None)];
    check("github-copilot", &answer, windows, Some("individual"));
}

#[test]
fn gemini_tells_by_family_and_the_emptiest_bucket_counts() {
    let answer = json!({"buckets": [
        {"modelId": "gemini-2.5-pro", "tokenType": "REQUESTS", "remainingFraction": 0.5},
        {"modelId": "gemini-3-PRO-preview", "remainingFraction": 0.25},
        {"modelId": "gemini-2.5-flash"},
        {"remainingFraction": 0.0},
    ]});
    check("google-gemini-cli", &answer, vec![window("Pro", 75.0, None), window("Flash", 0.0, None)], None);
    check("google-gemini-cli", &json!({}), Vec::new(), None);
}

#[test]
fn minimax_is_understood_in_every_shape_it_had() {
    let remains = json!({
        "model_remains": [{
            "start_time": 1_772_100_000_000_i64, "end_time": 1_772_118_000_000_i64, "remains_time": 1000,
            "current_interval_total_count": 1500, "current_interval_usage_count": 300, "model_name": "MiniMax-M2",
        }],
        "base_resp": {"status_code": 0, "status_msg": "success"},
    });
    check("minimax", &remains, vec![window("5h", 20.0, Some(1_772_118_000_000))], None);
    let plain = json!({"data": {"planName": "Max", "promptLimit": "200", "promptsLeft": 50, "windowHours": 3, "resetAt": 1_772_118_000}});
    check("minimax", &plain, vec![window("3h", 75.0, Some(1_772_118_000_000))], Some("Max"));
    let share = json!({"data": {"plan": "Pro", "nested": {"deep": {"used_ratio": 0.4, "minutes": 90, "reset_time": "2026-02-26T15:00:00Z"}}}});
    check("minimax", &share, vec![window("90m", 40.0, Some(1_772_118_000_000))], Some("Pro"));
    check_error(
        "minimax",
        &json!({"base_resp": {"status_code": 1004, "status_msg": "login fail"}}),
        "login fail",
    );
    check_error("minimax", &json!({"data": {"name": "x"}}), "Unsupported response shape");
    check_error("minimax", &json!([1]), "Invalid JSON");
}

#[test]
fn zai_tells_of_tokens_and_of_a_month() {
    let answer = json!({"code": 200, "msg": "ok", "success": true, "data": {"planName": "GLM Pro", "limits": [
        {"type": "TIME_LIMIT", "unit": 5, "number": 1, "percentage": 3, "nextResetTime": 1_772_500_000_000_i64},
        {"type": "TOKENS_LIMIT", "unit": 3, "number": 5, "percentage": 44, "nextResetTime": "2026-02-26T15:00:00Z"},
        {"type": "TOKENS_LIMIT", "unit": 9, "number": 5, "percentage": 1},
        {"type": "NEW_LIMIT", "percentage": 9},
    ]}});
    let windows = vec![
        window("Monthly", 3.0, Some(1_772_500_000_000)),
        window("Tokens (5h)", 44.0, Some(1_772_118_000_000)),
        window("Tokens (Limit)", 1.0, None),
    ];
    check("zai", &answer, windows, Some("GLM Pro"));
    check_error("zai", &json!({"code": 1001, "msg": "no", "success": false}), "no");
    check_error("zai", &json!({"success": true}), "API error");
}

#[test]
fn no_answer_at_all_breaks_a_reader() {
    let odd =
        [json!(null), json!([]), json!("x"), json!({"data": []}), json!({"buckets": {}, "rate_limit": 3})];
    for vendor in &VENDORS {
        for answer in &odd {
            let told = (vendor.read)(answer);
            assert!(told.is_err() || told.is_ok_and(|told| told.windows.is_empty()), "{}", vendor.provider);
        }
        assert!(!(vendor.explain)(500, &Value::Null).is_empty());
    }
}

/// Holds one token for each vendor a test names.
struct Tokens(HashMap<&'static str, (CredentialKind, CallCredential)>);

#[async_trait]
impl Credentials for Tokens {
    async fn profiles(&self, _: &AgentId, provider: &ProviderId) -> Result<Vec<ProfileFacts>, StoreError> {
        let held = self.0.get(provider.as_str()).into_iter();
        Ok(held
            .map(|(kind, _)| ProfileFacts {
                id: AuthProfileId::new(format!("{provider}:default")).unwrap(),
                provider: provider.clone(),
                kind: *kind,
                origin: CredentialOrigin::Stored,
                email: None,
                expires: None,
            })
            .collect())
    }

    async fn unlock(&self, _: &AgentId, profile: &ProfileFacts) -> Result<CallCredential, ModelFault> {
        let (_, access) = &self.0[profile.provider.as_str()];
        match access.secret {
            Some(_) => Ok(access.clone()),
            None => Err(ModelFault::new(FaultReason::Auth, "sign in again")),
        }
    }

    async fn refused(&self, _: &AgentId, _: &ProfileFacts, _: &CallCredential) {}
}

fn token(text: &str) -> CallCredential {
    CallCredential { secret: Some(Secret::new(text.to_owned())), ..CallCredential::default() }
}

/// What the server does with a call to a path.
#[derive(Clone)]
enum Act {
    Say(u16, Value),
    Silence,
}

/// A server on a real socket that remembers what it was asked.
struct Server {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
    calls: Arc<AtomicUsize>,
    _tasks: TaskScope,
}

impl Server {
    async fn start(acts: HashMap<&'static str, Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (asked, calls) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<AtomicUsize>::default());
        let tasks = TaskScope::root("vendors");
        let (heard, counted, scope) = (asked.clone(), calls.clone(), tasks.clone());
        tasks.start_cancellable("accept", async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (acts, heard, counted) = (acts.clone(), heard.clone(), counted.clone());
                scope.start_cancellable("answer", async move {
                    counted.fetch_add(1, Ordering::Relaxed);
                    answer(socket, &acts, &heard).await;
                });
            }
        });
        Self { address, asked, calls, _tasks: tasks }
    }
}

async fn answer(mut socket: TcpStream, acts: &HashMap<&'static str, Act>, heard: &Mutex<Vec<String>>) {
    let mut head = Vec::new();
    let mut buffer = [0; 4096];
    while !head.windows(4).any(|four| four == b"\r\n\r\n") {
        let count = socket.read(&mut buffer).await.unwrap();
        head.extend_from_slice(&buffer[..count]);
    }
    let head = String::from_utf8(head).unwrap();
    let path = head.split(' ').nth(1).unwrap().trim_start_matches('/').to_owned();
    heard.lock().unwrap().push(head);
    match acts.get(path.as_str()) {
        Some(Act::Say(status, body)) => {
            let body = body.to_string();
            let text = format!(
                "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            socket.write_all(text.as_bytes()).await.unwrap();
        }
        Some(Act::Silence) | None => std::future::pending::<()>().await,
    }
}

/// The catalog of a configuration.
fn catalog(models: Value) -> Arc<ModelCatalog> {
    let section = serde_json::from_value(models).unwrap();
    Arc::new(Catalog::build(&CatalogInputs {
        models: Some(&section),
        found: &[],
        registry: None,
        environment: &Environment::fake([("A", "b")], "/nowhere"),
        demonstration: Demonstration::Absent,
    }))
}

fn quotas(server: &Server, clock: Arc<dyn Clock>, tokens: Tokens) -> VendorQuotas {
    quotas_of(server, clock, tokens, catalog(json!({})))
}

fn quotas_of(
    server: &Server,
    clock: Arc<dyn Clock>,
    tokens: Tokens,
    catalog: Arc<ModelCatalog>,
) -> VendorQuotas {
    let environment = Environment::fake([("NO_PROXY", "*")], "/nowhere");
    let elsewhere: BTreeMap<&'static str, String> = VENDORS
        .iter()
        .map(|vendor| (vendor.provider, format!("{}/{}", server.address, vendor.provider)))
        .collect();
    let parts = QuotaParts {
        transport: Transport::new(clock.clone(), &environment, TransportLimits::default()),
        credentials: Arc::new(tokens),
        catalog: Arc::new(move || catalog.clone()),
        agent: Arc::new(AgentId::main),
        clock,
    };
    VendorQuotas::at(parts, elsewhere)
}

fn quota(provider: &str, name: &str, windows: Vec<QuotaWindow>, error: Option<&str>) -> ProviderQuota {
    ProviderQuota {
        provider: ProviderId::new(provider).unwrap(),
        display_name: name.to_owned(),
        windows,
        plan: None,
        error: error.map(str::to_owned),
    }
}

#[tokio::test]
async fn vendors_with_a_credential_are_asked_and_one_failure_is_its_own() {
    let acts = HashMap::from([
        (
            "anthropic",
            Act::Say(403, json!({"error": {"message": "token sk-planted-1 lacks the scope user:profile"}})),
        ),
        ("github-copilot", Act::Say(200, json!({"quota_snapshots": {"chat": {"percent_remaining": 90}}}))),
        ("openai-codex", Act::Say(401, json!({"detail": "sk-planted-3"}))),
        ("google-gemini-cli", Act::Say(200, json!({"buckets": []}))),
    ]);
    let server = Server::start(acts).await;
    let copilot =
        CallCredential { traded_for: Some(Secret::new("gho-planted-2".to_owned())), ..token("tid=service") };
    let codex = CallCredential {
        headers: [("chatgpt-account-id".to_owned(), Secret::new("acct-7".to_owned()))].into(),
        ..token("sk-planted-3")
    };
    let tokens = Tokens(HashMap::from([
        ("anthropic", (CredentialKind::Oauth, token("sk-planted-1"))),
        ("github-copilot", (CredentialKind::Token, copilot)),
        ("openai-codex", (CredentialKind::Oauth, codex)),
        ("google-gemini-cli", (CredentialKind::Oauth, token("ya29"))),
        ("minimax", (CredentialKind::Oauth, token("wrong kind"))),
        ("zai", (CredentialKind::ApiKey, CallCredential::default())),
    ]));
    let report = quotas(&server, Arc::new(SystemClock::new()), tokens).report().await;
    let expected = vec![
        quota("anthropic", "Claude", vec![], Some("HTTP 403: token [secret] lacks the scope user:profile")),
        quota("github-copilot", "Copilot", vec![window("Chat", 10.0, None)], None),
        quota("google-gemini-cli", "Gemini", vec![], None),
        quota("openai-codex", "Codex", vec![], Some("Token expired")),
        quota("zai", "z.ai", vec![], Some("sign in again")),
    ];
    assert_eq!(report, expected);

    let asked = server.asked.lock().unwrap().clone();
    let sent = |path: &str, header: &str| {
        let call = asked.iter().find(|call| call.contains(&format!("/{path} "))).unwrap();
        assert!(call.to_lowercase().contains(&format!("\r\n{header}\r\n")), "{path}: {call}");
    };
    sent("anthropic", "authorization: bearer sk-planted-1");
    sent("anthropic", "anthropic-beta: oauth-2025-04-20");
    sent("github-copilot", "authorization: token gho-planted-2");
    sent("openai-codex", "chatgpt-account-id: acct-7");
    sent("google-gemini-cli", "content-type: application/json");
    assert!(asked.iter().any(|call| call.starts_with("POST /google-gemini-cli ")));
}

#[tokio::test]
async fn callers_share_a_round_of_questions_until_it_is_half_a_minute_old() {
    let acts = HashMap::from([("google-gemini-cli", Act::Say(200, json!({"buckets": []})))]);
    let server = Server::start(acts).await;
    let clock = Arc::new(SimClock::new());
    let tokens = Tokens(HashMap::from([("google-gemini-cli", (CredentialKind::Oauth, token("ya29")))]));
    let quotas = quotas(&server, clock.clone(), tokens);
    let expected = vec![quota("google-gemini-cli", "Gemini", vec![], None)];
    let both = futures_util::future::join(quotas.report(), quotas.report()).await;
    assert_eq!(both, (expected.clone(), expected.clone()));
    clock.advance(Duration::from_secs(29)).await;
    assert_eq!(quotas.report().await, expected);
    assert_eq!(server.calls.load(Ordering::Relaxed), 1);
    clock.advance(Duration::from_secs(1)).await;
    assert_eq!(quotas.report().await, expected);
    assert_eq!(server.calls.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_silent_vendor_costs_its_time_and_no_more() {
    let acts = HashMap::from([
        ("google-gemini-cli", Act::Say(200, json!({"buckets": []}))),
        ("anthropic", Act::Silence),
    ]);
    let server = Server::start(acts).await;
    let clock = Arc::new(SimClock::new());
    let tokens = Tokens(HashMap::from([
        ("google-gemini-cli", (CredentialKind::Oauth, token("ya29"))),
        ("anthropic", (CredentialKind::Token, token("setup"))),
    ]));
    let quotas = quotas(&server, clock.clone(), tokens);
    let asking = quotas.report();
    tokio::pin!(asking);
    let waiting = async {
        // Time stands still until both questions have arrived, and moves only then.
        while server.asked.lock().unwrap().len() < 2 {
            tokio::task::yield_now().await;
        }
        clock.advance(Duration::from_secs(5)).await;
        std::future::pending::<()>().await;
    };
    let report = tokio::select! {
        report = &mut asking => report,
        () = waiting => unreachable!("it waits forever"),
    };
    let expected = vec![
        quota("anthropic", "Claude", vec![], Some("Timeout")),
        quota("google-gemini-cli", "Gemini", vec![], None),
    ];
    assert_eq!(report, expected);
}

#[test]
fn built_in_vendors_are_themselves_and_moved_ones_are_not() {
    let is_itself = |catalog: &ModelCatalog, vendor: &super::QuotaVendor| {
        vendor.is_itself(catalog.provider(&ProviderId::new(vendor.provider).unwrap()))
    };
    let built_in = catalog(json!({}));
    for vendor in &VENDORS {
        assert!(is_itself(&built_in, vendor), "{}", vendor.provider);
        for (address, expected) in [
            (vendor.address.to_owned(), true),
            ("https://models.company.example/v1".to_owned(), false),
            (format!("https://{}.company.example/v1", vendor.zones[0]), false),
            (format!("https://evil-{}/v1", vendor.zones[0]), false),
            (format!("https://{}@company.example/v1", vendor.zones[0]), false),
        ] {
            let name = vendor.provider;
            let moved = catalog(json!({"providers": {name: {"baseUrl": address, "models": []}}}));
            assert_eq!(is_itself(&moved, vendor), expected, "{name} at {address}");
        }
    }
}

#[tokio::test]
async fn a_key_for_a_server_elsewhere_is_not_shown_to_the_vendor() {
    let acts = HashMap::from([("google-gemini-cli", Act::Say(200, json!({"buckets": []})))]);
    let server = Server::start(acts).await;
    let tokens = Tokens(HashMap::from([
        ("zai", (CredentialKind::ApiKey, token("company-key"))),
        ("google-gemini-cli", (CredentialKind::Oauth, token("ya29"))),
    ]));
    let moved =
        catalog(json!({"providers": {"zai": {"baseUrl": "https://models.company.example", "models": []}}}));
    let report = quotas_of(&server, Arc::new(SystemClock::new()), tokens, moved).report().await;
    assert_eq!(report, vec![quota("google-gemini-cli", "Gemini", vec![], None)]);
    let asked = server.asked.lock().unwrap().clone();
    assert!(asked.len() == 1 && !asked[0].contains("company-key"), "{asked:?}");
}
