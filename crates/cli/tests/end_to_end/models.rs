//! `openclaw models …` with a model server on a real socket.
//!
//! The server follows scripts and remembers what it was asked, so that the key that really went out can be seen.

use openclaw_providers::Script;
use openclaw_testkit::ScriptedModelServer;
use serde_json::{Value, json};

use crate::world::{Outcome, World};

const KEY: &str = "sk-planted-secret-0123456789-wxyz";
const TOKEN: &str = "tok-planted-secret-9876543210-abcd";

/// A home whose configuration names a server `box` with one model.
fn world(base_url: &str, more: &str) -> World {
    let world = World::new();
    world.write(
        "openclaw.json",
        &format!(
            "{{\n  // mine\n  models: {{ providers: {{ box: {{ baseUrl: '{base_url}', api: 'openai-completions', apiKey: '{KEY}',\n    \
             models: [{{ id: 'small', name: 'Small', contextWindow: 32000, maxTokens: 4000, cost: {{ input: 1, output: 2, cacheRead: 0, cacheWrite: 0 }} }}] }} }} }},\n{more}}}\n"
        ),
    );
    world
}

/// A home without a server behind it.
fn offline() -> World {
    world("http://127.0.0.1:9/v1", "")
}

/// The same, with what was printed checked for secrets.
fn clean(outcome: Outcome) -> Outcome {
    let all = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(!all.contains("planted-secret"), "a secret was printed: {all}");
    outcome
}

#[test]
fn a_model_is_chosen_listed_and_shown_with_comments_kept() {
    let world = offline();
    let set = world.run(&["models", "set", "box/small"]).ok();
    assert_eq!(set, "Default model: box/small\n");
    let written = world.read("openclaw.json");
    assert!(written.contains("// mine") && written.contains("box/small"), "{written}");
    let list = clean(world.run(&["models", "list", "--json"])).ok_json();
    assert_eq!(
        list,
        json!({ "count": 1, "models": [{
            "key": "box/small", "name": "Small", "input": "text", "contextWindow": 32000, "local": true,
            "available": true, "tags": ["default"], "missing": false,
        }] })
    );
    assert_eq!(world.run(&["models", "list", "--plain"]).ok(), "box/small\n");
    assert_eq!(world.run(&["models", "status", "--plain"]).ok(), "box/small\n");
    assert_eq!(world.run(&["models", "--status-plain"]).ok(), "box/small\n");
    let status = clean(world.run(&["models", "status", "--json", "--check"])).ok_json();
    assert_eq!(
        (
            &status["resolvedDefault"],
            &status["auth"]["missingProvidersInUse"],
            &status["auth"]["providers"][0]
        ),
        (
            &json!("box/small"),
            &json!([]),
            &json!({
                "provider": "box",
                "effective": { "kind": "models.json", "detail": "…wxyz" },
                "profiles": { "count": 0, "oauth": 0, "token": 0, "apiKey": 0, "labels": [] },
                "modelsJson": { "value": "…wxyz", "source": "models.providers.box.apiKey" },
            })
        )
    );
    let text = clean(world.run(&["models"])).ok();
    assert!(
        text.contains("Default      box/small") && text.contains("box       configuration  …wxyz"),
        "{text}"
    );
}

