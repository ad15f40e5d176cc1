//! What decoders promise: one end, nothing after it, a story that agrees with its end, the same however the bytes are
//! cut, and memory in proportion to what came.

use std::collections::{BTreeMap, BTreeSet};

use openclaw_ports::model::{ApiName, Completion, ModelApi, ModelEvent};
use openclaw_providers::{read_ollama_model, read_ollama_models};
use openclaw_testkit::CountingAllocator;
use openclaw_types::Content;

use crate::cuts;
use crate::mend::mended;

#[cfg(test)]
mod tests;

/// Memory that reading may take for each byte that came; JSON values are much larger than their text.
const MEMORY_PER_BYTE: usize = 160;
/// Memory that reading may take for nothing.
const MEMORY_AT_LEAST: usize = 256 * 1024;
/// The longest words of a fault. Whoever shows one relies on it being short.
const MAX_FAULT_BYTES: usize = 2048;

pub(crate) fn check(api: &dyn ModelApi, data: &[u8]) {
    stream(api, data);
    if api.name() == ApiName::BedrockConverseStream {
        stream(api, &mended(data));
    }
    refusal(api, data);
    if api.name() == ApiName::Ollama {
        drop((read_ollama_models(data), read_ollama_model(data)));
    }
}

fn stream(api: &dyn ModelApi, data: &[u8]) {
    let mut whole: Option<Vec<ModelEvent>> = None;
    for pieces in cuts::ways(data) {
        let before = CountingAllocator::start_peak();
        let events = decode(api, &pieces);
        let taken = CountingAllocator::peak_since(before);
        let limit = MEMORY_AT_LEAST + MEMORY_PER_BYTE * data.len();
        assert!(taken <= limit, "{taken} bytes of memory for {} bytes of input", data.len());
        match &whole {
            Some(whole) => assert_eq!(&events, whole, "cuts matter"),
            None => {
                well_told(&events);
                whole = Some(events);
            }
        }
    }
}

/// The events of a body in these pieces, and of a host that does not hold its own promise to stop at the end.
fn decode(api: &dyn ModelApi, pieces: &[&[u8]]) -> Vec<ModelEvent> {
    let mut decoder = api.decoder();
    let mut events = Vec::new();
    for piece in pieces {
        decoder.push(piece, &mut events);
    }
    decoder.finish(&mut events);
    let told = events.len();
    decoder.push(b"data: {}\n\n{}\n", &mut events);
    assert_eq!(events.len(), told, "something came after the end");
    events
}

/// An answer with another status gives one short fault.
fn refusal(api: &dyn ModelApi, data: &[u8]) {
    let status = 300 + data.first().map_or(0, |byte| u16::from(*byte));
    let wait = String::from_utf8_lossy(&data[..data.len().min(24)]).into_owned();
    let headers = BTreeMap::from([("retry-after".to_owned(), wait)]);
    let fault = api.classify(status, &headers, data);
    assert!(fault.message.len() <= MAX_FAULT_BYTES, "the words of a fault are long");
    assert!(!fault.message.chars().any(char::is_control), "a fault holds control characters");
}

#[derive(Default)]
struct Told {
    text: String,
    thinking: String,
    call: Option<(String, String)>,
    ended: Option<Content>,
}

fn well_told(events: &[ModelEvent]) {
    let mut told: BTreeMap<usize, Told> = BTreeMap::new();
    for (at, event) in events.iter().enumerate() {
        assert_eq!(event.is_end(), at + 1 == events.len(), "the end is not the last event, once");
        match event {
            ModelEvent::Started { .. } => assert_eq!(at, 0, "the start is not the first event, once"),
            ModelEvent::Text { piece, delta } => open(&mut told, *piece).text.push_str(delta),
            ModelEvent::Thinking { piece, delta } => open(&mut told, *piece).thinking.push_str(delta),
            ModelEvent::ToolCallStarted { piece, id, name } => {
                let before = open(&mut told, *piece).call.replace((id.to_string(), name.clone()));
                assert_eq!(before, None, "a call began twice");
            }
            ModelEvent::ToolCallArguments { piece, .. } => {
                assert!(open(&mut told, *piece).call.is_some(), "arguments came before their call");
            }
            ModelEvent::PieceEnded { piece, content } => {
                open(&mut told, *piece).ended = Some(content.clone());
            }
            ModelEvent::Done(completion) => agrees(&told, completion),
            ModelEvent::Failed(fault) => {
                assert!(fault.message.len() <= MAX_FAULT_BYTES, "the words of a fault are long");
            }
        }
    }
    assert!(!events.is_empty(), "there was no end");
}

fn open(told: &mut BTreeMap<usize, Told>, piece: usize) -> &mut Told {
    let told = told.entry(piece).or_default();
    assert_eq!(told.ended, None, "a piece grew after its end");
    told
}

fn agrees(told: &BTreeMap<usize, Told>, completion: &Completion) {
    assert!(!completion.content.is_empty(), "an empty answer is no answer");
    let numbers: Vec<usize> = told.keys().copied().collect();
    assert_eq!(
        numbers,
        (0..completion.content.len()).collect::<Vec<_>>(),
        "pieces are not numbered in a row"
    );
    let mut calls = BTreeSet::new();
    for (told, content) in told.values().zip(&completion.content) {
        assert_eq!(told.ended.as_ref(), Some(content), "a piece is not what its end said");
        match content {
            Content::Text(text) => assert_eq!(told.text, text.text),
            Content::Thinking(thinking) => assert_eq!(told.thinking, thinking.text),
            Content::ToolCall(call) => {
                assert_eq!(told.call, Some((call.id.to_string(), call.name.clone())));
                assert!(calls.insert(call.id.to_string()), "two calls have one id");
            }
            Content::RedactedThinking(_) | Content::Image(_) | Content::Other(_) => {}
        }
    }
}
