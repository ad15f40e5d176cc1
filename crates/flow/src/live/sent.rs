//! How much of a run's answers has left before its end, read from the keys of what was kept for sending.
//!
//! A key names the place up to which words left and seals them: letters are counted and summed without white space, so
//! that the whole answer can be held against it, whoever made it and however its pieces were joined. Words that are not
//! the same are another answer, and nothing of it has left.

use openclaw_delivery::{CleanAnswer, Replies, rest_of};
use openclaw_ports::stores::OutboxRow;
use openclaw_types::RunId;

use crate::outbox::taken_back;

/// What has left of a run's answers.
#[derive(Debug, Clone, Default)]
pub(crate) struct SentSoFar {
    strands: Vec<Strand>,
    /// Which pieces are shown as answers to the message, where some were.
    pub(super) replies: Option<Replies>,
}

/// What has left of one answer.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Strand {
    form: SentForm,
    number: u64,
    marks: Vec<SentMark>,
    taken: bool,
    /// It is to be taken back, and is nobody's any more.
    withdrawn: bool,
}

/// In which form something left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SentForm {
    /// As blocks.
    Blocks,
    /// As a draft, which the whole answer replaces.
    Draft,
}

impl Strand {
    /// Whether it is of this form and no answer has taken it.
    fn is_open(&self, form: SentForm) -> bool {
        self.form == form && !self.taken && !self.withdrawn
    }
}

impl SentForm {
    fn word(self) -> &'static str {
        match self {
            Self::Blocks => "live",
            Self::Draft => "draft",
        }
    }
}

/// A place in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SentMark {
    /// How many letters stand before it.
    letters: usize,
    /// Their sum.
    seal: u64,
}

/// What is left to say of an answer that is whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Whole {
    /// Everything, in messages of its own.
    Say(CleanAnswer),
    /// Everything; its first message takes the place of the draft of this name.
    Replace(String, CleanAnswer),
    /// Nothing.
    Said,
}

impl SentMark {
    /// The place at the end of these words.
    pub(super) fn after(words: &str) -> Self {
        let mut mark = Self { letters: 0, seal: 0xcbf2_9ce4_8422_2325 };
        words.chars().for_each(|letter| mark.pass(letter));
        mark
    }

