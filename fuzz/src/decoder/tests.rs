//! The checks themselves can fail: decoders that break one promise each are caught.

use openclaw_ports::model::{
    ApiName, FaultReason, HttpCall, ModelFault, ModelRequest, ModelTarget, StreamDecoder,
};
use openclaw_types::StopReason;

use super::*;

/// A protocol whose decoder tells what its function says, at each piece and at the end.
struct Broken(fn(Moment<'_>) -> Vec<ModelEvent>);

enum Moment<'a> {
    Piece(&'a [u8]),
    End,
}

struct BrokenDecoder(fn(Moment<'_>) -> Vec<ModelEvent>);

impl ModelApi for Broken {
    fn name(&self) -> ApiName {
        ApiName::Ollama
    }

    fn encode(&self, _request: &ModelRequest, _target: &ModelTarget) -> Result<HttpCall, ModelFault> {
        Err(ModelFault::new(FaultReason::Format, "nothing is sent here"))
    }

    fn decoder(&self) -> Box<dyn StreamDecoder> {
        Box::new(BrokenDecoder(self.0))
    }

    fn classify(&self, _status: u16, _headers: &BTreeMap<String, String>, _body: &[u8]) -> ModelFault {
        ModelFault::new(FaultReason::Unknown, "no")
    }
}

impl StreamDecoder for BrokenDecoder {
    fn push(&mut self, bytes: &[u8], events: &mut Vec<ModelEvent>) {
        events.extend(self.0(Moment::Piece(bytes)));
    }

    fn finish(&mut self, events: &mut Vec<ModelEvent>) {
        events.extend(self.0(Moment::End));
    }
}

fn failed() -> ModelEvent {
    ModelEvent::Failed(ModelFault::new(FaultReason::Truncated, "cut"))
}

fn text(delta: &str) -> ModelEvent {
    ModelEvent::Text { piece: 0, delta: delta.to_owned() }
}

fn done(text: &str) -> Vec<ModelEvent> {
    let content = Content::text(text);
    let completion = Completion {
        content: vec![content.clone()],
        stop: StopReason::Stop,
        usage: None,
        response_id: None,
        model: None,
    };
    vec![ModelEvent::PieceEnded { piece: 0, content }, ModelEvent::Done(completion)]
}

const INPUT: &[u8] = b"some bytes that are long enough to be cut";

#[test]
fn a_decoder_that_fails_once_is_fine() {
    check(&Broken(|moment| if matches!(moment, Moment::End) { vec![failed()] } else { vec![] }), INPUT);
}

#[test]
#[should_panic(expected = "there was no end")]
fn a_stream_without_an_end_is_caught() {
    check(&Broken(|_| vec![]), INPUT);
}

#[test]
#[should_panic(expected = "the end is not the last event, once")]
fn two_ends_are_caught() {
    check(
        &Broken(|moment| if matches!(moment, Moment::End) { vec![failed(), failed()] } else { vec![] }),
        INPUT,
    );
}

#[test]
#[should_panic(expected = "something came after the end")]
fn words_after_the_end_are_caught() {
    let tell = |moment: Moment<'_>| match moment {
        Moment::Piece(bytes) if bytes.starts_with(b"data: {}") => vec![text("late")],
        Moment::Piece(_) => vec![],
        Moment::End => vec![failed()],
    };
    check(&Broken(tell), INPUT);
}

#[test]
#[should_panic(expected = "cuts matter")]
fn a_decoder_that_tells_the_cuts_is_caught() {
    let tell = |moment: Moment<'_>| match moment {
        Moment::Piece(bytes) if bytes.starts_with(b"data: {}") => vec![],
        Moment::Piece(_) => vec![text("x")],
        Moment::End => vec![failed()],
    };
    check(&Broken(tell), INPUT);
}

#[test]
#[should_panic(expected = "left == right")]
fn an_end_that_says_something_else_is_caught() {
    let tell = |moment: Moment<'_>| match moment {
        Moment::Piece(_) => vec![],
        Moment::End => [vec![text("yes")], done("no")].concat(),
    };
    check(&Broken(tell), INPUT);
}
