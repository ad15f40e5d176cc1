//! The scripted model server as a program, for clients that are not written in Rust.
//!
//! `scripted_model <rules.json> <requests.jsonl>` prints `listening on <address>` and answers until it is ended; the
//! first rule that fits a request gives its answer. Every request is added to the second file as it arrives, so that
//! whoever started it can look at what a model was told. `cargo xtask test --original` and `cargo xtask peers` start it.

use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::time::Duration;

use openclaw_providers::{Asked, LastTurn, Script, Scripts};
use openclaw_testkit::ScriptedModelServer;
use serde_json::{Value, json};

type Outcome<T> = Result<T, Box<dyn Error>>;

#[tokio::main]
async fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(rules), Some(requests)) = (arguments.next(), arguments.next()) else {
        return Err("usage: scripted_model <rules.json> <requests.jsonl>".into());
    };
    let rules: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(rules)?)?;
    let mut requests = OpenOptions::new().create(true).append(true).open(requests)?;
    let scripts = rules.iter().try_fold(Scripts::new(), add)?;
    let server = ScriptedModelServer::start(scripts).await;
    writeln!(std::io::stdout(), "listening on {}", server.root())?;
    loop {
        let request = server.next_request().await;
        note(&mut requests, &json!({"path": request.path, "body": request.body}))?;
    }
}

fn note(file: &mut File, request: &Value) -> std::io::Result<()> {
    // In one piece: others read the file while it grows.
    file.write_all(format!("{request}\n").as_bytes())
}

/// Adds a rule. `user` is in what the person said last. `result` is in what a tool answered; a rule without it is for
/// requests that end with the person's words.
fn add(scripts: Scripts, rule: &Value) -> Outcome<Scripts> {
    let user = rule["user"].as_str().unwrap_or_default().to_owned();
    let result = rule["result"].as_str().map(str::to_owned);
    let fits = move |asked: &Asked| {
        let turn = match (&asked.last_turn, &result) {
            (LastTurn::ToolResult(text), Some(wanted)) => text.contains(wanted),
            (LastTurn::User, None) => true,
            _ => false,
        };
        turn && asked.last_user.contains(&user)
    };
    Ok(scripts.when(fits, script(rule)?))
}

fn script(rule: &Value) -> Outcome<Script> {
    let steps = rule["answer"].as_array().ok_or_else(|| format!("a rule without an answer: {rule}"))?;
    steps.iter().try_fold(Script::new(), step)
}

/// Adds a step: `say` and `think` words, `call` a tool `with` arguments, `fail` with a status, or `repeat` words `times`
/// times with a pause of `every` milliseconds after each.
fn step(script: Script, step: &Value) -> Outcome<Script> {
    if let Some(words) = step["say"].as_str() {
        return Ok(script.say(words));
    }
    if let Some(words) = step["think"].as_str() {
        return Ok(script.think(words));
    }
    if let Some(tool) = step["call"].as_str() {
        return Ok(script.call_tool(tool, step["with"].clone()));
    }
    if let Some(status) = step["fail"].as_u64().and_then(|status| u16::try_from(status).ok()) {
        return Ok(script.status(status));
    }
    let Some(words) = step["repeat"].as_str() else {
        return Err(format!("no step of a script: {step}").into());
    };
    let every = Duration::from_millis(step["every"].as_u64().unwrap_or_default());
    let times = step["times"].as_u64().unwrap_or(1);
    Ok((0..times).fold(script, |script, _| script.say(words).pause(every)))
}
