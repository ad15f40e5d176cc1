//! Two hundred sessions that are busy at once, over real sockets and real stores.
#![expect(clippy::unwrap_used, reason = "a test fails where something is wrong")]

mod gateway_world;

use std::collections::BTreeMap;

use gateway_world::{Operator, PATIENCE, configure, options};
use openclaw_app::{Wish, shutdown, start};
use openclaw_providers::{LastTurn, Script, Scripts};
use openclaw_testkit::{ScriptedModelServer, TempHome};
use serde_json::json;

const SESSIONS: usize = 200;

/// What the whole process, with vendor and client in it, may grow by.
const MOST_GROWTH_MEGABYTES: u64 = 150;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_busy_sessions_are_all_answered_without_much_memory() {
    let home = TempHome::new();
    let looks = Script::new().say("I look.").call_tool("ls", json!({ "path": "." }));
    let scripts = Scripts::new().when(|asked| asked.last_turn == LastTurn::User, looks).otherwise_echo();
    let vendor = ScriptedModelServer::start(scripts).await;
    configure(&home, &vendor, "collect");
    let running = start(options(home.state_dir().parent().unwrap())).await.unwrap();
    let port = running.addresses()[0].port();
    let sender = Operator::connect(port).await;
    let mut listener = Operator::connect(port).await;
    let before = resident_megabytes();
    let sending = async {
        for session in 0..SESSIONS {
            let key = format!("agent:main:s{session}");
            let answer = sender.send(&key, &format!("run-{session}"), "Look around.").await.unwrap();
            assert_eq!(answer["status"], "started");
        }
    };
    let listening = async {
        let mut ended: BTreeMap<String, String> = BTreeMap::new();
        while ended.len() < SESSIONS {
            let (name, payload) = listener.event().await.unwrap();
            if name == "chat" && payload["state"] != "delta" && payload["state"] != "status" {
                let run = payload["runId"].as_str().unwrap().to_owned();
                let state = payload["state"].as_str().unwrap().to_owned();
                assert_eq!(ended.insert(run, state), None, "a run ended twice");
            }
        }
        ended
    };
    let ((), ended) =
        tokio::time::timeout(PATIENCE, async { tokio::join!(sending, listening) }).await.unwrap();
    assert!(ended.values().all(|state| state == "final"), "{ended:?}");
    let growth = resident_megabytes().saturating_sub(before);
    assert!(growth < MOST_GROWTH_MEGABYTES, "{SESSIONS} sessions took {growth} MB");
    drop((sender, listener));
    assert!(shutdown(running, Wish::Stop).await.is_clean());
}

fn resident_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap() / 1024
}
