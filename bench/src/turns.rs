//! Chat turns: what the gateway adds to a model that answers at once, how many it makes, and what stays in memory.
//!
//! The model is a scripted server in this process, so that only the gateway's own time counts. Answers are awaited as a
//! chat client does: the turn is over when its final event is there.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use bench::Row;
use futures_util::{SinkExt, StreamExt};
use openclaw_ports::model::ApiName;
use openclaw_providers::{Script, Scripts};
use openclaw_testkit::ScriptedModelServer;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_tungstenite::tungstenite::Message;

use crate::process::Server;
use crate::rounds::{self, Socket};

const ANSWER: &str =
    "The answer of a model is a few lines long, and it comes in pieces of some characters each.";
const TOKEN: &str = "bench-token-bench-token";
const WARM_UP: usize = 50;
/// A workspace that was made a moment ago is read again for every turn, as clocks of file systems are coarse. What is
/// measured is how it goes on afterwards.
const SETTLING: Duration = Duration::from_secs(4);
const ALONE: usize = 300;
const MANY_SESSIONS: usize = 32;
const TURNS_OF_MANY: usize = 1_600;
const SESSIONS_FOR_MEMORY: usize = 100;
const CLIENTS: usize = 50;
const TURNS_FOR_CLIENTS: usize = 200;
const LONG_SESSION: usize = 2_000;
const PAGES: usize = 200;
const TURNS_OF_LONG: usize = 40;

/// How many turns are made before memory is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    /// Enough to see whether it grows.
    Short,
    /// As many as the budget names; takes minutes.
    Whole,
}

impl Length {
    fn turns(self) -> usize {
        match self {
            Self::Short => 2_000,
            Self::Whole => 10_000,
        }
    }
}

pub(crate) async fn measure(binary: &Path, length: Length) -> anyhow::Result<Vec<Row>> {
    let mut stage = Stage::set(binary).await?;
    let (gateway, chat) = (&stage.gateway, &mut stage.chat);
    let mut rows = Vec::new();
    chat.one_by_one("warm", 10, WARM_UP).await?;
    pause(SETTLING).await;
    let alone = alone(gateway, chat, &mut rows).await?;
    many(chat, &mut rows).await?;
    memory(gateway, chat, length.turns(), &mut rows).await?;
    fan_out(gateway, chat, alone, &mut rows).await?;
    history(gateway, chat, PAGES, &mut rows).await?;
    go_on(gateway, chat, &mut rows).await?;
    Ok(rows)
}

/// Turns one after the other and nothing else: for a profiler around the gateway, which is asked to end and not killed.
pub(crate) async fn only(binary: &Path, turns: usize) -> anyhow::Result<Vec<Row>> {
    let mut stage = Stage::set(binary).await?;
    stage.chat.one_by_one("warm", 10, WARM_UP).await?;
    pause(SETTLING).await;
    let before = stage.gateway.cpu_micros()?;
    stage.chat.one_by_one("alone", 20, turns).await?;
    let cpu = (stage.gateway.cpu_micros()? - before) / turns as f64 / 1000.0;
    stage.gateway.end()?;
    Ok(vec![Row::new("chat turn, CPU", cpu, "ms", "1.3")])
}

/// Pages of a long history and nothing else, for a profiler as well.
pub(crate) async fn only_pages(binary: &Path, pages: usize) -> anyhow::Result<Vec<Row>> {
    let mut stage = Stage::set(binary).await?;
    let mut rows = Vec::new();
    history(&stage.gateway, &mut stage.chat, pages, &mut rows).await?;
    stage.gateway.end()?;
    Ok(rows)
}

/// A chat client at a gateway whose model answers at once.
struct Stage {
    chat: Chat,
    gateway: Server,
    _vendor: ScriptedModelServer,
    _home: TempDir,
}

impl Stage {
    async fn set(binary: &Path) -> anyhow::Result<Self> {
        let home = tempfile::tempdir()?;
        let vendor = ScriptedModelServer::start(Scripts::new().otherwise(Script::new().say(ANSWER))).await;
        configure(home.path(), &vendor)?;
        let gateway = start(binary, home.path())?;
        Ok(Self { chat: Chat::connect(&gateway).await?, gateway, _vendor: vendor, _home: home })
    }
}

/// One turn after the other. Gives the processor time of a turn.
async fn alone(gateway: &Server, chat: &mut Chat, rows: &mut Vec<Row>) -> anyhow::Result<f64> {
    let before = gateway.cpu_micros()?;
    let mut spans = chat.one_by_one("alone", 20, ALONE).await?;
    let cpu = (gateway.cpu_micros()? - before) / ALONE as f64 / 1000.0;
    spans.sort_by(f64::total_cmp);
    rows.push(Row::new("chat turn, CPU", cpu, "ms", "1.3"));
    let median = spans.get(ALONE / 2).copied().context("nothing was measured")?;
    rows.push(Row::new("chat turn, overhead, median", median, "ms", "5"));
    let slow = spans.get(ALONE * 99 / 100).copied().context("nothing was measured")?;
    rows.push(Row::new("chat turn, overhead, 99th of 100", slow, "ms", ""));
    Ok(cpu)
}

