//! A conversation over real sockets: messages, answers, tools, history, stopping.

mod support;

use openclaw_providers::{Asked, Gate, Script, Scripts};
use serde_json::{Value, json};
use support::{Client, Setup, TestGateway};

const WRITER: [&str; 2] = ["operator.read", "operator.write"];

async fn chat(scripts: impl Into<Scripts>) -> TestGateway {
    Setup::answering("", scripts).start().await
}

fn message(key: &str, run: &str, text: &str) -> Value {
    json!({"sessionKey": key, "message": text, "idempotencyKey": run, "deliver": false})
}

/// Waits for the end of a run in the chat and gives the event's payload.
async fn ended(client: &mut Client, run: &str) -> Value {
    let last = |payload: &Value| payload["state"] != "delta" && payload["state"] != "status";
    let fits = |frame: &Value| {
        frame["event"] == "chat" && frame["payload"]["runId"] == run && last(&frame["payload"])
    };
    client.until(fits).await["payload"].clone()
}

fn text_of(payload: &Value) -> &str {
    payload["message"]["content"][0]["text"].as_str().unwrap_or("")
}

#[tokio::test]
async fn a_message_is_answered_once_and_stands_in_the_history() {
    let gateway = chat(Scripts::new().then(Script::new().say("Good morning."))).await;
    let mut client = gateway.operator(&WRITER).await;
    let taken = client.ok("chat.send", message("main", "run-1", "hello")).await;
    assert_eq!(taken, json!({"runId": "run-1", "status": "started"}));
    let end = ended(&mut client, "run-1").await;
    assert_eq!(end["sessionKey"], "agent:main:main");
    assert_eq!(text_of(&end), "Good morning.");
    let again = client.ok("chat.send", message("main", "run-1", "hello")).await;
    assert_eq!(again, json!({"runId": "run-1", "status": "ok"}));
    let history = client.ok("chat.history", json!({"sessionKey": "main"})).await;
    assert_eq!((&history["sessionKey"], &history["thinkingLevel"]), (&json!("main"), &json!("low")));
    let roles: Vec<&str> =
        history["messages"].as_array().unwrap().iter().map(|one| one["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant"]);
}

#[tokio::test]
async fn the_text_of_a_system_event_reaches_the_agent_with_the_next_message() {
    let reads = |asked: &Asked| {
        let mut lines = asked.last_user.lines();
        let noted = lines
            .next()
            .is_some_and(|line| line.starts_with("System: [") && line.ends_with("] the build is done"));
        noted && lines.next() == Some("") && lines.next().is_some_and(|line| line.ends_with("hello"))
    };
    let scripts =
        Scripts::new().once_when(reads, Script::new().say("So it is.")).otherwise(Script::new().say("What?"));
    let gateway = chat(scripts).await;
    let mut admin = gateway.admin().await;
    admin.ok("system-event", json!({"text": " the build\nis done "})).await;
    admin.ok("system-event", json!({"text": "Node: desk"})).await;
    let status = admin.ok("status", json!({})).await;
    assert_eq!(status["queuedSystemEvents"], json!(["the build is done"]));
    let mut answers = Vec::new();
    for run in ["run-1", "run-2"] {
        admin.ok("chat.send", message("main", run, "hello")).await;
        answers.push(text_of(&ended(&mut admin, run).await).to_owned());
        assert_eq!(admin.ok("status", json!({})).await["queuedSystemEvents"], json!([]));
    }
    assert_eq!(answers, ["So it is.", "What?"]);
}

#[tokio::test]
async fn what_cannot_be_sent_is_refused_in_the_words_clients_know() {
    let gateway = chat(Scripts::new()).await;
    let mut client = gateway.operator(&WRITER).await;
    let cases = [
        (message("main", "a", "  "), "message or attachment required"),
        (message("main", "b", "nul \u{0} byte"), "message must not contain null bytes"),
    ];
    for (params, expected) in cases {
        let error = client.error("chat.send", params).await;
        assert_eq!(error["code"], "INVALID_REQUEST");
        assert_eq!(error["message"], expected);
    }
    let mut admin = gateway.admin().await;
    admin.ok("sessions.patch", json!({"key": "main", "sendPolicy": "deny"})).await;
    let error = client.error("chat.send", message("main", "c", "hello")).await;
    assert_eq!(error["message"], "send blocked by session policy");
}

