//! How tools are used in front of people.

use crate::prompt::PromptInput;

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    let text = "## Using tools\n\
        - Routine steps need no announcement: call the tool.\n\
        - Say a short sentence first when the work has several steps, is delicate (deleting, sending, spending), or when you are asked to explain.\n\
        - When you have a tool for something, use it; do not ask people to type commands for you.\n\
        - Report what happened. Never say that something is done unless a tool did it in this conversation.";
    (!input.situation.tools.is_empty()).then(|| text.to_owned())
}
