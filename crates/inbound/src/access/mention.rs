//! Whether a message in a room is for us: named by the platform's own means, by a pattern, or answered.
//!
//! Patterns come from the configuration and run on what strangers write. They are compiled with a limit on their size,
//! and the engine takes time linear in the text, of which only so much is looked at.

use openclaw_config::{MentionSettings, MentionSource};
use openclaw_types::{ChatKind, InboundKind};
use regex::{Regex, RegexBuilder, escape};

use super::decide::{AccessRequest, Activation};
use super::room::Room;
use super::verdict::MentionFacts;

/// The longest pattern that is taken, in bytes.
const LONGEST_PATTERN: usize = 512;
/// How many patterns are taken.
const MOST_PATTERNS: usize = 64;
/// The most memory a compiled pattern may take, in bytes.
const LARGEST_PROGRAM: usize = 256 * 1024;
/// How much of a message is looked at, in bytes.
const LONGEST_TEXT: usize = 16 * 1024;

/// What counts as naming an agent, made once for a version of the configuration.
#[derive(Debug, Clone, Default)]
pub struct Mentions {
    patterns: Vec<Regex>,
    refused: Vec<String>,
}

impl Mentions {
    /// What counts as naming any of the agents that answer together. Patterns that cannot be used are left out; see
    /// `refused`.
    #[must_use]
    pub fn of_any<'a>(settings: impl IntoIterator<Item = &'a MentionSettings>) -> Self {
        let mut mentions = Self::default();
        settings.into_iter().for_each(|settings| mentions.add(settings));
        mentions
    }

    /// The patterns that were left out because they are no patterns, too long or too large.
    #[must_use]
    pub fn refused(&self) -> &[String] {
        &self.refused
    }

    /// Whether there is no pattern.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether a text names the agent.
    #[must_use]
    pub fn name_in(&self, text: &str) -> bool {
        let text = seen(text);
        !text.is_empty() && self.patterns.iter().any(|pattern| pattern.is_match(&text))
    }

    fn add(&mut self, settings: &MentionSettings) {
        let patterns = match &settings.source {
            MentionSource::Patterns(patterns) => patterns.clone(),
            MentionSource::Identity { name, emoji } => {
                let name = name.as_deref().and_then(name_pattern);
                name.into_iter().chain(emoji.as_deref().map(escape)).collect()
            }
        };
        for pattern in patterns {
            match compiled(&pattern) {
                Some(compiled) if self.patterns.len() < MOST_PATTERNS => self.patterns.push(compiled),
                _ => self.refused.push(pattern),
            }
        }
    }
}

/// Whether we were named in a room, and whether that matters there. `commanded` says that somebody who may gives a
/// command, which needs no mention unless it names somebody else.
pub(super) fn facts(knock: &AccessRequest<'_>, room: &Room<'_>, commanded: bool) -> MentionFacts {
    let inbound = knock.inbound;
    let attention = inbound.attention;
    let required = match knock.activation {
        Activation::Always => false,
        Activation::Mention => true,
        Activation::AsConfigured => room.require_mention().unwrap_or_else(|| {
            // In a direct chat with several people we were invited as one of few.
            let direct = inbound.place.kind == ChatKind::Group && knock.rules.group_dms.is_some();
            knock.rules.require_mention && !direct
        }),
    };
    let named = attention.mentions_us || knock.mentions.name_in(&inbound.text);
    // A button or a menu is ours: whoever uses it speaks to us.
    let pointed = matches!(inbound.kind, InboundKind::Command(_) | InboundKind::Press(_));
    let bypass = commanded && required && !named && !attention.mentions_anybody;
    MentionFacts {
        was_mentioned: named || pointed || attention.answers_us || bypass,
        required,
        detectable: attention.can_mention || !knock.mentions.is_empty(),
    }
}

/// A name as a pattern: alone or after `@`, with any white space between its words.
fn name_pattern(name: &str) -> Option<String> {
    let words: Vec<String> = name.split_whitespace().map(escape).collect();
    let first = name.trim().chars().next()?;
    let last = name.trim().chars().next_back()?;
    // A border of words only makes sense beside a letter; a name may begin or end with another sign.
    let border = |letter: char| if letter.is_alphanumeric() || letter == '_' { r"\b" } else { "" };
    Some(format!("@?{}{}{}", border(first), words.join(r"\s+"), border(last)))
}

fn compiled(pattern: &str) -> Option<Regex> {
    // In JSON, `\b` is the backspace sign; people who write one backslash mean the border of a word.
    let pattern = pattern.replace('\u{8}', r"\b");
    if pattern.trim().is_empty() || pattern.len() > LONGEST_PATTERN {
        return None;
    }
    let mut builder = RegexBuilder::new(&pattern);
    builder.case_insensitive(true).size_limit(LARGEST_PROGRAM).dfa_size_limit(LARGEST_PROGRAM).nest_limit(32);
    builder.build().ok()
}

/// What is looked at of a text: no signs that nobody sees, and not more than so much.
fn seen(text: &str) -> String {
    let text = text.get(..text.floor_char_boundary(LONGEST_TEXT)).unwrap_or(text);
    text.chars()
        .filter(|letter| {
            !matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        })
        .collect()
}

/// Whether a pattern of the configuration fits somewhere in a text. One that cannot be read fits nowhere.
#[must_use]
pub fn pattern_fits(pattern: &str, text: &str) -> bool {
    let built = RegexBuilder::new(pattern.trim()).size_limit(1 << 16).build();
    !pattern.trim().is_empty() && built.is_ok_and(|pattern| pattern.is_match(text))
}
