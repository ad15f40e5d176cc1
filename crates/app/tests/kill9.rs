//! Kills the whole gateway in the middle of busy runs, again and again, and looks at what people see afterwards.
//!
//! The child is this test binary again: the second test below, told by a variable where its home is. The parent is the
//! vendor and the client: it sends messages, some of which make the model run a command that writes into a file of its
//! own, hand a task to a sub-agent or write to another session, and kills the child after some number of events. What was
//! not acknowledged is sent again to the next child, as clients do. In the end every message stands in its session once
//! and has one answer or notice, every call has one result, no command ran twice and no session was written to twice, what
//! was cut off was told so where it may have had its effect and nowhere else, and every sub-agent was announced once.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails where something is wrong")]

mod gateway_world;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use gateway_world::{Operator, PATIENCE, configure, options};
use openclaw_app::{ExitRequest, shutdown, start};
use openclaw_ports::stores::{Inbox as _, Subagent, SubagentStore as _};
use openclaw_providers::{LastTurn, Script, Scripts};
use openclaw_stores::sqlite::{StateDatabase, StateLocation};
use openclaw_testkit::{Random, ScriptedModelServer, TempHome};
use serde_json::{Value, json};

/// In each of five tests.
const KILLS: u64 = 60;
const LETTERS_OF_A_LIFE: u64 = 4;

/// Maximum number of events before the child is killed.
const LONGEST_LIFE: u64 = 40;

/// A child that has nothing left to say is killed after this time.
const IDLE: Duration = Duration::from_millis(250);

/// The session that others write to.
const OTHER: &str = "agent:main:other";

const CHILD: &str = "OPENCLAW_KILL9_GATEWAY_CHILD";
const CHILD_TEST: &str = "a_gateway_serves_until_it_is_killed";

/// A message that was sent.
#[derive(Debug, Clone)]
struct TestMessage {
    key: String,
    name: String,
    text: String,
}

