//! A process that ends at any step while answers show as they are made: every word is seen once all the same.

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::Clock as _;
use openclaw_testkit::FakePlatform;
use serde_json::{Value, json};

use crate::brain::ESSAY;
use crate::crash::End;
use crate::reaper::{Reaper, Side};
use crate::world::{Ground, World};

fn file(account: &Value) -> Value {
    let mut account = account.clone();
    account["token"] = json!("good");
    account["dmPolicy"] = json!("allowlist");
    account["allowFrom"] = json!(["ana"]);
    json!({
        "channels": { "fake": { "accounts": { "default": account } } },
        "messages": { "queue": { "mode": "followup" } },
        "agents": { "defaults": {
            "blockStreamingChunk": { "minChars": 10, "maxChars": 60 },
            "blockStreamingCoalesce": { "minChars": 10, "maxChars": 30, "idleMs": 100 },
        } },
    })
}

fn live(ground: &Arc<Ground>, reaper: &Arc<Reaper>, account: &Value) -> End {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let end = runtime.block_on(async {
        let life = async {
            let world = World::open(ground.clone(), file(account), reaper.clone()).await;
            world.gate.open();
            world.flow.open_channels().await.unwrap();
            world.flow.recover().await.unwrap();
            world.until(|| ground.platform.is_up("default")).await;
            let event = FakePlatform::direct("default", "ana", "1", "essay do:x", ground.clock.now());
            ground.platform.receive(event).await.unwrap();
            while world.flow.busy() > 0 {
                ground.clock.advance(Duration::from_millis(100)).await;
            }
            for _ in 0..5 {
                ground.clock.advance(Duration::from_secs(1)).await;
            }
        };
        tokio::select! {
            biased;
            () = reaper.ended() => End::Killed,
            () = life => End::Quiet,
        }
    });
    ground.platform.hang_up();
    end
}

/// What people see, without the places where it is cut: those may be others after a crash.
fn letters(screen: &[String]) -> String {
    screen.concat().split_whitespace().collect()
}

/// Ends a life at every step, and looks at what people see after the next.
fn everywhere(account: &Value, expected: &str, seen: fn(&[String]) -> String) {
    let whole = Reaper::never();
    let ground = Ground::new();
    assert_eq!(live(&ground, &whole, account), End::Quiet);
    assert_eq!(seen(&ground.platform.screen("ana")), expected, "without a crash");
    for step in 1..=whole.steps() {
        for side in [Side::Before, Side::After] {
            let ground = Ground::new();
            live(&ground, &Reaper::at(step, side), account);
            assert_eq!(live(&ground, &Reaper::never(), account), End::Quiet);
            let screen = ground.platform.screen("ana");
            assert_eq!(seen(&screen), expected, "after a crash {side:?} step {step}");
        }
    }
}

#[test]
fn a_crash_at_any_step_repeats_no_block_and_loses_none() {
    let expected = format!("One moment.{}", ESSAY.concat()).split_whitespace().collect::<String>();
    everywhere(&json!({ "blockStreaming": true }), &expected, letters);
}

#[test]
fn a_crash_at_any_step_leaves_one_message_of_a_draft() {
    let expected = format!("One moment.|{}", ESSAY.join("\n\n"));
    everywhere(&json!({ "streaming": "partial" }), &expected, |screen| screen.join("|"));
}
