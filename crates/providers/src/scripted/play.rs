//! Plays a script in process, as a stream of events, without a protocol.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::stream;
use openclaw_ports::Clock;
use openclaw_ports::model::{Completion, FaultReason, ModelEvent, ModelFault, ModelStream};
use openclaw_types::{Content, IdError, StopReason, Thinking, ToolCall, ToolCallId};

use super::{AnswerPart, Beat, Finish, Script, Stop};

/// What an endless answer says, over and over.
const ENDLESS: &str = "And so on, and so on. ";

/// Who answers.
#[derive(Debug, Clone)]
pub(super) struct Cast {
    /// The model's name.
    pub(super) model: String,
    /// The answer's number; its calls are named after it.
    pub(super) number: u64,
}

/// Plays a script. The stream ends in exactly one `Done` or `Failed`, unless the script stalls.
pub(super) fn play(script: &Script, cast: Cast, clock: Arc<dyn Clock>) -> ModelStream {
    let player = Player {
        beats: script.beats(),
        ready: VecDeque::new(),
        content: Vec::new(),
        phase: Phase::Before,
        cast,
        clock,
    };
    Box::pin(stream::unfold(player, |mut player| async move {
        loop {
            if let Some(event) = player.ready.pop_front() {
                return Some((event, player));
            }
            if player.phase == Phase::Over {
                return None;
            }
            player.next().await;
        }
    }))
}

struct Player {
    beats: VecDeque<Beat>,
    ready: VecDeque<ModelEvent>,
    content: Vec<Content>,
    phase: Phase,
    cast: Cast,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Before,
    Answering,
    Over,
}

impl Player {
    async fn next(&mut self) {
        let Some(beat) = self.beats.pop_front() else {
            return self
                .fail(ModelFault::new(FaultReason::Truncated, "the script ended before the answer did"));
        };
        match beat {
            Beat::Held(gate) => gate.pass().await,
            Beat::Paused(span) => self.clock.sleep(span).await,
            Beat::Silent => std::future::pending().await,
            Beat::Rejected(rejection) => self.fail(rejection.fault()),
            Beat::Stalled => {
                // Whoever listens hears that the answer began before it stalls.
                if self.start() {
                    self.beats.push_front(Beat::Stalled);
                } else {
                    std::future::pending().await
                }
            }
            other => {
                self.start();
                self.answer(other);
            }
        }
    }

    fn answer(&mut self, beat: Beat) {
        match beat {
            Beat::Began { piece, part } => self.began(piece, &part),
            Beat::Grew { piece, part, delta } => self.grew(piece, &part, delta),
            Beat::Ended { piece, part } => match self.content_of(piece, &part) {
                Ok(content) => {
                    self.ready.push_back(ModelEvent::PieceEnded { piece, content: content.clone() });
                    self.content.push(content);
                }
                Err(error) => self.fail(ModelFault::new(FaultReason::Malformed, error.to_string())),
            },
            Beat::Endless { piece, part } => {
                self.grew(piece, &part, ENDLESS.to_owned());
                self.beats.push_front(Beat::Endless { piece, part });
            }
            Beat::Cut => self.fail(ModelFault::new(
                FaultReason::Truncated,
                "the connection ended in the middle of the answer",
            )),
            Beat::Malformed => self.fail(ModelFault::new(
                FaultReason::Malformed,
                "the script sent something that is not of the protocol",
            )),
            Beat::Finished(finish) => self.finish(finish),
            Beat::Held(_) | Beat::Paused(_) | Beat::Silent | Beat::Stalled | Beat::Rejected(_) => {}
        }
    }

    /// Tells once that the answer has begun; says whether it was now.
    fn start(&mut self) -> bool {
        if self.phase != Phase::Before {
            return false;
        }
        self.phase = Phase::Answering;
        let response_id = Some(self.response_id());
        self.ready.push_back(ModelEvent::Started { response_id, model: Some(self.cast.model.clone()) });
        true
    }

    fn began(&mut self, piece: usize, part: &AnswerPart) {
        if let AnswerPart::Call { id, name, .. } = part {
            match self.call_id(piece, id.as_deref()) {
                Ok(id) => self.ready.push_back(ModelEvent::ToolCallStarted { piece, id, name: name.clone() }),
                Err(error) => self.fail(ModelFault::new(FaultReason::Malformed, error.to_string())),
            }
        }
    }

    fn grew(&mut self, piece: usize, part: &AnswerPart, delta: String) {
        self.ready.push_back(match part {
            AnswerPart::Thought(_) => ModelEvent::Thinking { piece, delta },
            AnswerPart::Words(_) => ModelEvent::Text { piece, delta },
            AnswerPart::Call { .. } => ModelEvent::ToolCallArguments { piece, delta },
        });
    }

    fn content_of(&self, piece: usize, part: &AnswerPart) -> Result<Content, IdError> {
        Ok(match part {
            AnswerPart::Thought(text) => Content::Thinking(Thinking { text: text.clone(), signature: None }),
            AnswerPart::Words(text) => Content::text(text),
            AnswerPart::Call { id, name, arguments } => Content::ToolCall(ToolCall {
                id: self.call_id(piece, id.as_deref())?,
                name: name.clone(),
                arguments: arguments.clone(),
                signature: None,
            }),
        })
    }

    fn finish(&mut self, finish: Finish) {
        let stop = match finish.stop {
            Stop::Done => StopReason::Stop,
            Stop::Tools => StopReason::ToolUse,
            Stop::Length => StopReason::Length,
            Stop::Refused => {
                return self.fail(ModelFault::new(FaultReason::Refused, "the script refuses to answer this"));
            }
        };
        if self.content.is_empty() {
            return self.fail(ModelFault::new(FaultReason::Empty, "the model gave an empty answer"));
        }
        self.phase = Phase::Over;
        self.ready.push_back(ModelEvent::Done(Completion {
            content: std::mem::take(&mut self.content),
            stop,
            usage: finish.usage,
            response_id: Some(self.response_id()),
            model: Some(self.cast.model.clone()),
        }));
    }

    fn fail(&mut self, fault: ModelFault) {
        self.phase = Phase::Over;
        self.ready.push_back(ModelEvent::Failed(fault));
    }

    fn response_id(&self) -> String {
        format!("scripted-{}", self.cast.number)
    }

    /// The call's own name, or one that is used only here.
    fn call_id(&self, piece: usize, own: Option<&str>) -> Result<ToolCallId, IdError> {
        match own {
            Some(own) => ToolCallId::new(own),
            None => ToolCallId::new(format!("call_{}_{piece}", self.cast.number)),
        }
    }
}
