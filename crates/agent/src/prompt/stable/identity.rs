//! Who is speaking: the one line that every prompt has.

use crate::prompt::PromptInput;

pub(in crate::prompt) fn part(_input: &PromptInput<'_>) -> Option<String> {
    Some("You are a personal assistant that lives in OpenClaw, on your person's own machine.".to_owned())
}