    fn pass(&mut self, letter: char) {
        if letter.is_whitespace() {
            return;
        }
        self.letters += 1;
        for byte in u32::from(letter).to_le_bytes() {
            self.seal = (self.seal ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Where the place is in these words, in bytes; nothing when they are other words.
    fn within(self, words: &str) -> Option<usize> {
        let mut passed = Self::after("");
        if passed == self {
            return Some(0);
        }
        for (at, letter) in words.char_indices() {
            passed.pass(letter);
            if passed == self {
                return Some(at + letter.len_utf8());
            }
            if passed.letters > self.letters {
                return None;
            }
        }
        None
    }

    fn read(text: &str) -> Option<Self> {
        let (letters, seal) = text.split_once('-')?;
        Some(Self { letters: letters.parse().ok()?, seal: u64::from_str_radix(seal, 16).ok()? })
    }
}

impl SentSoFar {
    /// What has left of a run, as the pieces say that were kept of it. For runs that are resumed.
    pub(crate) fn of(run: &RunId, kept: &[OutboxRow]) -> Self {
        let mut left = Self::default();
        for row in kept {
            left.read(run, &row.piece.key);
        }
        left
    }

    /// Takes in what a key says.
    fn read(&mut self, run: &RunId, key: &str) {
        let Some(rest) = key.strip_prefix(run.as_str()).and_then(|rest| rest.strip_prefix('/')) else {
            return;
        };
        let Some((word, rest)) = rest.split_once('/') else { return };
        let Some(form) = [SentForm::Blocks, SentForm::Draft].into_iter().find(|form| form.word() == word)
        else {
            return;
        };
        let withdrawn = taken_back(rest);
        let name = rest.split('/').next().unwrap_or(rest);
        let Some((number, mark)) = name.split_once('-') else { return };
        if let (Ok(number), Some(mark)) = (number.parse(), SentMark::read(mark)) {
            let strand = self.strand(form, number, mark);
            strand.withdrawn |= withdrawn.is_some();
        }
    }

    /// Whether nothing has left.
    pub(crate) fn is_empty(&self) -> bool {
        self.strands.is_empty()
    }

    /// Notes that something left.
    pub(super) fn add(&mut self, form: SentForm, number: u64, mark: SentMark) {
        self.strand(form, number, mark);
    }

    /// The answer that this left of.
    fn strand(&mut self, form: SentForm, number: u64, mark: SentMark) -> &mut Strand {
        let known = self.strands.iter().position(|strand| strand.form == form && strand.number == number);
        let at = known.unwrap_or_else(|| {
            self.strands.push(Strand { form, number, marks: Vec::new(), taken: false, withdrawn: false });
            self.strands.len() - 1
        });
        let strand = &mut self.strands[at];
        if !strand.marks.contains(&mark) {
            strand.marks.push(mark);
        }
        strand
    }

    /// A number that no answer has.
    pub(super) fn fresh(&self) -> u64 {
        self.strands.iter().map(|strand| strand.number + 1).max().unwrap_or(0)
    }

    /// The name of what leaves, behind the run in its key.
    pub(super) fn name(form: SentForm, number: u64, mark: SentMark) -> String {
        format!("{}/{number}-{}-{:x}", form.word(), mark.letters, mark.seal)
    }

    /// Whether more of some answer has left than these words: then they may be it, and have to wait.
    pub(super) fn may_hold(&self, words: &str) -> bool {
        let so_far = SentMark::after(words).letters;
        let open = self.strands.iter().filter(|strand| strand.is_open(SentForm::Blocks));
        open.flat_map(|strand| &strand.marks).any(|mark| mark.letters > so_far)
    }

    /// The blocks that begin these words, which are an answer or its beginning: their number, and how much left with
    /// them, in bytes. They are nobody else's from now on.
    pub(super) fn take_blocks(&mut self, words: &str) -> Option<(u64, usize)> {
        let open = self.strands.iter_mut().filter(|strand| strand.is_open(SentForm::Blocks));
        for strand in open {
            let place = strand.marks.iter().filter_map(|mark| mark.within(words)).max().filter(|at| *at > 0);
            if let Some(at) = place {
                strand.taken = true;
                return Some((strand.number, at));
            }
        }
        None
    }

    /// Blocks are nobody else's from now on.
    pub(super) fn hold(&mut self, number: u64) {
        for strand in self.strands.iter_mut().filter(|strand| strand.number == number) {
            strand.taken = true;
        }
    }

    /// Gives blocks free: the message they began is void.
    pub(super) fn release(&mut self, number: u64) {
        for strand in self.strands.iter_mut().filter(|strand| strand.number == number) {
            strand.taken = false;
        }
    }

    /// Takes everything that belongs to no answer: what comes now is something else.
    pub(super) fn pass_over(&mut self) {
        for strand in self.strands.iter_mut().filter(|strand| strand.form == SentForm::Blocks) {
            strand.taken = true;
        }
    }

    /// The last draft that no answer has taken.
    pub(super) fn open_draft(&self) -> Option<(u64, String)> {
        let mut open = self.strands.iter().filter(|strand| strand.is_open(SentForm::Draft));
        open.next_back().and_then(|strand| {
            Some((strand.number, Self::name(SentForm::Draft, strand.number, *strand.marks.first()?)))
        })
    }

    /// Takes the draft of these words, which are a whole answer. Says whether there is one.
    pub(super) fn take_draft(&mut self, words: &str) -> bool {
        self.draft_of(words).is_some()
    }

    fn draft_of(&mut self, words: &str) -> Option<String> {
        let open = self.strands.iter_mut().filter(|strand| strand.is_open(SentForm::Draft));
        for strand in open {
            if strand.marks.iter().any(|mark| mark.within(words).is_some()) {
                strand.taken = true;
                return Some(Self::name(SentForm::Draft, strand.number, *strand.marks.first()?));
            }
        }
        None
    }

    /// What is still to be said of an answer that is whole, in the order of the answers.
    pub(crate) fn rest(&mut self, mut answer: CleanAnswer) -> Whole {
        if let Some((_, at)) = self.take_blocks(&answer.text) {
            answer.text = rest_of(&answer.text, at);
            let nothing = answer.text.trim().is_empty() && answer.marks.media.is_empty();
            return if nothing { Whole::Said } else { Whole::Say(answer) };
        }
        match self.draft_of(&answer.text) {
            Some(name) => Whole::Replace(name, answer),
            None => Whole::Say(answer),
        }
    }

    /// Begins again with the first answer.
    pub(crate) fn anew(mut self) -> Self {
        self.strands.iter_mut().for_each(|strand| strand.taken = false);
        self
    }

    /// The names of drafts that no answer took the place of.
    pub(crate) fn orphans(&self) -> Vec<String> {
        let open = self.strands.iter().filter(|strand| strand.is_open(SentForm::Draft));
        open.filter_map(|strand| Some(Self::name(SentForm::Draft, strand.number, *strand.marks.first()?)))
            .collect()
    }

    /// Which pieces are shown as answers to the message, where some were.
    pub(crate) fn replies(&self) -> Option<Replies> {
        self.replies.clone()
    }
}

#[cfg(test)]
pub(super) fn reading(run: &RunId, keys: &[&str]) -> SentSoFar {
    let mut left = SentSoFar::default();
    keys.iter().for_each(|key| left.read(run, key));
    left
}
