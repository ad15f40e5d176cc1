//! Sessions, agents, runs and approvals over real sockets, in the shapes that clients know.

mod support;

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::model::FaultReason;
use openclaw_providers::{Gate, Script, Scripts};
use openclaw_testkit::SimClock;
use serde_json::{Value, json};
use support::{Client, Setup, TestGateway, connect_params};

async fn echoing() -> TestGateway {
    Setup::answering("", Scripts::new().otherwise_echo()).start().await
}

async fn say(client: &mut Client, key: &str, run: &str, text: &str) -> Value {
    client.ok("chat.send", json!({"sessionKey": key, "message": text, "idempotencyKey": run})).await;
    let fits = |frame: &Value| {
        frame["event"] == "chat" && frame["payload"]["runId"] == run && frame["payload"]["state"] != "delta"
    };
    client.until(fits).await["payload"].clone()
}

#[tokio::test]
async fn what_needs_a_session_waits_for_the_import_and_health_does_not() {
    let clock = Arc::new(SimClock::default());
    let setup = Setup::answering("", Scripts::new().otherwise_echo());
    let gateway = Setup { clock: clock.clone(), ..setup }.start().await;
    let mut admin = gateway.admin().await;
    say(&mut admin, "main", "r1", "first words").await;
    let import = gateway.import.clone().unwrap();
    import.close();
    assert_eq!(admin.ok("health", json!({"probe": true})).await["sessions"]["count"], 0);
    let asked = [
        admin.request("chat.history", &json!({"sessionKey": "main"})).await,
        admin.request("sessions.list", &json!({})).await,
        admin.request("sessions.patch", &json!({"key": "main", "label": "Home"})).await,
    ];
    let mut other = gateway.admin().await;
    other.ok("health", json!({})).await;
    import.open();
    for _ in &asked {
        let answer = admin.until(|frame| asked.iter().any(|id| frame["id"] == **id)).await;
        assert_eq!(answer["ok"], true, "{answer}");
        let payload = answer["payload"].to_string();
        assert!(payload.contains("first words") || payload.contains("agent:main:main"), "{payload}");
    }
    import.close();
    for (method, params) in [
        ("chat.history", json!({"sessionKey": "main"})),
        ("chat.send", json!({"sessionKey": "main", "message": "hi", "idempotencyKey": "r2"})),
    ] {
        let id = admin.request(method, &params).await;
        other.ok("health", json!({})).await;
        clock.advance(openclaw_session::IMPORT_WAIT).await;
        let answer = admin.response(&id).await;
        assert_eq!(answer["error"]["code"], "UNAVAILABLE", "{method}: {answer}");
        assert_eq!(answer["error"]["retryable"], true, "{method}: {answer}");
    }
}

