//! A process that ends at any step while messages of a platform flow: each is answered once there, in order.

use std::sync::Arc;

use openclaw_ports::Clock as _;
use openclaw_ports::stores::Inbox as _;
use openclaw_testkit::FakePlatform;
use serde_json::{Value, json};

use crate::crash::End;
use crate::reaper::{Reaper, Side};
use crate::world::{Ground, World};

type Events = [(&'static str, &'static str, &'static str)];

const ANSWERS: &Events =
    &[("ana", "1", "#a1 do:a1"), ("bob", "2", "#b1"), ("ana", "3", "#a2"), ("ana", "4", "/whoami")];
const OTHERS: &Events =
    &[("eve", "1", "fail"), ("cleo", "2", "#lmnopqrstuvw tell:cleo"), ("bob", "3", "#b1 look:b1 fail-later")];

fn file() -> Value {
    let account =
        json!({ "token": "good", "dmPolicy": "allowlist", "allowFrom": ["ana", "bob", "cleo", "eve"] });
    json!({
        "channels": { "fake": { "accounts": { "default": account } } },
        "session": { "dmScope": "per-peer" },
        "messages": { "queue": { "mode": "followup" } },
    })
}

/// Lives until everything is dealt with or the reaper comes. The platform brings again whatever was not acknowledged,
/// and some of what was.
fn live(ground: &Arc<Ground>, reaper: &Arc<Reaper>, events: &Events) -> End {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let end = runtime.block_on(async {
        let life = async {
            let world = World::open(ground.clone(), file(), reaper.clone()).await;
            world.gate.open();
            world.flow.open_channels().await.unwrap();
            world.flow.recover().await.unwrap();
            world.until(|| ground.platform.is_up("default")).await;
            for (from, event, text) in events.iter().copied() {
                let event = FakePlatform::direct("default", from, event, text, ground.clock.now());
                ground.platform.receive(event).await.unwrap();
            }
            world.quiet().await;
            let open = || ground.platform.sent().len();
            for _ in 0..20 {
                ground.clock.advance(std::time::Duration::from_millis(50)).await;
            }
            assert!(open() > 0);
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

fn expect_answers(ground: &Ground, when: &str) {
    let ana = ground.platform.words_to("ana");
    let answers: Vec<&String> = ana.iter().filter(|text| text.starts_with("Heard")).collect();
    assert_eq!(answers, ["Heard #a1.", "Heard #a2."], "{when}: {ana:?}");
    assert_eq!(ground.platform.words_to("bob"), ["Heard #b1."], "{when}");
    // A command that a crash cuts off is not carried out again; its sender is told that instead.
    let others = ana.iter().filter(|text| !text.starts_with("Heard") && *text != "One moment.").count();
    assert_eq!(others, 1, "{when}: {ana:?}");
}

fn expect_one_notice_and_nothing_repeated(ground: &Ground, when: &str) {
    let eve = ground.platform.words_to("eve");
    assert_eq!(eve.len(), 1, "{when}: {eve:?}");
    let mut cleo = ground.platform.words_to("cleo");
    cleo.sort();
    assert_eq!(cleo, ["Heard #lmnopqrstuvw.", "One moment."], "{when}: what a tool said is not said again");
    let bob = ground.platform.words_to("bob");
    assert_eq!((bob.len(), bob[0].as_str()), (2, "One moment."), "{when}: {bob:?}");
}

/// Ends a life at every step, and looks at what people were told after the next.
fn everywhere(events: &Events, expect: fn(&Ground, &str)) {
    let whole = Reaper::never();
    let ground = Ground::new();
    assert_eq!(live(&ground, &whole, events), End::Quiet);
    expect(&ground, "without a crash");
    for step in 1..=whole.steps() {
        for side in [Side::Before, Side::After] {
            let ground = Ground::new();
            let first = live(&ground, &Reaper::at(step, side), events);
            assert_eq!(live(&ground, &Reaper::never(), events), End::Quiet);
            let when = format!("after a crash {side:?} step {step} ({first:?})");
            expect(&ground, &when);
            let open = tokio::runtime::Builder::new_current_thread().build().unwrap();
            assert_eq!(open.block_on(ground.inbox.open_messages()).unwrap(), Vec::new(), "{when}");
        }
    }
}

#[test]
fn a_crash_at_any_step_loses_no_answer_and_gives_none_twice() {
    everywhere(ANSWERS, expect_answers);
}

#[test]
fn a_crash_at_any_step_tells_of_a_failure_once_and_repeats_nothing_that_a_tool_said() {
    everywhere(OTHERS, expect_one_notice_and_nothing_repeated);
}
