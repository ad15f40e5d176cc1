//! Kills the whole gateway while five hundred messages flow through a platform outside of it, again and again.
//!
//! The child is this test binary again: the second test below, told by a variable where its home is; it is the real gateway
//! with one more platform. The parent is the platform and the vendor. The platform brings again what was not acknowledged
//! and some of what was, mixes conversations, says that it is too much, and loses answers. In the end everybody was
//! answered: each message once, in the order of the conversation. Both kinds of platform on which that can be promised
//! are there: one that drops what comes twice, and one that can be asked what is there. People write alone, in rooms and in
//! threads of rooms, over three accounts: one whose answers come whole, one that shows them in blocks and one that shows
//! them as drafts that grow.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails where something is wrong")]

mod gateway_world;
mod outside;

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use gateway_world::{configure, options};
use openclaw_app::{ExitRequest, RunOptions, shutdown, start};
use openclaw_ports::stores::Inbox as _;
use openclaw_providers::Scripts;
use openclaw_stores::sqlite::{StateDatabase, StateLocation};
use openclaw_testkit::{Random, ScriptedModelServer, TempHome};
use outside::{Platform, Repeats, TestMessage};
use serde_json::{Value, json};

const MESSAGES: usize = 500;
/// Conversations: most of people alone, some rooms, some threads.
const PEOPLE: usize = 20;

/// Maximum number of further answers before a child is killed.
const LONGEST_LIFE: u64 = 40;

/// One step of the test may take so long on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(120);

const CHILD: &str = "OPENCLAW_CHANNELS_KILL9_CHILD";
/// Set where the platform can be asked what is there.
const FINDABLE: &str = "OPENCLAW_CHANNELS_KILL9_FINDABLE";
const CHILD_TEST: &str = "a_gateway_with_a_platform_serves_until_it_is_killed";

fn settings(home: &TempHome, vendor: &ScriptedModelServer, platform: &Platform) {
    configure(home, vendor, "followup");
    let file = home.path("openclaw.json");
    let mut config: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    config["channels"] = json!({ "outside": { "address": platform.address(), "accounts": {
        "whole": { "token": "good" },
        "blocks": { "token": "good", "show": "blocks" },
        "drafts": { "token": "good", "show": "drafts" },
    } } });
    // Echoes are short: blocks and drafts begin early, so that some have begun when the process ends.
    config["agents"]["defaults"]["blockStreamingChunk"] = json!({ "minChars": 8, "maxChars": 24 });
    config["agents"]["defaults"]["blockStreamingCoalesce"] =
        json!({ "minChars": 8, "maxChars": 24, "idleMs": 5 });
    config["session"] = json!({ "dmScope": "per-peer" });
    config["messages"]["inbound"] = json!({ "debounceMs": 0 });
    std::fs::write(&file, config.to_string()).unwrap();
}

