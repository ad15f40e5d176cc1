//! Messages sent with the original's command line: answered with tools, aborted, and under other settings.

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::cli::until;
use super::{Step, World};

/// The session of these steps, apart from the main one.
const TALK: &str = "agent:main:talk";

pub(super) const STEPS: &[Step] = &[
    Step { name: "agent: a file is read and the answer printed", run: reads_a_file },
    Step { name: "agent --json: the result of the run", run: tells_the_result },
    Step { name: "approvals: a program is put on the list, and read back", run: lists_a_program },
    Step { name: "agent: a listed command is run", run: runs_a_command },
    Step { name: "agent --session-id: the same conversation goes on", run: goes_on },
    Step { name: "agent --session-id: a new id begins a session", run: begins_a_session },
    Step { name: "agent: a model that fails is told, and its tools run once", run: tells_a_failure_once },
    Step { name: "agents add: the agent is there for whoever asks next", run: knows_an_agent_at_once },
    Step { name: "chat.send and chat.history: a turn with a tool", run: shows_the_history },
    Step { name: "chat.abort: a long answer is cut off and kept", run: aborts },
    Step { name: "/model: the next question goes to another model", run: changes_the_model },
    Step { name: "/think: the next question is thought about", run: changes_the_thinking },
];

fn reads_a_file(world: &World) -> anyhow::Result<String> {
    let text = world.cli.run(&["agent", "--agent", "main", "--message", "Please read the note"])?;
    ensure!(text.trim().ends_with("The note says that the door is green."), "printed:\n{text}");
    Ok(text.trim().to_owned())
}

fn tells_the_result(world: &World) -> anyhow::Result<String> {
    let arguments = ["agent", "--agent", "main", "--message", "Please read the note", "--json"];
    let text = world.cli.run(&arguments)?;
    let answer: Value = serde_json::from_str(text.trim()).with_context(|| format!("no JSON:\n{text}"))?;
    ensure!(answer["status"] == "ok" && answer["summary"] == "completed", "{answer:#}");
    let result = &answer["result"];
    ensure!(
        result["payloads"] == json!([{"text": "The note says that the door is green.", "mediaUrl": null}]),
        "{answer:#}"
    );
    let meta = &result["meta"]["agentMeta"];
    ensure!(meta["provider"] == "scripted" && meta["model"] == "small", "{answer:#}");
    ensure!(meta["sessionId"].is_string() && meta["usage"]["output"].as_u64() > Some(0), "{answer:#}");
    Ok(format!("{} of {}", result["payloads"], meta["model"]))
}

fn lists_a_program(world: &World) -> anyhow::Result<String> {
    let program = "/**/uname";
    world.cli.run(&["approvals", "allowlist", "add", "--gateway", "--agent", "main", program])?;
    let text = world.cli.run(&["approvals", "get", "--gateway", "--json"])?;
    let kept: Value = serde_json::from_str(text.trim()).with_context(|| format!("no JSON:\n{text}"))?;
    let pattern = &kept["file"]["agents"]["main"]["allowlist"][0]["pattern"];
    ensure!(pattern == program && kept["hash"].is_string(), "{kept:#}");
    world.cli.shows(&["approvals", "get", "--gateway"], &[program])
}

fn runs_a_command(world: &World) -> anyhow::Result<String> {
    let question = "What is the name of the kernel?";
    let text = world.cli.run(&["agent", "--agent", "main", "--message", question])?;
    ensure!(text.trim().ends_with("The kernel is called Linux."), "printed:\n{text}");
    Ok(text.trim().to_owned())
}

fn goes_on(world: &World) -> anyhow::Result<String> {
    let row = row(world, "agent:main:main")?;
    let id = row["sessionId"].as_str().with_context(|| format!("no id: {row:#}"))?;
    let before = messages(world, "agent:main:main")?.len();
    let text = world.cli.run(&["agent", "--session-id", id, "--message", "Hello again"])?;
    ensure!(text.trim().ends_with("I am the scripted model."), "printed:\n{text}");
    let after = messages(world, "agent:main:main")?.len();
    ensure!(after == before + 2, "the session had {before} messages and has {after}");
    Ok(format!("{after} messages"))
}

fn begins_a_session(world: &World) -> anyhow::Result<String> {
    const ID: &str = "Chosen-1";
    for _ in 0..2 {
        let text = world.cli.run(&["agent", "--session-id", ID, "--message", "Hello", "--json"])?;
        let answer: Value = serde_json::from_str(text.trim()).with_context(|| format!("no JSON:\n{text}"))?;
        ensure!(answer["result"]["meta"]["agentMeta"]["sessionId"] == ID, "{answer:#}");
    }
    let key = "agent:main:explicit:chosen-1";
    let messages = messages(world, key)?.len();
    ensure!(messages == 4, "the session has {messages} messages");
    world.cli.call("sessions.delete", &json!({"key": key}))?;
    Ok(format!("{messages} messages"))
}

/// The original's command line runs a message once more by itself when the gateway answers with an error.
fn tells_a_failure_once(world: &World) -> anyhow::Result<String> {
    const WORDS: &str = "Please break afterwards";
    let text = world.cli.run(&["agent", "--agent", "main", "--message", WORDS])?;
    ensure!(text.contains("Let me look.") && text.contains("This request is not valid"), "printed:\n{text}");
    ensure!(!text.contains("falling back"), "printed:\n{text}");
    let asked = world.asked_of_model()?;
    let last_user = |request: &Value| {
        let said = request["body"]["messages"].as_array().into_iter().flatten();
        said.rev().find(|message| message["role"] == "user").map(ToString::to_string).unwrap_or_default()
    };
    let calls = asked.iter().filter(|request| last_user(request).contains(WORDS)).count();
    ensure!(calls == 2, "the model was asked {calls} times");
    Ok(text.trim().replace('\n', " / "))
}

