//! Gives an answer in blocks while its words come.
//!
//! A block leaves once it is long enough and ends where the settings like it best; when it is full it ends where it can.
//! Blocks are Markdown: fenced code is never torn, and where it is longer than a block it is closed and opened again.

use openclaw_types::BreakPreference;

use super::coalesce::Block;
use super::fences::{Fence, around, fences};
use crate::tags::Tags;

/// How an answer is given in blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockSettings {
    /// The least a block holds, in characters, unless it is the last.
    pub least: usize,
    /// The most.
    pub most: usize,
    /// Where a block ends best.
    pub prefer: BreakPreference,
    /// When blocks leave.
    pub flush: FlushAt,
}

impl Default for BlockSettings {
    fn default() -> Self {
        Self { least: 800, most: 1200, prefer: BreakPreference::Paragraph, flush: FlushAt::TextEnd }
    }
}

impl BlockSettings {
    /// The settings for a platform whose messages hold no more than this.
    #[must_use]
    pub fn within(self, text_limit: usize) -> Self {
        let most = self.most.min(text_limit).max(1);
        Self { least: self.least.clamp(1, most), most, ..self }
    }

    /// The settings for an account that cuts at every paragraph: each leaves as soon as it is whole. Such blocks are not
    /// put together.
    #[must_use]
    pub fn by_paragraph(self) -> Self {
        Self { least: 1, prefer: BreakPreference::Paragraph, ..self }
    }
}

/// When blocks leave.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum FlushAt {
    /// As soon as they are ready, and the rest at the end of the message.
    #[default]
    TextEnd,
    /// At the end of the message; until then nothing leaves.
    MessageEnd,
}

/// Gives an answer in blocks.
#[derive(Debug, Clone)]
pub struct BlockStream {
    settings: BlockSettings,
    held: String,
    /// How much of `held` is the line that opens code again.
    reopened: usize,
    /// How much came in so far, in bytes.
    taken: usize,
}

impl BlockStream {
    /// Before the first word.
    #[must_use]
    pub fn new(settings: BlockSettings) -> Self {
        let least = settings.least.max(1);
        let settings = BlockSettings { least, most: settings.most.max(least), ..settings };
        Self { settings, held: String::new(), reopened: 0, taken: 0 }
    }

    /// After these words came in and the first of them left: as many bytes as a block's `end` said.
    #[must_use]
    pub fn resumed(settings: BlockSettings, words: &str, left: usize) -> Self {
        let mut stream = Self::new(settings);
        let rest = words.get(left..).unwrap_or_default();
        stream.taken = words.len();
        match around(&fences(words), left).filter(|_| !rest.is_empty()) {
            Some(fence) => {
                stream.reopened = fence.opening.len() + 1;
                stream.held = format!("{}\n{rest}", fence.opening);
            }
            None => stream.held = if left == 0 { rest } else { without_leading_space(rest) }.to_owned(),
        }
        stream
    }

    /// Takes in words and gives the blocks that are ready. Their tags are for the caller to set.
    #[must_use]
    pub fn push(&mut self, words: &str) -> Vec<Block> {
        self.held.push_str(words);
        self.taken += words.len();
        match self.settings.flush {
            FlushAt::TextEnd => self.drain(Drain::Ready),
            FlushAt::MessageEnd => Vec::new(),
        }
    }

    /// Gives everything that is left over.
    #[must_use]
    pub fn message_end(&mut self) -> Vec<Block> {
        self.drain(Drain::All)
    }

    /// The words that have not left.
    #[must_use]
    pub fn held(&self) -> &str {
        &self.held
    }

    fn drain(&mut self, drain: Drain) -> Vec<Block> {
        let mut blocks = Vec::new();
        self.drop_empty_code(drain);
        while let Some(cut) = self.next_cut(drain) {
            let rest = self.held.split_off(cut.at);
            let end = self.taken - rest.len();
            let mut block = std::mem::replace(&mut self.held, rest);
            match cut.fence {
                Some(fence) => {
                    if !block.ends_with('\n') {
                        block.push('\n');
                    }
                    block.push_str(&fence.closing);
                    self.reopened = fence.opening.len() + 1;
                    self.held = format!("{}\n{}", fence.opening, self.held);
                }
                None => {
                    self.reopened = 0;
                    self.held = without_leading_space(&self.held).to_owned();
                }
            }
            let block = block.trim_end();
            if !block.trim().is_empty() {
                blocks.push(Block { text: block.to_owned(), tags: Tags::default(), end });
            }
            self.drop_empty_code(drain);
        }
        blocks
    }

    /// Code that was opened again and has nothing more to say is not opened.
    fn drop_empty_code(&mut self, drain: Drain) {
        if self.reopened == 0 {
            return;
        }
        let body = &self.held[self.reopened.min(self.held.len())..];
        let (line, rest, whole) = match body.split_once('\n') {
            Some((line, rest)) => (line, rest, true),
            None => (body, "", drain == Drain::All),
        };
        let closes = fences(&self.held)
            .first()
            .is_some_and(|fence| fence.closed && fence.end == self.reopened + line.len());
        if whole && closes {
            self.held = without_leading_space(rest).to_owned();
            self.reopened = 0;
        } else if drain == Drain::All && body.trim().is_empty() {
            self.held.clear();
            self.reopened = 0;
        }
    }