#[tokio::test]
async fn sessions_are_listed_shown_found_changed_begun_anew_and_removed() {
    let gateway = echoing().await;
    let mut admin = gateway.admin().await;
    say(&mut admin, "main", "r1", "first words").await;
    say(&mut admin, "side", "r2", "other words").await;
    let listed = admin.ok("sessions.list", json!({"includeDerivedTitles": true, "limit": 5})).await;
    assert_eq!(listed["path"], "(multiple)");
    assert_eq!(listed["count"], 2);
    assert_eq!(listed["defaults"], json!({"modelProvider": "mock", "model": "m1", "contextTokens": 200_000}));
    let keys: Vec<&Value> = listed["sessions"].as_array().unwrap().iter().map(|row| &row["key"]).collect();
    assert_eq!(keys, [&json!("agent:main:side"), &json!("agent:main:main")]);
    assert_eq!(listed["sessions"][0]["totalTokensFresh"], true);
    let shown = admin.ok("sessions.preview", json!({"keys": ["main", "nope"], "limit": 1})).await;
    assert_eq!(shown["previews"][0]["status"], "ok");
    assert_eq!(shown["previews"][1], json!({"key": "nope", "status": "missing", "items": []}));
    let changed = admin
        .ok(
            "sessions.patch",
            json!({"key": "side", "label": "Aside", "thinkingLevel": "low", "model": "mock/m2"}),
        )
        .await;
    assert_eq!(changed["resolved"], json!({"modelProvider": "mock", "model": "m2"}));
    assert_eq!(changed["entry"]["label"], "Aside");
    let cleared = admin.ok("sessions.patch", json!({"key": "side", "model": null})).await;
    assert_eq!(cleared["resolved"]["model"], "m1");
    assert_eq!(cleared["entry"].get("model"), None, "the model of the last answer goes too");
    let error = admin.error("sessions.patch", json!({"key": "main", "label": "Aside"})).await;
    assert_eq!(error["message"], "label already in use: Aside");
    let error = admin.error("sessions.patch", json!({"key": "main", "thinkingLevel": "wild"})).await;
    assert_eq!(error["code"], "INVALID_REQUEST");
    let found = admin.ok("sessions.resolve", json!({"label": "Aside"})).await;
    assert_eq!(found, json!({"ok": true, "key": "agent:main:side"}));
    let error = admin.error("sessions.resolve", json!({"label": "Aside", "key": "side"})).await;
    assert_eq!(error["message"], "Provide either key, sessionId, or label (not multiple)");
    let anew = admin.ok("sessions.reset", json!({"key": "side"})).await;
    assert_ne!(anew["entry"]["sessionId"], changed["entry"]["sessionId"]);
    assert_eq!(anew["entry"]["thinkingLevel"], "low");
    let kept = admin.ok("sessions.compact", json!({"key": "main", "maxLines": 100})).await;
    assert_eq!((&kept["compacted"], &kept["key"]), (&json!(false), &json!("agent:main:main")));
    let gone = admin.ok("sessions.delete", json!({"key": "side"})).await;
    assert_eq!((&gone["ok"], &gone["deleted"]), (&json!(true), &json!(true)));
    let error = admin.error("sessions.delete", json!({"key": "main"})).await;
    assert_eq!(error["message"], "Cannot delete the main session (agent:main:main).");
    assert_eq!(admin.ok("sessions.list", json!({})).await["count"], 1);
}

/// The final answer to `agent`.
async fn agent(client: &mut Client, params: Value) -> Value {
    let id = client.request("agent", &params).await;
    assert_eq!(client.response(&id).await["payload"]["status"], "accepted");
    client.response(&id).await["payload"].clone()
}

#[tokio::test]
async fn a_session_begins_under_an_id_that_nobody_knows() {
    let gateway = echoing().await;
    let mut admin = gateway.admin().await;
    for (run, words) in [("r1", "first"), ("r2", "second")] {
        let answer =
            agent(&mut admin, json!({"message": words, "sessionId": "NEW-1", "idempotencyKey": run})).await;
        assert_eq!(answer["result"]["meta"]["agentMeta"]["sessionId"], "NEW-1", "{answer}");
    }
    let history = admin.ok("chat.history", json!({"sessionKey": "agent:main:explicit:new-1"})).await;
    assert_eq!(history["sessionId"], "NEW-1");
    let told = history["messages"].to_string();
    assert!(told.contains("first") && told.contains("second"), "{told}");
    let error =
        admin.error("agent", json!({"message": "x", "sessionId": "../up", "idempotencyKey": "r3"})).await;
    assert!(error["message"].as_str().unwrap().contains("cannot be a session id"), "{error}");
}

#[tokio::test]
async fn an_agent_may_be_named_where_everybody_shares_one_session() {
    let settings = r#"session: { scope: "global" }, agents: { defaults: { model: "mock/m1" }, list: [{ id: "main", default: true }, { id: "ops" }] }"#;
    let gateway = Setup::answering(settings, Scripts::new().otherwise_echo()).start().await;
    let mut admin = gateway.admin().await;
    let params = json!({"message": "hello", "agentId": "ops", "idempotencyKey": "r1"});
    assert_eq!(agent(&mut admin, params).await["status"], "ok");
    let history = admin.ok("chat.history", json!({"sessionKey": "global"})).await;
    assert_eq!(history["messages"].as_array().unwrap().len(), 2, "{history}");
}