#[tokio::test]
async fn only_who_asked_to_see_tools_and_started_the_run_sees_them_and_without_numbers() {
    let scripts = Scripts::new()
        .then(Script::new().say("Let me check.").call_tool_as("call_1", "ls", json!({"path": "."})))
        .then(Script::new().say("Done."));
    let gateway = chat(scripts).await;
    let mut starter = gateway.watcher(&WRITER).await;
    let mut other = gateway.watcher(&WRITER).await;
    starter.ok("chat.send", message("main", "run-1", "look around")).await;
    assert_eq!(text_of(&ended(&mut starter, "run-1").await), "Done.");
    ended(&mut other, "run-1").await;
    let tools = |client: &Client| -> Vec<Value> {
        client.skipped.iter().filter(|frame| frame["payload"]["stream"] == "tool").cloned().collect()
    };
    let seen = tools(&starter);
    let phases: Vec<&str> =
        seen.iter().map(|frame| frame["payload"]["data"]["phase"].as_str().unwrap()).collect();
    assert_eq!((phases.first(), phases.last()), (Some(&"start"), Some(&"result")));
    assert!(seen.iter().all(|frame| frame.get("seq").is_none()));
    assert_eq!(seen[0]["payload"]["data"]["toolCallId"], "call_1");
    assert!(seen.last().unwrap()["payload"]["data"].get("result").is_none(), "results need verbose full");
    assert_eq!(tools(&other), [] as [Value; 0]);
}

/// What a captured run of the original tells of its tool, without the moments.
const CAPTURED: &str = include_str!("../src/runs/fixtures/captured-runs.json");

#[tokio::test]
async fn a_command_is_told_event_for_event_as_in_a_captured_run() {
    let captured: Value = serde_json::from_str(CAPTURED).unwrap();
    let expected: Vec<Value> = captured["withTool"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["payload"]["stream"] == "tool")
        .map(|row| row["payload"]["data"].clone())
        .collect();
    let scripts = Scripts::new()
        .then(Script::new().say("Let me check.").call_tool_as(
            "call_1",
            "exec",
            json!({"command": "echo hello-tool"}),
        ))
        .then(Script::new().say("Hello from mock model. One two three."));
    let settings = r#"tools: { exec: { host: "gateway", security: "full", ask: "off" } }"#;
    let gateway = Setup::answering(settings, scripts).start().await;
    let mut client = gateway.watcher(&WRITER).await;
    client.ok("chat.send", message("main", "run-1", "look around")).await;
    ended(&mut client, "run-1").await;
    let told: Vec<Value> = client
        .skipped
        .iter()
        .filter(|frame| frame["payload"]["stream"] == "tool")
        .map(|frame| frame["payload"]["data"].clone())
        .collect();
    assert_eq!((told.len(), told), (3, expected));
}

#[tokio::test]
async fn a_run_is_stopped_with_what_it_said_and_the_key_as_it_was_written() {
    let gate = Gate::new();
    let gateway =
        chat(Scripts::new().then(Script::new().say("Once upon a time").hold(&gate).say(" never"))).await;
    let mut client = gateway.operator(&WRITER).await;
    client.ok("chat.send", message("main", "run-1", "tell me a story")).await;
    client.until(|frame| frame["event"] == "chat" && frame["payload"]["state"] == "delta").await;
    let error = client.error("chat.abort", json!({"sessionKey": "other", "runId": "run-1"})).await;
    assert_eq!(error["message"], "runId does not match sessionKey");
    let stopped = client.ok("chat.abort", json!({"sessionKey": "main", "runId": "run-1"})).await;
    assert_eq!(stopped, json!({"ok": true, "aborted": true, "runIds": ["run-1"]}));
    let end = ended(&mut client, "run-1").await;
    assert_eq!(
        (&end["state"], &end["stopReason"], &end["sessionKey"]),
        (&json!("aborted"), &json!("rpc"), &json!("main"))
    );
    assert_eq!(text_of(&end), "Once upon a time");
    let nothing = client.ok("chat.abort", json!({"sessionKey": "main"})).await;
    assert_eq!(nothing, json!({"ok": true, "aborted": false, "runIds": []}));
}

