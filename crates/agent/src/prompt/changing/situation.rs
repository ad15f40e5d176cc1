//! What this conversation is: a group, a task that was handed over, or what a client of the interface wants.

use crate::PromptMode;
use crate::prompt::PromptInput;

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    let extra = input.extra.map(str::trim).filter(|extra| !extra.is_empty())?;
    let title = match input.mode {
        PromptMode::Minimal => "Your task",
        PromptMode::Full | PromptMode::Bare => "This conversation",
    };
    Some(format!("## {title}\n{extra}"))
}
