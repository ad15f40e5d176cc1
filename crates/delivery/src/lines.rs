//! Takes whole lines out of an answer: those that say `NO_REPLY` or the like and nothing else, and those that attach
//! files.
//!
//! Works on words as they come: a line is held back as long as it may be one of these. Lines of fenced code are text.
//! As long as everything said may still be silence, all of it is held back.

use crate::{media, silent};

/// Takes lines out of words as they come.
#[derive(Debug, Clone)]
pub(crate) struct LineFilter {
    state: State,
    held: String,
    in_code: bool,
    media: Vec<String>,
    said_silence: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Everything so far may be silence.
    Opening,
    /// At a line that may be one of ours; it is held.
    Line,
    /// Inside a line that is none of ours.
    Passing,
}

/// What lines were taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Taken {
    /// What they attach.
    pub(crate) media: Vec<String>,
    /// Whether one asked for silence.
    pub(crate) said_silence: bool,
}

impl LineFilter {
    pub(crate) fn new() -> Self {
        Self {
            state: State::Opening,
            held: String::new(),
            in_code: false,
            media: Vec::new(),
            said_silence: false,
        }
    }

    /// Takes in words and puts out those that are surely none of our lines.
    pub(crate) fn push(&mut self, words: &str, out: &mut String) {
        if self.state == State::Opening {
            self.held.push_str(words);
            if silent::may_become_silent(&self.held) {
                return;
            }
            self.state = State::Line;
            let opening = std::mem::take(&mut self.held);
            return self.push_lines(&opening, out);
        }
        self.push_lines(words, out);
    }

    /// What was attached so far, once.
    pub(crate) fn take_media(&mut self) -> Vec<String> {
        std::mem::take(&mut self.media)
    }

    /// Decides about what was held back.
    pub(crate) fn finish(&mut self, out: &mut String) -> Taken {
        if self.state == State::Opening {
            let opening = std::mem::take(&mut self.held);
            self.state = State::Line;
            if silent::says_only_silence(&opening) {
                self.said_silence = true;
                self.media = opening.lines().filter_map(media::parse_line).flatten().collect();
            } else {
                self.push_lines(&opening, out);
            }
        }
        if self.state == State::Line {
            self.end_line("", out);
        }
        Taken { media: std::mem::take(&mut self.media), said_silence: self.said_silence }
    }

    fn push_lines(&mut self, words: &str, out: &mut String) {
        for piece in words.split_inclusive('\n') {
            let (text, ends) = match piece.strip_suffix('\n') {
                Some(text) => (text, true),
                None => (piece, false),
            };
            match self.state {
                State::Passing => out.push_str(text),
                State::Opening | State::Line => self.hold(text, out),
            }
            match (ends, self.state) {
                (true, State::Passing) => {
                    out.push('\n');
                    self.state = State::Line;
                }
                (true, State::Opening | State::Line) => self.end_line("\n", out),
                (false, _) => {}
            }
        }
    }

    fn hold(&mut self, text: &str, out: &mut String) {
        self.held.push_str(text);
        let ours = silent::may_become_silent_line(&self.held) || media::may_become_line(&self.held);
        // The mark of a code block decides about the lines after it, so it is looked at whole.
        if !ours && !may_become_fence(&self.held) {
            out.push_str(&self.held);
            self.held.clear();
            self.state = State::Passing;
        }
    }

    fn end_line(&mut self, end: &str, out: &mut String) {
        let line = std::mem::take(&mut self.held);
        self.state = State::Line;
        if !self.in_code {
            if silent::is_silent_line(&line) {
                self.said_silence = true;
                return;
            }
            if let Some(media) = media::parse_line(&line) {
                self.media.extend(media);
                return;
            }
        }
        if is_fence(&line) {
            self.in_code = !self.in_code;
        }
        out.push_str(&line);
        out.push_str(end);
    }
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

fn may_become_fence(line: &str) -> bool {
    let line = line.trim_start();
    is_fence(line) || "```".starts_with(line) || "~~~".starts_with(line)
}
