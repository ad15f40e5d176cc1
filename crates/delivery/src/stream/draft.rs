//! An answer as one message that grows: when to show it again, and when to stop.
//!
//! Not too often, only when there is more to see, and only as long as it fits into one message; the final answer is sent
//! as always. `progress` shows what is being done instead of the words. Thoughts are shown as long as there are no words, by
//! their end, and never with them.

use std::collections::VecDeque;
use std::time::Duration;

use openclaw_types::{DraftChunk, DraftMode, UnixMillis};

use super::blocks::{BlockSettings, Window, at_char};

/// How many steps a progress message shows.
const STEPS: usize = 6;
/// The longest step, in characters.
const STEP: usize = 120;
/// What stands before thoughts, and how much of them is shown, in characters.
const THINKING: &str = "💭 ";
const THOUGHTS: usize = 600;

/// How an answer is shown while it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DraftSettings {
    /// In which form.
    pub mode: DraftMode,
    /// The shortest time between two showings.
    pub every: Duration,
    /// The least that is shown first, in characters, so that a notification says something.
    pub least: usize,
    /// The most that is shown, in characters.
    pub most: usize,
    /// How blocks are cut in `block` mode.
    pub blocks: BlockSettings,
}

impl DraftSettings {
    /// The settings for messages that hold this much, with so much more at a time.
    #[must_use]
    pub fn new(mode: DraftMode, text_limit: usize, chunk: DraftChunk) -> Self {
        let DraftChunk { least, most, prefer } = chunk;
        Self {
            mode,
            every: Duration::from_secs(1),
            least: 30,
            most: text_limit,
            blocks: BlockSettings { least, most, prefer, ..BlockSettings::default() }.within(text_limit),
        }
    }
}

/// What to do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftStep {
    /// Show this, instead of what was shown before.
    Show(String),
    /// Ask again at this moment, unless something comes before.
    Wait(UnixMillis),
    /// There is nothing new.
    Nothing,
    /// The answer is longer than a message: nothing more is shown.
    Stopped,
}

/// Decides when an answer is shown while it is made.
#[derive(Debug, Clone)]
pub struct DraftStream {
    settings: DraftSettings,
    text: String,
    thoughts: String,
    steps: VecDeque<String>,
    shown: String,
    /// What is shown are thoughts: words take their place, however few they are.
    thinking: bool,
    shown_at: Option<UnixMillis>,
    /// How much of the text is shown in `block` mode, in bytes.
    ready: usize,
    stopped: bool,
}

impl DraftStream {
    /// Before the first word.
    #[must_use]
    pub fn new(settings: DraftSettings) -> Self {
        Self {
            settings,
            text: String::new(),
            thoughts: String::new(),
            steps: VecDeque::new(),
            shown: String::new(),
            thinking: false,
            shown_at: None,
            ready: 0,
            stopped: settings.mode == DraftMode::Off,
        }
    }

    /// Takes in words.
    pub fn push(&mut self, words: &str) {
        self.text.push_str(words);
        if self.settings.mode == DraftMode::Block {
            self.advance();
        }
    }

    /// Takes in thoughts. Only their end is kept.
    pub fn think(&mut self, words: &str) {
        self.thoughts.push_str(words);
        let length = self.thoughts.chars().count();
        if length > 4 * THOUGHTS {
            self.thoughts = self.thoughts.chars().skip(length - THOUGHTS).collect();
        }
    }

    /// Whether what is to be seen now are thoughts, since there are no words yet.
    #[must_use]
    pub fn thinks(&self) -> bool {
        let partial = matches!(self.settings.mode, DraftMode::Partial | DraftMode::Block);
        partial && self.words().is_empty() && !self.thoughts.trim().is_empty()
    }

    /// Takes in what is being done: the name of a tool, a file that is read.
    pub fn step(&mut self, what: &str) {
        let line = what.split_whitespace().collect::<Vec<_>>().join(" ");
        let line: String = line.chars().take(STEP).collect();
        if line.is_empty() || self.steps.back() == Some(&line) {
            return;
        }
        if self.steps.len() == STEPS {
            self.steps.pop_front();
        }
        self.steps.push_back(line);
    }

