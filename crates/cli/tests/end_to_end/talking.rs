//! `openclaw agent`, `sessions` and `message`: conversations with a scripted model, with and without a gateway.

use openclaw_providers::Script;
use openclaw_testkit::ScriptedModelServer;
use serde_json::{Value, json};

use crate::world::World;

/// A home whose agent is answered by this server.
fn world(server: &ScriptedModelServer) -> World {
    let world = World::new();
    let root = server.root();
    world.write(
        "openclaw.json",
        &format!(
            "{{ agents: {{ defaults: {{ model: 'box/small' }} }},\n  models: {{ providers: {{ box: {{ baseUrl: '{root}/v1', \
             api: 'openai-completions', apiKey: 'k',\n    models: [{{ id: 'small', name: 'Small', contextWindow: 64000, \
             maxTokens: 4000 }}] }} }} }} }}\n"
        ),
    );
    world
}

/// The words of people that reached the model.
fn said(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array().unwrap();
    let of_people = messages.iter().filter(|message| message["role"] == json!("user"));
    of_people.map(|message| message["content"].to_string()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_answers_without_a_gateway_and_remembers() {
    let server =
        ScriptedModelServer::start([Script::new().say("Hello, Ana."), Script::new().say("You are Ana.")])
            .await;
    let world = world(&server);
    let first = world.run(&["agent", "--local", "--agent", "main", "--message", "I am Ana."]);
    assert_eq!(first.ok(), "Hello, Ana.\n");
    server.next_request().await;
    let second = world.run(&["agent", "--local", "--to", "+15550001", "-m", "Who am I?", "--json"]).ok_json();
    assert_eq!(second["payloads"], json!([{ "text": "You are Ana.", "mediaUrl": null }]), "{second}");
    assert_eq!(
        (&second["meta"]["aborted"], &second["meta"]["agentMeta"]["model"]),
        (&json!(false), &json!("small")),
        "{second}"
    );
    let asked = said(&server.next_request().await.body);
    assert!(
        asked.len() == 2 && asked[0].contains("I am Ana.") && asked[1].contains("Who am I?"),
        "{asked:?}"
    );
    let sessions = world.run(&["sessions", "--json"]).ok_json();
    let row = &sessions["sessions"][0];
    assert_eq!(
        (&sessions["count"], &row["key"], &row["kind"], &row["model"], &row["contextTokens"]),
        (&json!(1), &json!("agent:main:main"), &json!("direct"), &json!("small"), &json!(64000)),
        "{sessions}"
    );
    assert_eq!(row["sessionId"], second["meta"]["agentMeta"]["sessionId"]);
    let text = world.run(&["sessions", "--active", "5"]).ok();
    assert!(text.contains("Sessions: 1, changed within 5 min") && text.contains("agent:main:main"), "{text}");
    assert!(world.path("workspace/AGENTS.md").is_file());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_has_a_name_of_its_own_and_commands_are_answered_without_a_model() {
    let server = ScriptedModelServer::start([Script::new().say("Noted.")]).await;
    let world = world(&server);
    let noted =
        world.run(&["agent", "--local", "--session-id", "garden", "--verbose", "on", "-m", "Plant roses."]);
    assert_eq!(noted.ok(), "Noted.\n");
    let status = world.run(&["agent", "--local", "--session-id", "garden", "-m", "/status"]).ok();
    assert!(status.contains("small"), "{status}");
    let sessions = world.run(&["sessions", "--json", "--all-agents"]).ok_json();
    let row = &sessions["sessions"][0];
    assert_eq!(
        (&row["key"], &row["verboseLevel"]),
        (&json!("agent:main:explicit:garden"), &json!("on")),
        "{sessions}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gateway_answers_and_its_web_chat_is_written_to_and_read() {
    let server =
        ScriptedModelServer::start([Script::new().say("Good evening."), Script::new().say("Later.")]).await;
    let world = world(&server);
    let gateway = world.start_gateway(&[]);
    let answer = world.run(&["agent", "--agent", "main", "--message", "Greet me.", "--json"]).ok_json();
    assert_eq!(
        (&answer["status"], &answer["result"]["payloads"][0]["text"]),
        (&json!("ok"), &json!("Good evening.")),
        "{answer}"
    );
    let refused = world.run(&["agent", "--local", "--agent", "main", "--message", "Again."]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("leave --local out"), "{}", refused.stderr);
    let id = answer["result"]["meta"]["agentMeta"]["sessionId"].as_str().unwrap();
    assert_eq!(world.run(&["agent", "--session-id", id, "-m", "And later?"]).ok(), "Later.\n");
    let sent =
        world.run(&["message", "send", "--target", "main", "--message", "A note.", "--json"]).ok_json();
    assert_eq!((&sent["action"], &sent["channel"]), (&json!("send"), &json!("webchat")), "{sent}");
    let read = world.run(&["message", "read", "--target", "main", "--json"]).ok_json();
    let messages = read["payload"]["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 5, "{read}");
    assert!(messages[4].to_string().contains("A note."), "{read}");
    let text = world.run(&["message", "read", "--target", "main"]).ok();
    assert!(text.contains("Good evening.") && text.contains("A note."), "{text}");
    assert_eq!(world.run(&["message", "send", "--target", "main", "--card", "{}"]).code, Some(2));
    let status = world.run(&["status"]).ok();
    assert!(status.contains("agent:main:main"), "{status}");
    assert_eq!(gateway.stop(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_gateway_this_process_answers_and_says_so() {
    let server = ScriptedModelServer::start([Script::new().say("Here I am.")]).await;
    let world = world(&server);
    let outcome = world.run(&["agent", "--agent", "main", "--message", "Anybody?"]);
    assert!(
        outcome.stderr.contains("No gateway runs here. Answering in this process."),
        "{}",
        outcome.stderr
    );
    assert_eq!(outcome.ok(), "Here I am.\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_fails_is_told_and_ends_with_one() {
    let server = ScriptedModelServer::start([Script::new().status(401), Script::new().status(401)]).await;
    let world = world(&server);
    let failed = world.run(&["agent", "--local", "--agent", "main", "--message", "Hello?", "--json"]);
    let told: Value = serde_json::from_str(&failed.stdout).unwrap();
    assert!(told.to_string().contains("box"), "{told}\n{}", failed.stderr);
}

#[test]
fn old_sessions_are_put_away_when_asked() {
    let world = World::new();
    let store = json!({
        "agent:main:main": { "sessionId": "one", "updatedAt": 1_000 },
        "agent:main:garden": { "sessionId": "two", "updatedAt": 2_000, "thinkingLevel": "high" },
    });
    std::fs::create_dir_all(world.path("agents/main/sessions")).unwrap();
    world.write("agents/main/sessions/sessions.json", &store.to_string());
    let old = world.path("agents/main/sessions");
    let shown = world.run(&["sessions", "--store", old.to_str().unwrap(), "--json"]).ok_json();
    assert_eq!(
        (&shown["count"], &shown["sessions"][0]["thinkingLevel"]),
        (&json!(2), &json!("high")),
        "{shown}"
    );
    assert_eq!(world.run(&["sessions", "--json"]).ok_json()["count"], json!(0));
    assert!(!world.path("agents/main/agent/agent.sqlite").exists());
    let doctor = world.run(&["doctor"]).ok();
    assert!(doctor.contains("taken over when the gateway starts"), "{doctor}");
    let gateway = world.start_gateway(&[]);
    assert_eq!(gateway.stop(), Some(0));
    assert_eq!(world.run(&["sessions", "--json"]).ok_json()["count"], json!(2));
    let dry = world.run(&["sessions", "cleanup", "--dry-run", "--json"]).ok_json();
    assert_eq!(
        [
            &dry["mode"],
            &dry["dryRun"],
            &dry["beforeCount"],
            &dry["afterCount"],
            &dry["pruned"],
            &dry["wouldMutate"]
        ],
        [&json!("warn"), &json!(true), &json!(2), &json!(1), &json!(1), &json!(true)],
        "{dry}"
    );
    let only_told = world.run(&["sessions", "cleanup"]);
    assert!(only_told.stderr.contains("--enforce does it"), "{}", only_told.stderr);
    assert!(only_told.ok().contains("agent:main:garden"));
    let done = world.run(&["sessions", "cleanup", "--enforce", "--json"]).ok_json();
    assert_eq!((&done["applied"], &done["appliedCount"]), (&json!(true), &json!(1)), "{done}");
    assert_eq!(world.run(&["sessions", "--json"]).ok_json()["sessions"][0]["key"], json!("agent:main:main"));
    assert_eq!(world.run(&["sessions", "--agent", "main", "--all-agents"]).code, Some(2));
}

#[test]
fn sessions_elsewhere_are_taken_over_and_written_back_there() {
    let world = World::new();
    let list = world.home().join("talks/main.json");
    std::fs::create_dir(world.home().join("talks")).unwrap();
    let talks = json!({ "agent:main:main": { "sessionId": "one", "updatedAt": 1_000 } });
    std::fs::write(&list, talks.to_string()).unwrap();
    world.write(
        "openclaw.json",
        "{ session: { store: '~/talks/{agentId}.json' }, agents: { list: [{ id: 'main', agentDir: '~/own' }] } }",
    );
    let doctor = world.run(&["doctor"]).stdout;
    assert!(doctor.contains("~/talks/main.json is of an earlier installation"), "{doctor}");
    let gateway = world.start_gateway(&[]);
    let params = json!({ "agentId": "main" }).to_string();
    let shown = world.run(&["gateway", "call", "sessions.list", "--params", &params, "--json"]).ok_json();
    assert_eq!((&shown["count"], &shown["path"]), (&json!(1), &json!(list)), "{shown}");
    assert_eq!(gateway.stop(), Some(0));
    let kept = world.run(&["sessions", "--json"]).ok_json();
    let file = world.home().join("own/agent.sqlite");
    assert_eq!((&kept["count"], &kept["path"]), (&json!(1), &json!(file)), "{kept}");
    std::fs::remove_file(&list).unwrap();
    let back = world.run(&["sessions", "export", "--json"]).ok_json();
    assert_eq!(back["exported"][0]["list"], json!(list), "{back}");
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&list).unwrap()).unwrap();
    assert_eq!(written, talks);
    assert_eq!(world.run(&["sessions", "export"]).code, Some(2), "it is there already");
}

#[test]
fn an_agent_that_is_given_a_folder_later_keeps_its_sessions() {
    let world = World::new();
    std::fs::create_dir_all(world.path("agents/main/sessions")).unwrap();
    let talks = json!({ "agent:main:main": { "sessionId": "one", "updatedAt": 1_000 } });
    world.write("agents/main/sessions/sessions.json", &talks.to_string());
    let gateway = world.start_gateway(&[]);
    assert_eq!(gateway.stop(), Some(0));
    world.write("openclaw.json", "{ agents: { list: [{ id: 'main', agentDir: '~/own' }] } }");
    let usual = world.path("agents/main/agent/agent.sqlite");
    let kept = world.run(&["sessions", "--json"]).ok_json();
    assert_eq!((&kept["count"], &kept["path"]), (&json!(1), &json!(usual)), "{kept}");
    let doctor = world.run(&["doctor"]);
    let told = "stay in ~/.openclaw/agents/main/agent/agent.sqlite, where they are already, though its agentDir says \
                ~/own/agent.sqlite";
    assert!(doctor.stdout.contains(told), "{}", doctor.stdout);
    // Taken along, it is used there.
    std::fs::create_dir(world.home().join("own")).unwrap();
    std::fs::rename(&usual, world.home().join("own/agent.sqlite")).unwrap();
    let kept = world.run(&["sessions", "--json"]).ok_json();
    let file = world.home().join("own/agent.sqlite");
    assert_eq!((&kept["count"], &kept["path"]), (&json!(1), &json!(file)), "{kept}");
}

#[test]
fn a_list_that_agents_share_is_written_for_all_of_them() {
    let world = World::new();
    world.write(
        "openclaw.json",
        "{ session: { store: '~/all.json' }, agents: { list: [{ id: 'main' }, { id: 'ops' }] } }",
    );
    let talks = json!({
        "agent:main:main": { "sessionId": "one", "updatedAt": 1_000 },
        "agent:ops:main": { "sessionId": "two", "updatedAt": 2_000 },
    });
    std::fs::write(world.home().join("all.json"), talks.to_string()).unwrap();
    let gateway = world.start_gateway(&[]);
    assert_eq!(gateway.stop(), Some(0));
    let kept = world.run(&["sessions", "--all-agents", "--json"]).ok_json();
    assert_eq!(kept["count"], json!(2), "{kept}");
    let alone = world.run(&["sessions", "export", "--agent", "ops", "--force"]);
    assert!(alone.code == Some(2) && alone.stderr.contains("shared by main, ops"), "{}", alone.stderr);
    let told = world.run(&["sessions", "export", "--all-agents", "--force"]).ok();
    assert!(told.contains("What was there before is in ~/all.json.bak."), "{told}");
    let written: Value =
        serde_json::from_str(&std::fs::read_to_string(world.home().join("all.json")).unwrap()).unwrap();
    assert_eq!(written, talks);
}

#[test]
fn an_export_without_anything_to_write_leaves_the_list_alone() {
    let world = World::new();
    std::fs::create_dir_all(world.path("agents/main/sessions")).unwrap();
    let talks = json!({ "agent:main:main": { "sessionId": "one", "updatedAt": 1_000 } }).to_string();
    world.write("agents/main/sessions/sessions.json", &talks);
    let list = world.path("agents/main/sessions/sessions.json");
    for (config, words) in [("{}", "there are no sessions to write"), ("{ agents: ", "is not valid")] {
        world.write("openclaw.json", config);
        let refused = world.run(&["sessions", "export", "--force"]);
        assert!(refused.code == Some(1) && refused.stderr.contains(words), "{}", refused.stderr);
        assert_eq!(std::fs::read_to_string(&list).unwrap(), talks);
    }
}

#[test]
fn what_is_missing_is_asked_for() {
    let world = World::new();
    let rows: [(&[&str], &str); 8] = [
        (&["agent", "--message", "hi"], "say to whom"),
        (
            &["agent", "--agent", "nobody", "--message", "hi"],
            "there is no agent nobody; agents.list has main",
        ),
        (&["agent", "--agent", "main", "--message", " "], "say something"),
        (&["agent", "--agent", "main", "--message", "hi", "--thinking", "much"], "say off, minimal"),
        (&["message", "send", "--target", "main"], "say what with --message"),
        (&["message", "react", "--target", "x", "--emoji", "y"], "--message-id <id>"),
        (&["sessions", "branch", "main", "--to", "side"], "say from which message"),
        (&["sessions", "--active", "0"], "0"),
    ];
    for (arguments, words) in rows {
        let outcome = world.run(arguments);
        assert_eq!(outcome.code, Some(2), "{arguments:?}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(words), "{arguments:?}: {}", outcome.stderr);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_goes_on_from_an_earlier_message_and_leaves_as_files_that_can_be_taken_over() {
    let server = ScriptedModelServer::start([
        Script::new().say("One."),
        Script::new().say("Two."),
        Script::new().say("Three."),
    ])
    .await;
    let world = world(&server);
    for words in ["Count.", "Go on."] {
        world.run(&["agent", "--local", "--agent", "main", "-m", words]).ok();
    }
    let listed = world.run(&["sessions", "branch", "main", "--json"]).ok_json();
    let id = listed["messages"][1]["__openclaw"]["id"].as_str().unwrap().to_owned();
    let table = world.run(&["sessions", "branch", "main"]).ok();
    assert!(table.contains(&id) && table.contains("One."), "{table}");
    let side = world.run(&["sessions", "branch", "main", &id, "--to", "side", "--json"]).ok_json();
    assert_eq!(side["key"], json!("agent:main:side"), "{side}");
    world.run(&["sessions", "branch", "main", &id]).ok();
    assert_eq!(world.run(&["agent", "--local", "--agent", "main", "-m", "Again."]).ok(), "Three.\n");
    let count = |listed: &Value| listed["messages"].as_array().unwrap().len();
    assert_eq!(count(&world.run(&["sessions", "branch", "main", "--json"]).ok_json()), 4);
    assert_eq!(world.run(&["sessions", "branch", "main", "nowhere"]).code, Some(1));

    let folder = world.home().join("files");
    let export = ["sessions", "export", folder.to_str().unwrap()];
    let told = world.run(&[&export[..], &["--json"]].concat()).ok_json();
    let row = &told["exported"][0];
    assert_eq!(
        (&row["agentId"], &row["sessions"], &row["transcripts"]),
        (&json!("main"), &json!(2), &json!(2))
    );
    let again = world.run(&export);
    assert!(again.code == Some(2) && again.stderr.contains("--force"), "{}", again.stderr);

    let other = self::world(&server);
    std::fs::create_dir_all(other.path("agents/main")).unwrap();
    std::fs::rename(folder.join("agents/main/sessions"), other.path("agents/main/sessions")).unwrap();
    let gateway = other.start_gateway(&[]);
    assert_eq!(gateway.stop(), Some(0));
    let messages = |of: &World, key: &str| {
        let listed = of.run(&["sessions", "branch", key, "--json"]).ok_json();
        listed["messages"].clone()
    };
    for key in ["main", "side"] {
        assert_eq!(messages(&other, key), messages(&world, key), "{key}");
    }
}
