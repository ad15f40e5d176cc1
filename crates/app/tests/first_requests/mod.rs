//! Requests that come at once: while sessions of the original are imported, and after its files were changed.

use std::fmt::Write as _;
use std::net::TcpListener;
use std::path::Path;

use openclaw_app::{ExitRequest, RunOptions, Running, shutdown, start};
use openclaw_config::Overrides;
use openclaw_providers::Scripts;
use openclaw_testkit::{ScriptedModelServer, TempHome};
use serde_json::{Value, json};

use crate::gateway_world::{Operator, PATIENCE, configure, options};

/// How many messages a session of the original has.
const MESSAGES: usize = 150;
/// How much the transcript of one session takes.
const SESSION_BYTES: usize = 1 << 20;

/// Writes sessions of the original, a megabyte each but for the main one, which a model can read. That one comes last.
fn write_sessions(state_dir: &Path, megabytes: usize) {
    let folder = state_dir.join("agents/main/sessions");
    std::fs::create_dir_all(&folder).unwrap();
    let filling = "words and more words ".repeat(SESSION_BYTES / MESSAGES / 21);
    let mut list = serde_json::Map::new();
    for number in (0..megabytes).rev() {
        let (key, id) = match number {
            0 => ("agent:main:main".to_owned(), "old-main".to_owned()),
            _ => (format!("agent:main:s{number}"), format!("old-{number}")),
        };
        let mut text = format!("{}\n", json!({ "type": "session", "version": 3, "id": id, "cwd": "/w" }));
        let mut parent = Value::Null;
        for message in 0..MESSAGES {
            let entry = format!("{number}-{message}");
            let (role, at) = (if message % 2 == 0 { "user" } else { "assistant" }, 1_700_000_000_000_u64);
            let content = json!([{ "type": "text", "text": format!("old {message} {}", if number == 0 { "words" } else { &filling }) }]);
            let said = json!({ "role": role, "content": content, "timestamp": at });
            let line = json!({ "type": "message", "id": entry, "parentId": parent, "timestamp": "2026-01-31T07:26:10.958Z", "message": said });
            writeln!(text, "{line}").unwrap();
            parent = json!(entry);
        }
        std::fs::write(folder.join(format!("{id}.jsonl")), text).unwrap();
        // Late enough not to be stale.
        list.insert(key, json!({ "sessionId": id, "updatedAt": u64::MAX >> 12 }));
    }
    std::fs::write(folder.join("sessions.json"), Value::Object(list).to_string()).unwrap();
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Connects as soon as anybody listens.
async fn first_client(port: u16) -> Operator {
    loop {
        if let Ok(client) = Operator::try_connect(port).await {
            return client;
        }
        tokio::task::yield_now().await;
    }
}

/// What a client does in its first moment: it changes the main session and writes into it.
async fn first_moment(port: u16) {
    let client = first_client(port).await;
    let patch = json!({ "key": "main", "label": "Home" });
    let asked = json!({ "sessionKey": "main", "limit": 1000 });
    let (patched, answer, history) = tokio::join!(
        client.request("sessions.patch", &patch),
        client.send("main", "first", "hello"),
        client.request("chat.history", &asked),
    );
    assert_eq!(patched.unwrap()["entry"]["sessionId"], "old-main");
    assert_eq!(answer.unwrap()["status"], "started");
    assert!(history.unwrap()["messages"].as_array().unwrap().len() >= MESSAGES);
    let done = client.request("agent.wait", &json!({ "runId": "first", "timeoutMs": 60_000 })).await.unwrap();
    assert_eq!(done["status"], "ok", "{done}");
    let history = client.request("chat.history", &asked).await.unwrap();
    let messages = history["messages"].as_array().unwrap();
    let new: Vec<String> =
        messages[MESSAGES..].iter().map(|one| one.to_string().chars().take(300).collect()).collect();
    assert_eq!(messages.len(), MESSAGES + 2, "{new:#?}");
    assert!(messages[0]["content"][0]["text"].as_str().unwrap().starts_with("old 0 "), "{}", messages[0]);
    let listed = client.request("sessions.list", &json!({})).await.unwrap();
    let main = listed["sessions"].as_array().unwrap().iter().find(|row| row["key"] == "agent:main:main");
    assert_eq!(main.unwrap()["label"], "Home");
}

/// Starts on a state directory of the original with a client that does not wait.
async fn first_start(megabytes: usize) {
    let home = TempHome::new();
    let vendor = ScriptedModelServer::start(Scripts::new().otherwise_echo()).await;
    configure(&home, &vendor, "followup");
    write_sessions(home.state_dir(), megabytes);
    let port = free_port();
    let usual = options(home.state_dir().parent().unwrap());
    let overrides = Overrides { port: Some(port), ..usual.overrides.clone() };
    let starting = async { start(RunOptions { overrides, ..usual }).await.unwrap() };
    let both = tokio::time::timeout(PATIENCE, async { tokio::join!(starting, first_moment(port)) });
    let (running, ()) = both.await.unwrap();
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_comes_before_the_import_ends_finds_everything() {
    first_start(8).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "one of many: cargo xtask prove first-start"]
async fn a_client_that_comes_before_a_large_import_ends_finds_everything() {
    first_start(75).await;
}

async fn listed_agents(client: &Operator) -> usize {
    client.request("agents.list", &json!({})).await.unwrap()["agents"].as_array().unwrap().len()
}

/// Writes the file as command lines do: beside, then in its place.
fn write_agents(home: &TempHome, config: &Value, agents: usize) {
    let mut config = config.clone();
    let list: Vec<Value> = (0..agents).map(|number| json!({ "id": format!("a{number}") })).collect();
    config["agents"]["list"] = json!(list);
    let (beside, file) = (home.path("openclaw.json.tmp"), home.path("openclaw.json"));
    std::fs::write(&beside, config.to_string()).unwrap();
    std::fs::rename(beside, file).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_asks_after_the_file_was_changed_is_answered_by_what_it_says() {
    let home = TempHome::new();
    let vendor = ScriptedModelServer::start(Scripts::new().otherwise_echo()).await;
    configure(&home, &vendor, "followup");
    let file = home.path("openclaw.json");
    let mut config: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    // So long that the watcher takes nothing over while the test runs.
    config["gateway"]["reload"] = json!({ "debounceMs": 600_000 });
    write_agents(&home, &config, 1);
    let running: Running = start(options(home.state_dir().parent().unwrap())).await.unwrap();
    let port = running.addresses()[0].port();
    let early = Operator::connect(port).await;
    for agents in 2..6 {
        write_agents(&home, &config, agents);
        assert_eq!(listed_agents(&early).await, agents, "a client that was connected before");
        write_agents(&home, &config, agents + 10);
        assert_eq!(
            listed_agents(&Operator::connect(port).await).await,
            agents + 10,
            "a client that comes later"
        );
    }
    std::fs::write(&file, "{ half a fi").unwrap();
    assert_eq!(listed_agents(&early).await, 15, "what cannot be read is left alone");
    drop(early);
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}
