//! Puts the parts together, in an order that never changes.

use super::input::PromptInput;
use super::{changing, stable};
use crate::PromptMode;

/// The system prompt of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemPrompt {
    /// Its parts, in order; none is empty.
    pub parts: Vec<PromptPart>,
}

/// One part of a system prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptPart {
    /// What it is about.
    pub name: &'static str,
    /// What it says.
    pub text: String,
    /// Whether it stays the same from turn to turn.
    pub stability: Stability,
}

/// Whether a part stays the same from turn to turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stability {
    /// It does, for every session of an agent.
    Stable,
    /// It depends on the session or the run.
    Changing,
}

/// Builds the system prompt. The same input gives the same bytes.
#[must_use]
pub fn build(input: &PromptInput<'_>) -> SystemPrompt {
    if input.mode == PromptMode::Bare {
        let parts = stable::identity::part(input).map(|text| part("identity", text, Stability::Stable));
        return SystemPrompt { parts: parts.into_iter().collect() };
    }
    let stable = stable::PARTS.iter().map(|(name, make)| (*name, *make, Stability::Stable));
    let changing = changing::PARTS.iter().map(|(name, make)| (*name, *make, Stability::Changing));
    let parts = stable
        .chain(changing)
        .filter_map(|(name, make, stability)| Some(part(name, make(input)?, stability)))
        .filter(|part| !part.text.is_empty())
        .collect();
    SystemPrompt { parts }
}

impl SystemPrompt {
    /// The prompt as a request carries it: what stays the same, then what changes. A half that is empty is left out.
    #[must_use]
    pub fn system(&self) -> Vec<String> {
        [Stability::Stable, Stability::Changing]
            .into_iter()
            .map(|stability| joined(self.parts.iter().filter(|part| part.stability == stability)))
            .filter(|half| !half.is_empty())
            .collect()
    }

    /// The whole prompt.
    #[must_use]
    pub fn text(&self) -> String {
        joined(self.parts.iter())
    }

    /// What one part says.
    #[must_use]
    pub fn part(&self, name: &str) -> Option<&str> {
        self.parts.iter().find(|part| part.name == name).map(|part| part.text.as_str())
    }
}

/// Makes one part; nothing when it has nothing to say.
pub(super) type Make = fn(&PromptInput<'_>) -> Option<String>;

fn part(name: &'static str, mut text: String, stability: Stability) -> PromptPart {
    text.truncate(text.trim_end().len());
    PromptPart { name, text, stability }
}

fn joined<'a>(parts: impl Iterator<Item = &'a PromptPart>) -> String {
    parts.map(|part| part.text.as_str()).collect::<Vec<_>>().join("\n\n")
}
