//! What every decoder promises, checked with one good stream of its protocol.
//!
//! `codec_conformance!(Api, stream)` in a protocol's tests makes one test for each promise; the form with a name in
//! front makes it possible to check several streams. The promises are those of `ports::model::StreamDecoder`.

use std::collections::BTreeMap;

use openclaw_ports::model::{Completion, ModelApi, ModelEvent};
use openclaw_types::Content;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::apis::shared::too_large;

/// Makes the tests of a protocol from one good stream of it.
macro_rules! codec_conformance {
    ($api:expr, $stream:expr) => {
        crate::apis::conformance::codec_conformance!(conformance: $api, $stream);
    };
    ($name:ident: $api:expr, $stream:expr) => {
        mod $name {
            use super::*;
            use crate::apis::conformance as promise;

            #[test]
            fn a_good_stream_ends_well_and_its_events_tell_the_same_as_its_end() {
                promise::events_agree_with_the_end(&$api, $stream.as_ref());
            }

            #[test]
            fn cuts_do_not_matter() {
                promise::cuts_do_not_matter(&$api, $stream.as_ref());
            }

            #[test]
            fn every_beginning_of_a_stream_ends_exactly_once() {
                promise::every_beginning_ends_once(&$api, $stream.as_ref());
            }

            #[test]
            fn damaged_streams_end_exactly_once() {
                promise::damage_ends_once(&$api, $stream.as_ref());
            }

            #[test]
            fn arbitrary_bytes_fail_exactly_once() {
                promise::arbitrary_bytes_fail_once(&$api);
            }

            #[test]
            fn nothing_comes_after_the_end() {
                promise::nothing_after_the_end(&$api, $stream.as_ref());
            }
        }
    };
}
pub(crate) use codec_conformance;

/// The events of a body that arrives in these pieces.
pub(crate) fn decode(api: &dyn ModelApi, pieces: &[&[u8]]) -> Vec<ModelEvent> {
    let mut decoder = api.decoder();
    let mut events = Vec::new();
    for piece in pieces {
        decoder.push(piece, &mut events);
    }
    decoder.finish(&mut events);
    events
}

/// The whole answer at the end of a good stream.
#[track_caller]
pub(crate) fn completion(events: &[ModelEvent]) -> &Completion {
    match events.last() {
        Some(ModelEvent::Done(completion)) => completion,
        other => panic!("the stream ended in {other:?}"),
    }
}

#[track_caller]
fn ends_once(events: &[ModelEvent]) {
    let ends = events.iter().filter(|event| event.is_end()).count();
    assert_eq!(ends, 1, "{events:#?}");
    assert!(events.last().is_some_and(ModelEvent::is_end), "{events:#?}");
}

/// What the events say about one piece.
#[derive(Default)]
struct Told {
    text: String,
    thinking: String,
    arguments: String,
    call: Option<(String, String)>,
    ended: Option<Content>,
}

pub(crate) fn events_agree_with_the_end(api: &dyn ModelApi, stream: &[u8]) {
    let events = decode(api, &[stream]);
    ends_once(&events);
    let end = completion(&events);
    let mut told: BTreeMap<usize, Told> = BTreeMap::new();
    for (at, event) in events.iter().enumerate() {
        match event {
            ModelEvent::Started { .. } => assert_eq!(at, 0, "Started comes first and once: {events:#?}"),
            ModelEvent::Text { piece, delta } => told.entry(*piece).or_default().text.push_str(delta),
            ModelEvent::Thinking { piece, delta } => told.entry(*piece).or_default().thinking.push_str(delta),
            ModelEvent::ToolCallStarted { piece, id, name } => {
                told.entry(*piece).or_default().call = Some((id.to_string(), name.clone()));
            }
            ModelEvent::ToolCallArguments { piece, delta } => {
                told.entry(*piece).or_default().arguments.push_str(delta);
            }
            ModelEvent::PieceEnded { piece, content } => {
                let before = told.entry(*piece).or_default().ended.replace(content.clone());
                assert_eq!(before, None, "piece {piece} ended twice");
            }
            ModelEvent::Done(_) | ModelEvent::Failed(_) => {}
        }
    }
    assert_eq!(told.keys().copied().collect::<Vec<_>>(), (0..end.content.len()).collect::<Vec<_>>());
    for (told, content) in told.values().zip(&end.content) {
        assert_eq!(told.ended.as_ref(), Some(content));
        piece_agrees(told, content);
    }
}

