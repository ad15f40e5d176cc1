//! The web chat held to what every platform promises, with the real gateway on a real socket: the same message is taken
//! once, an answer is seen once, a stop stops, and trouble has a kind. That what is acknowledged is kept and answered
//! once is proven in `kill9`, by killing the process.
//!
//! It is no `ChannelKind`: its clients are on our own protocol. `channel_conformance!` proves the platforms.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails where something is wrong")]

mod gateway_world;

use gateway_world::{Operator, PATIENCE, configure, options};
use openclaw_app::{Running, Wish, shutdown, start};
use openclaw_client::RequestError;
use openclaw_providers::{Script, Scripts};
use openclaw_testkit::{ScriptedModelServer, TempHome};
use serde_json::{Value, json};

const KEY: &str = "agent:main:main";

struct World {
    home: TempHome,
    _vendor: ScriptedModelServer,
}

impl World {
    async fn new(scripts: Scripts) -> Self {
        let home = TempHome::new();
        let vendor = ScriptedModelServer::start(scripts).await;
        configure(&home, &vendor, "followup");
        Self { home, _vendor: vendor }
    }

    async fn start(&self) -> (Running, Operator) {
        let running = start(options(self.home.state_dir().parent().unwrap())).await.unwrap();
        let client = Operator::connect(running.addresses()[0].port()).await;
        (running, client)
    }
}

/// What the session holds: who, and what they said.
async fn history(client: &Operator) -> Vec<(String, String)> {
    let history = client.request("chat.history", &json!({ "sessionKey": KEY })).await.unwrap();
    let words = |message: &Value| match &message["content"] {
        Value::String(text) => text.clone(),
        parts => parts.as_array().unwrap().iter().filter_map(|part| part["text"].as_str()).collect(),
    };
    let all = history["messages"].as_array().unwrap().iter();
    all.map(|message| (message["role"].as_str().unwrap().to_owned(), words(message))).collect()
}

/// Waits for the next end of a run as clients see it, and how it ended.
async fn next_end(client: &mut Operator) -> (String, String) {
    let ended = async {
        loop {
            let (name, payload) = client.event().await.expect("the gateway is there");
            if name == "chat" && payload["state"] != "delta" && payload["state"] != "status" {
                let text = |key: &str| payload[key].as_str().unwrap().to_owned();
                return (text("runId"), text("state"));
            }
        }
    };
    tokio::time::timeout(PATIENCE, ended).await.expect("the run ends")
}

fn end(run: &str, state: &str) -> (String, String) {
    (run.to_owned(), state.to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_message_is_taken_once_and_its_answer_is_seen_once_by_everybody() {
    let world = World::new(Scripts::new().otherwise_echo()).await;
    let (running, mut client) = world.start().await;
    let mut other = Operator::connect(running.addresses()[0].port()).await;
    for _ in 0..3 {
        client.send(KEY, "run-1", "only once").await.unwrap();
    }
    assert_eq!(client.send(KEY, "run-2", "and this").await.unwrap()["status"], "started");
    for watcher in [&mut client, &mut other] {
        // The second run ends after the first: whatever the first said stands before it.
        let mut ended = Vec::new();
        while ended.last().is_none_or(|(run, _)| run != "run-2") {
            ended.push(next_end(watcher).await);
        }
        assert_eq!(ended, [end("run-1", "final"), end("run-2", "final")]);
    }
    let said = history(&client).await;
    assert_eq!(said.iter().filter(|(who, _)| who == "user").count(), 2, "{said:?}");
    assert_eq!(said.iter().filter(|(who, _)| who == "assistant").count(), 2, "{said:?}");
    drop((client, other));
    assert!(shutdown(running, Wish::Stop).await.is_clean());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_ends_the_run_for_everybody_and_the_next_message_is_answered() {
    let scripts = Scripts::new()
        .when(|asked| asked.last_user.contains("go on"), Script::new().say("On and on").endless())
        .otherwise_echo();
    let world = World::new(scripts).await;
    let (running, mut client) = world.start().await;
    client.send(KEY, "run-1", "go on").await.unwrap();
    let stopped =
        client.request("chat.abort", &json!({ "sessionKey": KEY, "runId": "run-1" })).await.unwrap();
    assert_eq!(stopped["aborted"], true);
    assert_eq!(next_end(&mut client).await, end("run-1", "aborted"));
    client.send(KEY, "run-2", "still there?").await.unwrap();
    assert_eq!(next_end(&mut client).await, end("run-2", "final"));
    drop(client);
    assert!(shutdown(running, Wish::Stop).await.is_clean());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trouble_has_a_kind_and_leaves_nothing_behind() {
    let world = World::new(Scripts::new().otherwise_echo()).await;
    let (running, client) = world.start().await;
    let cases = [
        ("chat.send", json!({ "sessionKey": KEY, "message": "hello" })),
        ("chat.send", json!({ "sessionKey": KEY, "message": " ", "idempotencyKey": "a" })),
        ("chat.abort", json!({ "sessionKey": 5 })),
        ("config.set", json!({ "raw": "{}" })),
    ];
    for (method, params) in cases {
        match client.request(method, &params).await {
            Err(RequestError::Refused(refusal)) => {
                assert!(format!("{refusal:?}").contains("InvalidRequest"), "{method} {params}: {refusal:?}");
            }
            other => panic!("{method} {params} became {other:?}"),
        }
    }
    assert_eq!(history(&client).await, []);
    drop(client);
    assert!(shutdown(running, Wish::Stop).await.is_clean());
}