/// What the result of a call says that was cut off, by the gateway's end or by a newer message.
const TOLD: &str = "may or may not have had its effect";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_in_sixty_kills_of_many_sessions() {
    survive(&["collect"], 12).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_in_sixty_kills_of_few_sessions() {
    survive(&["collect"], 3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_in_sixty_kills_of_one_session() {
    survive(&["collect"], 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_in_sixty_kills_of_many_sessions_that_answer_one_by_one() {
    survive(&["followup"], 12).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_in_sixty_kills_of_few_sessions_that_let_newer_messages_in() {
    survive(&["steer", "steer-backlog", "interrupt", "followup"], 3).await;
}

/// Kills a gateway again and again; each life has the next of these ways to deal with messages that come while it works.
async fn survive(queues: &[&str], sessions: u64) {
    let home = TempHome::new();
    // Who is written to by another session has nothing to say to that, so that the two do not go on talking.
    let silent = |asked: &openclaw_providers::Asked| asked.last_user.contains("told:");
    let scripts = Scripts::new().when(silent, Script::new().say("NO_REPLY")).otherwise_echo();
    let vendor = ScriptedModelServer::start(scripts).await;
    let queues = queues.iter().cycle();
    let parent = home.state_dir().parent().unwrap().to_owned();
    settings(&home, &vendor, "followup");
    begin_other(&parent).await;
    let mut random = Random::new();
    let mut sent: Vec<TestMessage> = Vec::new();
    let mut unknown: Vec<TestMessage> = Vec::new();
    for (life, queue) in (0..KILLS).zip(queues.clone()) {
        settings(&home, &vendor, queue);
        unknown.extend(
            (0..LETTERS_OF_A_LIFE).map(|number| write(&home, &vendor, (life, number, sessions), &mut random)),
        );
        let acknowledged = live(&parent, &unknown, &mut random).await;
        let (known, rest) = unknown.into_iter().partition(|letter| acknowledged.contains(&letter.name));
        sent.extend::<Vec<TestMessage>>(known);
        unknown = rest;
    }
    assert!(sent.len() > 100, "too little happened: {}", sent.len());
    let running = start(options(&parent)).await.unwrap();
    let mut client = Operator::connect(running.addresses()[0].port()).await;
    for letter in &unknown {
        client.send(&letter.key, &letter.name, &letter.text).await.unwrap();
    }
    sent.extend(unknown);
    let clock = std::sync::Arc::new(openclaw_ports::SystemClock::new());
    let state = StateDatabase::open(StateLocation::within(home.state_dir()), clock).await.unwrap();
    let turns = if queues.clone().take(4).any(|queue| *queue == "interrupt") {
        Turns::Replaced
    } else {
        Turns::Alone
    };
    settle(&mut client, &state, &sent, turns).await;
    let subagents = state.all().await.unwrap();
    let all = expect_in_order(&client, &sent, turns).await;
    let children = expect_announced(&client, &subagents).await;
    expect_deeds(&home, &all, &children, (&sent, turns));
    drop(client);
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
    assert_eq!(state.open_messages().await.unwrap().len(), 0);
    assert!(subagents.len() > 10, "too few sub-agents worked: {}", subagents.len());
    eprintln!("{} messages and {} sub-agents survived {KILLS} kills", sent.len(), subagents.len());
}

/// Somebody talks in the session that others write to, so that it is there.
async fn begin_other(home: &Path) {
    let (mut child, port) = begin(home);
    let mut client = Operator::connect(port).await;
    client.send(OTHER, "first", "hello").await.unwrap();
    let answered = async {
        while let Some((name, payload)) = client.event().await {
            if name == "chat" && payload["state"] == "final" {
                return;
            }
        }
        panic!("the gateway is gone");
    };
    tokio::time::timeout(PATIENCE, answered).await.expect("it answers");
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9), "the child ended by itself");
}

fn settings(home: &TempHome, vendor: &ScriptedModelServer, queue: &str) {
    configure(home, vendor, queue);
    let file = home.path("openclaw.json");
    let mut config: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    config["tools"]["sessions"] = json!({ "visibility": "all" });
    // Two that echo each other would never come to an end.
    config["session"] = json!({ "agentToAgent": { "maxPingPongTurns": 0 } });
    std::fs::write(&file, config.to_string()).unwrap();
}

/// The child: serves until it is killed. Without orders it only starts and stops.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(
    clippy::disallowed_methods,
    reason = "a process can only be told apart from its parent from outside"
)]
async fn a_gateway_serves_until_it_is_killed() {
    let Ok(home) = std::env::var(CHILD) else {
        let home = TempHome::new();
        let vendor = ScriptedModelServer::start(Scripts::new()).await;
        configure(&home, &vendor, "collect");
        let running = start(options(home.state_dir().parent().unwrap())).await.unwrap();
        assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
        return;
    };
    let mut running = start(options(&PathBuf::from(home))).await.unwrap();
    let port = running.addresses()[0].port();
    std::io::stdout().write_all(format!("\nport {port}\n").as_bytes()).unwrap();
    running.wait().await;
}

/// Writes a message. Some make the model run a command once, which leaves a mark in a file of its own; others make it
/// hand that to a sub-agent, or write to another session.
fn write(
    home: &TempHome,
    vendor: &ScriptedModelServer,
    of: (u64, u64, u64),
    random: &mut Random,
) -> TestMessage {
    let name = format!("n{}x{}", of.0, of.1);
    let key = format!("agent:main:k{}", random.below(of.2));
    let order = match random.below(5) {
        0 => return TestMessage { text: format!("#{name};"), key, name },
        1 => {
            let order = format!("spawn:{name};");
            let task = format!("sub:{name};");
            let spawn = json!({ "task": task, "label": name });
            when_asked(vendor, Asks::People, &order, Script::new().call_tool("sessions_spawn", spawn));
            if random.below(2) == 0 {
                when_asked(vendor, Asks::Subagent, &task, run_once(home, &name));
            }
            order
        }
        2 => {
            let order = format!("tell:{name};");
            let said =
                json!({ "sessionKey": OTHER, "message": format!("told:{name};"), "timeoutSeconds": 0 });
            when_asked(vendor, Asks::People, &order, Script::new().call_tool("sessions_send", said));
            order
        }
        _ => {
            let order = format!("do:{name};");
            when_asked(vendor, Asks::People, &order, run_once(home, &name));
            order
        }
    };
    TestMessage { text: format!("#{name}; {order}"), key, name }
}

/// Who is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asks {
    People,
    Subagent,
}

fn when_asked(vendor: &ScriptedModelServer, asks: Asks, order: &str, script: Script) {
    let order = order.to_owned();
    let fits = move |asked: &openclaw_providers::Asked| {
        let within = if asked.system.contains("You are a sub-agent") { Asks::Subagent } else { Asks::People };
        within == asks && asked.last_turn == LastTurn::User && asked.last_user.contains(&order)
    };
    drop(vendor.scripts().clone().when(fits, script));
}

fn run_once(home: &TempHome, name: &str) -> Script {
    let command = json!({ "command": format!("echo done >> {}", deed(home, name).display()) });
    Script::new().say("One moment.").call_tool("exec", command)
}

fn deed(home: &TempHome, name: &str) -> PathBuf {
    let folder = home.path("deeds");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

/// One life of a child: sends messages while it works, and kills it. Gives the names that were acknowledged.
async fn live(home: &Path, letters: &[TestMessage], random: &mut Random) -> BTreeSet<String> {
    let (mut child, port) = begin(home);
    let sender = Operator::connect(port).await;
    let mut listener = Operator::connect(port).await;
    let wanted = random.below(LONGEST_LIFE);
    let spin = random.below(200_000);
    let sending = async {
        let mut acknowledged = BTreeSet::new();
        for letter in letters {
            match sender.send(&letter.key, &letter.name, &letter.text).await {
                Some(_) => acknowledged.insert(letter.name.clone()),
                None => break,
            };
        }
        acknowledged
    };
    let killing = async {
        for _ in 0..wanted {
            if tokio::time::timeout(IDLE, listener.event()).await.is_err() {
                break;
            }
        }
        for _ in 0..spin {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(9), "the child ended by itself");
    };
    tokio::join!(sending, killing).0
}

fn begin(home: &Path) -> (Child, u16) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", CHILD_TEST, "--nocapture", "--test-threads=1"])
        .env(CHILD, home)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let port = lines.map_while(Result::ok).find_map(|line| line.strip_prefix("port ")?.parse().ok());
    (child, port.expect("the child did not say where it listens"))
}

/// Waits until every message is dealt with and every sub-agent is announced.
async fn settle(client: &mut Operator, state: &StateDatabase, sent: &[TestMessage], turns: Turns) {
    let settled = async {
        while !is_settled(client, state, sent, turns).await {
            // The last word may be written behind the last event.
            if let Ok(None) = tokio::time::timeout(IDLE, client.event()).await {
                panic!("the gateway is gone");
            }
        }
    };
    if tokio::time::timeout(PATIENCE, settled).await.is_err() {
        expect_everything(&histories(client, sent).await, sent, turns);
        panic!("not every session rests: {:#?}", state.all().await.unwrap());
    }
}

async fn is_settled(client: &Operator, state: &StateDatabase, sent: &[TestMessage], turns: Turns) -> bool {
    let subagents = state.all().await.unwrap();
    if subagents.iter().any(|row| row.announced_at.is_none())
        || !state.open_messages().await.unwrap().is_empty()
    {
        return false;
    }
    let all = histories(client, sent).await;
    let there = |letter: &TestMessage| is_there(&all, letter) > 0;
    sent.iter().enumerate().all(|(at, letter)| there(letter) || gave_way(&all, sent, at, turns))
        && all.values().all(|messages| messages.last().is_some_and(is_final))
}

/// Every sub-agent was announced once to the session that asked for it, and its own session is in order. Gives what
/// stands there.
async fn expect_announced(client: &Operator, subagents: &[Subagent]) -> Vec<Vec<Value>> {
    let mut all = Vec::new();
    for row in subagents {
        let asking = history(client, row.requester.as_str()).await;
        let told = asking.iter().filter(|one| one["role"] == "user").map(text).collect::<String>();
        assert_eq!(told.matches(row.child.as_str()).count(), 1, "{row:?}\n{told}");
        let own = history(client, row.child.as_str()).await;
        if !own.is_empty() {
            expect_turns(row.child.as_str(), &own, Turns::Alone);
        }
        expect_results(row.child.as_str(), &own);
        all.push(own);
    }
    all
}

async fn histories(client: &Operator, sent: &[TestMessage]) -> BTreeMap<String, Vec<Value>> {
    let mut all = BTreeMap::new();
    for letter in sent {
        if !all.contains_key(&letter.key) {
            all.insert(letter.key.clone(), history(client, &letter.key).await);
        }
    }
    all
}

/// What newer messages do to older ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turns {
    /// Nothing: every message in the transcript has its own answer.
    Alone,
    /// They join them, are told to the run under way and again to the next (`steer-backlog`), or take the place of those
    /// that wait.
    Replaced,
}