#[tokio::test]
async fn a_word_that_stops_is_answered_like_an_abort() {
    let gate = Gate::new();
    let gateway = chat(Scripts::new().then(Script::new().say("Well").hold(&gate))).await;
    let mut client = gateway.operator(&WRITER).await;
    client.ok("chat.send", message("main", "run-1", "begin")).await;
    client.until(|frame| frame["event"] == "chat").await;
    let stopped = client.ok("chat.send", message("main", "run-2", "stop")).await;
    assert_eq!(stopped, json!({"ok": true, "aborted": true, "runIds": ["run-1"]}));
    assert_eq!(ended(&mut client, "run-1").await["stopReason"], "stop");
}

#[tokio::test]
async fn an_injected_message_is_shown_at_once_and_kept() {
    let gateway = chat(Scripts::new().otherwise_echo()).await;
    let mut admin = gateway.admin().await;
    admin.ok("chat.send", message("main", "run-1", "hello")).await;
    ended(&mut admin, "run-1").await;
    let put =
        admin.ok("chat.inject", json!({"sessionKey": "main", "message": "injected", "label": "note"})).await;
    let run = format!("inject-{}", put["messageId"].as_str().unwrap());
    let shown = ended(&mut admin, &run).await;
    assert_eq!((&shown["seq"], &shown["sessionKey"]), (&json!(0), &json!("main")));
    assert_eq!(text_of(&shown), "[note]\n\ninjected");
    let sent = json!({"to": "main", "channel": "webchat", "message": "sent", "idempotencyKey": "s1"});
    let first = admin.ok("send", sent.clone()).await;
    assert_eq!(admin.ok("send", sent).await, first);
    let history = admin.ok("chat.history", json!({"sessionKey": "main", "limit": 2})).await;
    let texts: Vec<&str> = history["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["content"][0]["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["[note]\n\ninjected", "sent"]);
    let error = admin
        .error(
            "send",
            json!({"to": "+1", "channel": "carrier-pigeon", "message": "x", "idempotencyKey": "s2"}),
        )
        .await;
    assert_eq!(error["message"], "unsupported channel: carrier-pigeon");
}

#[tokio::test]
async fn a_client_of_protocol_4_is_told_what_is_new_and_one_of_protocol_3_is_not() {
    let gate = Gate::new();
    let gateway = chat(Scripts::new().then(Script::new().say("Hello").hold(&gate).say(" again"))).await;
    let mut older = gateway.operator(&WRITER).await;
    let mut newer = Client::open(gateway.address()).await;
    let mut params = support::connect_params(&WRITER);
    params["minProtocol"] = json!(3);
    params["maxProtocol"] = json!(4);
    assert_eq!(newer.connect_with(&params).await["payload"]["protocol"], 4);
    older.ok("chat.send", message("main", "run-1", "hi")).await;
    let delta = |frame: &Value| frame["event"] == "chat" && frame["payload"]["state"] == "delta";
    let (old, new) = (older.until(delta).await, newer.until(delta).await);
    assert_eq!(new["payload"]["deltaText"], "Hello");
    assert_eq!(new["payload"]["agentId"], "main");
    assert_eq!(text_of(&new["payload"]), "Hello");
    assert!(old["payload"].get("deltaText").is_none() && old["payload"].get("agentId").is_none());
    let phases = |client: &Client| -> Vec<Value> {
        let told = client.skipped.iter().filter(|frame| frame["payload"]["state"] == "status");
        told.map(|frame| frame["payload"]["phase"].clone()).collect()
    };
    assert_eq!(phases(&newer), ["preparing_context", "starting_model"]);
    assert_eq!(phases(&older), [] as [Value; 0]);
    gate.open();
    assert_eq!(text_of(&ended(&mut newer, "run-1").await), "Hello again");
}

#[tokio::test]
async fn an_explanation_that_no_model_gave_is_shown_in_the_chat() {
    let gate = Gate::new();
    let gateway = chat(Scripts::new().then(Script::new().hold(&gate).say("too late"))).await;
    let mut client = gateway.operator(&WRITER).await;
    let mut params = message("main", "run-1", "take your time");
    params["timeoutMs"] = json!(1000);
    client.ok("chat.send", params).await;
    let end = ended(&mut client, "run-1").await;
    assert_eq!((&end["state"], &end["stopReason"]), (&json!("aborted"), &json!("timeout")));
    assert!(!text_of(&end).is_empty(), "{end}");
}
