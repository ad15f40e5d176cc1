//! `openclaw models scan` against a router on a real socket, which a person put in the place of the vendor's own.

use std::collections::BTreeSet;

use openclaw_providers::Script;
use openclaw_testkit::{ScriptedModelServer, planted_secret};
use serde_json::{Value, json};

use crate::world::{Outcome, World};

const SEES: &str = "maker/sees-30b:free";
const BLIND: &str = "maker/blind-9b:free";
const PLAIN: &str = "plain/one-70b:free";
const OTHER: &str = "plain/two-8b:free";
const MUTE: &str = "plain/mute-8b:free";

/// A router with five models that cost nothing and one that costs.
async fn router() -> ScriptedModelServer {
    let server = ScriptedModelServer::start([]).await;
    let model = |id: &str, kinds: &[&str], price: &str| {
        json!({
            "id": id, "name": id, "created": 1_760_000_000, "context_length": 65_536,
            "architecture": { "input_modalities": kinds }, "top_provider": { "max_completion_tokens": 4_096 },
            "pricing": { "prompt": price, "completion": price }, "supported_parameters": ["tools"],
        })
    };
    server.set_list(json!({ "data": [
        model(SEES, &["text", "image"], "0"),
        model(BLIND, &["text", "image"], "0"),
        model(PLAIN, &["text"], "0"),
        model(OTHER, &["text"], "0"),
        model(MUTE, &["text"], "0"),
        model("plain/paid-70b", &["text"], "0.000002"),
    ] }));
    server.require_key(planted_secret("router"));
    server
}

/// A home in which that router is OpenRouter.
fn world(server: &ScriptedModelServer) -> World {
    let world = World::new();
    let base_url = format!("{}/router/v1", server.root());
    let router = json!({ "baseUrl": base_url, "headers": { "x-team": "blue" }, "models": [] });
    let config = json!({
        "models": { "providers": { "openrouter": router } },
        "agents": { "defaults": { "model": "anthropic/claude-opus-4-6" } },
    });
    world.write("openclaw.json", &config.to_string());
    world
}

fn scan(world: &World, more: &[&str]) -> Outcome {
    let arguments: Vec<&str> = ["models", "scan"].iter().chain(more).copied().collect();
    let outcome = world.run_with(&arguments, &[("OPENROUTER_API_KEY", &planted_secret("router"))]);
    let all = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(!all.contains(&planted_secret("router")), "the key was printed: {all}");
    outcome
}

/// Each model with whether it called the tool, and whether it saw the picture where it was shown one.
fn tried(results: &Value) -> BTreeSet<(String, bool, Option<bool>)> {
    let one = |row: &Value| {
        let image = (row["image"]["skipped"] != true).then(|| row["image"]["ok"] == true);
        (row["modelRef"].as_str().unwrap().to_owned(), row["tool"]["ok"] == true, image)
    };
    results.as_array().unwrap().iter().map(one).collect()
}

fn fallbacks(world: &World, list: &str) -> Value {
    world.run(&["models", list, "list", "--json"]).ok_json()["fallbacks"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn free_models_are_tried_and_the_best_become_fallbacks() {
    let server = router().await;
    let ping = || Script::new().call_tool("ping", json!({}));
    server.push_for(SEES, ping());
    server.push_for(SEES, Script::new().say("OK"));
    server.push_for(BLIND, ping());
    server.push_for(BLIND, Script::new().status(400));
    for plain in [PLAIN, OTHER] {
        server.push_for(plain, ping());
    }
    server.push_for(MUTE, Script::new().say("pong"));
    let world = world(&server);
    let found = scan(&world, &["--yes", "--set-default", "--set-image", "--json"]).ok_json();
    let router = |id: &str| format!("openrouter/{id}");
    assert_eq!(
        tried(&found["results"]),
        BTreeSet::from([
            (router(SEES), true, Some(true)),
            (router(BLIND), true, Some(false)),
            (router(PLAIN), true, None),
            (router(OTHER), true, None),
            (router(MUTE), false, None),
        ])
    );
    let best = json!([router(SEES)]);
    assert_eq!(
        (&found["selected"], &found["selectedImages"], &found["setDefault"], &found["setImage"]),
        (&best, &best, &json!(true), &json!(true))
    );
    assert_eq!((fallbacks(&world, "fallbacks"), fallbacks(&world, "image-fallbacks")), (best.clone(), best));
    let status = world.run(&["models", "status", "--json"]).ok_json();
    assert_eq!(
        (&status["resolvedDefault"], &status["imageModel"]),
        (&json!(router(SEES)), &json!(router(SEES)))
    );
    let asked = server.requests();
    assert_eq!((asked.len(), asked[0].path.as_str()), (8, "/router/v1/models"));
    assert!(asked.iter().all(|request| request.header("x-team") == "blue"), "{asked:?}");
    assert_eq!(asked[0].header("authorization"), "", "the list needs no key");
    let pictures = asked.iter().filter(|request| request.body.to_string().contains("data:image/png;base64,"));
    let pictures: BTreeSet<&str> = pictures.map(|request| request.body["model"].as_str().unwrap()).collect();
    assert_eq!(pictures, BTreeSet::from([SEES, BLIND]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_sight_those_that_call_tools_are_taken_and_the_default_stays() {
    let server = router().await;
    for plain in [PLAIN, OTHER] {
        server.push_for(plain, Script::new().call_tool("ping", json!({})));
    }
    server.push_for(MUTE, Script::new().say("pong"));
    let world = world(&server);
    let text = scan(&world, &["--yes", "--provider", "plain"]).ok();
    assert!(text.contains("Tried 3: 2 call tools, 0 see pictures."), "{text}");
    let taken = fallbacks(&world, "fallbacks");
    let taken: BTreeSet<&str> = taken.as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let both = [PLAIN, OTHER].map(|id| format!("openrouter/{id}"));
    assert_eq!(taken, both.iter().map(String::as_str).collect());
    assert_eq!(fallbacks(&world, "image-fallbacks"), json!([]));
    assert_eq!(world.run(&["models", "status", "--plain"]).ok(), "anthropic/claude-opus-4-6\n");
    let before = world.read("openclaw.json");
    for plain in [PLAIN, OTHER, MUTE] {
        server.push_for(plain, Script::new().say("pong"));
    }
    let none = scan(&world, &["--yes", "--provider", "plain"]);
    assert!(none.code == Some(1) && none.stderr.contains("called a tool"), "{}{}", none.stdout, none.stderr);
    assert_eq!(world.read("openclaw.json"), before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_needs_no_key_and_tries_nothing() {
    let server = router().await;
    let world = world(&server);
    let before = world.read("openclaw.json");
    let list = world.run(&["models", "scan", "--no-probe", "--min-params", "10", "--json"]).ok_json();
    assert_eq!(
        tried(&list),
        [SEES, PLAIN].map(|id| (format!("openrouter/{id}"), false, None)).into_iter().collect()
    );
    let text = world.run(&["models", "scan", "--no-probe"]).ok();
    assert!(text.contains("5 models of OpenRouter cost nothing; none was tried."), "{text}");
    assert!(server.requests().iter().all(|request| request.path == "/router/v1/models"));
    assert_eq!(world.read("openclaw.json"), before);
    server.set_list(json!("no list"));
    let broken = world.run(&["models", "scan", "--no-probe"]);
    assert!(
        broken.code == Some(1) && broken.stderr.contains("the list of OpenRouter could not be read"),
        "{}",
        broken.stderr
    );
}