/// How often a message stands in its session.
fn is_there(all: &BTreeMap<String, Vec<Value>>, letter: &TestMessage) -> usize {
    let name = format!("#{};", letter.name);
    all[&letter.key].iter().filter(|one| one["role"] == "user" && text(one).contains(&name)).count()
}

/// Whether a message that is not there was still waiting when a newer one of its session took its place.
fn gave_way(all: &BTreeMap<String, Vec<Value>>, sent: &[TestMessage], at: usize, turns: Turns) -> bool {
    let newer = sent[at + 1..].iter().filter(|newer| newer.key == sent[at].key);
    turns == Turns::Replaced && newer.into_iter().any(|newer| is_there(all, newer) > 0)
}

async fn expect_in_order(
    client: &Operator,
    sent: &[TestMessage],
    turns: Turns,
) -> BTreeMap<String, Vec<Value>> {
    let mut all = histories(client, sent).await;
    expect_everything(&all, sent, turns);
    for (key, messages) in &all {
        expect_turns(key, messages, turns);
        expect_results(key, messages);
    }
    // Silence is no answer that a history shows, so that turns cannot be counted there.
    all.insert(OTHER.to_owned(), history(client, OTHER).await);
    all
}

/// Every deed was done once where its result says so, at most once where the result says that nobody knows, and never
/// where no call stands in a transcript.
fn expect_deeds(
    home: &TempHome,
    all: &BTreeMap<String, Vec<Value>>,
    children: &[Vec<Value>],
    (sent, turns): (&[TestMessage], Turns),
) {
    let written: String =
        all[OTHER].iter().filter(|one| one["role"] == "user").map(text).collect::<Vec<_>>().join("\n");
    let marks = |name: &str| {
        let file = std::fs::read_to_string(deed(home, name)).unwrap_or_default();
        file.lines().count() + written.matches(&format!("told:{name};")).count()
    };
    // How often each was called for, and how many of these calls were cut off and told so.
    let mut calls: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (name, result) in all.values().chain(children).flat_map(|messages| deeds(messages)) {
        let (called, cut) = calls.entry(name).or_default();
        *called += 1;
        *cut += usize::from(result.contains(TOLD));
    }
    let most = if turns == Turns::Replaced { 2 } else { 1 };
    for (name, (called, cut)) in &calls {
        assert!(*called <= most, "{name} was called for {called} times");
        let done = marks(name);
        assert!((called - cut..=*called).contains(&done), "{name}: {done} times of {called}, {cut} cut off");
    }
    for letter in sent.iter().filter(|letter| !calls.contains_key(&letter.name)) {
        assert_eq!(marks(&letter.name), 0, "{letter:?} has no call in any transcript");
    }
    let cut: usize = calls.values().map(|(_, cut)| cut).sum();
    eprintln!("{} deeds, {cut} of them cut off and told so", calls.len());
    assert!(cut < calls.len(), "everything was cut off");
}