#[tokio::test]
async fn the_main_session_of_another_agent_can_be_removed() {
    let settings =
        r#"agents: { defaults: { model: "mock/m1" }, list: [{ id: "main", default: true }, { id: "ops" }] }"#;
    let gateway = Setup::answering(settings, Scripts::new().otherwise_echo()).start().await;
    let mut admin = gateway.admin().await;
    say(&mut admin, "agent:ops:main", "r1", "hello").await;
    let gone = admin.ok("sessions.delete", json!({"key": "agent:ops:main"})).await;
    assert_eq!(gone["deleted"], true, "{gone}");
    assert_eq!(gone["archived"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn beginning_anew_stops_the_run_first() {
    let gate = Gate::new();
    let gateway =
        Setup::answering("", Scripts::new().then(Script::new().say("On and").hold(&gate))).start().await;
    let mut admin = gateway.admin().await;
    admin.ok("chat.send", json!({"sessionKey": "main", "message": "go", "idempotencyKey": "r1"})).await;
    admin.until(|frame| frame["event"] == "chat").await;
    admin.ok("sessions.reset", json!({"key": "main", "reason": "new"})).await;
    let history = admin.ok("chat.history", json!({"sessionKey": "main"})).await;
    assert_eq!(history["messages"], json!([]));
}

#[tokio::test]
async fn only_the_control_ui_among_web_chats_changes_sessions() {
    let gateway = echoing().await;
    for (id, allowed) in [("webchat", false), ("openclaw-control-ui", true)] {
        let headers = [("origin", &*format!("http://{}", gateway.address()))];
        let mut client = Client::open_with(gateway.address(), &headers).await;
        let mut params = connect_params(&["operator.admin"]);
        params["client"]["id"] = json!(id);
        params["client"]["mode"] = json!("webchat");
        let device = support::Device::new(if allowed { 1 } else { 2 });
        let challenge = client.event("connect.challenge").await;
        device.sign(&mut params, challenge["payload"]["nonce"].as_str().unwrap(), gateway.clock.now().0);
        let id = client.request("connect", &params).await;
        let hello = client.response(&id).await;
        assert_eq!(hello["ok"], true, "{hello}");
        let answer = client.call("sessions.patch", json!({"key": "main", "verboseLevel": "on"})).await;
        assert_eq!(answer["ok"], allowed, "{answer}");
        if !allowed {
            let expected = "webchat clients cannot patch sessions; use chat.send for session-scoped updates";
            assert_eq!(answer["error"]["message"], expected);
        }
    }
}

#[tokio::test]
async fn health_and_status_count_sessions() {
    let gateway = echoing().await;
    let mut admin = gateway.admin().await;
    say(&mut admin, "main", "r1", "hello").await;
    // Whoever connects brings a look at everything about.
    let mut second = gateway.admin().await;
    let health = second.until(|frame| frame["event"] == "health").await["payload"].clone();
    assert_eq!(health["sessions"]["count"], 1);
    assert_eq!(health["sessions"]["recent"][0]["key"], "agent:main:main");
    let status = admin.ok("status", json!({})).await;
    assert_eq!(status["sessions"]["count"], 1);
    let recent = &status["sessions"]["byAgent"][0]["recent"][0];
    assert_eq!(
        (&recent["key"], &recent["kind"], &recent["model"]),
        (&json!("agent:main:main"), &json!("direct"), &json!("m1"))
    );
    let mut reader = gateway.operator(&["operator.read"]).await;
    let status = reader.ok("status", json!({})).await;
    assert_eq!((&status["sessions"]["count"], &status["sessions"]["recent"]), (&json!(1), &json!([])));
}

#[tokio::test]
async fn agent_answers_twice_and_can_be_waited_for() {
    let gateway = echoing().await;
    let mut client = gateway.operator(&["operator.read", "operator.write"]).await;
    let params = json!({"message": "hello there", "sessionKey": "agent:main:t1", "idempotencyKey": "r1"});
    let id = client.request("agent", &params).await;
    let first = client.response(&id).await;
    assert_eq!((&first["payload"]["runId"], &first["payload"]["status"]), (&json!("r1"), &json!("accepted")));
    let second = client.response(&id).await["payload"].clone();
    assert_eq!((&second["status"], &second["summary"]), (&json!("ok"), &json!("completed")));
    assert!(second["result"]["payloads"][0]["text"].as_str().unwrap().contains("hello there"));
    assert_eq!(second["result"]["payloads"][0]["mediaUrl"], Value::Null);
    let meta = &second["result"]["meta"];
    assert_eq!((&meta["aborted"], &meta["agentMeta"]["model"]), (&json!(false), &json!("m1")));
    assert!(!meta["agentMeta"]["sessionId"].as_str().unwrap().is_empty());
    let waited = client.ok("agent.wait", json!({"runId": "r1", "timeoutMs": 1000})).await;
    assert_eq!(
        (&waited["status"], waited["startedAt"].is_i64(), waited["endedAt"].is_i64()),
        (&json!("ok"), true, true)
    );
    let unknown = client.ok("agent.wait", json!({"runId": "nobody", "timeoutMs": 1})).await;
    assert_eq!(unknown, json!({"runId": "nobody", "status": "timeout"}));
    let error =
        client.error("agent", json!({"message": "x", "agentId": "ghost", "idempotencyKey": "r2"})).await;
    assert_eq!(error["message"], "unknown agent id \"ghost\"");
    let error =
        client.error("agent", json!({"message": "x", "channel": "pigeon", "idempotencyKey": "r3"})).await;
    assert_eq!(error["message"], "invalid agent params: unknown channel: pigeon");
}

#[tokio::test]
async fn chats_hear_of_an_error_at_once_and_those_who_wait_when_no_retry_can_follow() {
    let clock = Arc::new(SimClock::new());
    let refusing = Scripts::new().otherwise(Script::new().fault(FaultReason::Auth));
    let gateway = Setup { clock: clock.clone(), ..Setup::answering("", refusing) }.start().await;
    let mut client = gateway.operator(&["operator.read", "operator.write"]).await;
    let mut patient = gateway.operator(&["operator.write"]).await;
    let end = say(&mut client, "main", "r1", "hello").await;
    assert_eq!(end["state"], "error", "{end}");
    let id = patient.request("agent.wait", &json!({"runId": "r1"})).await;
    let waited = client.request("agent.wait", &json!({"runId": "r1", "timeoutMs": 14_000})).await;
    // Who looks without waiting is answered behind the others: they wait by then.
    for each in [&mut client, &mut patient] {
        let now = each.ok("agent.wait", json!({"runId": "r1", "timeoutMs": 0})).await;
        assert_eq!(now, json!({"runId": "r1", "status": "timeout"}));
    }
    clock.advance(Duration::from_secs(14)).await;
    let waited = client.response(&waited).await["payload"].clone();
    assert_eq!(waited, json!({"runId": "r1", "status": "timeout"}));
    clock.advance(Duration::from_secs(1)).await;
    let told = patient.response(&id).await["payload"].clone();
    assert_eq!((&told["status"], &told["error"]), (&json!("error"), &end["errorMessage"]));
    let at_once = client.ok("agent.wait", json!({"runId": "r1", "timeoutMs": 0})).await;
    assert_eq!(at_once, told, "what was held once is told to everybody");
}

#[tokio::test]
async fn a_command_is_answered_without_a_model_on_both_ways() {
    let gateway = Setup::answering("", Scripts::new()).start().await;
    let mut client = gateway.operator(&["operator.read", "operator.write"]).await;
    let end = say(&mut client, "main", "r1", "/help").await;
    assert_eq!(
        (&end["state"], &end["sessionKey"], &end["seq"]),
        (&json!("final"), &json!("main"), &json!(1))
    );
    let id = client.request("agent", &json!({"message": "/help", "idempotencyKey": "r2"})).await;
    assert_eq!(client.response(&id).await["payload"]["status"], "accepted");
    let second = client.response(&id).await["payload"].clone();
    assert_eq!(second["result"]["payloads"][0]["text"], end["message"]["content"][0]["text"]);
}

#[tokio::test]
async fn levels_of_thinking_are_read_as_people_write_them_and_wrong_ones_refused() {
    let gateway = echoing().await;
    let mut admin = gateway.admin().await;
    let ask = |level: &str, run: &str| json!({ "message": "hi", "sessionKey": "main", "thinking": level, "idempotencyKey": run });
    let wrong = admin.error("agent", ask("galaxy", "t0")).await;
    assert_eq!(
        wrong["message"],
        "invalid agent params: thinking \"galaxy\" is not one of off, minimal, low, medium, high, xhigh"
    );
    for (number, level) in ["max", "on", "High", " "].iter().enumerate() {
        let id = admin.request("agent", &ask(level, &format!("t{}", number + 1))).await;
        admin.response(&id).await;
        let end = admin.response(&id).await;
        assert_eq!(end["payload"]["status"], "ok", "{level}: {end}");
    }
}

#[tokio::test]
async fn the_room_that_a_request_names_is_kept_with_its_session() {
    let gateway = echoing().await;
    let mut admin = gateway.admin().await;
    let ask = json!({
        "message": "hi", "sessionKey": "agent:main:room", "groupChannel": "#soup", "groupSpace": "kitchen",
        "idempotencyKey": "g1"
    });
    let id = admin.request("agent", &ask).await;
    admin.response(&id).await;
    admin.response(&id).await;
    let listed = admin.ok("sessions.list", json!({})).await;
    let all = listed["sessions"].as_array().unwrap();
    let room = all.iter().find(|one| one["key"] == "agent:main:room").unwrap();
    assert_eq!((&room["groupChannel"], &room["space"]), (&json!("#soup"), &json!("kitchen")), "{room}");
}

#[tokio::test]
async fn agents_are_shown_in_one_order_and_with_a_letter_of_their_choice() {
    let settings = r#"agents: { defaults: { model: "mock/m1", thinkingDefault: "low" },
        list: [{ id: "zoe" }, { id: "ben" }, { id: "may", default: true }] }"#;
    let gateway = Setup::answering(settings, Scripts::new().otherwise_echo()).start().await;
    let mut admin = gateway.admin().await;
    let listed = admin.ok("agents.list", json!({})).await;
    let ids: Vec<&Value> = listed["agents"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
    assert_eq!(ids, ["may", "ben", "zoe"]);
    let status = admin.ok("status", json!({})).await;
    let ids: Vec<&Value> =
        status["sessions"]["byAgent"].as_array().unwrap().iter().map(|one| &one["agentId"]).collect();
    assert_eq!(ids, ["may", "ben", "zoe"]);
    admin.ok("agents.update", json!({"agentId": "ben", "avatar": "Q"})).await;
    assert_eq!(admin.ok("agent.identity.get", json!({"agentId": "ben"})).await["avatar"], "Q");
    let history = admin.ok("chat.history", json!({"sessionKey": "main"})).await;
    assert_eq!(history["thinkingLevel"], "low", "as it is configured, whatever the model makes of it");
}

#[tokio::test]
async fn agents_are_listed_made_changed_and_removed() {
    let gateway = echoing().await;
    let mut admin = gateway.admin().await;
    assert_eq!(
        admin.ok("agents.list", json!({})).await,
        json!({"defaultId": "main", "mainKey": "main", "scope": "per-sender", "agents": [{"id": "main"}]})
    );
    assert_eq!(
        admin.ok("agent.identity.get", json!({})).await,
        json!({"agentId": "main", "name": "Assistant", "avatar": "A"})
    );
    let workspace = gateway.home.path("bob").display().to_string();
    let made =
        admin.ok("agents.create", json!({"name": "Bob Two", "workspace": workspace, "emoji": "🦀"})).await;
    assert_eq!(made, json!({"ok": true, "agentId": "bob-two", "name": "Bob Two", "workspace": workspace}));
    let who = admin.ok("agent.identity.get", json!({"agentId": "bob-two"})).await;
    assert_eq!((&who["name"], &who["emoji"]), (&json!("Bob Two"), &json!("🦀")));
    admin.ok("agents.update", json!({"agentId": "bob-two", "name": "Bobby"})).await;
    let made =
        json!({"name": "Eve", "workspace": gateway.home.path("eve"), "avatar": "https://a.example/e.png"});
    admin.ok("agents.create", made).await;
    let who = admin.ok("agent.identity.get", json!({"agentId": "eve"})).await;
    assert_eq!(who["avatar"], "https://a.example/e.png");
    admin.ok("agents.delete", json!({"agentId": "eve"})).await;
    let names: Vec<Value> = admin.ok("agents.list", json!({})).await["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].clone())
        .collect();
    assert_eq!(names, [json!("main"), json!("bob-two")]);
    let files = admin.ok("agents.files.list", json!({"agentId": "bob-two"})).await;
    assert_eq!(files["files"][0]["name"], "AGENTS.md");
    let set =
        admin.ok("agents.files.set", json!({"agentId": "bob-two", "name": "TOOLS.md", "content": "x"})).await;
    assert_eq!((&set["file"]["size"], &set["file"]["content"]), (&json!(1), &json!("x")));
    let got = admin.ok("agents.files.get", json!({"agentId": "bob-two", "name": "TOOLS.md"})).await;
    assert_eq!(got["file"]["content"], "x");
    for name in ["../openclaw.json", "secret.txt", "/etc/passwd"] {
        let error = admin.error("agents.files.get", json!({"agentId": "bob-two", "name": name})).await;
        assert!(error["message"].as_str().unwrap().starts_with("unsupported file"), "{error}");
    }
    let gone = admin.ok("agents.delete", json!({"agentId": "bob-two"})).await;
    assert_eq!(gone, json!({"ok": true, "agentId": "bob-two", "removedBindings": 0}));
    assert!(!gateway.home.path("bob").exists());
    for (method, params) in [
        ("agents.update", json!({"agentId": "bob-two", "name": "x"})),
        ("agents.delete", json!({"agentId": "bob-two"})),
    ] {
        assert_eq!(admin.error(method, params).await["message"], "agent \"bob-two\" not found");
    }
    let reserved = admin.error("agents.create", json!({"name": "main", "workspace": "/tmp/x"})).await;
    assert_eq!(reserved["code"], "INVALID_REQUEST");
}

#[tokio::test]
async fn the_catalog_shows_the_tools_there_are() {
    let gateway = echoing().await;
    let mut reader = gateway.operator(&["operator.read"]).await;
    let catalog = reader.ok("tools.catalog", json!({"includePlugins": true})).await;
    assert_eq!(catalog["agentId"], "main");
    let profiles: Vec<&Value> =
        catalog["profiles"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
    assert_eq!(profiles, [&json!("minimal"), &json!("coding"), &json!("messaging"), &json!("full")]);
    assert_eq!(catalog["groups"][0]["id"], "fs");
    assert_eq!(catalog["groups"][0]["tools"][0]["id"], "read");
}

#[tokio::test]
async fn questions_about_commands_reach_those_who_may_answer_and_nobody_else() {
    let gateway = echoing().await;
    let mut asker = gateway.operator(&["operator.approvals"]).await;
    let mut reader = gateway.operator(&["operator.read", "operator.write"]).await;
    let params = json!({"command": "rm -r build", "twoPhase": true, "timeoutMs": 60_000, "agentId": "main"});
    let id = asker.request("exec.approval.request", &params).await;
    let taken = asker.response(&id).await["payload"].clone();
    assert_eq!(taken["status"], "accepted");
    let asked = asker.event("exec.approval.requested").await["payload"].clone();
    assert_eq!((&asked["id"], &asked["request"]["command"]), (&taken["id"], &json!("rm -r build")));
    assert_eq!(asked["request"]["cwd"], Value::Null);
    let error = reader.error("exec.approval.resolve", json!({"id": taken["id"], "decision": "deny"})).await;
    assert_eq!(error["message"], "missing scope: operator.approvals");
    let error = asker.error("exec.approval.resolve", json!({"id": taken["id"], "decision": "maybe"})).await;
    assert_eq!(error["message"], "invalid decision");
    asker.ok("exec.approval.resolve", json!({"id": taken["id"], "decision": "allow-once"})).await;
    assert_eq!(asker.response(&id).await["payload"]["decision"], "allow-once");
    assert_eq!(asker.event("exec.approval.resolved").await["payload"]["decision"], "allow-once");
    let late = asker.ok("exec.approval.waitDecision", json!({"id": taken["id"]})).await;
    assert_eq!(late["decision"], "allow-once");
    reader.ok("health", json!({})).await;
    assert!(reader.skipped.iter().all(|frame| !frame["event"].as_str().unwrap_or("").starts_with("exec.")));
}

#[tokio::test]
async fn open_questions_are_listed_and_always_takes_a_scope_that_can_be_kept() {
    let gateway = echoing().await;
    let mut clerk = gateway.operator(&["operator.approvals"]).await;
    let params = json!({"id": "abcd-1", "command": "rm -r build", "twoPhase": true, "cwd": "/work"});
    let request = clerk.request("exec.approval.request", &params).await;
    clerk.response(&request).await;
    let listed = clerk.ok("exec.approval.list", json!({})).await;
    assert_eq!(
        (&listed[0]["id"], &listed[0]["request"]["cwd"], listed.as_array().map(Vec::len)),
        (&json!("abcd-1"), &json!("/work"), Some(1))
    );
    let refused = [
        (json!({"decision": "deny", "scope": {}}), "scope belongs to the decision allow-always only"),
        (
            json!({"decision": "allow-always", "scope": {"holder": "session"}}),
            "this command cannot be allowed so widely",
        ),
        (
            json!({"decision": "allow-always", "scope": {"arguments": "leading"}}),
            "scope.leading says how many",
        ),
        (
            json!({"decision": "allow-always", "scope": {"arguments": "any", "leading": 1}}),
            "scope.leading says how many",
        ),
        (
            json!({"decision": "allow-always", "scope": {"folder": "there"}}),
            "invalid exec.approval.resolve params",
        ),
    ];
    for (mut params, said) in refused {
        params["id"] = json!("abcd-1");
        let error = clerk.error("exec.approval.resolve", params.clone()).await;
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with(said), "{params}: {message}");
    }
    let params = json!({"id": "abcd", "decision": "allow-always", "scope": {}});
    clerk.ok("exec.approval.resolve", params).await;
    assert_eq!(clerk.response(&request).await["payload"]["decision"], "allow-always");
    assert_eq!(clerk.ok("exec.approval.list", json!({})).await, json!([]));
}

#[tokio::test]
async fn who_may_not_approve_cannot_do_so_with_a_command_in_the_chat() {
    let gateway = echoing().await;
    let mut clerk = gateway.operator(&["operator.approvals"]).await;
    let mut writer = gateway.operator(&["operator.read", "operator.write"]).await;
    let request = clerk.request("exec.approval.request", &json!({"command": "ls", "twoPhase": true})).await;
    let asked = clerk.response(&request).await["payload"]["id"].as_str().unwrap().to_owned();
    say(&mut writer, "main", "r1", &format!("/approve {asked} allow-once")).await;
    clerk.ok("exec.approval.resolve", json!({"id": asked, "decision": "deny"})).await;
    assert_eq!(clerk.response(&request).await["payload"]["decision"], "deny");
}

#[tokio::test]
async fn standing_rules_are_replaced_only_by_who_has_read_them() {
    let gateway = echoing().await;
    let mut admin = gateway.admin().await;
    let empty = admin.ok("exec.approvals.get", json!({})).await;
    assert_eq!((&empty["exists"], &empty["file"]["version"]), (&json!(false), &json!(1)));
    let file = json!({"version": 1, "agents": {"main": {"security": "allowlist", "allowlist": [{"pattern": "/bin/ls"}]}}});
    let set = admin.ok("exec.approvals.set", json!({"file": file, "baseHash": empty["hash"]})).await;
    assert_eq!(set["exists"], true);
    let error = admin.error("exec.approvals.set", json!({"file": file})).await;
    assert_eq!(error["code"], "INVALID_REQUEST");
    let error = admin.error("exec.approvals.set", json!({"file": file, "baseHash": empty["hash"]})).await;
    assert_eq!(error["code"], "INVALID_REQUEST");
}

#[tokio::test]
async fn without_somebody_who_answers_the_methods_do_not_exist() {
    let gateway = TestGateway::new().await;
    let mut admin = gateway.admin().await;
    for method in
        ["chat.send", "agent", "sessions.list", "agents.list", "tools.catalog", "exec.approvals.get", "send"]
    {
        let error = admin.error(method, json!({})).await;
        assert_eq!(error["message"], format!("unknown method: {method}"));
    }
    let events = admin.hello["features"]["events"].as_array().unwrap().clone();
    assert!(!events.contains(&json!("chat")));
}

#[tokio::test]
async fn a_conversation_goes_on_from_any_message_in_place_or_as_a_new_session() {
    let gateway = echoing().await;
    let mut admin = gateway.admin().await;
    say(&mut admin, "main", "b1", "first").await;
    say(&mut admin, "main", "b2", "second").await;
    let history = admin.ok("chat.history", json!({"sessionKey": "main"})).await;
    let answer = history["messages"][1]["__openclaw"]["id"].clone();
    let branch = json!({"key": "main", "entryId": answer, "newKey": "side"});
    let branched = admin.ok("sessions.branch", branch.clone()).await;
    assert_eq!(branched["key"], "agent:main:side");
    assert_ne!(branched["entry"]["sessionId"], history["sessionId"]);
    let side = admin.ok("chat.history", json!({"sessionKey": "side"})).await;
    assert_eq!(side["messages"].as_array().unwrap().len(), 2);
    assert_eq!(admin.error("sessions.branch", branch).await["code"], "INVALID_REQUEST");
    let here = admin.ok("sessions.branch", json!({"key": "main", "entryId": answer})).await;
    assert_eq!(
        (&here["key"], &here["entry"]["sessionId"]),
        (&json!("agent:main:main"), &history["sessionId"])
    );
    say(&mut admin, "main", "b3", "third").await;
    let after = admin.ok("chat.history", json!({"sessionKey": "main"})).await;
    let words: Vec<bool> = after["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["content"].to_string().contains("second"))
        .collect();
    assert_eq!(words, [false; 4], "{after}");
    let lost = admin.error("sessions.branch", json!({"key": "main", "entryId": "nowhere"})).await;
    assert_eq!(lost["code"], "INVALID_REQUEST");
}

#[tokio::test]
async fn the_commands_of_a_chat_are_listed() {
    let gateway = echoing().await;
    let mut reader = gateway.operator(&["operator.read"]).await;
    let listed = reader.ok("commands.list", json!({"scope": "text", "includeArgs": false})).await;
    let commands = listed["commands"].as_array().unwrap();
    let status = commands.iter().find(|command| command["name"] == "status").unwrap();
    assert_eq!((&status["source"], &status["textAliases"][0]), (&json!("native"), &json!("/status")));
    assert!(commands.iter().all(|command| command.get("args").is_none()));
}

#[tokio::test]
async fn a_run_that_fails_is_an_answer_whose_last_payload_says_so() {
    let fault = Script::new().fault(FaultReason::Format);
    let scripts = Scripts::new()
        .then(Script::new().say("Let me look.").call_tool("agents_list", json!({})))
        .then(fault.clone())
        .otherwise(fault);
    let gateway = Setup::answering("", scripts).start().await;
    let mut client = gateway.operator(&["operator.read", "operator.write"]).await;
    let params = json!({"message": "hello", "agentId": "main", "idempotencyKey": "f1"});
    let id = client.request("agent", &params).await;
    assert_eq!(client.response(&id).await["payload"]["status"], "accepted");
    let ended = client.response(&id).await;
    assert_eq!(ended["ok"], true, "{ended}");
    let payload = &ended["payload"];
    assert_eq!((&payload["status"], &payload["summary"]), (&json!("ok"), &json!("completed")));
    assert_eq!(payload["result"]["meta"]["stopReason"], "error");
    let texts: Vec<&str> = payload["result"]["payloads"]
        .as_array()
        .unwrap()
        .iter()
        .map(|payload| payload["text"].as_str().unwrap())
        .collect();
    assert!(matches!(texts.as_slice(), ["Let me look.", failure] if !failure.is_empty()), "{texts:?}");
}

#[tokio::test]
async fn a_writer_in_the_web_chat_has_the_name_of_their_program() {
    let gateway = echoing().await;
    let mut admin = gateway.admin().await;
    let program = connect_params(&[])["client"]["id"].as_str().unwrap().to_owned();
    let card = say(&mut admin, "main", "w1", "/whoami").await;
    let text = card["message"]["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(text.contains(&format!("For an allow-list (allowFrom): {program}")), "{text}");
    say(&mut admin, "main", "w2", "hello").await;
    let listed = admin.ok("sessions.list", json!({})).await;
    assert_eq!(listed["sessions"][0]["origin"].get("from"), None, "{listed}");
}

#[tokio::test]
async fn a_conversation_that_is_summed_up_is_counted_once() {
    let gateway = echoing().await;
    let mut admin = gateway.admin().await;
    for number in 0..6 {
        say(&mut admin, "main", &format!("r{number}"), &"many words ".repeat(4_000)).await;
    }
    let few = admin.ok("sessions.compact", json!({"key": "main"})).await;
    assert_eq!((&few["compacted"], &few["kept"]), (&json!(false), &json!(12)), "400 lines are kept: {few}");
    say(&mut admin, "main", "sum", "/compact").await;
    let entry = admin.ok("sessions.patch", json!({"key": "main"})).await;
    assert_eq!(entry["entry"]["compactionCount"], 1, "{entry}");
}

#[tokio::test]
async fn a_session_that_is_made_shorter_says_where_all_of_it_is() {
    let gateway = echoing().await;
    let mut admin = gateway.admin().await;
    for number in 0..3 {
        say(&mut admin, "main", &format!("r{number}"), "some words").await;
    }
    let listed = admin.ok("sessions.list", json!({})).await;
    let made = admin.ok("sessions.compact", json!({"key": "main", "maxLines": 2})).await;
    assert_eq!(
        made,
        json!({
            "ok": true, "key": "agent:main:main", "compacted": true, "kept": 2,
            "archived": listed["sessions"][0]["sessionId"],
        })
    );
}
