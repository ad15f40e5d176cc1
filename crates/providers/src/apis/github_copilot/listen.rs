//! Finds out which protocol an answer speaks, and hands it to that protocol's decoder.
//!
//! A decoder is not told what was asked. The first event of an answer tells: events of responses name their type.

use openclaw_ports::model::{ModelApi, ModelEvent, StreamDecoder};

use super::choose::Speech;
use super::wire::Hint;
use crate::apis::openai_completions::OpenaiCompletions;
use crate::apis::openai_responses::OpenaiResponses;
use crate::framing::{MAX_FRAME_BYTES, SseSplitter};

/// A decoder that listens before it decides.
#[derive(Default)]
pub(super) struct Listener {
    heard: Vec<u8>,
    splitter: SseSplitter,
    decided: Option<Box<dyn StreamDecoder>>,
}

impl Listener {
    fn decide(&mut self, speech: Speech, events: &mut Vec<ModelEvent>) -> &mut Box<dyn StreamDecoder> {
        let mut decoder = match speech {
            Speech::Completions => OpenaiCompletions.decoder(),
            Speech::Responses => OpenaiResponses.decoder(),
        };
        self.splitter = SseSplitter::default();
        decoder.push(&std::mem::take(&mut self.heard), events);
        self.decided.insert(decoder)
    }
}

impl StreamDecoder for Listener {
    fn push(&mut self, bytes: &[u8], events: &mut Vec<ModelEvent>) {
        if let Some(decoder) = &mut self.decided {
            decoder.push(bytes, events);
            return;
        }
        self.heard.extend_from_slice(bytes);
        let mut first = None;
        let framed = self.splitter.push(bytes, |event| {
            first.get_or_insert_with(|| match event.name {
                Some(name) if name.starts_with("response.") => Speech::Responses,
                _ => speech_of(event.data),
            });
        });
        match first {
            Some(speech) => {
                self.decide(speech, events);
            }
            // Either decoder will say that this is too large.
            None if framed.is_err() || self.heard.len() > MAX_FRAME_BYTES => {
                self.decide(Speech::Completions, events);
            }
            None => {}
        }
    }

    fn finish(&mut self, events: &mut Vec<ModelEvent>) {
        if let Some(decoder) = &mut self.decided {
            decoder.finish(events);
            return;
        }
        // What was not streamed is one object; what was cut off in its first event is nothing either way.
        let speech = speech_of(&String::from_utf8_lossy(&self.heard));
        self.decide(speech, events).finish(events);
    }
}

fn speech_of(data: &str) -> Speech {
    let hint: Hint<'_> = serde_json::from_str(data).unwrap_or_default();
    let typed = hint.kind.is_some_and(|kind| kind.starts_with("response.") || kind == "error");
    if typed || hint.object.as_deref() == Some("response") { Speech::Responses } else { Speech::Completions }
}
