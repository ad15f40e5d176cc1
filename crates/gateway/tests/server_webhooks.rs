//! Events that platforms bring over HTTP, on a real socket: whose they are, what is checked, what is answered.
#![expect(clippy::unwrap_used, reason = "a test fails loudly, at the line that is wrong")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::{Deadline, SystemClock};
use openclaw_providers::{Script, Scripts};
use openclaw_testkit::SimClock;
use serde_json::{Value, json};
use support::{HttpAnswer, Setup, TestGateway, http, post};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

async fn within<T>(work: impl Future<Output = T>) -> T {
    let clock = SystemClock::new();
    Deadline::after(&clock, Duration::from_secs(30)).bound(&clock, work).await.unwrap()
}

/// A gateway with these accounts on a platform in memory, and somebody who answers.
async fn gateway(accounts: Value) -> TestGateway {
    let settings = format!(r#"channels: {{ fake: {{ accounts: {accounts} }} }}"#);
    let gateway =
        Setup::answering(&settings, Scripts::new().otherwise(Script::new().say("Heard."))).start().await;
    assert_eq!(gateway.flow.as_ref().unwrap().open_channels().await.unwrap(), []);
    gateway
}

fn open_to_all(token: &str, path: &str) -> Value {
    json!({ "token": token, "webhook": path, "dmPolicy": "open", "allowFrom": ["*"] })
}

fn event(name: &str, from: &str) -> String {
    json!({ "event": name, "from": from, "text": "hello" }).to_string()
}

/// Posts an event, again while its account is not up yet.
async fn bring(gateway: &TestGateway, path: &str, token: &str, body: &str) -> HttpAnswer {
    within(async {
        loop {
            let answer = post(gateway.address(), path, &[("x-fake-token", token)], body).await;
            if answer.status != 503 {
                return answer;
            }
        }
    })
    .await
}

#[tokio::test]
async fn an_event_is_taken_on_the_path_of_its_account_and_answered() {
    let gateway = gateway(json!({ "default": open_to_all("one", "/fake/events") })).await;
    let answer = bring(&gateway, "/fake/events", "one", &event("1", "ana")).await;
    assert_eq!((answer.status, answer.body.as_str()), (200, "ok"));
    assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    assert_eq!(within(gateway.platform.told("ana", 1)).await, ["Heard."]);
    // The same event again is taken, and answered once.
    assert_eq!(bring(&gateway, "/fake/events", "one", &event("1", "ana")).await.status, 200);
    assert_eq!(bring(&gateway, "/fake/events", "one", &event("2", "ana")).await.status, 200);
    assert_eq!(within(gateway.platform.told("ana", 2)).await, ["Heard.", "Heard."]);
}

#[tokio::test]
async fn accounts_that_share_a_path_are_told_apart_by_their_secrets() {
    let gateway =
        gateway(json!({ "one": open_to_all("first", "/hook"), "two": open_to_all("second", "/hook") })).await;
    assert_eq!(bring(&gateway, "/hook", "second", &event("1", "bob")).await.status, 200);
    assert_eq!(bring(&gateway, "/hook", "first", &event("1", "ana")).await.status, 200);
    within(gateway.platform.told("bob", 1)).await;
    within(gateway.platform.told("ana", 1)).await;
    let mut accounts: Vec<String> = gateway
        .platform
        .sent()
        .iter()
        .map(|piece| format!("{} {}", piece.target.account, piece.target.to))
        .collect();
    accounts.sort();
    assert_eq!(accounts, ["one ana", "two bob"]);
}

#[tokio::test]
async fn only_the_exact_path_and_only_posts_are_taken() {
    let gateway = gateway(json!({ "default": open_to_all("one", "/fake/events") })).await;
    assert_eq!(bring(&gateway, "/fake/events", "one", &event("1", "ana")).await.status, 200);
    for path in ["/fake/events/", "/fake/event", "/fake", "/FAKE/events"] {
        let answer = post(gateway.address(), path, &[("x-fake-token", "one")], "{}").await;
        assert_eq!(answer.status, 405, "{path} is the page's");
    }
    for method in ["GET", "PUT", "DELETE"] {
        let answer =
            http(gateway.address(), &format!("{method} /fake/events"), &[("x-fake-token", "one")]).await;
        assert_eq!((answer.status, answer.headers["allow"].as_str()), (405, "POST"), "{method}");
    }
}

#[tokio::test]
async fn no_account_takes_a_path_of_the_gateway() {
    for path in [
        "/",
        "/health",
        "/metrics",
        "/v1/responses",
        "/tools/invoke",
        "/index.html",
        "/assets/x",
        "/avatar/main",
    ] {
        let gateway =
            gateway(json!({ "default": open_to_all("one", path), "other": open_to_all("two", "/other") }))
                .await;
        assert_eq!(bring(&gateway, "/other", "two", &event("1", "ana")).await.status, 200);
        let answer = post(gateway.address(), path, &[("x-fake-token", "one")], &event("1", "eve")).await;
        assert!(matches!(answer.status, 400 | 401 | 404 | 405), "{path}: {}", answer.status);
        assert_eq!(http(gateway.address(), "GET /health", &[]).await.status, 200);
        assert_eq!(gateway.platform.words_to("eve"), Vec::<String>::new());
    }
}

#[tokio::test]
async fn without_the_platforms_secret_nothing_of_the_body_is_read() {
    let gateway = gateway(json!({ "default": open_to_all("one", "/hook") })).await;
    assert_eq!(bring(&gateway, "/hook", "one", &event("1", "ana")).await.status, 200);
    let mut stream = TcpStream::connect(gateway.address()).await.unwrap();
    // Says that much follows, and sends nothing of it.
    let head = "POST /hook HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4000\r\nx-fake-token: wrong\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    within(stream.read_exact(&mut answer)).await.unwrap();
    assert_eq!(std::str::from_utf8(&answer).unwrap(), "HTTP/1.1 401");
}

#[tokio::test]
async fn a_body_is_read_no_further_than_its_limit() {
    let gateway = gateway(json!({ "default": open_to_all("one", "/hook") })).await;
    assert_eq!(bring(&gateway, "/hook", "one", &event("1", "ana")).await.status, 200);
    let long = json!({ "event": "2", "from": "eve", "text": "x".repeat(5_000) }).to_string();
    assert_eq!(bring(&gateway, "/hook", "one", &long).await.status, 413);
    // A length that is not said beforehand is noticed while reading.
    let mut stream = TcpStream::connect(gateway.address()).await.unwrap();
    let head = "POST /hook HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nx-fake-token: one\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(format!("1388\r\n{}\r\n", "x".repeat(5_000)).as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    within(stream.read_exact(&mut answer)).await.unwrap();
    assert_eq!(std::str::from_utf8(&answer).unwrap(), "HTTP/1.1 413");
    assert_eq!(gateway.platform.words_to("eve"), Vec::<String>::new());
}

#[tokio::test]
async fn a_body_that_does_not_come_is_given_up() {
    let clock = Arc::new(SimClock::new());
    let settings =
        format!(r#"channels: {{ fake: {{ accounts: {{ default: {} }} }} }}"#, open_to_all("one", "/hook"));
    let setup = Setup { clock: clock.clone(), ..Setup::answering(&settings, Scripts::new()) };
    let gateway = setup.start().await;
    assert_eq!(gateway.flow.as_ref().unwrap().open_channels().await.unwrap(), []);
    while gateway.platform.connects("default") == 0 {
        tokio::task::yield_now().await;
    }
    let mut stream = TcpStream::connect(gateway.address()).await.unwrap();
    let head = "POST /hook HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 40\r\nx-fake-token: one\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    let reading = stream.read_exact(&mut answer);
    tokio::pin!(reading);
    let read = within(async {
        loop {
            tokio::select! {
                read = &mut reading => return read,
                () = clock.advance(Duration::from_secs(5)) => {}
            }
        }
    })
    .await;
    read.unwrap();
    assert_eq!(std::str::from_utf8(&answer).unwrap(), "HTTP/1.1 408");
}

#[tokio::test]
async fn an_account_that_is_not_up_asks_the_platform_to_come_again() {
    let gateway = gateway(json!({ "default": open_to_all("one", "/hook") })).await;
    assert_eq!(bring(&gateway, "/hook", "one", &event("1", "ana")).await.status, 200);
    let channel_accounts = gateway.flow.as_ref().unwrap().channels();
    let status = &channel_accounts.status()[0];
    channel_accounts.stop(&status.channel, &status.account).await.unwrap();
    let answer = post(gateway.address(), "/hook", &[("x-fake-token", "one")], &event("2", "ana")).await;
    assert_eq!((answer.status, answer.headers["retry-after"].as_str()), (503, "5"));
    channel_accounts.start(&status.channel, &status.account).await.unwrap();
    assert_eq!(bring(&gateway, "/hook", "one", &event("2", "ana")).await.status, 200);
}

#[tokio::test]
async fn who_guesses_is_locked_out_and_the_platform_is_not() {
    let gateway = gateway(json!({ "default": open_to_all("one", "/hook") })).await;
    assert_eq!(bring(&gateway, "/hook", "one", &event("1", "ana")).await.status, 200);
    // A request that came through a proxy is not a program of this machine.
    let relayed = |token: &'static str| [("x-fake-token", token), ("x-forwarded-for", "203.0.113.9")];
    let mut seen = Vec::new();
    for _ in 0..12 {
        seen.push(post(gateway.address(), "/hook", &relayed("wrong"), "{}").await.status);
    }
    assert_eq!((seen[0], seen[11]), (401, 429), "{seen:?}");
    let right = post(gateway.address(), "/hook", &relayed("one"), &event("2", "ana")).await;
    assert_eq!(right.status, 200);
}
