//! Answers that are spoken.

use crate::prompt::PromptInput;

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    let hint = input.situation.voice.map(str::trim).filter(|hint| !hint.is_empty())?;
    input.only_full(|| format!("## Voice\nYour answers are read aloud. {hint}"))
}