async fn many(chat: &mut Chat, rows: &mut Vec<Row>) -> anyhow::Result<()> {
    let started = now();
    chat.at_once("many", MANY_SESSIONS, TURNS_OF_MANY).await?;
    let rate = TURNS_OF_MANY as f64 / started.elapsed().as_secs_f64();
    rows.push(Row::new("chat turns over 32 sessions (wanted: 500)", rate, "turns/s", ""));
    Ok(())
}

async fn memory(gateway: &Server, chat: &mut Chat, turns: usize, rows: &mut Vec<Row>) -> anyhow::Result<()> {
    chat.at_once("kept", SESSIONS_FOR_MEMORY, turns / 2).await?;
    let half = gateway.resident_megabytes()?;
    chat.at_once("kept", SESSIONS_FOR_MEMORY, turns / 2).await?;
    let whole = gateway.resident_megabytes()?;
    rows.push(Row::new(format!("resident memory after {turns} turns over 100 sessions"), whole, "MB", "40"));
    let growth = (whole - half) * 1024.0 / (turns / 2) as f64;
    rows.push(Row::new("growth per turn in its second half", growth, "kB", ""));
    Ok(())
}

/// What 50 listeners more cost, for each event that each of them gets.
async fn fan_out(gateway: &Server, chat: &mut Chat, alone: f64, rows: &mut Vec<Row>) -> anyhow::Result<()> {
    let mut listeners = tokio::task::JoinSet::new();
    let (stop, _) = tokio::sync::watch::channel(false);
    for _ in 0..CLIENTS {
        let mut socket = rounds::gateway(gateway.port, TOKEN).await?;
        let mut stopped = stop.subscribe();
        listeners.spawn(async move {
            let mut heard = 0_u64;
            loop {
                // Neither branch loses an event that counts: the series is over when it is stopped.
                tokio::select! {
                    message = socket.next() => match message {
                        Some(Ok(_)) => heard += 1,
                        _ => return heard,
                    },
                    _ = stopped.changed() => return heard,
                }
            }
        });
    }
    let before = gateway.cpu_micros()?;
    chat.one_by_one("heard", 20, TURNS_FOR_CLIENTS).await?;
    pause(Duration::from_millis(300)).await;
    let cpu = gateway.cpu_micros()? - before - alone * 1000.0 * TURNS_FOR_CLIENTS as f64;
    stop.send(true)?;
    let heard: u64 = listeners.join_all().await.into_iter().sum();
    ensure!(heard > 0, "no listener heard anything");
    rows.push(Row::new("event fan-out to 50 clients, CPU per delivery", cpu / heard as f64, "µs", "4"));
    Ok(())
}

async fn history(gateway: &Server, chat: &mut Chat, pages: usize, rows: &mut Vec<Row>) -> anyhow::Result<()> {
    chat.one_by_one("long", 1, 1).await?;
    for number in 0..LONG_SESSION {
        let message = format!("Message {number} of a long conversation, as long as most of them are.");
        chat.call("chat.inject", json!({ "sessionKey": "agent:main:long-0", "message": message })).await?;
    }
    let mut spans = Vec::with_capacity(pages);
    let before = gateway.cpu_micros()?;
    for _ in 0..pages {
        let started = now();
        let page =
            chat.call("chat.history", json!({ "sessionKey": "agent:main:long-0", "limit": 200 })).await?;
        spans.push(started.elapsed().as_secs_f64() * 1000.0);
        ensure!(page["messages"].as_array().is_some_and(|all| all.len() == 200), "the page is not whole");
    }
    let cpu = (gateway.cpu_micros()? - before) / pages as f64 / 1000.0;
    spans.sort_by(f64::total_cmp);
    let median = spans.get(pages / 2).copied().context("nothing was measured")?;
    rows.push(Row::new("chat.history, 200 of 2,000 messages, median", median, "ms", "2"));
    rows.push(Row::new("chat.history, 200 of 2,000 messages, CPU", cpu, "ms", ""));
    Ok(())
}

/// Turns in the session that has 2,000 messages by now.
async fn go_on(gateway: &Server, chat: &mut Chat, rows: &mut Vec<Row>) -> anyhow::Result<()> {
    chat.one_by_one("long", 1, 2).await?;
    let before = gateway.cpu_micros()?;
    let mut spans = chat.one_by_one("long", 1, TURNS_OF_LONG).await?;
    let cpu = (gateway.cpu_micros()? - before) / TURNS_OF_LONG as f64 / 1000.0;
    spans.sort_by(f64::total_cmp);
    let median = spans.get(TURNS_OF_LONG / 2).copied().context("nothing was measured")?;
    rows.push(Row::new("chat turn after 2,000 messages, overhead, median", median, "ms", "20"));
    rows.push(Row::new("chat turn after 2,000 messages, CPU", cpu, "ms", ""));
    Ok(())
}

