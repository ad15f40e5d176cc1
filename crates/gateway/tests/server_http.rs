//! The HTTP side of the port, as it is on the wire.
#![expect(clippy::unwrap_used, reason = "a test fails loudly, at the line that is wrong")]

mod support;

use serde_json::{Value, json};
use support::{HttpAnswer, Setup, TOKEN, TestGateway, http};

const PAGE_HEADERS: [(&str, &str); 4] = [
    ("x-frame-options", "DENY"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    (
        "content-security-policy",
        "default-src 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; script-src 'self'; \
         style-src 'self' 'unsafe-inline'; img-src 'self' data: https:; font-src 'self'; connect-src 'self' ws: wss:",
    ),
];

fn body(answer: &HttpAnswer) -> Value {
    serde_json::from_str(&answer.body).unwrap()
}

fn assert_page_headers(answer: &HttpAnswer) {
    for (name, value) in PAGE_HEADERS {
        assert_eq!(answer.headers.get(name).map(String::as_str), Some(value), "{name}");
    }
}

/// A gateway that serves a page from a folder, with more settings for the page.
async fn with_page(more: &str) -> (TestGateway, tempfile::TempDir) {
    let around = tempfile::tempdir().unwrap();
    let folder = around.path().join("page");
    std::fs::create_dir_all(folder.join("assets")).unwrap();
    std::fs::write(folder.join("index.html"), "<title>page</title>").unwrap();
    std::fs::write(folder.join("assets/app.js"), "run()").unwrap();
    std::fs::write(folder.join("favicon.svg"), "<svg/>").unwrap();
    std::fs::write(around.path().join("outside.txt"), "outside").unwrap();
    let config = format!(
        r#"{{ gateway: {{ auth: {{ token: "{TOKEN}" }}, controlUi: {{ root: "{}", {more} }} }} }}"#,
        folder.display()
    );
    (Setup::config(&config).start().await, around)
}

#[tokio::test]
async fn probes_answer_without_a_secret() {
    let gateway = TestGateway::new().await;
    for path in ["/health", "/healthz"] {
        let answer = http(gateway.address(), &format!("GET {path}"), &[]).await;
        assert_eq!((answer.status, body(&answer)), (200, json!({"ok": true, "status": "live"})));
        assert_eq!(answer.headers["content-type"], "application/json; charset=utf-8");
    }
    for path in ["/ready", "/readyz"] {
        let ready = body(&http(gateway.address(), &format!("GET {path}"), &[]).await);
        assert_eq!((&ready["ready"], &ready["failing"]), (&json!(true), &json!([])));
        assert!(ready["uptimeMs"].is_u64());
    }
}

#[tokio::test]
async fn both_loopback_families_answer_on_one_port() {
    let gateway = TestGateway::new().await;
    for address in gateway.gateway.addresses() {
        assert_eq!(http(*address, "GET /health", &[]).await.status, 200, "{address}");
    }
}

#[tokio::test]
async fn every_answer_is_hardened_and_none_has_cors_headers() {
    let gateway = TestGateway::new().await;
    let origin = [("Origin", "https://evil.example")];
    for request in
        ["GET /health", "GET /", "POST /", "OPTIONS /", "OPTIONS /health", "GET /missing.js", "GET /metrics"]
    {
        let answer = http(gateway.address(), request, &origin).await;
        assert_eq!(answer.headers["x-content-type-options"], "nosniff", "{request}");
        assert_eq!(answer.headers["referrer-policy"], "no-referrer", "{request}");
        assert!(!answer.headers.keys().any(|name| name.starts_with("access-control-")), "{request}");
    }
    assert_eq!(http(gateway.address(), "OPTIONS /", &origin).await.status, 405);
    assert_eq!(http(gateway.address(), "OPTIONS /health", &origin).await.status, 405);
}

#[tokio::test]
async fn strict_transport_security_is_sent_when_asked_for() {
    let config = r#"{ gateway: { auth: { token: "test-token-0123456789" }, http: { securityHeaders: { strictTransportSecurity: "max-age=60" } } } }"#;
    let gateway = Setup::config(config).start().await;
    assert_eq!(
        http(gateway.address(), "GET /health", &[]).await.headers["strict-transport-security"],
        "max-age=60"
    );
}

#[tokio::test]
async fn without_a_page_an_honest_one_is_shown() {
    let gateway = TestGateway::new().await;
    let answer = http(gateway.address(), "GET /", &[]).await;
    assert_eq!((answer.status, answer.headers["content-type"].as_str()), (200, "text/html; charset=utf-8"));
    assert!(answer.body.contains("gateway.controlUi.root") && answer.body.contains("openclaw health"));
    assert!(
        !answer.body.contains("<script")
            && !answer.body.contains("http://")
            && !answer.body.contains("https://")
    );
    assert_page_headers(&answer);
    assert_eq!(http(gateway.address(), "GET /chat", &[]).await.status, 200);
    assert_eq!(http(gateway.address(), "GET /app.js", &[]).await.status, 404);
    let head = http(gateway.address(), "HEAD /", &[]).await;
    assert_eq!((head.status, head.body.as_str()), (200, ""));
}

#[tokio::test]
async fn a_page_is_served_from_its_folder() {
    let (gateway, _folder) = with_page("").await;
    let get = |path: &'static str| http(gateway.address(), path, &[]);
    for path in ["GET /", "GET /chat", "GET /chat/deep", "GET /page.html"] {
        let answer = get(path).await;
        assert_eq!((answer.status, answer.body.as_str()), (200, "<title>page</title>"), "{path}");
        assert_eq!(answer.headers["cache-control"], "no-cache");
        assert_page_headers(&answer);
    }
    let script = get("GET /chat/assets/app.js").await;
    assert_eq!(
        (script.body.as_str(), script.headers["content-type"].as_str()),
        ("run()", "application/javascript; charset=utf-8")
    );
    assert_eq!(get("GET /favicon.svg").await.headers["content-type"], "image/svg+xml");
    assert_eq!(get("GET /assets/missing.js").await.status, 404);
    assert_eq!(get("GET /ui").await.status, 404);
    assert_eq!(get("POST /").await.status, 405);
    assert_eq!(get("HEAD /assets/app.js").await.body, "");
}

#[tokio::test]
async fn no_path_leads_out_of_the_folder() {
    let (gateway, _folder) = with_page("").await;
    for path in [
        "/../outside.txt",
        "/assets/../../outside.txt",
        "/%2e%2e/outside.txt",
        "/..%2foutside.txt",
        "/assets/%2e%2e/%2e%2e/outside.txt",
        "/..\\outside.txt",
        "/%00",
        "//etc/passwd.txt",
    ] {
        let answer = http(gateway.address(), &format!("GET {path}"), &[]).await;
        assert!(
            answer.status == 404 || answer.status == 400,
            "{path} gave {} {}",
            answer.status,
            answer.body
        );
        assert!(!answer.body.contains("outside"), "{path}");
    }
}

#[tokio::test]
async fn a_base_path_moves_the_page_and_nothing_else() {
    let (gateway, _folder) = with_page(r#"basePath: "/claw/""#).await;
    let moved = http(gateway.address(), "GET /claw?a=1", &[]).await;
    assert_eq!((moved.status, moved.headers["location"].as_str()), (302, "/claw/?a=1"));
    assert_eq!(http(gateway.address(), "GET /claw/", &[]).await.body, "<title>page</title>");
    assert_eq!(http(gateway.address(), "GET /claw/assets/app.js", &[]).await.body, "run()");
    assert_eq!(http(gateway.address(), "GET /", &[]).await.status, 404);
    assert_eq!(http(gateway.address(), "GET /health", &[]).await.status, 200);
    let settings = http(gateway.address(), "GET /claw/__openclaw/control-ui-config.json", &[]).await;
    assert_eq!(
        body(&settings),
        json!({"basePath": "/claw", "assistantName": "Assistant", "assistantAvatar": "A", "assistantAgentId": "main"})
    );
}

#[tokio::test]
async fn a_folder_without_a_page_is_reported() {
    let config = r#"{ gateway: { auth: { token: "test-token-0123456789" }, controlUi: { root: "/nonexistent/ui" } } }"#;
    let gateway = Setup::config(config).start().await;
    let answer = http(gateway.address(), "GET /", &[]).await;
    assert_eq!(answer.status, 503);
    assert!(answer.body.contains("gateway.controlUi.root"));
}

#[tokio::test]
async fn a_page_that_is_switched_off_is_not_there() {
    let config =
        r#"{ gateway: { auth: { token: "test-token-0123456789" }, controlUi: { enabled: false } } }"#;
    let gateway = Setup::config(config).start().await;
    assert_eq!(http(gateway.address(), "GET /", &[]).await.status, 404);
    assert_eq!(http(gateway.address(), "GET /health", &[]).await.status, 200);
}

#[tokio::test]
async fn avatars_come_from_the_workspace_or_the_web() {
    let workspace = tempfile::tempdir().unwrap();
    std::fs::write(workspace.path().join("me.png"), "png").unwrap();
    std::fs::write(workspace.path().join("secret.txt"), "secret").unwrap();
    let config = format!(
        r#"{{ gateway: {{ auth: {{ token: "{TOKEN}" }} }}, agents: {{ defaults: {{ workspace: "{}" }}, list: [
            {{ id: "main", identity: {{ avatar: "me.png" }} }}, {{ id: "web", identity: {{ avatar: "https://example.com/a.png" }} }},
            {{ id: "bad", identity: {{ avatar: "secret.txt" }} }}, {{ id: "gone", identity: {{ avatar: "gone.png" }} }} ] }} }}"#,
        workspace.path().display()
    );
    let gateway = Setup::config(&config).start().await;
    let meta =
        async |agent: &str| body(&http(gateway.address(), &format!("GET /avatar/{agent}?meta=1"), &[]).await);
    assert_eq!(meta("main").await, json!({"avatarUrl": "/avatar/main"}));
    assert_eq!(meta("web").await, json!({"avatarUrl": "https://example.com/a.png"}));
    assert_eq!(meta("gone").await, json!({"avatarUrl": null}));
    assert_eq!(meta("nobody").await, json!({"avatarUrl": null}));
    let picture = http(gateway.address(), "GET /avatar/main", &[]).await;
    assert_eq!((picture.body.as_str(), picture.headers["content-type"].as_str()), ("png", "image/png"));
    for path in ["/avatar/bad", "/avatar/web", "/avatar/..%2fsecret.txt", "/avatar/main/x", "/avatar/"] {
        assert_eq!(http(gateway.address(), &format!("GET {path}"), &[]).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn avatars_are_looked_for_where_agents_really_work() {
    let config = format!(
        r#"{{ gateway: {{ auth: {{ token: "{TOKEN}" }} }}, agents: {{ list: [
            {{ id: "main", identity: {{ avatar: "me.png" }} }}, {{ id: "second" }} ] }} }}"#
    );
    let gateway = Setup::config(&config).start().await;
    let usual = gateway.home.path(".openclaw/workspace");
    let second = gateway.home.path("workspace-second");
    for folder in [&usual, &second] {
        std::fs::create_dir_all(folder).unwrap();
    }
    std::fs::write(usual.join("me.png"), "png").unwrap();
    std::fs::write(second.join("you.png"), "png").unwrap();
    let card = format!("# Card\n\n- **Avatar:** {}\n", second.join("you.png").display());
    std::fs::write(second.join("IDENTITY.md"), card).unwrap();
    for agent in ["main", "second"] {
        let meta = body(&http(gateway.address(), &format!("GET /avatar/{agent}?meta=1"), &[]).await);
        assert_eq!(meta, json!({"avatarUrl": format!("/avatar/{agent}")}), "{agent}");
        assert_eq!(http(gateway.address(), &format!("GET /avatar/{agent}"), &[]).await.body, "png");
    }
}

