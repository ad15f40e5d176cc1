//! Recorded requests, answers and events of the original, read and written back by our types.
//!
//! Every recorded params object must be accepted, every successful answer and every event must come back as the same JSON
//! value. Where we differ on purpose the difference stands in `deviations.rs` with its reason.

use std::collections::BTreeSet;

use openclaw_protocol::{ErrorShape, MethodSpec, find_event, find_method};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use crate::deviations::SAMPLE_DEVIATIONS;

const SAMPLES: &str = include_str!("../fixtures/method-samples-2026.2.26.json");
const CHAT_RUNS: &str = include_str!("../fixtures/chat-run-samples-2026.2.26.json");

fn samples() -> Map<String, Value> {
    serde_json::from_str(SAMPLES).unwrap()
}

/// The method a sample was recorded from: its name may carry a number or a word for the case.
fn method_of(sample: &str) -> Option<&'static MethodSpec> {
    let plain = sample.trim_end_matches(|letter: char| letter.is_ascii_digit());
    find_method(sample)
        .or_else(|| find_method(plain))
        .or_else(|| plain.rsplit_once('.').and_then(|(name, _)| find_method(name)))
}

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).unwrap()
}

#[test]
fn every_recorded_request_is_accepted_or_refused_like_the_original_did() {
    let mut different = BTreeSet::new();
    for (name, sample) in samples() {
        let (Some(spec), Some(params)) = (method_of(&name), sample.get("params")) else { continue };
        let Err(refusal) = spec.check_params(Some(&raw(params))) else { continue };
        let original =
            sample.get("error").and_then(|error| error.get("message")).and_then(Value::as_str).unwrap_or("");
        if refusal.message != original {
            different.insert(format!("{name}: refused with {:?}", refusal.message));
        }
    }
    assert_eq!(different, expected("params"));
}

#[test]
fn every_recorded_answer_can_be_produced_by_our_types() {
    let mut different = BTreeSet::new();
    for (name, sample) in samples() {
        let (Some(spec), Some(result)) = (method_of(&name), sample.get("res")) else { continue };
        match spec.check_result(&raw(result)) {
            Err(error) => {
                different.insert(format!("{name}: {error}"));
            }
            Ok(ours) if ours != *result => {
                different.insert(format!("{name}: {}", first_difference(result, &ours, "")));
            }
            Ok(_) => {}
        }
    }
    assert_eq!(different, expected("result"));
}

#[test]
fn both_answers_of_an_agent_run_can_be_produced_by_our_types() {
    let agent = find_method("agent").unwrap();
    let sample = samples().remove("agent").unwrap();
    for frame in [&sample["accepted"][0], &sample["final"]] {
        assert_eq!(agent.check_result(&raw(&frame["payload"])).unwrap(), frame["payload"]);
    }
}

#[test]
fn every_recorded_error_keeps_its_form() {
    let mut seen = 0;
    for (name, sample) in samples() {
        let Some(error) = sample.get("error") else { continue };
        let shape: ErrorShape = serde_json::from_value(error.clone()).unwrap();
        assert_eq!(serde_json::to_value(&shape).unwrap(), *error, "{name}");
        seen += 1;
    }
    assert!(seen > 10, "the fixture has error samples");
}

#[test]
fn every_sample_belongs_to_a_method_we_know() {
    let unknown: Vec<String> =
        samples().into_iter().map(|(name, _)| name).filter(|name| method_of(name).is_none()).collect();
    assert_eq!(unknown, ["nope.method"]);
}

#[test]
fn every_recorded_event_can_be_produced_by_our_types() {
    let runs: Value = serde_json::from_str(CHAT_RUNS).unwrap();
    let mut events = Vec::new();
    collect_events(&runs, &mut events);
    assert!(events.len() > 10, "the fixture has events");
    for event in events {
        let name = event["event"].as_str().unwrap();
        let spec = find_event(name).unwrap();
        assert_eq!(spec.check_payload(event["payload"].clone()).unwrap(), event["payload"], "{name}");
    }
}

fn collect_events(value: &Value, found: &mut Vec<Value>) {
    match value {
        Value::Object(object) if object.get("type") == Some(&Value::from("event")) => {
            found.push(value.clone())
        }
        Value::Object(object) => object.values().for_each(|inner| collect_events(inner, found)),
        Value::Array(items) => items.iter().for_each(|inner| collect_events(inner, found)),
        _ => {}
    }
}

fn expected(part: &str) -> BTreeSet<String> {
    SAMPLE_DEVIATIONS
        .iter()
        .filter(|deviation| deviation.part == part)
        .map(|deviation| format!("{}: {}", deviation.sample, deviation.difference))
        .collect()
}

/// Names the first place where two values differ, so that a failure can be read.
fn first_difference(theirs: &Value, ours: &Value, place: &str) -> String {
    match (theirs, ours) {
        (Value::Object(one), Value::Object(other)) => {
            for key in one.keys().chain(other.keys()) {
                match (one.get(key), other.get(key)) {
                    (Some(left), Some(right)) if left == right => {}
                    (Some(left), Some(right)) => {
                        return first_difference(left, right, &format!("{place}/{key}"));
                    }
                    (Some(_), None) => return format!("{place}/{key} is lost"),
                    (None, _) => return format!("{place}/{key} is made up"),
                }
            }
            format!("{place} differs")
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let differing = one.iter().zip(other).enumerate().find(|(_, (left, right))| left != right);
            match differing {
                Some((index, (left, right))) => first_difference(left, right, &format!("{place}/{index}")),
                None => format!("{place} differs"),
            }
        }
        _ => format!("{place}: theirs {theirs}, ours {ours}"),
    }
}
