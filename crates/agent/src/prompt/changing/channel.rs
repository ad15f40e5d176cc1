//! What the platform that the answer goes to can do.

use crate::prompt::PromptInput;

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    let channel = input.situation.channel?;
    let buttons = channel.capabilities.iter().any(|ability| ability.eq_ignore_ascii_case("inlineButtons"));
    let mut lines = Vec::new();
    if input.has("message") && buttons {
        lines.push(
            "- Buttons work here: `message` with action `send` and `buttons=[[{text, callback_data}]]`."
                .to_owned(),
        );
    }
    lines.extend(channel.hints.iter().map(|hint| format!("- {}", hint.trim())));
    if lines.is_empty() {
        return None;
    }
    input.only_full(|| format!("## This channel\n{}", lines.join("\n")))
}