#[test]
fn names_fallbacks_and_their_lists_are_kept_in_the_file() {
    let world = offline();
    world.run(&["models", "set", "box/small"]).ok();
    world.run(&["models", "fallbacks", "add", "anthropic/claude-opus-4-6"]).ok();
    world.run(&["models", "fallbacks", "add", "openai/gpt-5"]).ok();
    let again = world.run(&["models", "fallbacks", "add", "openai/gpt-5"]).ok();
    assert_eq!(again, "openai/gpt-5 is in the list already.\n");
    assert_eq!(
        world.run(&["models", "fallbacks", "list", "--json"]).ok_json(),
        json!({ "fallbacks": ["anthropic/claude-opus-4-6", "openai/gpt-5"] })
    );
    world.run(&["models", "fallbacks", "remove", "anthropic/claude-opus-4-6"]).ok();
    assert_eq!(world.run(&["models", "fallbacks", "list", "--plain"]).ok(), "openai/gpt-5\n");
    assert_eq!(world.run(&["models", "fallbacks", "remove", "anthropic/claude-opus-4-6"]).code, Some(1));
    world.run(&["models", "fallbacks", "clear"]).ok();
    assert_eq!(world.run(&["models", "fallbacks", "list", "--json"]).ok_json(), json!({ "fallbacks": [] }));
    world.run(&["models", "set-image", "openai/gpt-5"]).ok();
    world.run(&["models", "aliases", "add", "tiny", "box/small"]).ok();
    assert_eq!(
        world.run(&["models", "aliases", "list", "--json"]).ok_json(),
        json!({ "aliases": { "tiny": "box/small" } })
    );
    let taken = world.run(&["models", "aliases", "add", "tiny", "openai/gpt-5"]);
    assert_eq!(taken.code, Some(1), "{}", taken.stderr);
    let list = world.run(&["models", "list", "--json"]).ok_json();
    let tags: Vec<&Value> = list["models"].as_array().unwrap().iter().map(|row| &row["tags"]).collect();
    assert_eq!(tags, [&json!(["default", "configured", "alias:tiny"]), &json!(["image"])]);
    world.run(&["models", "aliases", "remove", "TINY"]).ok();
    assert_eq!(world.run(&["models", "aliases", "list", "--json"]).ok_json(), json!({ "aliases": {} }));
}

#[test]
fn keys_and_tokens_come_from_a_pipe_and_are_never_shown() {
    let world = offline();
    let stored = clean(world.run_fed(&["models", "auth", "paste-token", "--provider", "box"], TOKEN)).ok();
    assert_eq!(stored, "Stored box:manual (box, token) for the agent main.\n");
    clean(world.run_fed(&["models", "auth", "add", "--provider", "box", "--profile-id", "box:work"], KEY))
        .ok();
    let list = clean(world.run(&["models", "auth", "list", "--json"])).ok_json();
    let shown: Vec<(&Value, &Value)> = list["profiles"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["profileId"], &row["credential"]))
        .collect();
    assert_eq!(shown, [(&json!("box:manual"), &json!("token:…abcd")), (&json!("box:work"), &json!("…wxyz"))]);
    let order = ["models", "auth", "order", "set", "--provider", "box", "box:work", "box:manual"];
    world.run(&order).ok();
    let order = world.run(&["models", "auth", "order", "get", "--provider", "box", "--json"]).ok_json();
    assert_eq!((&order["agentId"], &order["order"]), (&json!("main"), &json!(["box:work", "box:manual"])));
    let unknown = world.run(&["models", "auth", "order", "set", "--provider", "box", "box:none"]);
    assert!(
        unknown.code == Some(1) && unknown.stderr.contains("no sign-in is called box:none"),
        "{}",
        unknown.stderr
    );
    let other = world.run(&["models", "auth", "order", "set", "--provider", "openai", "box:work"]);
    assert!(other.stderr.contains("box:work is for box, not for openai"), "{}", other.stderr);
    world.run(&["models", "auth", "order", "clear", "--provider", "box"]).ok();
    let order = world.run(&["models", "auth", "order", "get", "--provider", "box", "--json"]).ok_json();
    assert_eq!(order["order"], Value::Null);
    world.run(&["models", "auth", "remove", "box:work"]).ok();
    assert_eq!(world.run(&["models", "auth", "remove", "box:work"]).code, Some(1));
    let empty = world.run_fed(&["models", "auth", "paste-token", "--provider", "box"], "\n");
    assert!(empty.code == Some(1) && empty.stderr.contains("nothing was pasted"), "{}", empty.stderr);
    for name in ["openclaw.json", "state/gateway.sqlite", "state/gateway.sqlite-wal"] {
        if let Ok(bytes) = std::fs::read(world.path(name)) {
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains("tok-planted-secret"), "{name} holds a token in plain text");
        }
    }
}

