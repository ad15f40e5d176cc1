//! Puts small blocks together, so that people do not get a message for every line.
//!
//! A block waits for more. It leaves when there is enough and nothing came for a while, when there would be too much, or
//! when something comes that cannot be in the same message.

use std::time::Duration;

use openclaw_types::{BreakPreference, Coalesce, UnixMillis};

use super::blocks::BlockSettings;
use crate::tags::Tags;

/// How long to wait for more where nothing is said.
const IDLE: Duration = Duration::from_secs(1);

/// A block of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Block {
    /// The words, in Markdown.
    pub text: String,
    /// How it is sent. Blocks that are sent in different ways stay apart.
    pub tags: Tags,
    /// How much of the answer's words has left with it, in bytes.
    pub end: usize,
}

/// How blocks are put together where an account says nothing about it.
#[must_use]
pub fn coalesce_settings(account: Option<Coalesce>, blocks: &BlockSettings, text_limit: usize) -> Coalesce {
    let wanted = account.unwrap_or(Coalesce { least: blocks.least, most: text_limit, idle: IDLE });
    let most = wanted.most.min(text_limit).max(1);
    Coalesce { least: wanted.least.clamp(1, most), most, idle: wanted.idle }
}

/// Puts small blocks together.
#[derive(Debug, Clone)]
pub struct Coalescer {
    settings: Coalesce,
    joiner: &'static str,
    held: Option<Block>,
    last: UnixMillis,
}

impl Coalescer {
    /// Before the first block. What joins blocks depends on where they were cut.
    #[must_use]
    pub fn new(settings: Coalesce, prefer: BreakPreference) -> Self {
        let most = settings.most.max(1);
        let settings = Coalesce { least: settings.least.clamp(1, most), most, ..settings };
        Self { settings, joiner: prefer.joiner(), held: None, last: UnixMillis(0) }
    }

    /// Takes in a block and gives those that leave now.
    #[must_use]
    pub fn push(&mut self, block: Block, now: UnixMillis) -> Vec<Block> {
        if block.text.trim().is_empty() {
            return Vec::new();
        }
        let mut leaving = Vec::new();
        let held = match self.held.take() {
            None => block,
            Some(held) if same_way(&held.tags, &block.tags) && self.fits(&held, &block) => {
                let text = format!("{}{}{}", held.text, self.joiner, block.text);
                Block { text, tags: held.tags, end: block.end }
            }
            Some(held) => {
                leaving.push(held);
                block
            }
        };
        if held.text.chars().count() >= self.settings.most {
            leaving.push(held);
        } else {
            self.held = Some(held);
            self.last = now;
        }
        leaving
    }

    /// When to look again, unless something comes before.
    #[must_use]
    pub fn due(&self) -> Option<UnixMillis> {
        let held = self.held.as_ref()?;
        let enough = held.text.chars().count() >= self.settings.least;
        enough.then(|| self.last.plus(self.settings.idle))
    }

    /// Gives what has waited long enough.
    #[must_use]
    pub fn tick(&mut self, now: UnixMillis) -> Option<Block> {
        if self.due().is_some_and(|due| now >= due) { self.held.take() } else { None }
    }

    /// Gives what is held: at the end, and before anything that is not words.
    #[must_use]
    pub fn flush(&mut self) -> Option<Block> {
        self.held.take()
    }

    fn fits(&self, held: &Block, block: &Block) -> bool {
        let characters = held.text.chars().count() + self.joiner.chars().count() + block.text.chars().count();
        characters <= self.settings.most
    }
}

/// Whether two blocks can be one message. A block that answers nothing in particular goes with any before it.
fn same_way(held: &Tags, block: &Tags) -> bool {
    held.voice == block.voice && (block.reply_to.is_none() || held.reply_to == block.reply_to)
}
