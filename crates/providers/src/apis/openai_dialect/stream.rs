//! The frame of a decoder: cuts bytes into events, hands them to a protocol, and sees to it that the stream ends once.
//!
//! A server that does not stream after all sends one JSON object; it is collected and read as a whole.

use openclaw_ports::model::{Completion, FaultReason, ModelEvent, ModelFault, StreamDecoder};

use crate::apis::shared::{cut_off, malformed, too_large};
use crate::framing::{FrameTooLarge, MAX_FRAME_BYTES, SseEvent, SseSplitter};

/// Whether an answer goes on.
#[derive(Debug)]
pub(in crate::apis) enum Progress {
    /// It does.
    More,
    /// It is whole.
    Ended(Completion),
}

/// What a protocol makes of an answer.
///
/// The frame promises: nothing is handed over after an end; a fault ends the stream.
pub(in crate::apis) trait Dialog: Send {
    /// Takes one event of the stream.
    fn event(&mut self, event: SseEvent<'_>, events: &mut Vec<ModelEvent>) -> Result<Progress, ModelFault>;

    /// Takes a whole answer that was not streamed.
    fn whole(&mut self, body: &str, events: &mut Vec<ModelEvent>) -> Result<Completion, ModelFault>;

    /// Takes the end of a body whose events brought no end.
    fn body_ended(&mut self, events: &mut Vec<ModelEvent>) -> Result<Completion, ModelFault>;
}

/// A decoder for one answer.
#[derive(Debug)]
pub(in crate::apis) struct EventStream<D> {
    dialog: D,
    body: Body,
    ended: bool,
}

#[derive(Debug)]
enum Body {
    /// Nothing but white space came so far.
    Unknown,
    Events(SseSplitter),
    Whole(Vec<u8>),
}

impl<D: Dialog> EventStream<D> {
    /// A decoder at the beginning of an answer.
    pub(in crate::apis) fn new(dialog: D) -> Self {
        Self { dialog, body: Body::Unknown, ended: false }
    }

    fn take(&mut self, bytes: &[u8], events: &mut Vec<ModelEvent>) -> Result<Progress, ModelFault> {
        let bytes = match &self.body {
            Body::Unknown => {
                let Some(start) = bytes.iter().position(|byte| !byte.is_ascii_whitespace()) else {
                    return Ok(Progress::More);
                };
                self.body = match bytes[start] {
                    b'{' | b'[' => Body::Whole(Vec::new()),
                    _ => Body::Events(SseSplitter::default()),
                };
                &bytes[start..]
            }
            _ => bytes,
        };
        match &mut self.body {
            Body::Unknown => Ok(Progress::More),
            Body::Events(splitter) => {
                let (dialog, mut progress) = (&mut self.dialog, Ok(Progress::More));
                let framed = splitter.push(bytes, |event| {
                    if matches!(progress, Ok(Progress::More)) {
                        progress = dialog.event(event, events);
                    }
                });
                match (progress, framed) {
                    (Ok(Progress::More), Err(FrameTooLarge)) => Err(too_large()),
                    (progress, _) => progress,
                }
            }
            Body::Whole(body) if body.len() + bytes.len() > MAX_FRAME_BYTES => Err(too_large()),
            Body::Whole(body) => {
                body.extend_from_slice(bytes);
                Ok(Progress::More)
            }
        }
    }

    fn last(&mut self, events: &mut Vec<ModelEvent>) -> Result<Completion, ModelFault> {
        match std::mem::replace(&mut self.body, Body::Unknown) {
            Body::Unknown => Err(cut_off()),
            Body::Whole(body) => self.whole(&body, events),
            Body::Events(mut splitter) => {
                if let Some(event) = splitter.finish() {
                    match self.dialog.event(event, events) {
                        Ok(Progress::Ended(completion)) => return Ok(completion),
                        Ok(Progress::More) => {}
                        // Half a frame at the end is not malformed: the line broke in it.
                        Err(fault) if fault.reason == FaultReason::Malformed => {}
                        Err(fault) => return Err(fault),
                    }
                }
                self.dialog.body_ended(events)
            }
        }
    }

    fn whole(&mut self, body: &[u8], events: &mut Vec<ModelEvent>) -> Result<Completion, ModelFault> {
        match serde_json::from_slice::<serde::de::IgnoredAny>(body) {
            Ok(_) => self.dialog.whole(&String::from_utf8_lossy(body), events),
            Err(error) if error.is_eof() => Err(cut_off()),
            Err(_) => Err(malformed("the answer is no JSON")),
        }
    }

    fn end(&mut self, end: ModelEvent, events: &mut Vec<ModelEvent>) {
        self.ended = true;
        self.body = Body::Unknown;
        events.push(end);
    }
}

impl<D: Dialog> StreamDecoder for EventStream<D> {
    fn push(&mut self, bytes: &[u8], events: &mut Vec<ModelEvent>) {
        if self.ended {
            return;
        }
        match self.take(bytes, events) {
            Ok(Progress::More) => {}
            Ok(Progress::Ended(completion)) => self.end(ModelEvent::Done(completion), events),
            Err(fault) => self.end(ModelEvent::Failed(fault), events),
        }
    }

    fn finish(&mut self, events: &mut Vec<ModelEvent>) {
        if self.ended {
            return;
        }
        match self.last(events) {
            Ok(completion) => self.end(ModelEvent::Done(completion), events),
            Err(fault) => self.end(ModelEvent::Failed(fault), events),
        }
    }
}