#[test]
fn sign_ins_survive_an_export_and_an_import() {
    let world = offline();
    world.run_fed(&["models", "auth", "paste-token", "--provider", "box", "--expires-in", "12h"], TOKEN).ok();
    assert_eq!(world.run(&["models", "set", "box/small"]).code, Some(0));
    assert_eq!(world.run(&["models", "status", "--check", "--plain"]).code, Some(2));
    let file = world.home().join("planted-export.json");
    let file = file.to_str().unwrap();
    let exported = clean(world.run(&["models", "auth", "export", "--to", file]));
    assert!(exported.stderr.contains("plain text"), "{}", exported.stderr);
    exported.ok();
    assert_eq!(world.mode("../planted-export.json"), 0o600);
    let text = std::fs::read_to_string(file).unwrap();
    let whole: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(whole["profiles"]["box:manual"]["token"], json!(TOKEN));
    assert_eq!(world.run(&["models", "auth", "export", "--to", file]).code, Some(2));
    world.run(&["models", "auth", "remove", "box:manual"]).ok();
    let imported = clean(world.run(&["models", "auth", "import", file])).ok();
    assert_eq!(imported, "Took over 1 sign-in for the agent main.\n");
    let list = clean(world.run(&["models", "auth", "list", "--json"])).ok_json();
    assert_eq!(list["profiles"][0]["credential"], json!("token:…abcd"));
    world.write("../broken.json", "{");
    let broken = world.home().join("broken.json");
    assert_eq!(world.run(&["models", "auth", "import", broken.to_str().unwrap()]).code, Some(1));
    assert_eq!(world.run(&["models", "auth", "import"]).ok(), "There is nothing new to take over.\n");
}

#[test]
fn sign_ins_of_an_earlier_installation_are_taken_over_at_the_first_look() {
    let world = offline();
    std::fs::create_dir_all(world.path("agents/main/agent")).unwrap();
    let file = json!({ "version": 1, "profiles": {
        "openai:default": { "type": "api_key", "provider": "openai", "key": KEY },
    } });
    world.write("agents/main/agent/auth-profiles.json", &file.to_string());
    world.run(&["models", "set", "openai/gpt-5"]).ok();
    let status = clean(world.run(&["models", "status", "--json"]));
    assert!(status.stderr.contains("Took over 1 sign-in from ~/.openclaw/agents/main"), "{}", status.stderr);
    let status = status.ok_json();
    let openai =
        status["auth"]["providers"].as_array().unwrap().iter().find(|auth| auth["provider"] == "openai");
    assert_eq!(openai.unwrap()["profiles"]["labels"], json!(["openai:default=…wxyz"]));
}

