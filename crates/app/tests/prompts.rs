//! The whole system prompt as a vendor gets it from the real gateway, with the tools that are really offered: for a person
//! alone, for a group, for a sub-agent. What depends on this machine is replaced by its name in angle brackets.
#![expect(clippy::unwrap_used, reason = "a test fails where something is wrong")]

mod gateway_world;
mod outside;

use gateway_world::{PATIENCE, configure, options};
use openclaw_app::{ExitRequest, RunOptions, shutdown, start};
use openclaw_providers::{LastTurn, Script, Scripts};
use openclaw_testkit::{CapturedRequest, ScriptedModelServer, TempHome};
use outside::{Platform, Repeats, TestMessage};
use serde_json::{Value, json};

const SUBAGENT: &str = "You are a sub-agent";

/// Asks over a platform and shows the first prompt that came of it and holds these words.
async fn prompt(from: &str, text: &str, wanted: &str) -> String {
    let home = TempHome::new();
    let spawn = json!({ "task": "count the spoons", "label": "spoons" });
    let scripts = Scripts::new()
        .when(
            |asked| {
                let people = asked.last_turn == LastTurn::User && !asked.system.contains(SUBAGENT);
                people && asked.last_user.contains("spawn")
            },
            Script::new().call_tool("sessions_spawn", spawn),
        )
        .otherwise_echo();
    let vendor = ScriptedModelServer::start(scripts).await;
    let platform = Platform::start(Repeats::Dropped).await;
    configure(&home, &vendor, "followup");
    let file = home.path("openclaw.json");
    let mut config: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let account = json!({ "default": { "token": "good" } });
    config["channels"] = json!({ "outside": { "address": platform.address(), "accounts": account } });
    config["agents"]["defaults"]["userTimezone"] = json!("Europe/Lisbon");
    std::fs::write(&file, config.to_string()).unwrap();
    let parent = home.state_dir().parent().unwrap().to_owned();
    let running = start(RunOptions { platforms: outside::platforms, ..options(&parent) }).await.unwrap();
    platform.write("default", TestMessage { event: "e1".into(), from: from.into(), text: text.into() });
    let asked = async {
        loop {
            let shown = shown(&home, &vendor.next_request().await);
            if shown.contains(wanted) {
                return shown;
            }
        }
    };
    let asked = tokio::time::timeout(PATIENCE, asked).await.unwrap();
    tokio::time::timeout(PATIENCE, platform.until_shown(1)).await.unwrap();
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
    asked
}

/// The prompt and the names of the tools, the same on every machine.
fn shown(home: &TempHome, request: &CapturedRequest) -> String {
    let messages = request.body["messages"].as_array().unwrap();
    let system = messages.iter().take_while(|message| message["role"] != "user");
    let system: Vec<String> = system.map(|message| words(&message["content"])).collect();
    let tools = request.body["tools"].as_array().unwrap();
    let tools: Vec<&str> = tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect();
    let home = home.state_dir().parent().unwrap().display().to_string();
    let all = format!("{}\n\n=== tools\n{}\n", system.join("\n\n=== part\n"), tools.join("\n"));
    let own = [
        (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<id>"),
        (r"host=[^|]+ \|", "host=<host> |"),
        (r"os=[^|]+ \|", "os=<os> |"),
    ];
    own.iter().fold(all.replace(&home, "<home>"), |text, (found, name)| {
        regex_lite::Regex::new(found).unwrap().replace_all(&text, *name).into_owned()
    })
}

fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        parts => parts.as_array().unwrap().iter().filter_map(|part| part["text"].as_str()).collect(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_prompt_for_a_person_alone() {
    insta::assert_snapshot!("direct", prompt("ana", "hello", "").await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_prompt_for_a_group() {
    insta::assert_snapshot!("group", prompt("room1", "hello", "").await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_prompt_for_a_sub_agent() {
    insta::assert_snapshot!("sub-agent", prompt("ana", "spawn", SUBAGENT).await);
}