/// A chat client.
struct Chat {
    socket: Socket,
    next: u64,
}

impl Chat {
    async fn connect(gateway: &Server) -> anyhow::Result<Self> {
        Ok(Self { socket: rounds::gateway(gateway.port, TOKEN).await?, next: 0 })
    }

    /// Makes turns one after the other over some sessions, and gives how long each took in milliseconds.
    async fn one_by_one(&mut self, name: &str, sessions: usize, turns: usize) -> anyhow::Result<Vec<f64>> {
        let mut spans = Vec::with_capacity(turns);
        for turn in 0..turns {
            let started = now();
            let run = self.say(&format!("agent:main:{name}-{}", turn % sessions)).await?;
            while self.ended().await? != run {}
            spans.push(started.elapsed().as_secs_f64() * 1000.0);
        }
        Ok(spans)
    }

    /// Keeps some sessions busy until so many turns are made.
    async fn at_once(&mut self, name: &str, sessions: usize, turns: usize) -> anyhow::Result<()> {
        // The session that has been quiet for the longest time is the next one.
        let mut quiet: VecDeque<usize> = (0..sessions).collect();
        let mut busy: HashMap<String, usize> = HashMap::new();
        let mut left = turns;
        while left > 0 || !busy.is_empty() {
            while left > 0
                && let Some(session) = quiet.pop_front()
            {
                busy.insert(self.say(&format!("agent:main:{name}-{session}")).await?, session);
                left -= 1;
            }
            quiet.extend(busy.remove(&self.ended().await?));
        }
        Ok(())
    }

    /// Sends a message and gives the name of its run.
    async fn say(&mut self, key: &str) -> anyhow::Result<String> {
        self.next += 1;
        let run = format!("bench-run-{}", self.next);
        let params = json!({
            "sessionKey": key, "message": "How are you today?", "idempotencyKey": run, "deliver": false,
        });
        self.send("chat.send", &params).await?;
        Ok(run)
    }

    /// Waits for the end of some turn and gives its name.
    async fn ended(&mut self) -> anyhow::Result<String> {
        loop {
            let frame = self.frame().await?;
            ensure!(frame["type"] != "res" || frame["ok"] == true, "the gateway refused: {frame}");
            if frame["event"] != "chat" {
                continue;
            }
            match frame["payload"]["state"].as_str() {
                Some("final") => {
                    return Ok(frame["payload"]["runId"]
                        .as_str()
                        .context("an end without a run")?
                        .to_owned());
                }
                Some("delta" | "status") => {}
                _ => bail!("a turn failed: {frame}"),
            }
        }
    }

    async fn call(&mut self, method: &str, params: Value) -> anyhow::Result<Value> {
        let id = self.send(method, &params).await?;
        loop {
            let mut frame = self.frame().await?;
            if frame["type"] == "res" && frame["id"] == id {
                ensure!(frame["ok"] == true, "the gateway refused: {frame}");
                return Ok(frame["payload"].take());
            }
        }
    }

    async fn send(&mut self, method: &str, params: &Value) -> anyhow::Result<String> {
        self.next += 1;
        let id = format!("q{}", self.next);
        let question = json!({ "type": "req", "id": id, "method": method, "params": params });
        self.socket.send(Message::text(question.to_string())).await?;
        Ok(id)
    }

    async fn frame(&mut self) -> anyhow::Result<Value> {
        let message = self.socket.next().await.context("the gateway closed the connection")??;
        Ok(serde_json::from_str(message.to_text()?)?)
    }
}

fn configure(home: &Path, vendor: &ScriptedModelServer) -> anyhow::Result<()> {
    let api = ApiName::OpenaiCompletions;
    let config = json!({
        "messages": { "queue": { "debounceMs": 0 } },
        "agents": { "defaults": { "model": "own/small" } },
        "models": { "providers": { "own": {
            "baseUrl": vendor.base_url(api), "api": api.as_str(), "apiKey": "bench-key",
            "models": [{ "id": "small", "name": "small", "contextWindow": 1_000_000 }],
        } } },
    });
    std::fs::create_dir_all(home.join(".openclaw"))?;
    Ok(std::fs::write(home.join(".openclaw/openclaw.json"), config.to_string())?)
}

fn start(binary: &Path, home: &Path) -> anyhow::Result<Server> {
    let mut command = Command::new(binary);
    command.args(["gateway", "--port", "0", "--token", TOKEN]).env("HOME", home);
    command.env("OPENCLAW_STATE_DIR", home.join(".openclaw")).env_remove("OPENCLAW_CONFIG_PATH");
    Server::start(&mut command)
}

#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn now() -> Instant {
    Instant::now()
}

#[expect(clippy::disallowed_methods, reason = "a benchmark waits for a server to settle")]
async fn pause(span: Duration) {
    tokio::time::sleep(span).await;
}
