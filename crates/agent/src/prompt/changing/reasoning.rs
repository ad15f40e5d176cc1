//! Whether people see the thoughts.

use crate::Reasoning;
use crate::prompt::PromptInput;

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    let state = match input.reasoning {
        Reasoning::Hidden => "off: people do not see your thoughts",
        Reasoning::Shown => "on: your thoughts are shown before the answer",
        Reasoning::Streamed => "stream: your thoughts are shown as they come",
    };
    Some(format!("Reasoning is {state} (`/reasoning` changes it)."))
}