    /// Begins a new message: after a tool, when the words before are a message of their own.
    pub fn restart(&mut self) {
        self.text.clear();
        self.thoughts.clear();
        self.shown.clear();
        self.thinking = false;
        self.ready = 0;
        self.stopped = self.settings.mode == DraftMode::Off;
    }

    /// What to do now. After `Show` the caller says with `showed` or `failed` what came of it.
    #[must_use]
    pub fn next(&mut self, now: UnixMillis) -> DraftStep {
        if self.stopped {
            return DraftStep::Stopped;
        }
        let wanted = self.wanted();
        let length = wanted.chars().count();
        if length > self.settings.most {
            self.stopped = true;
            return DraftStep::Stopped;
        }
        let words = !self.thinks();
        let first = self.shown.is_empty() || (self.thinking && words);
        let small = first && length < self.settings.least && self.settings.mode != DraftMode::Progress;
        let same = wanted == self.shown || wanted.trim().is_empty();
        let grows = self.settings.mode != DraftMode::Progress && words && !self.thinking;
        let shrunk = grows && wanted.len() <= self.shown.len();
        if same || small || shrunk {
            return DraftStep::Nothing;
        }
        match self.shown_at.map(|at| at.plus(self.settings.every)) {
            Some(due) if now < due => DraftStep::Wait(due),
            _ => DraftStep::Show(wanted),
        }
    }

    /// Notes that these words were shown.
    pub fn showed(&mut self, words: String, now: UnixMillis) {
        self.thinking = words.starts_with(THINKING) && words == self.thought();
        self.shown = words;
        self.shown_at = Some(now);
    }

    /// Notes that showing failed: the next try waits as if it had not.
    pub fn failed(&mut self, now: UnixMillis) {
        self.shown_at = Some(now);
    }

    /// Shows nothing more.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    fn wanted(&self) -> String {
        match self.settings.mode {
            DraftMode::Off => String::new(),
            DraftMode::Partial | DraftMode::Block if self.thinks() => self.thought(),
            DraftMode::Partial | DraftMode::Block => self.words().to_owned(),
            DraftMode::Progress => self.progress(),
        }
    }

    /// The words that may be shown.
    fn words(&self) -> &str {
        let ready = if self.settings.mode == DraftMode::Block { self.ready } else { self.text.len() };
        self.text[..ready].trim_end()
    }

    /// The end of the thoughts, as they are shown.
    fn thought(&self) -> String {
        let thoughts = self.thoughts.trim();
        let most = THOUGHTS.min(self.settings.most.saturating_sub(THINKING.chars().count() + 1));
        let over = thoughts.chars().count().saturating_sub(most);
        let end: String = thoughts.chars().skip(over).collect();
        format!("{THINKING}{}{end}", if over > 0 { "…" } else { "" })
    }

    fn progress(&self) -> String {
        let mut lines = vec!["Working on it…".to_owned()];
        lines.extend(self.steps.iter().map(|step| format!("- {step}")));
        lines.join("\n")
    }

    /// Shows as many blocks as are whole. Code may be torn here: the whole draft is read again every time.
    fn advance(&mut self) {
        let BlockSettings { least, most, prefer, .. } = self.settings.blocks;
        loop {
            let rest = &self.text[self.ready..];
            let (first, last) = (at_char(rest, least.max(1)), at_char(rest, most.max(least).max(1)));
            let window = Window { text: rest, fences: &[], least: first, most: last };
            let full = rest.chars().count() >= most.max(least).max(1);
            let cut = window.preferred(prefer).or_else(|| full.then(|| window.word().unwrap_or(last)));
            match cut.filter(|cut| *cut > 0) {
                Some(cut) => self.ready += cut,
                None => return,
            }
        }
    }
}