    fn next_cut(&self, drain: Drain) -> Option<Cut> {
        let text = self.held.as_str();
        let BlockSettings { least, most, .. } = self.settings;
        let length = text.chars().count();
        let everything = Cut { at: text.len(), fence: None };
        if drain == Drain::All && length <= most {
            return (!text.is_empty()).then_some(everything);
        }
        if length < least {
            return None;
        }
        let fences = fences(text);
        let window = Window { text, fences: &fences, least: at_char(text, least), most: at_char(text, most) };
        let preferred = match (self.settings.prefer, least) {
            (BreakPreference::Paragraph, 1) => window.first_paragraph(),
            (prefer, _) => window.preferred(prefer),
        };
        if let Some(at) = preferred {
            return Some(Cut { at, fence: None });
        }
        if length < most {
            return None;
        }
        window.forced().or_else(|| (drain == Drain::All).then_some(everything))
    }
}

/// What is left to say of words of which so many bytes left in blocks. Code that was torn is opened again.
#[must_use]
pub fn rest_of(words: &str, left: usize) -> String {
    let mut stream = BlockStream::resumed(BlockSettings::default(), words, left);
    stream.drop_empty_code(Drain::All);
    stream.held
}

/// Words without blank lines before them; those that go on in the middle of a line, without the space before them.
fn without_leading_space(words: &str) -> &str {
    let space = words.len() - words.trim_start().len();
    match words[..space].rfind('\n') {
        Some(line) => &words[line + 1..],
        None => &words[space..],
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Drain {
    /// What is ready.
    Ready,
    /// Everything.
    All,
}

struct Cut {
    at: usize,
    /// The code that is closed there and opened again.
    fence: Option<Fence>,
}

/// The part of a text in which a block may end.
pub(super) struct Window<'a> {
    pub(super) text: &'a str,
    pub(super) fences: &'a [Fence],
    /// The first place, in bytes.
    pub(super) least: usize,
    /// The last place, in bytes.
    pub(super) most: usize,
}

impl Window<'_> {
    /// The last place of the kind that is liked best.
    pub(super) fn preferred(&self, prefer: BreakPreference) -> Option<usize> {
        match prefer {
            BreakPreference::Paragraph => self.paragraph(),
            BreakPreference::Newline => self.line(),
            BreakPreference::Sentence => self.sentence(),
        }
    }

    /// Any place, when the block is full; nothing when code must go on for a while first.
    fn forced(&self) -> Option<Cut> {
        let free =
            self.paragraph().or_else(|| self.line()).or_else(|| self.sentence()).or_else(|| self.word());
        if let Some(at) = free {
            return Some(Cut { at, fence: None });
        }
        match around(self.fences, self.most) {
            Some(fence) => self.inside(fence),
            None => Some(Cut { at: self.most.max(first_char(self.text)), fence: None }),
        }
    }

    /// A place inside code, which is closed there and opened again.
    fn inside(&self, fence: &Fence) -> Option<Cut> {
        // What stands before the code leaves by itself.
        if !self.text[..fence.start].trim().is_empty() {
            return Some(Cut { at: fence.start, fence: None });
        }
        let body = fence.start + fence.opening.len() + 1;
        let code = self.text.get(body..)?;
        // The closing line is added, so it has its room.
        let room = self.text.floor_char_boundary(self.most.saturating_sub(fence.closing.len() + 1));
        let line = self.text.get(body..room).and_then(|lines| lines.rfind('\n')).map(|end| body + end + 1);
        let at = match line {
            Some(at) => at,
            None => {
                let letter = fence.closing.trim_start().chars().next()?;
                // A line that may become the closing one is not cut, and no rest of a line may look like one.
                if code.trim_start_matches(' ').starts_with(letter) {
                    return None;
                }
                let at = room.max(body + first_char(code));
                let torn = if self.text[..at].ends_with('\n') { "" } else { &self.text[at..] };
                at + torn.chars().take_while(|c| *c == letter).count()
            }
        };
        if at >= self.text.len() && line.is_none() {
            return None;
        }
        let rest = self.text[at..fence.end.max(at)].trim();
        if fence.closed && rest.len() >= fence.closing.trim().len() && fence.closing.trim().starts_with(rest)
        {
            return Some(Cut { at: fence.end, fence: None });
        }
        Some(Cut { at, fence: Some(fence.clone()) })
    }

    fn free(&self, at: usize) -> bool {
        around(self.fences, at).is_none()
    }

    fn first_paragraph(&self) -> Option<usize> {
        self.lines().find(|at| self.ends_paragraph(*at))
    }

    fn paragraph(&self) -> Option<usize> {
        self.lines().rev().find(|at| self.ends_paragraph(*at))
    }

    fn ends_paragraph(&self, at: usize) -> bool {
        let rest = &self.text[at + 1..];
        let next = rest.find('\n').map(|end| &rest[..end]);
        next.is_some_and(|next| next.trim().is_empty()) && self.free(at)
    }

    fn line(&self) -> Option<usize> {
        self.lines().rev().find(|at| self.free(*at))
    }

    fn lines(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.text[self.least..self.most].match_indices('\n').map(|(at, _)| self.least + at)
    }

    fn sentence(&self) -> Option<usize> {
        self.spaces().rev().find(|at| self.text[..*at].ends_with(['.', '!', '?', '…']) && self.free(*at))
    }

    pub(super) fn word(&self) -> Option<usize> {
        self.spaces().rev().find(|at| self.free(*at))
    }

    fn spaces(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.text[self.least..self.most]
            .char_indices()
            .filter(|(_, c)| c.is_whitespace())
            .map(|(at, _)| self.least + at)
            .filter(|at| *at > 0)
    }
}

/// Where the first character ends.
fn first_char(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

/// Where so many characters end.
pub(super) fn at_char(text: &str, count: usize) -> usize {
    text.char_indices().nth(count).map_or(text.len(), |(at, _)| at)
}