#[test]
fn wrong_input_is_answered_with_what_to_do() {
    let world = offline();
    let unknown = world.run(&["models", "set", "box/smal"]);
    assert!(unknown.stderr.contains("Did you mean box/small?"), "{}", unknown.stderr);
    unknown.ok();
    let rows: [(&[&str], &str); 8] = [
        (&["models", "set", "/"], "/"),
        (&["models", "list", "--json", "--plain"], "not both"),
        (&["models", "status", "--plain", "--probe"], "--probe"),
        (&["models", "status", "--agent", "nobody"], "there is no agent nobody; agents.list has main"),
        (&["models", "test", "box/small", "--thinking", "much"], "say off, minimal"),
        (&["models", "auth", "add"], "--provider"),
        (&["models", "auth", "login"], "openai-codex"),
        (&["models", "scan"], "--yes"),
    ];
    for (arguments, words) in rows {
        let outcome = world.run(arguments);
        assert_eq!(outcome.code, Some(2), "{arguments:?}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(words), "{arguments:?}: {}", outcome.stderr);
    }
    let no_key = world.run(&["models", "scan", "--yes"]);
    assert!(no_key.code == Some(1) && no_key.stderr.contains("OPENROUTER_API_KEY"), "{}", no_key.stderr);
    let missing = world.run(&["models", "status", "--check", "--plain", "--agent", "main"]);
    assert_eq!((missing.code, missing.stdout.as_str()), (Some(0), "box/smal\n"));
    world.run(&["models", "set", "openai/gpt-5"]).ok();
    assert_eq!(world.run(&["models", "status", "--check", "--plain"]).code, Some(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_streams_the_answer_and_tells_time_tokens_and_cost() {
    let server =
        ScriptedModelServer::start([Script::new().say("Good morning."), Script::new().say("Again.")]).await;
    let world = world(&format!("{}/v1", server.root()), "");
    let text = clean(world.run(&["models", "test", "box/small", "--prompt", "Greet me."])).ok();
    assert!(text.starts_with("Good morning.\n\n") && text.contains("Sign-in      config:box"), "{text}");
    let asked = server.next_request().await;
    assert_eq!(asked.header("authorization"), format!("Bearer {KEY}"));
    assert_eq!(asked.body["messages"][0]["content"], json!("Greet me."));
    let json = clean(world.run(&["models", "test", "box/small", "--json"])).ok_json();
    assert_eq!(
        (&json["ok"], &json["text"], &json["model"], &json["profileId"], &json["switches"]),
        (&json!(true), &json!("Again."), &json!("box/small"), &json!("config:box"), &json!([]))
    );
    assert!(json["firstTokenMs"].is_u64() && json["usage"]["cost"]["total"].is_number(), "{json}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failing_model_is_told_with_its_reason_and_seen_resting_afterwards() {
    let server = ScriptedModelServer::start([Script::new().status(401)]).await;
    let world = world(&format!("{}/v1", server.root()), "");
    let failed = clean(world.run(&["models", "test", "box/small", "--json"]));
    let json: Value = serde_json::from_str(&failed.stdout).unwrap();
    assert_eq!((failed.code, &json["ok"], &json["reason"]), (Some(1), &json!(false), &json!("auth")));
    let status = clean(world.run(&["models", "status", "--json"])).ok_json();
    assert_eq!(status["auth"]["unusableProfiles"][0]["profileId"], json!("config:box"));
    let unknown = world.run(&["models", "test", "nowhere/model"]);
    assert!(unknown.code == Some(1) && unknown.stderr.contains("nowhere/model"), "{}", unknown.stderr);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_sign_in_is_tried_on_its_own() {
    let server = ScriptedModelServer::start([Script::new().say("OK"), Script::new().say("OK")]).await;
    server.require_key(KEY);
    let more = "  agents: { defaults: { model: 'box/small' } },\n";
    let world = world(&format!("{}/v1", server.root()), more);
    world.run_fed(&["models", "auth", "add", "--provider", "box", "--profile-id", "box:good"], KEY).ok();
    world.run_fed(&["models", "auth", "add", "--provider", "box", "--profile-id", "box:wrong"], TOKEN).ok();
    let status = clean(world.run(&["models", "status", "--probe", "--json"])).ok_json();
    let results = status["auth"]["probes"]["results"].as_array().unwrap();
    let shown: Vec<(&Value, &Value)> =
        results.iter().map(|row| (&row["profileId"], &row["status"])).collect();
    assert_eq!(shown, [(&json!("box:good"), &json!("ok")), (&json!("box:wrong"), &json!("auth"))]);
    let one =
        ["models", "status", "--probe", "--probe-profile", "box:good,box:other", "--probe-provider", "box"];
    let text = clean(world.run(&one)).ok();
    assert!(text.contains("box/small  box:good  ok"), "{text}");
}

#[test]
fn spending_is_shown_beside_its_limit() {
    let world = World::new();
    world.write("openclaw.json", "{ models: { budgets: { daily: 5, agents: { main: { monthly: 20 } } } } }");
    let status = world.run(&["models", "status", "--json"]).ok_json();
    let shown: Vec<(&Value, &Value, &Value)> = status["budgets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|budget| (&budget["window"], &budget["cap"], &budget["spent"]))
        .collect();
    assert_eq!(
        shown,
        [(&json!("day"), &json!(5.0), &json!(0.0)), (&json!("month"), &json!(20.0), &json!(0.0))]
    );
    let text = world.run(&["models", "status"]).ok();
    assert!(text.contains("- all agents, this day: $0.00 of $5.00 spent; starts anew in"), "{text}");
}

#[test]
fn allowances_and_cost_are_asked_through_the_gateway() {
    let world = World::new();
    let _gateway = world.start_gateway(&["--demo"]);
    let status = world.run(&["status", "--usage", "--json"]).ok_json();
    assert_eq!(status["usage"]["providers"], json!([]));
    let cost = world.run(&["gateway", "usage-cost", "--days", "3", "--json"]).ok_json();
    assert_eq!(cost["totals"]["totalTokens"], json!(0));
}

/// Two agents that share what the configuration says about `box`.
const TWO_AGENTS: &str = "  agents: { defaults: { model: 'box/small' }, list: [{ id: 'main' }, { id: 'work', /* theirs */ name: 'W' }] },\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reset_ends_the_rest_of_a_sign_in_for_all_agents_that_share_it() {
    let limits: [Script; 4] = std::array::from_fn(|_| Script::new().status(429));
    let server = ScriptedModelServer::start(limits).await;
    let world = world(&format!("{}/v1", server.root()), TWO_AGENTS);
    let resting = |agent: &str| {
        let status = clean(world.run(&["models", "status", "--json", "--agent", agent])).ok_json();
        let list = status["auth"]["unusableProfiles"].as_array().unwrap().clone();
        list.iter().map(|row| format!("{} {}", row["profileId"], row["reason"])).collect::<Vec<_>>()
    };
    for agent in ["main", "work"] {
        assert_eq!(world.run(&["models", "test", "box/small", "--agent", agent]).code, Some(1));
        assert_eq!(resting(agent), [r#""config:box" "rate_limit""#], "{agent}");
    }
    let misspelt = world.run(&["models", "auth", "reset", "config:bix"]);
    assert!(
        misspelt.code == Some(1) && misspelt.stderr.contains("Did you mean config:box?"),
        "{}",
        misspelt.stderr
    );
    let one = world.run(&["models", "auth", "reset", "config:box", "--agent", "work"]).ok();
    assert_eq!(one, "config:box may be tried again by the agent work.\n");
    assert_eq!((resting("main").len(), resting("work").len()), (1, 0));
    world.run(&["models", "test", "box/small", "--agent", "work"]);
    let all = world.run(&["models", "auth", "reset"]).ok();
    assert_eq!(
        all,
        "config:box may be tried again by the agent main.\nconfig:box may be tried again by the agent work.\n"
    );
    assert_eq!((resting("main").len(), resting("work").len()), (0, 0));
    assert_eq!(world.run(&["models", "auth", "reset", "config:box"]).ok(), "Nothing rests.\n");
}

#[test]
fn the_demonstration_model_can_always_be_tried() {
    let json = offline().run(&["models", "test", "demo/scripted", "--json"]).ok_json();
    let text = json["text"].as_str().unwrap();
    assert!(text.contains("This is the built-in demonstration model."), "{text}");
    assert_eq!((&json["ok"], &json["model"]), (&json!(true), &json!("demo/scripted")));
}

#[test]
fn models_are_chosen_for_one_agent_in_its_own_entry() {
    let world = world("http://127.0.0.1:9/v1", TWO_AGENTS);
    let set = world.run(&["models", "set", "openai/gpt-5", "--agent", "work"]).ok();
    assert_eq!(set, "Default model of work: openai/gpt-5\n");
    let added = world.run(&["models", "fallbacks", "add", "box/small", "--agent", "work"]).ok();
    assert_eq!(added, "Fallbacks of work: box/small\n");
    assert!(world.read("openclaw.json").contains("/* theirs */"));
    let plain = |agent: &str| world.run(&["models", "status", "--plain", "--agent", agent]).ok();
    assert_eq!((plain("main").as_str(), plain("work").as_str()), ("box/small\n", "openai/gpt-5\n"));
    let list = |agent: &str| world.run(&["models", "fallbacks", "list", "--plain", "--agent", agent]).ok();
    assert_eq!((list("main").as_str(), list("work").as_str()), ("", "box/small\n"));
    let shared: [&[&str]; 3] = [
        &["models", "set-image", "openai/gpt-5", "--agent", "work"],
        &["models", "image-fallbacks", "clear", "--agent", "work"],
        &["models", "aliases", "add", "five", "openai/gpt-5", "--agent", "work"],
    ];
    let before = world.read("openclaw.json");
    for command in shared {
        let refused = world.run(command);
        assert!(
            refused.code == Some(2) && refused.stderr.contains("leave --agent out"),
            "{}",
            refused.stderr
        );
    }
    assert_eq!(world.read("openclaw.json"), before);
}

#[test]
fn a_vendor_that_nobody_knows_is_not_chosen() {
    let world = offline();
    let before = world.read("openclaw.json");
    let commands: [&[&str]; 3] = [
        &["models", "set", "opanai/gpt-5"],
        &["models", "fallbacks", "add", "opanai/gpt-5"],
        &["models", "aliases", "add", "five", "opanai/gpt-5"],
    ];
    for command in commands {
        let refused = world.run(command);
        assert_eq!(refused.code, Some(1), "{}", refused.stderr);
        assert!(refused.stderr.contains("Did you mean openai/gpt-5?"), "{}", refused.stderr);
    }
    assert_eq!(world.read("openclaw.json"), before);
}

#[test]
fn a_vendor_of_an_older_list_may_be_chosen() {
    let world = offline();
    std::fs::create_dir_all(world.path("agents/main/agent")).unwrap();
    let list = json!({ "providers": { "cellar": {
        "baseUrl": "http://127.0.0.1:9/v1", "api": "openai-completions", "models": [{ "id": "old", "name": "Old" }],
    } } });
    world.write("agents/main/agent/models.json", &list.to_string());
    assert_eq!(world.run(&["models", "set", "cellar/old"]).ok(), "Default model: cellar/old\n");
}

#[test]
fn an_export_lies_where_the_original_looks_for_it() {
    let world = offline();
    world.run_fed(&["models", "auth", "paste-token", "--provider", "box"], TOKEN).ok();
    let told = clean(world.run(&["models", "auth", "export"])).ok();
    assert_eq!(told, "Wrote 1 sign-in to ~/.openclaw/agents/main/agent/auth-profiles.json.\n");
    let file = "agents/main/agent/auth-profiles.json";
    assert_eq!(world.mode(file), 0o600);
    assert_eq!(world.read_json(file)["profiles"]["box:manual"]["token"], json!(TOKEN));
    let folder = json!(world.path("agents/main/agent"));
    assert_eq!(world.run(&["models", "status", "--json"]).ok_json()["agentDir"], folder);
    let order = ["models", "auth", "order", "get", "--provider", "box", "--json"];
    assert_eq!(world.run(&order).ok_json()["agentDir"], folder);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_switch_is_seen_by_later_commands() {
    let server = ScriptedModelServer::start([Script::new().status(401), Script::new().say("Here.")]).await;
    let world = world(&format!("{}/v1", server.root()), "");
    for name in ["box:one", "box:two"] {
        world.run_fed(&["models", "auth", "add", "--provider", "box", "--profile-id", name], KEY).ok();
    }
    let test = clean(world.run(&["models", "test", "box/small", "--json"])).ok_json();
    assert_eq!((test["switches"].as_array().unwrap().len(), &test["text"]), (1, &json!("Here.")));
    let status = clean(world.run(&["models", "status", "--json"])).ok_json();
    let switches = status["recentSwitches"].as_array().unwrap();
    let shown: Vec<_> = switches.iter().map(|row| (&row["from"]["profile"], &row["reason"])).collect();
    assert_eq!(shown, [(&json!("box:one"), &json!("auth"))]);
    let text = clean(world.run(&["models", "status"])).ok();
    assert!(text.contains("Switched lately") && text.contains("trying box:two"), "{text}");
}

#[test]
fn a_model_without_a_price_is_named_where_a_budget_should_count_it() {
    let world = World::new();
    let config = |budgets: &str| {
        format!(
            "{{ models: {{ {budgets} }}, agents: {{ defaults: {{ model: {{ primary: 'openrouter/acme/new-thing', \
             fallbacks: ['anthropic/claude-opus-4-6'] }} }} }} }}"
        )
    };
    world.write("openclaw.json", &config("budgets: { daily: 5 }"));
    let status = world.run(&["models", "status", "--json"]).ok_json();
    assert_eq!(status["unpricedModels"], json!(["openrouter/acme/new-thing"]));
    let text = world.run(&["models", "status"]).ok();
    assert!(text.contains("nobody knows what openrouter/acme/new-thing costs"), "{text}");
    world.write("openclaw.json", &config(""));
    assert_eq!(world.run(&["models", "status", "--json"]).ok_json()["unpricedModels"], Value::Null);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn models_of_a_server_on_this_machine_are_found() {
    let server = ScriptedModelServer::start([]).await;
    server.set_models(["llama3.1:8b"]);
    let world = offline();
    let find = ["models", "list", "--local", "--provider", "ollama", "--json"];
    let list = world.run_with(&find, &[("OLLAMA_HOST", server.root())]).ok_json();
    let shown: Vec<(&Value, &Value, &Value)> = list["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["key"], &row["local"], &row["available"]))
        .collect();
    assert_eq!(shown, [(&json!("ollama/llama3.1:8b"), &json!(true), &json!(true))]);
}

#[test]
fn a_setup_token_comes_from_a_pipe() {
    let world = offline();
    let token = format!("sk-ant-oat01-planted-secret-{}wxyz", "0".repeat(80));
    let stored = clean(world.run_fed(&["models", "auth", "setup-token"], &format!("{token}\n"))).ok();
    assert_eq!(stored, "Stored anthropic:manual (anthropic, token) for the agent main.\n");
    let list = clean(world.run(&["models", "auth", "list", "--json"])).ok_json();
    assert_eq!(list["profiles"][0]["credential"], json!("token:…wxyz"));
    let other = world.run_fed(&["models", "auth", "setup-token"], KEY);
    assert!(other.code == Some(1) && other.stderr.contains("claude setup-token"), "{}", other.stderr);
    let elsewhere = world.run_fed(&["models", "auth", "setup-token", "--provider", "openai"], &token);
    assert_eq!(elsewhere.code, Some(2), "{}", elsewhere.stderr);
}

#[test]
fn people_are_sent_to_a_login_only_where_there_is_one() {
    let world = offline();
    for (model, way) in [("openai/gpt-5", "auth add --provider openai"), ("openai-codex/gpt-5", "auth login")]
    {
        world.run(&["models", "set", model]).ok();
        let text = world.run(&["models", "status"]).ok();
        assert!(text.contains(way), "{text}");
    }
}
