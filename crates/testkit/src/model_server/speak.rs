//! The body of an answer: plays the beats of a script in the words of a protocol, as fast as the caller reads.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use openclaw_ports::Clock;
use openclaw_providers::{AnswerPart, Beat};

use super::counter::Counted;
use super::line::CutMark;
use super::wire::Speaker;

/// What an endless answer says in one breath.
const ENDLESS: usize = 16 * 1024;

/// What a body is made of.
pub(super) struct Speech {
    pub(super) beats: VecDeque<Beat>,
    pub(super) speaker: Box<dyn Speaker>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) cut: CutMark,
    /// Counts this answer as open until the body is dropped.
    pub(super) _open: Counted,
}

/// The body. Dropping it ends the answer.
pub(super) fn body(speech: Speech) -> Body {
    let player = Player { speech, phase: Phase::Before };
    Body::from_stream(stream::unfold(player, |mut player| async move {
        loop {
            if player.phase == Phase::Over {
                return None;
            }
            match player.next().await {
                Ok(bytes) if bytes.is_empty() => {}
                spoken => return Some((spoken.map(Bytes::from), player)),
            }
        }
    }))
}

struct Player {
    speech: Speech,
    phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Before,
    Speaking,
    Over,
}

impl Player {
    async fn next(&mut self) -> io::Result<Vec<u8>> {
        let Some(beat) = self.speech.beats.pop_front() else {
            self.phase = Phase::Over;
            return Ok(Vec::new());
        };
        match beat {
            Beat::Held(gate) => {
                gate.pass().await;
                return Ok(Vec::new());
            }
            Beat::Paused(span) => {
                self.speech.clock.sleep(span).await;
                return Ok(Vec::new());
            }
            other if self.phase == Phase::Before => {
                self.phase = Phase::Speaking;
                self.speech.beats.push_front(other);
                return Ok(self.speech.speaker.open());
            }
            Beat::Silent | Beat::Stalled => std::future::pending::<()>().await,
            Beat::Cut => return Err(self.break_off().await),
            Beat::Endless { piece, part } => return Ok(self.go_on(piece, part)),
            other => return Ok(self.say(&other)),
        }
        Ok(Vec::new())
    }

    fn say(&mut self, beat: &Beat) -> Vec<u8> {
        let speaker = &mut self.speech.speaker;
        match beat {
            Beat::Began { piece, part } => speaker.began(*piece, part),
            Beat::Grew { piece, part, delta } => speaker.grew(*piece, part, delta),
            Beat::Ended { piece, part } => speaker.ended(*piece, part),
            Beat::Malformed => speaker.malformed(),
            Beat::Rejected(rejection) => speaker.failed(rejection),
            Beat::Finished(finish) => speaker.finished(finish),
            _ => Vec::new(),
        }
    }

    fn go_on(&mut self, piece: usize, part: Arc<AnswerPart>) -> Vec<u8> {
        let bytes = self.speech.speaker.grew(piece, &part, &"and so on ".repeat(ENDLESS / 10));
        self.speech.beats.push_front(Beat::Endless { piece, part });
        bytes
    }

    async fn break_off(&mut self) -> io::Error {
        // What was said so far is only on the line once the connection had a turn to flush it.
        tokio::task::yield_now().await;
        self.speech.cut.set();
        self.phase = Phase::Over;
        io::Error::new(io::ErrorKind::ConnectionReset, "the script cuts the connection here")
    }
}
