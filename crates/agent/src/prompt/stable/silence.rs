//! How the agent says nothing.

use crate::prompt::PromptInput;

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    input.only_full(|| {
        "## Saying nothing\n\
        When there is nothing to say, your whole message is `NO_REPLY`, bare: no quotes, no code block, no other word. Never add it to a real answer."
            .to_owned()
    })
}