/// The deeds that a session's calls were to do, and what came of them.
fn deeds(messages: &[Value]) -> Vec<(String, String)> {
    let pieces = messages.iter().flat_map(|one| one["content"].as_array().into_iter().flatten());
    let calls = pieces.filter(|piece| piece["type"] == "toolCall");
    calls
        .filter_map(|call| {
            let given = &call["arguments"];
            let name = match call["name"].as_str()? {
                "exec" => given["command"].as_str()?.rsplit('/').next()?.to_owned(),
                "sessions_send" => {
                    given["message"].as_str()?.strip_prefix("told:")?.trim_end_matches(';').to_owned()
                }
                _ => return None,
            };
            let result = messages.iter().find(|one| one["toolCallId"] == call["id"]).map(text)?;
            Some((name, result))
        })
        .collect()
}

/// Every message stands in its session, once, unless a newer one took its place.
fn expect_everything(all: &BTreeMap<String, Vec<Value>>, sent: &[TestMessage], turns: Turns) {
    for (at, letter) in sent.iter().enumerate() {
        let count = is_there(all, letter);
        let fits = match count {
            0 => gave_way(all, sent, at, turns),
            1 => true,
            _ => count == 2 && turns == Turns::Replaced,
        };
        assert!(fits, "{letter:?} is there {count} times");
    }
}

/// Every message of people is followed by one answer or notice before the next one, or by one for all that came together.
fn expect_turns(key: &str, messages: &[Value], turns: Turns) {
    let mut answers = 1;
    for message in messages {
        if message["role"] == "user" {
            let all =
                || messages.iter().map(|one| format!("{}: {}", one["role"], text(one))).collect::<Vec<_>>();
            let fits = answers == 1 || (answers == 0 && turns == Turns::Replaced);
            assert!(fits, "{answers} answers in {key} before {}: {:#?}", text(message), all());
            answers = 0;
        }
        answers += usize::from(is_final(message));
    }
    assert!(answers == 1 || messages.is_empty(), "{key} at its end");
}

/// Every call has one result, and every result its call.
fn expect_results(key: &str, messages: &[Value]) {
    let calls: Vec<&Value> = messages.iter().flat_map(calls).collect();
    let results: Vec<&Value> =
        messages.iter().filter(|one| one["role"] == "toolResult").map(|one| &one["toolCallId"]).collect();
    assert_eq!(calls, results, "{key}");
}

fn calls(message: &Value) -> impl Iterator<Item = &Value> {
    let pieces = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    pieces.iter().filter(|piece| piece["type"] == "toolCall").map(|piece| &piece["id"])
}

fn is_final(message: &Value) -> bool {
    message["role"] == "assistant" && calls(message).next().is_none()
}

fn text(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        content => {
            let pieces = content.as_array().map(Vec::as_slice).unwrap_or_default();
            pieces.iter().filter_map(|piece| piece["text"].as_str()).collect()
        }
    }
}

async fn history(client: &Operator, key: &str) -> Vec<Value> {
    let asked = json!({ "sessionKey": key, "limit": 1000 });
    client.request("chat.history", &asked).await.unwrap()["messages"].as_array().unwrap().clone()
}
