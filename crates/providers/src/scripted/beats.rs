//! Cuts a script into beats: what a player does, one thing after the other.
//!
//! Pure. A player over a socket turns each beat into frames of its protocol, the player in process into events.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use openclaw_types::Usage;
use serde_json::Value;

use super::script::{Close, ScriptStep};
use super::{Gate, Rejection, Script};

/// What a player does next.
#[derive(Debug, Clone)]
pub enum Beat {
    /// A piece of the answer begins.
    Began {
        /// Its place.
        piece: usize,
        /// What it is going to be.
        part: Arc<AnswerPart>,
    },
    /// A piece grows.
    Grew {
        /// Its place.
        piece: usize,
        /// What it is going to be.
        part: Arc<AnswerPart>,
        /// What is new; of a call, JSON text.
        delta: String,
    },
    /// A piece is whole.
    Ended {
        /// Its place.
        piece: usize,
        /// What it is.
        part: Arc<AnswerPart>,
    },
    /// Wait at a gate.
    Held(Gate),
    /// Wait for a while.
    Paused(Duration),
    /// Say nothing more, or nothing at all when this comes first. Nothing follows.
    Silent,
    /// Say nothing more, but begin the answer. Nothing follows.
    Stalled,
    /// Drop the connection. Nothing follows.
    Cut,
    /// Send something that is not of the protocol.
    Malformed,
    /// Go on growing until the caller leaves. Nothing follows.
    Endless {
        /// The piece that grows.
        piece: usize,
        /// What it is going to be.
        part: Arc<AnswerPart>,
    },
    /// Reject the call. Nothing follows.
    Rejected(Rejection),
    /// The answer is whole. Nothing follows.
    Finished(Finish),
}

impl Beat {
    /// Whether this beat only waits and something else follows.
    #[must_use]
    pub fn is_wait(&self) -> bool {
        matches!(self, Self::Held(_) | Self::Paused(_))
    }
}

/// A piece of an answer as a whole.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerPart {
    /// Thoughts.
    Thought(String),
    /// Words for people.
    Words(String),
    /// A call of a tool.
    Call {
        /// The call's name; the player gives one when absent.
        id: Option<String>,
        /// The tool.
        name: String,
        /// The arguments.
        arguments: Value,
    },
}

/// How a whole answer ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Finish {
    /// Why the model stops.
    pub stop: Stop,
    /// What it took, where the script reports it.
    pub usage: Option<Usage>,
}

/// Why a model stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It is done.
    Done,
    /// It waits for tools.
    Tools,
    /// It reached the limit of tokens.
    Length,
    /// The vendor does not want to go on.
    Refused,
}

impl Script {
    /// The beats of this script, first one first.
    #[must_use]
    pub fn beats(&self) -> VecDeque<Beat> {
        let mut cutter = Cutter { script: self, beats: VecDeque::new(), open: None, pieces: 0, calls: false };
        for (at, step) in self.steps.iter().enumerate() {
            if cutter.step(at, step) == Progress::Over {
                return cutter.beats;
            }
        }
        cutter.close();
        let stop = match self.close {
            Close::Length => Stop::Length,
            Close::Refused => Stop::Refused,
            Close::Natural if cutter.calls => Stop::Tools,
            Close::Natural => Stop::Done,
        };
        cutter.beats.push_back(Beat::Finished(Finish { stop, usage: self.usage }));
        cutter.beats
    }
}

#[derive(PartialEq, Eq)]
enum Progress {
    More,
    Over,
}

struct Cutter<'a> {
    script: &'a Script,
    beats: VecDeque<Beat>,
    /// The piece of words or thoughts that grows.
    open: Option<(usize, Arc<AnswerPart>)>,
    pieces: usize,
    calls: bool,
}

impl Cutter<'_> {
    fn step(&mut self, at: usize, step: &ScriptStep) -> Progress {
        match step {
            ScriptStep::Think(text) | ScriptStep::Say(text) => self.grow(at, text),
            ScriptStep::Call { id, name, arguments } => {
                let part =
                    AnswerPart::Call { id: id.clone(), name: name.clone(), arguments: arguments.clone() };
                self.call(part, &arguments.to_string());
            }
            ScriptStep::Hold(gate) => self.beats.push_back(Beat::Held(gate.clone())),
            ScriptStep::Pause(span) => self.beats.push_back(Beat::Paused(*span)),
            ScriptStep::Malformed => self.beats.push_back(Beat::Malformed),
            ScriptStep::Silence => return self.last(Beat::Silent),
            ScriptStep::Stall => return self.last(Beat::Stalled),
            ScriptStep::Cut => return self.last(Beat::Cut),
            ScriptStep::Reject(rejection) => return self.last(Beat::Rejected(rejection.clone())),
            ScriptStep::Endless => {
                let (piece, part) = self
                    .begin(|| AnswerPart::Words(String::new()), |part| matches!(part, AnswerPart::Words(_)));
                return self.last(Beat::Endless { piece, part });
            }
        }
        Progress::More
    }

    fn last(&mut self, beat: Beat) -> Progress {
        self.beats.push_back(beat);
        Progress::Over
    }

    fn grow(&mut self, at: usize, text: &str) {
        let steps = &self.script.steps[at..];
        let thinks = matches!(steps.first(), Some(ScriptStep::Think(_)));
        let (piece, part) = self.begin(
            || if thinks { AnswerPart::Thought(whole(steps)) } else { AnswerPart::Words(whole(steps)) },
            |part| matches!(part, AnswerPart::Thought(_)) == thinks,
        );
        for delta in cut(text, self.script.delta_characters) {
            self.beats.push_back(Beat::Grew { piece, part: part.clone(), delta });
        }
    }

    /// The piece that grows, when it is of the right kind, or a new one.
    fn begin(
        &mut self,
        make: impl FnOnce() -> AnswerPart,
        fits: impl FnOnce(&AnswerPart) -> bool,
    ) -> (usize, Arc<AnswerPart>) {
        if let Some((piece, part)) = &self.open
            && fits(part)
        {
            return (*piece, part.clone());
        }
        self.close();
        let (piece, part) = (self.pieces, Arc::new(make()));
        self.pieces += 1;
        self.beats.push_back(Beat::Began { piece, part: part.clone() });
        self.open = Some((piece, part.clone()));
        (piece, part)
    }

    fn call(&mut self, part: AnswerPart, arguments: &str) {
        self.close();
        self.calls = true;
        let (piece, part) = (self.pieces, Arc::new(part));
        self.pieces += 1;
        self.beats.push_back(Beat::Began { piece, part: part.clone() });
        for delta in cut(arguments, self.script.delta_characters) {
            self.beats.push_back(Beat::Grew { piece, part: part.clone(), delta });
        }
        self.beats.push_back(Beat::Ended { piece, part });
    }

    fn close(&mut self) {
        if let Some((piece, part)) = self.open.take() {
            self.beats.push_back(Beat::Ended { piece, part });
        }
    }
}

/// The whole text of the piece that begins with the first of these steps.
fn whole(steps: &[ScriptStep]) -> String {
    let thinks = matches!(steps.first(), Some(ScriptStep::Think(_)));
    let mut text = String::new();
    for step in steps {
        match step {
            ScriptStep::Think(more) if thinks => text.push_str(more),
            ScriptStep::Say(more) if !thinks => text.push_str(more),
            ScriptStep::Hold(_) | ScriptStep::Pause(_) | ScriptStep::Malformed => {}
            _ => break,
        }
    }
    text
}

fn cut(text: &str, characters: usize) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(characters).map(|chunk| chunk.iter().collect()).collect()
}
