//! Two hundred sessions that are busy at once, over real sockets and real stores: all of them at work together where the
//! configuration lets them, in turn where it does not.
#![expect(clippy::unwrap_used, reason = "a test fails where something is wrong")]

mod gateway_world;

use std::collections::BTreeMap;

use futures_util::future::join_all;
use gateway_world::{Operator, PATIENCE, configure, options};
use openclaw_app::{ExitRequest, Running, shutdown, start};
use openclaw_providers::{Gate, LastTurn, Script, Scripts};
use openclaw_testkit::{ScriptedModelServer, TempHome};
use serde_json::{Value, json};

const SESSIONS: usize = 200;
/// How many sessions work at once where nothing is configured.
const USUAL_WIDTH: usize = 4;
/// How many others may begin before a session whose message was taken before theirs: what comes in one breath is
/// acknowledged in any order, but nobody waits until the others are through.
const OVERTAKEN: usize = SESSIONS / 2;
/// How many others may be answered before a session that began before them: a few that work at the same time.
const OUTRUN: usize = 5 * USUAL_WIDTH;

/// What the whole process, with vendor and client in it, may grow by.
const MOST_GROWTH_MEGABYTES: u64 = 150;

/// A gateway whose model looks around once it is let through a gate, and then answers.
struct World {
    running: Running,
    vendor: ScriptedModelServer,
    gate: Gate,
    sender: Operator,
    listener: Operator,
    _home: TempHome,
}

impl World {
    async fn new(queue: &str, width: Option<usize>) -> Self {
        let home = TempHome::new();
        let gate = Gate::new();
        let looks = Script::new().say("I look.").hold(&gate).call_tool("ls", json!({ "path": "." }));
        let scripts = Scripts::new().when(|asked| asked.last_turn == LastTurn::User, looks).otherwise_echo();
        let vendor = ScriptedModelServer::start(scripts).await;
        configure(&home, &vendor, queue);
        if let Some(width) = width {
            let file = home.path("openclaw.json");
            let mut config: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
            config["agents"]["defaults"]["maxConcurrent"] = json!(width);
            std::fs::write(&file, config.to_string()).unwrap();
        }
        let running = start(options(home.state_dir().parent().unwrap())).await.unwrap();
        let port = running.addresses()[0].port();
        let (sender, listener) = (Operator::connect(port).await, Operator::connect(port).await);
        Self { running, vendor, gate, sender, listener, _home: home }
    }

    /// Sends all at once, without waiting for one before the next. Gives the runs in the order they were taken.
    async fn send(&self, letters: &[(String, String)]) -> Vec<String> {
        let taken = std::sync::Mutex::new(Vec::new());
        let sending = letters.iter().map(|(key, run)| async {
            let answer = self.sender.send(key, run, "Look around.").await.unwrap();
            assert_eq!(answer["status"], "started");
            taken.lock().unwrap().push(run.clone());
        });
        tokio::time::timeout(PATIENCE, join_all(sending)).await.unwrap();
        taken.into_inner().unwrap()
    }

    /// Waits until so many sessions are at work, and sees that there are not more.
    async fn until_busy(&self, sessions: usize) {
        let busy = async {
            while self.gate.arrived() < sessions {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, busy).await.unwrap();
        assert_eq!(self.gate.arrived(), sessions, "so many are busy at once");
        assert_eq!(self.vendor.open_streams(), sessions);
    }

    /// Waits until so many runs have ended: those that began and those that ended, in order.
    async fn watch(&mut self, runs: usize) -> (Vec<String>, Vec<String>) {
        let (mut begun, mut ended) = (Vec::new(), Vec::new());
        let listening = async {
            while ended.len() < runs {
                let (name, payload) = self.listener.event().await.unwrap();
                let run = || payload["runId"].as_str().unwrap().to_owned();
                if name == "agent" && payload["data"]["phase"] == "start" && payload["stream"] == "lifecycle"
                {
                    begun.push(run());
                }
                if name == "chat" && payload["state"] != "delta" && payload["state"] != "status" {
                    assert_eq!(payload["state"], "final", "{payload}");
                    assert!(!ended.contains(&run()), "a run ended twice");
                    ended.push(run());
                }
            }
        };
        tokio::time::timeout(PATIENCE, listening).await.unwrap();
        (begun, ended)
    }

    async fn close(self) {
        drop((self.sender, self.listener));
        assert!(shutdown(self.running, ExitRequest::Stop).await.is_clean());
    }
}

fn letters() -> Vec<(String, String)> {
    (0..SESSIONS).map(|session| (format!("agent:main:s{session}"), format!("run-{session}"))).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_sessions_work_at_once_and_are_all_answered_without_much_memory() {
    let mut world = World::new("collect", Some(SESSIONS)).await;
    let before = resident_megabytes();
    world.send(&letters()).await;
    // Nobody gets through the gate, so that all of them are at work when the last one is.
    world.until_busy(SESSIONS).await;
    world.gate.open();
    let (begun, ended) = world.watch(SESSIONS).await;
    assert_eq!((begun.len(), ended.len()), (SESSIONS, SESSIONS));
    let growth = resident_megabytes().saturating_sub(before);
    assert!(growth < MOST_GROWTH_MEGABYTES, "{SESSIONS} sessions took {growth} MB");
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_few_may_work_at_once_every_session_has_its_turn_in_the_order_they_came() {
    let mut world = World::new("collect", None).await;
    let taken = world.send(&letters()).await;
    world.until_busy(USUAL_WIDTH).await;
    world.gate.open();
    let (begun, ended) = world.watch(SESSIONS).await;
    expect_fair(OVERTAKEN, &taken, &begun);
    expect_fair(OUTRUN, &begun, &ended);
    world.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_with_much_to_do_has_no_more_than_its_share() {
    let mut world = World::new("followup", None).await;
    let hungry: Vec<_> = (0..16).map(|n| ("agent:main:hungry".to_owned(), format!("much-{n}"))).collect();
    let modest: Vec<_> = (0..40).map(|n| (format!("agent:main:s{n}"), format!("one-{n}"))).collect();
    world.send(&hungry).await;
    world.send(&modest).await;
    world.gate.open();
    let (_, ended) = world.watch(hungry.len() + modest.len()).await;
    let half = ended.iter().position(|run| ended_before(&ended, run, "one-") == modest.len() / 2).unwrap();
    let much = ended[..half].iter().filter(|run| run.starts_with("much-")).count();
    assert!(much <= 10, "{much} messages of one session were answered before half of the others: {ended:?}");
    world.close().await;
}

/// How many runs of a kind ended up to this one.
fn ended_before(ended: &[String], run: &String, kind: &str) -> usize {
    let at = ended.iter().position(|each| each == run).unwrap();
    ended[..=at].iter().filter(|each| each.starts_with(kind)).count()
}

/// Nobody was overtaken by more than a few.
fn expect_fair(bound: usize, before: &[String], after: &[String]) {
    let place: BTreeMap<&String, usize> = before.iter().enumerate().map(|(at, run)| (run, at)).collect();
    let late = |(at, run): (usize, &String)| at.saturating_sub(place[run]);
    let most = after.iter().enumerate().map(late).max().unwrap();
    assert!(most <= bound, "one session was overtaken by {most} others: {after:?}");
}

fn resident_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap() / 1024
}