fn piece_agrees(told: &Told, content: &Content) {
    match content {
        Content::Text(text) => assert_eq!(told.text, text.text),
        Content::Thinking(thinking) => assert_eq!(told.thinking, thinking.text),
        Content::ToolCall(call) => {
            assert_eq!(told.call, Some((call.id.to_string(), call.name.clone())));
            let parsed = match told.arguments.trim() {
                "" => json!({}),
                text => serde_json::from_str(text).unwrap_or_else(|_| Value::String(told.arguments.clone())),
            };
            assert_eq!(parsed, call.arguments);
        }
        Content::RedactedThinking(_) | Content::Image(_) | Content::Other(_) => {}
    }
}

pub(crate) fn cuts_do_not_matter(api: &dyn ModelApi, stream: &[u8]) {
    let whole = decode(api, &[stream]);
    let single: Vec<&[u8]> = stream.chunks(1).collect();
    assert_eq!(decode(api, &single), whole);
    proptest!(ProptestConfig::with_cases(64), |(cuts in prop::collection::vec(0..=stream.len(), 0..12))| {
        let mut places = cuts;
        places.extend([0, stream.len()]);
        places.sort_unstable();
        let pieces: Vec<&[u8]> = places.windows(2).map(|pair| &stream[pair[0]..pair[1]]).collect();
        prop_assert_eq!(decode(api, &pieces), whole.clone());
    });
}

pub(crate) fn every_beginning_ends_once(api: &dyn ModelApi, stream: &[u8]) {
    let whole = decode(api, &[stream]);
    for length in 0..stream.len() {
        let events = decode(api, &[&stream[..length]]);
        ends_once(&events);
        if let Some(ModelEvent::Done(completion)) = events.last() {
            let said = |events: &[ModelEvent]| self::completion(events).content.clone();
            assert_eq!(
                completion.content,
                said(&whole),
                "half an answer passed for a whole one at byte {length}"
            );
        }
    }
}

pub(crate) fn damage_ends_once(api: &dyn ModelApi, stream: &[u8]) {
    proptest!(ProptestConfig::with_cases(128), |(
        damage in prop::collection::vec((0..stream.len().max(1), any::<u8>()), 1..6),
        lost in prop::option::of((0..=stream.len(), 0usize..200)),
    )| {
        let mut bytes = stream.to_vec();
        for (at, byte) in damage {
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
        }
        if let Some((from, length)) = lost {
            let to = (from + length).min(bytes.len());
            bytes.drain(from..to);
        }
        ends_once(&decode(api, &[&bytes]));
    });
}

pub(crate) fn arbitrary_bytes_fail_once(api: &dyn ModelApi) {
    let lines = prop::collection::vec(
        prop_oneof![
            Just("data: {}\n\n".to_owned()),
            Just("data: [1,2]\n\n".to_owned()),
            Just("{}\n".to_owned()),
            Just("event: x\n".to_owned()),
            "\\PC{0,30}\n",
        ],
        0..8,
    );
    let bytes = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        lines.prop_map(|lines| lines.concat().into_bytes()),
    ];
    proptest!(ProptestConfig::with_cases(128), |(bytes in bytes, at in 0usize..300)| {
        let (one, two) = bytes.split_at(at.min(bytes.len()));
        let events = decode(api, &[one, two]);
        ends_once(&events);
        prop_assert!(matches!(events.last(), Some(ModelEvent::Failed(_))), "{:?}", events);
    });
}

/// A stream that repeats a frame for ever ends in one fault before it fills the memory. `frame` brings a megabyte or so.
#[track_caller]
pub(crate) fn repeated_for_ever_is_too_large(api: &dyn ModelApi, frame: &[u8]) {
    let events = decode(api, &[frame; 20]);
    ends_once(&events);
    assert_eq!(events.last(), Some(&ModelEvent::Failed(too_large())));
    assert!(events.len() < 20, "{}", events.len());
}

pub(crate) fn nothing_after_the_end(api: &dyn ModelApi, stream: &[u8]) {
    let once = decode(api, &[stream]);
    let twice = decode(api, &[stream, stream]);
    ends_once(&twice);
    assert_eq!(twice.last(), once.last());
    let mut decoder = api.decoder();
    let mut events = Vec::new();
    decoder.push(stream, &mut events);
    decoder.finish(&mut events);
    decoder.push(stream, &mut events);
    decoder.push(b"\xff{}\n\n", &mut events);
    decoder.finish(&mut events);
    assert_eq!(events, once);
}
