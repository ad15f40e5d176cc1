//! Many sessions at once: lanes hold, nobody is forgotten, nobody is overtaken for long.

use openclaw_flow::HeldSubmissions;
use serde_json::json;

use crate::world::{MAIN, MOMENT, World, session_key};

const SESSIONS: usize = 200;
const LANE: usize = 4;
/// What one submission of these may take in memory: its words, and the same with the time before them.
const MOST_BYTES: usize = 128;

fn key(session: usize) -> String {
    format!("agent:main:s{session}")
}

#[tokio::test]
async fn two_hundred_busy_sessions_share_four_places_fairly() {
    // Without a wait for quiet, so that the order of the ends is the order of the lane.
    let world = World::queue(json!({ "debounceMs": 0 })).await;
    for session in 0..SESSIONS {
        for submission in ["one", "two"] {
            let run = format!("{submission}-{session}");
            world.say_in(&key(session), &run, &format!("#{run} hold:{run}")).await;
        }
    }
    world.until(|| world.gate.arrived() >= LANE).await;
    world.machine.clock.advance(crate::world::MOMENT).await;
    assert_eq!((world.gate.arrived(), world.flow.busy()), (LANE, 2 * SESSIONS));
    let held = world.flow.held();
    assert_eq!(held.sessions, SESSIONS);
    assert!(held.submissions <= 2 * SESSIONS, "{held:?}");
    assert!(held.bytes <= 2 * SESSIONS * MOST_BYTES, "{held:?}");
    world.gate.open();
    world.quiet().await;
    let ended: Vec<String> =
        world.told().iter().filter_map(|told| told.strip_suffix(" answered").map(str::to_owned)).collect();
    assert_eq!(ended.len(), 2 * SESSIONS);
    assert_fair(&ended);
    assert_eq!((world.open_letters().await, world.machine.deeds().len()), (0, 2 * SESSIONS));
    assert_eq!(world.flow.held(), HeldSubmissions::default(), "nothing is kept of sessions that rest");
}

#[tokio::test]
async fn a_flood_in_one_session_is_held_within_its_bounds() {
    const CAP: usize = 5;
    let world = World::queue(json!({ "cap": CAP, "drop": "summarize" })).await;
    world.keep_busy("a").await;
    for number in 0..100 {
        world.say(&format!("r{number}"), &format!("#r{number}")).await;
        assert!(world.flow.session_state(&session_key(MAIN)).waiting <= CAP);
        world.machine.clock.advance(MOMENT).await;
        // The one that is answered, those that wait, and those that are to be mentioned.
        assert!(world.flow.busy() <= 1 + 2 * CAP, "{} are kept", world.flow.busy());
    }
    world.gate.open();
    world.quiet().await;
    assert_eq!((world.open_letters().await, world.flow.busy_sessions()), (0, Vec::new()));
    let answers = world.transcript().await;
    assert_eq!(
        answers.last().unwrap(),
        "assistant: Heard #r90 #r91 #r92 #r93 #r94 #r95 #r96 #r97 #r98 #r99."
    );
}

/// Whoever came first is answered first, but for those who are answered at the same time; a session that has been
/// answered stands behind all others.
fn assert_fair(ended: &[String]) {
    for (place, run) in ended.iter().enumerate() {
        let (submission, session) = run.split_once('-').unwrap();
        let due = session.parse::<usize>().unwrap() + if submission == "two" { SESSIONS } else { 0 };
        assert!(due.abs_diff(place) < 4 * LANE, "{run} was answered as number {place}");
    }
}