fn with_platform(home: &Path, repeats: Repeats) -> RunOptions {
    let platforms = match repeats {
        Repeats::Dropped => outside::platforms,
        Repeats::Shown => outside::findable_platforms,
    };
    RunOptions { platforms, ..options(home) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_hundred_messages_survive_kills_where_the_platform_drops_repeats() {
    survive_kills_at_random_points(Repeats::Dropped).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_hundred_messages_survive_kills_where_the_platform_says_what_is_there() {
    survive_kills_at_random_points(Repeats::Shown).await;
}

async fn survive_kills_at_random_points(repeats: Repeats) {
    let home = TempHome::new();
    let vendor = ScriptedModelServer::start(Scripts::new().otherwise_echo()).await;
    let platform = Platform::start(repeats).await;
    settings(&home, &vendor, &platform);
    let parent = home.state_dir().parent().unwrap().to_owned();
    let mut random = Random::new();
    for number in 0..MESSAGES {
        let conversation = number % PEOPLE;
        let to = place(conversation);
        let text = format!("{} #person{conversation}-{};", "so much for today, ".repeat(3), number / PEOPLE);
        let account = ["whole", "blocks", "drafts"][conversation % 3];
        platform.write(account, TestMessage { event: format!("e{number}"), from: to, text });
    }
    let mut kills = 0;
    while answered(&platform.shown()) + 60 < MESSAGES {
        live((&parent, repeats), &platform, &mut random).await;
        kills += 1;
    }
    let running = start(with_platform(&parent, repeats)).await.unwrap();
    let _in_time = tokio::time::timeout(PATIENCE, platform.until(is_whole)).await;
    expect_answers(&platform.shown());
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
    let clock = std::sync::Arc::new(openclaw_ports::SystemClock::new());
    let state = StateDatabase::open(StateLocation::within(home.state_dir()), clock).await.unwrap();
    assert_eq!(state.open_messages().await.unwrap().len(), 0);
    expect_answers(&platform.shown());
    assert!(kills >= 10, "too little happened: {kills}");
    eprintln!("{MESSAGES} messages survived {kills} kills");
}

/// One life of a child: it is killed after some more answers, at any step of what comes next.
async fn live((home, repeats): (&Path, Repeats), platform: &Platform, random: &mut Random) {
    let mut child = begin(home, repeats);
    let wanted = answered(&platform.shown()) + usize::try_from(1 + random.below(LONGEST_LIFE)).unwrap();
    let spin = random.below(400_000);
    tokio::time::timeout(PATIENCE, platform.until(|shown| answered(shown) >= wanted.min(MESSAGES)))
        .await
        .expect("the gateway works on");
    for _ in 0..spin {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9), "the child ended by itself");
}

fn begin(home: &Path, repeats: Repeats) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", CHILD_TEST, "--nocapture", "--test-threads=1"])
        .env(CHILD, home)
        .envs((repeats == Repeats::Shown).then_some((FINDABLE, "yes")))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.map_while(Result::ok).find(|line| line == "up").expect("the child did not start");
    child
}

/// The child: serves until it is killed. Without orders it does nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(
    clippy::disallowed_methods,
    reason = "a process can only be told apart from its parent from outside"
)]
async fn a_gateway_with_a_platform_serves_until_it_is_killed() {
    let Ok(home) = std::env::var(CHILD) else { return };
    let repeats = if std::env::var(FINDABLE).is_ok() { Repeats::Shown } else { Repeats::Dropped };
    let mut running = start(with_platform(&PathBuf::from(home), repeats)).await.unwrap();
    std::io::stdout().write_all(b"\nup\n").unwrap();
    running.wait().await;
}

/// Where a conversation is: with somebody alone, in a room, or in a thread of a room.
fn place(conversation: usize) -> String {
    match conversation % 5 {
        3 => format!("room{conversation}"),
        4 => format!("room{}/thread{conversation}", conversation - 1),
        _ => format!("person{conversation}"),
    }
}

/// In each conversation the answers to all messages are there, each once and in order.
fn expect_answers(shown: &[(String, String)]) {
    for conversation in 0..PEOPLE {
        let place = place(conversation);
        let here: Vec<&str> =
            shown.iter().filter(|(to, _)| *to == place).map(|(_, text)| text.as_str()).collect();
        assert_eq!(answers(shown, conversation), expected(conversation), "{place}: {here:#?}");
    }
}

fn is_whole(shown: &[(String, String)]) -> bool {
    (0..PEOPLE).all(|conversation| answers(shown, conversation) == expected(conversation))
}

/// What was answered in a conversation. An answer may be cut anywhere into blocks, but not lose or repeat a letter.
fn answers(shown: &[(String, String)], conversation: usize) -> Vec<String> {
    let place = place(conversation);
    let here = shown.iter().filter(|(to, _)| *to == place).map(|(_, text)| text.as_str());
    marks(&here.collect::<Vec<_>>().join(" "))
}

fn expected(conversation: usize) -> Vec<String> {
    (0..MESSAGES / PEOPLE).map(|message| format!("#person{conversation}-{message};")).collect()
}

/// How many messages are answered.
fn answered(shown: &[(String, String)]) -> usize {
    shown.iter().flat_map(|(_, text)| marks(text)).count()
}

/// What an answer says it answers. A cut may go through a mark, so that white space counts for nothing.
fn marks(text: &str) -> Vec<String> {
    let text: String = text.split_whitespace().collect();
    let found = text.split('#').skip(1).filter_map(|rest| rest.split_once(';'));
    found.filter(|(mark, _)| mark.starts_with("person")).map(|(mark, _)| format!("#{mark};")).collect()
}
