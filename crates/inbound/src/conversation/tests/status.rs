//! The sign on a message that shows how its answer goes.

use std::time::Duration;

use openclaw_config::StatusSigns;
use openclaw_config::sections::RawConfig;
use serde_json::{Value, json};

use super::super::*;

fn signs(more: Value) -> StatusSigns {
    let mut section = json!({ "enabled": true });
    section.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let raw: RawConfig =
        serde_json::from_value(json!({ "messages": { "statusReactions": section } })).unwrap();
    StatusSigns::resolve(&raw).unwrap()
}

fn at(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// What is shown and when, for these phases, until then.
fn shown(signs: StatusSigns, phases: &[(u64, Phase)], until: u64) -> Vec<(u64, String)> {
    let mut watch = StatusWatch::new(signs, "👀");
    let mut seen = Vec::new();
    let mut phases = phases.iter().peekable();
    for now in 0..=until {
        while let Some((_, phase)) = phases.next_if(|(when, _)| *when == now) {
            watch.see(*phase, at(now));
        }
        while watch.wake().is_some_and(|wake| wake <= at(now)) {
            seen.extend(watch.due(at(now)).map(|sign| (now, sign)));
        }
    }
    seen
}

fn rows(expected: &[(u64, &str)]) -> Vec<(u64, String)> {
    expected.iter().map(|(at, sign)| (*at, (*sign).to_owned())).collect()
}

#[test]
fn what_lasts_a_moment_is_not_shown() {
    let web = Phase::UsesTool(ToolFamily::Web);
    let seen = shown(signs(json!({})), &[(0, Phase::Thinks), (1_000, web), (1_100, Phase::Thinks)], 2_500);
    assert_eq!(seen, rows(&[(700, "🤔")]));
    let seen = shown(signs(json!({})), &[(0, Phase::Thinks), (1_000, web), (1_900, Phase::Thinks)], 3_000);
    assert_eq!(seen, rows(&[(700, "🤔"), (1_700, "⚡"), (2_600, "🤔")]));
}

#[test]
fn a_run_in_which_nothing_happens_shows_it_until_something_does() {
    let phases = [(0, Phase::Thinks), (31_000, Phase::Thinks)];
    let seen = shown(signs(json!({})), &phases, 42_000);
    assert_eq!(seen, rows(&[(700, "🤔"), (10_000, "🥱"), (30_000, "😨"), (31_700, "🤔"), (41_000, "🥱")]));
    assert_eq!(shown(signs(json!({})), &[(0, Phase::Waits)], 40_000), Vec::new(), "who waits does not stall");
}

#[test]
fn signs_and_times_are_chosen_and_an_empty_sign_is_not_shown() {
    let signs = signs(json!({
        "emojis": { "thinking": "", "coding": "🛠", "stallSoft": "" },
        "timing": { "debounceMs": 0, "stallSoftMs": 50, "stallHardMs": 90 },
    }));
    let coding = Phase::UsesTool(ToolFamily::of("exec"));
    let seen = shown(signs, &[(0, Phase::Thinks), (5, coding)], 200);
    assert_eq!(seen, rows(&[(5, "🛠"), (95, "😨")]));
}

#[test]
fn the_end_is_shown_at_once_and_for_a_while() {
    for (how, expected) in [
        (Over::Done, (Some("👍".to_owned()), at(1_500))),
        (Over::Failed, (Some("😱".to_owned()), at(2_500))),
        (Over::Stopped, (None, at(0))),
    ] {
        assert_eq!(StatusWatch::new(signs(json!({})), "👀").end(how, "👀"), expected, "{how:?}");
    }
}

#[test]
fn tools_are_told_apart_by_their_names() {
    for (name, family) in [
        ("web_search", ToolFamily::Web),
        ("browser", ToolFamily::Web),
        ("exec", ToolFamily::Coding),
        ("Read", ToolFamily::Coding),
        ("message", ToolFamily::Other),
        ("", ToolFamily::Other),
    ] {
        assert_eq!(ToolFamily::of(name), family, "{name}");
    }
}
