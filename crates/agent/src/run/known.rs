//! The system prompts of late: what is made from the same things is the same text, made, weighed and written already.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use openclaw_ports::model::SystemText;

use crate::context::estimate_text_tokens;
use crate::prompt::{PromptInput, SystemPrompt, build};

/// How many are remembered. Sessions of one agent on one surface share theirs.
const PROMPTS: usize = 4;

/// The system prompts of late, the newest first, each by what it was made from.
#[derive(Debug, Default)]
pub(super) struct KnownPrompts {
    hasher: RandomState,
    all: Mutex<VecDeque<(u64, KnownPrompt)>>,
}

/// A system prompt and its weight.
#[derive(Debug, Clone)]
pub(super) struct KnownPrompt {
    pub(super) system: SystemText,
    /// What it takes, as a guess.
    pub(super) tokens: u64,
}

impl KnownPrompts {
    /// The prompt that is made from this.
    pub(super) fn of(&self, input: &PromptInput<'_>) -> KnownPrompt {
        let mark = self.hasher.hash_one(input);
        if let Some(known) = self.find(mark) {
            return known;
        }
        let prompt = KnownPrompt::of(&build(input));
        let mut all = self.all();
        all.truncate(PROMPTS - 1);
        all.push_front((mark, prompt.clone()));
        prompt
    }

    fn find(&self, mark: u64) -> Option<KnownPrompt> {
        let mut all = self.all();
        let place = all.iter().position(|(known, _)| *known == mark)?;
        let found = all.remove(place)?;
        let prompt = found.1.clone();
        all.push_front(found);
        Some(prompt)
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<(u64, KnownPrompt)>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KnownPrompt {
    pub(super) fn of(prompt: &SystemPrompt) -> Self {
        let parts = prompt.system();
        let tokens = parts.iter().map(|part| estimate_text_tokens(part)).sum();
        Self { system: parts.into(), tokens }
    }
}

#[cfg(test)]
mod tests {
    use openclaw_types::ThinkingLevel;

    use super::*;
    use crate::prompt::tests::{Stage, tools};
    use crate::{PromptMode, Reasoning};

    fn text(prompt: &KnownPrompt) -> Vec<String> {
        prompt.system.iter().map(|part| part.to_string()).collect()
    }

    #[test]
    fn what_is_made_from_the_same_is_the_same_text_as_long_as_it_is_remembered() {
        let (known, stage) = (KnownPrompts::default(), Stage::new());
        let place = |input: &PromptInput<'_>| known.of(input).system[0].as_ptr();
        let first = known.of(&stage.input());
        assert!(first.tokens > 0);
        assert_eq!(place(&stage.input()), first.system[0].as_ptr());
        for number in 0..PROMPTS {
            let extra = format!("Task {number}.");
            assert_ne!(
                place(&PromptInput { extra: Some(&extra), ..stage.input() }),
                first.system[0].as_ptr()
            );
        }
        assert_ne!(place(&stage.input()), first.system[0].as_ptr());
        assert_eq!(known.of(&stage.input()).system, first.system);
        assert_eq!(known.all().len(), PROMPTS);
    }

    #[test]
    fn what_is_made_from_anything_else_is_made_anew() {
        let (known, stage, tools) = (KnownPrompts::default(), Stage::new(), tools());
        let usual = stage.input();
        let thinking = crate::prompt::PromptSituation { thinking: ThinkingLevel::High, ..usual.situation };
        let with_tools = crate::prompt::PromptSituation { tools: &tools, ..usual.situation };
        let alone = crate::prompt::PromptSituation { channel: None, ..usual.situation };
        let elsewhere =
            crate::prompt::PromptSituation { workspace: std::path::Path::new("/srv/ws"), ..usual.situation };
        let inputs = [
            usual,
            PromptInput { mode: PromptMode::Minimal, ..usual },
            PromptInput { extra: Some("You are a sub-agent."), ..usual },
            PromptInput { reasoning: Reasoning::Shown, ..usual },
            PromptInput { situation: thinking, ..usual },
            PromptInput { situation: with_tools, ..usual },
            PromptInput { situation: alone, ..usual },
            PromptInput { situation: elsewhere, ..usual },
        ];
        for round in 0..2 {
            for (number, input) in inputs.iter().enumerate() {
                assert_eq!(text(&known.of(input)), build(input).system(), "{round}: input {number}");
            }
        }
    }
}
