//! How a model without a channel for thoughts writes them, so that they can be taken out.

use crate::prompt::{PromptInput, ReasoningFormat};

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    match input.situation.format {
        ReasoningFormat::Native => None,
        ReasoningFormat::Tags => Some(
            "## Form of your answer\n\
            First your thoughts in `<think>…</think>`, then the answer in `<final>…</final>`, and nothing outside the two. People see only what is in `<final>`.\n\
            <think>She greets me; a short hello will do.</think>\n\
            <final>Good morning! What shall we look at first?</final>"
                .to_owned(),
        ),
    }
}
