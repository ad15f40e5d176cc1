//! The system prompts of late: words that were told before are the same text, weighed and written already.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use openclaw_ports::model::SystemText;

use crate::context::estimate_text_tokens;

/// How many are remembered. Sessions of one agent on one surface share theirs.
const PROMPTS: usize = 4;

/// The system prompts of late, the newest first.
#[derive(Debug, Default)]
pub(super) struct KnownPrompts(Mutex<VecDeque<KnownPrompt>>);

/// A system prompt and its weight.
#[derive(Debug, Clone)]
pub(super) struct KnownPrompt {
    pub(super) system: SystemText,
    /// What it takes, as a guess.
    pub(super) tokens: u64,
}

impl KnownPrompts {
    /// The prompt of these parts.
    pub(super) fn of(&self, parts: Vec<String>) -> KnownPrompt {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.iter().position(|known| known.says(&parts)).and_then(|place| all.remove(place));
        let prompt = known.unwrap_or_else(|| KnownPrompt::new(parts));
        all.truncate(PROMPTS - 1);
        all.push_front(prompt.clone());
        prompt
    }
}

impl KnownPrompt {
    pub(super) fn new(parts: Vec<String>) -> Self {
        let tokens = parts.iter().map(|part| estimate_text_tokens(part)).sum();
        Self { system: parts.into(), tokens }
    }

    fn says(&self, parts: &[String]) -> bool {
        self.system.len() == parts.len()
            && self.system.iter().zip(parts).all(|(known, part)| **known == *part)
    }
}

#[cfg(test)]
mod tests {
    use super::{KnownPrompts, PROMPTS};

    #[test]
    fn the_same_words_are_the_same_text_as_long_as_they_are_remembered() {
        let known = KnownPrompts::default();
        let told = |words: &str| known.of(vec!["Be kind.".to_owned(), words.to_owned()]);
        let place = |words: &str| told(words).system[0].as_ptr();
        let first = told("Be brief.");
        assert!(first.tokens > 0);
        assert_eq!(place("Be brief."), first.system[0].as_ptr());
        for number in 0..PROMPTS {
            assert_ne!(place(&format!("Say {number}.")), first.system[0].as_ptr());
        }
        assert_ne!(place("Be brief."), first.system[0].as_ptr());
        assert_eq!(told("Be brief.").system, first.system);
        assert_eq!(known.0.lock().unwrap().len(), PROMPTS);
    }
}
