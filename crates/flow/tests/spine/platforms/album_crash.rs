//! A process that ends while an album goes out, and a file of it that is gone at the next start: no other file is sent
//! twice.

use std::sync::Arc;

use openclaw_ports::Clock as _;
use openclaw_testkit::FakePlatform;
use openclaw_types::PiecePayload;
use serde_json::{Value, json};

use crate::crash::End;
use crate::crash_plan::{CrashPlan, Side};
use crate::world::{MOMENT, Machine, World};

const FILES: [&str; 3] = ["a.png", "b.png", "c.png"];
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n rest";

fn machine() -> Arc<Machine> {
    let machine = Machine::new();
    for name in FILES {
        std::fs::write(machine.home.path().join(name), PICTURE).unwrap();
    }
    machine
}

fn file(machine: &Machine) -> Value {
    let account = json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"] });
    json!({
        "channels": { "fake": { "accounts": { "default": account } } },
        "agents": { "defaults": { "workspace": machine.home.path(), "skipBootstrap": true } },
    })
}

fn live(machine: &Arc<Machine>, crash_plan: &Arc<CrashPlan>) -> End {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let end = runtime.block_on(async {
        let life = async {
            let world = World::open(machine.clone(), file(machine), crash_plan.clone()).await;
            world.flow.open_channels().await.unwrap();
            world.flow.recover().await.unwrap();
            world.until(|| machine.platform.is_up("default")).await;
            let text = format!("picture={}", FILES.map(|name| format!("./{name}")).join("+"));
            let event = FakePlatform::direct("default", "ana", "1", &text, machine.clock.now());
            machine.platform.receive(event).await.unwrap();
            world.quiet().await;
            // Files are copied on another thread; the submission is dealt with once they are.
            while world.open_letters().await > 0 {
                machine.clock.advance(MOMENT).await;
            }
            for _ in 0..20 {
                machine.clock.advance(MOMENT).await;
            }
        };
        tokio::select! {
            biased;
            () = crash_plan.ended() => End::Killed,
            () = life => End::Quiet,
        }
    });
    machine.platform.hang_up();
    end
}

/// How often each file was sent.
fn sent(machine: &Machine) -> [usize; 3] {
    let all = machine.platform.sent();
    FILES.map(|name| {
        let has = |payload: &PiecePayload| payload.files().iter().filter(|file| file.name == name).count();
        all.iter().map(|piece| has(&piece.payload)).sum()
    })
}

#[test]
fn a_file_that_is_gone_after_a_crash_has_no_other_file_sent_twice() {
    let whole = CrashPlan::never();
    let first = machine();
    assert_eq!(live(&first, &whole), End::Quiet);
    assert_eq!((sent(&first), first.platform.sent().len()), ([1, 1, 1], 1), "they are one album");
    for (gone, name) in FILES.iter().enumerate() {
        for step in 1..=whole.steps() {
            for side in [Side::Before, Side::After] {
                let machine = machine();
                let how = live(&machine, &CrashPlan::at(step, side));
                std::fs::remove_file(machine.home.path().join(name)).unwrap();
                assert_eq!(live(&machine, &CrashPlan::never()), End::Quiet);
                let counts = sent(&machine);
                let expected = |file: usize| if file == gone { 0..=1 } else { 1..=1 };
                assert!(
                    counts.iter().enumerate().all(|(file, count)| expected(file).contains(count)),
                    "{name} gone after a crash {side:?} step {step} ({how:?}): {counts:?}"
                );
            }
        }
    }
}