#[tokio::test]
async fn metrics_are_open_on_this_machine_and_ask_for_the_secret_elsewhere() {
    let gateway = TestGateway::new().await;
    let _client = gateway.admin().await;
    let local = http(gateway.address(), "GET /metrics", &[]).await;
    assert_eq!(local.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    assert_eq!(local.status, 200);
    assert!(local.body.contains("\nopenclaw_clients 1\n"), "{}", local.body);
    assert!(local.body.contains("openclaw_requests_total{method=\"health\",outcome=\"ok\"} 0"));
    let proxied = ("X-Forwarded-For", "203.0.113.9");
    let refused = http(gateway.address(), "GET /metrics", &[proxied]).await;
    assert_eq!(
        (refused.status, body(&refused)),
        (401, json!({"error": {"message": "Unauthorized", "type": "unauthorized"}}))
    );
    let bearer = format!("Bearer {TOKEN}");
    let allowed = http(gateway.address(), "GET /metrics", &[proxied, ("Authorization", &bearer)]).await;
    assert_eq!(allowed.status, 200);
    let browser = http(gateway.address(), "GET /metrics", &[("Origin", "http://localhost:1")]).await;
    assert_eq!(browser.status, 401);
}

#[tokio::test]
async fn guessing_the_secret_over_http_is_slowed_down() {
    let gateway = TestGateway::new().await;
    let guess = [("X-Forwarded-For", "203.0.113.9"), ("Authorization", "Bearer wrong")];
    let mut statuses = Vec::new();
    for _ in 0..11 {
        statuses.push(http(gateway.address(), "GET /metrics", &guess).await.status);
    }
    assert_eq!(statuses[..10], [401; 10]);
    let limited = http(gateway.address(), "GET /metrics", &guess).await;
    assert_eq!((limited.status, body(&limited)["error"]["type"].clone()), (429, json!("rate_limited")));
    assert!(limited.headers["retry-after"].parse::<u64>().unwrap() > 0);
}
