//! Takes thoughts out of the words of models that write both in one text, with tags.
//!
//! Pure. Such a model begins its text with `<think>…</think>`, and some put the answer into `<final>…</final>`. Only tags
//! at the beginning of a text, or right behind another tag, count: whoever writes about tags further on is left alone.
//! `attempt` passes everything that models say through here, so that nobody else has to know.

use std::collections::BTreeMap;

use openclaw_ports::model::ModelEvent;
use openclaw_types::{Content, Thinking};

/// The names of tags around thoughts.
const THOUGHTS: [(&str, &str); 4] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<antthinking>", "</antthinking>"),
];
const ANSWER: (&str, &str) = ("<final>", "</final>");

/// Takes the thoughts out of one answer, event by event.
#[derive(Debug, Default)]
pub(super) struct Tags {
    pieces: BTreeMap<usize, Splitter>,
}

impl Tags {
    /// What an event comes to.
    pub(super) fn split(&mut self, event: ModelEvent) -> Vec<ModelEvent> {
        match event {
            ModelEvent::Text { piece, delta } => {
                let parts = self.pieces.entry(piece).or_default().push(&delta);
                parts.into_iter().map(|part| part.into_event(piece)).collect()
            }
            ModelEvent::PieceEnded { piece, content } => {
                let mut events = self.ended(piece);
                events.push(ModelEvent::PieceEnded { piece, content });
                events
            }
            other => vec![other],
        }
    }

    /// What was held back, when the answer is whole.
    pub(super) fn rest(&mut self) -> Vec<ModelEvent> {
        let pieces: Vec<usize> = self.pieces.keys().copied().collect();
        pieces.into_iter().flat_map(|piece| self.ended(piece)).collect()
    }

    fn ended(&mut self, piece: usize) -> Vec<ModelEvent> {
        let rest = self.pieces.remove(&piece).map(Splitter::finish).unwrap_or_default();
        rest.into_iter().map(|part| part.into_event(piece)).collect()
    }
}

/// A whole answer with its thoughts apart from its words.
pub(super) fn apart(content: Vec<Content>) -> Vec<Content> {
    content.into_iter().flat_map(split_piece).collect()
}

fn split_piece(piece: Content) -> Vec<Content> {
    let Content::Text(text) = &piece else { return vec![piece] };
    let mut splitter = Splitter::default();
    let mut parts = splitter.push(&text.text);
    if splitter.tagged == Tagged::No && splitter.state == State::Words {
        return vec![piece];
    }
    parts.extend(splitter.finish());
    let mut content: Vec<Content> = Vec::new();
    for part in parts {
        match (part, content.last_mut()) {
            (Part::Thoughts(more), Some(Content::Thinking(thinking))) => thinking.text.push_str(&more),
            (Part::Words(more), Some(Content::Text(text))) => text.text.push_str(&more),
            (Part::Thoughts(text), _) => content.push(Content::Thinking(Thinking { text, signature: None })),
            (Part::Words(text), _) => content.push(Content::text(text)),
        }
    }
    content
}

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    Words(String),
    Thoughts(String),
}

impl Part {
    fn into_event(self, piece: usize) -> ModelEvent {
        match self {
            Self::Words(delta) => ModelEvent::Text { piece, delta },
            Self::Thoughts(delta) => ModelEvent::Thinking { piece, delta },
        }
    }
}

#[derive(Debug, Default)]
struct Splitter {
    state: State,
    tagged: Tagged,
    /// What may be the beginning of a tag.
    held: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// Where a tag may open.
    #[default]
    Start,
    /// In thoughts, up to this tag.
    Thoughts(&'static str),
    /// In an answer that has a tag around it.
    Answer,
    /// In words without tags.
    Words,
}

/// Whether there was a tag before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Tagged {
    Yes,
    #[default]
    No,
}

impl Splitter {
    fn push(&mut self, delta: &str) -> Vec<Part> {
        if self.state == State::Words {
            return vec![Part::Words(delta.to_owned())];
        }
        self.held.push_str(delta);
        let mut parts = Vec::new();
        while let Next::Again = self.step(&mut parts) {}
        parts
    }

    /// What is held back, when the text is whole.
    fn finish(mut self) -> Vec<Part> {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() || (self.tagged == Tagged::Yes && held.trim().is_empty()) {
            return Vec::new();
        }
        match self.state {
            State::Thoughts(_) => vec![Part::Thoughts(held)],
            State::Start | State::Answer | State::Words => vec![Part::Words(held)],
        }
    }

    fn step(&mut self, parts: &mut Vec<Part>) -> Next {
        match self.state {
            State::Start => self.open(),
            State::Thoughts(close) => {
                let (text, next) = self.up_to(close);
                parts.extend(text.map(Part::Thoughts));
                next
            }
            State::Answer => {
                let (text, next) = self.up_to(ANSWER.1);
                parts.extend(text.map(Part::Words));
                next
            }
            State::Words => {
                let held = std::mem::take(&mut self.held);
                parts.extend((!held.is_empty()).then_some(Part::Words(held)));
                Next::Wait
            }
        }
    }

    /// Looks for a tag that opens.
    fn open(&mut self) -> Next {
        let text = self.held.trim_start();
        let thoughts = THOUGHTS.iter().find(|(open, _)| begins(text, open));
        let opened = match thoughts {
            Some((open, close)) => Some((open.len(), State::Thoughts(close))),
            None => begins(text, ANSWER.0).then_some((ANSWER.0.len(), State::Answer)),
        };
        if let Some((length, state)) = opened {
            self.held = text.get(length..).unwrap_or_default().to_owned();
            (self.state, self.tagged) = (state, Tagged::Yes);
            return Next::Again;
        }
        let opens = THOUGHTS.iter().map(|(open, _)| *open).chain([ANSWER.0]);
        if text.is_empty() || opens.into_iter().any(|open| text.len() < open.len() && begins(open, text)) {
            return Next::Wait;
        }
        if self.tagged == Tagged::Yes {
            self.held = text.to_owned();
        }
        self.state = State::Words;
        Next::Again
    }

    /// Takes what stands before a closing tag, or as much as cannot be part of one.
    fn up_to(&mut self, close: &str) -> (Option<String>, Next) {
        if let Some(at) = find(&self.held, close) {
            let rest = self.held.split_off(at);
            let text =
                std::mem::replace(&mut self.held, rest.get(close.len()..).unwrap_or_default().to_owned());
            self.state = State::Start;
            return ((!text.is_empty()).then_some(text), Next::Again);
        }
        let tail = (1..close.len())
            .rev()
            .filter_map(|length| self.held.len().checked_sub(length))
            .find(|at| self.held.get(*at..).is_some_and(|tail| begins(close, tail)));
        let rest = self.held.split_off(tail.unwrap_or(self.held.len()));
        let text = std::mem::replace(&mut self.held, rest);
        ((!text.is_empty()).then_some(text), Next::Wait)
    }
}

enum Next {
    Again,
    Wait,
}

fn begins(text: &str, start: &str) -> bool {
    text.as_bytes().get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes()))
}

fn find(text: &str, tag: &str) -> Option<usize> {
    text.as_bytes().windows(tag.len()).position(|window| window.eq_ignore_ascii_case(tag.as_bytes()))
}

#[cfg(test)]
mod tests;