fn knows_an_agent_at_once(world: &World) -> anyhow::Result<String> {
    let workspace = world.ours.workspace().with_file_name("helper");
    let is_listed = || {
        let list = world.cli.call("agents.list", &json!({}))?;
        let agents = list["agents"].as_array().with_context(|| format!("no agents: {list:#}"))?;
        anyhow::Ok(agents.iter().any(|one| one["id"] == "helper"))
    };
    for _ in 0..3 {
        let mut add = world.ours.command_line();
        add.args(["agents", "add", "helper", "--non-interactive", "--workspace"]).arg(&workspace);
        let added = add.output()?;
        ensure!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
        ensure!(is_listed()?, "the new agent is not listed");
        world.cli.call("agents.delete", &json!({"agentId": "helper"}))?;
        ensure!(!is_listed()?, "the removed agent is still listed");
    }
    Ok("three times".to_owned())
}

fn shows_the_history(world: &World) -> anyhow::Result<String> {
    answered(world, "original-turn", "Please read the note")?;
    let seen: Value = messages(world, TALK)?.iter().map(outline).collect();
    let wanted =
        json!([["user", "text"], ["assistant", "toolCall"], ["toolResult", "text"], ["assistant", "text"],]);
    ensure!(seen == wanted, "the history is {seen}");
    Ok(seen.to_string())
}

fn aborts(world: &World) -> anyhow::Result<String> {
    let run = "original-abort";
    send(world, run, "Please count for ever")?;
    until("the question to reach the model", || {
        let asked = world.asked_of_model()?;
        Ok(asked.iter().any(|one| one.to_string().contains("count for ever")).then_some(()))
    })?;
    // The model says ten words a second, and the next command takes longer than that to begin.
    let answer = world.cli.call("chat.abort", &json!({"sessionKey": TALK, "runId": run}))?;
    ensure!(answer == json!({"ok": true, "aborted": true, "runIds": [run]}), "{answer:#}");
    let last = messages(world, TALK)?.pop().context("no messages")?;
    let text = last["content"][0]["text"].as_str().unwrap_or_default();
    ensure!(last["role"] == "assistant" && text.starts_with("and one more"), "the last message is {last:#}");
    let again = world.cli.call("chat.abort", &json!({"sessionKey": TALK, "runId": run}))?;
    ensure!(again == json!({"ok": true, "aborted": false, "runIds": []}), "{again:#}");
    Ok(format!("kept {} letters", text.len()))
}

fn changes_the_model(world: &World) -> anyhow::Result<String> {
    answered(world, "original-model", "/model scripted/other")?;
    answered(world, "original-asks-other", "Hello to the other model")?;
    let model = last_question(world, "Hello to the other model")?["body"]["model"].clone();
    ensure!(model == "other", "the model asked is {model}");
    let row = row(world, TALK)?;
    ensure!(row["model"] == "other" && row["modelProvider"] == "scripted", "{row:#}");
    Ok(format!("asked {model}"))
}

fn changes_the_thinking(world: &World) -> anyhow::Result<String> {
    answered(world, "original-think", "/think high")?;
    let row = row(world, TALK)?;
    ensure!(row["thinkingLevel"] == "high", "{row:#}");
    answered(world, "original-thinks", "Hello to the thinker")?;
    let effort = last_question(world, "Hello to the thinker")?["body"]["reasoning_effort"].clone();
    ensure!(effort == "high", "the effort asked for is {effort}");
    Ok(format!("asked with effort {effort}"))
}

/// Who says what kind of thing in a message.
fn outline(message: &Value) -> Value {
    let kinds = message["content"].as_array().into_iter().flatten().map(|part| part["type"].clone());
    std::iter::once(message["role"].clone()).chain(kinds).collect()
}

fn last_question(world: &World, words: &str) -> anyhow::Result<Value> {
    let asked = world.asked_of_model()?;
    let found = asked.into_iter().rfind(|one| one.to_string().contains(words));
    found.with_context(|| format!("the model was never asked {words:?}"))
}

fn send(world: &World, run: &str, message: &str) -> anyhow::Result<()> {
    let params = json!({"sessionKey": TALK, "message": message, "idempotencyKey": run});
    let answer = world.cli.call("chat.send", &params)?;
    ensure!(answer == json!({"runId": run, "status": "started"}), "{answer:#}");
    Ok(())
}

/// Sends a message and waits until it was answered.
fn answered(world: &World, run: &str, message: &str) -> anyhow::Result<()> {
    send(world, run, message)?;
    let waited = world.cli.call("agent.wait", &json!({"runId": run, "timeoutMs": 20_000}))?;
    ensure!(waited["status"] == "ok", "{waited:#}");
    Ok(())
}

/// The messages of a session, as clients see them.
pub(super) fn messages(world: &World, key: &str) -> anyhow::Result<Vec<Value>> {
    let history = world.cli.call("chat.history", &json!({"sessionKey": key}))?;
    history["messages"].as_array().cloned().with_context(|| format!("no messages: {history:#}"))
}

/// What the list says of a session.
pub(super) fn row(world: &World, key: &str) -> anyhow::Result<Value> {
    let list = world.cli.call("sessions.list", &json!({}))?;
    let rows = list["sessions"].as_array().into_iter().flatten();
    rows.into_iter()
        .find(|row| row["key"] == key)
        .cloned()
        .with_context(|| format!("{key} is not listed: {list:#}"))
}
