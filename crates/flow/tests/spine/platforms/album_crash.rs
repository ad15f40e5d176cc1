//! A process that ends while an album goes out, and a file of it that is gone at the next start: no other file is sent
//! twice.

use std::sync::Arc;

use openclaw_ports::Clock as _;
use openclaw_testkit::FakePlatform;
use openclaw_types::Payload;
use serde_json::{Value, json};

use crate::crash::End;
use crate::reaper::{Reaper, Side};
use crate::world::{Ground, MOMENT, World};

const FILES: [&str; 3] = ["a.png", "b.png", "c.png"];
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n rest";

fn ground() -> Arc<Ground> {
    let ground = Ground::new();
    for name in FILES {
        std::fs::write(ground.home.path().join(name), PICTURE).unwrap();
    }
    ground
}

fn file(ground: &Ground) -> Value {
    let account = json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"] });
    json!({
        "channels": { "fake": { "accounts": { "default": account } } },
        "agents": { "defaults": { "workspace": ground.home.path(), "skipBootstrap": true } },
    })
}

fn live(ground: &Arc<Ground>, reaper: &Arc<Reaper>) -> End {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let end = runtime.block_on(async {
        let life = async {
            let world = World::open(ground.clone(), file(ground), reaper.clone()).await;
            world.flow.open_channels().await.unwrap();
            world.flow.recover().await.unwrap();
            world.until(|| ground.platform.is_up("default")).await;
            let text = format!("picture={}", FILES.map(|name| format!("./{name}")).join("+"));
            let event = FakePlatform::direct("default", "ana", "1", &text, ground.clock.now());
            ground.platform.receive(event).await.unwrap();
            world.quiet().await;
            // Files are copied on another thread; the submission is dealt with once they are.
            while world.open_letters().await > 0 {
                ground.clock.advance(MOMENT).await;
            }
            for _ in 0..20 {
                ground.clock.advance(MOMENT).await;
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

/// How often each file was sent.
fn sent(ground: &Ground) -> [usize; 3] {
    let all = ground.platform.sent();
    FILES.map(|name| {
        let has = |payload: &Payload| payload.files().iter().filter(|file| file.name == name).count();
        all.iter().map(|piece| has(&piece.payload)).sum()
    })
}

#[test]
fn a_file_that_is_gone_after_a_crash_has_no_other_file_sent_twice() {
    let whole = Reaper::never();
    let first = ground();
    assert_eq!(live(&first, &whole), End::Quiet);
    assert_eq!((sent(&first), first.platform.sent().len()), ([1, 1, 1], 1), "they are one album");
    for (gone, name) in FILES.iter().enumerate() {
        for step in 1..=whole.steps() {
            for side in [Side::Before, Side::After] {
                let ground = ground();
                let how = live(&ground, &Reaper::at(step, side));
                std::fs::remove_file(ground.home.path().join(name)).unwrap();
                assert_eq!(live(&ground, &Reaper::never()), End::Quiet);
                let counts = sent(&ground);
                let expected = |file: usize| if file == gone { 0..=1 } else { 1..=1 };
                assert!(
                    counts.iter().enumerate().all(|(file, count)| expected(file).contains(count)),
                    "{name} gone after a crash {side:?} step {step} ({how:?}): {counts:?}"
                );
            }
        }
    }
}
