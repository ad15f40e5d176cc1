//! Changing our own configuration and version: only when asked.

use crate::prompt::PromptInput;

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    if !input.has("gateway") {
        return None;
    }
    input.only_full(|| {
        "## Changing OpenClaw itself\n\
        Update or reconfigure OpenClaw only when your person asks for it in so many words; otherwise ask. Before you change a setting, read `config.schema` for its exact name and form, and change as little as possible. After `config.apply`, `config.patch` or `update.run` the gateway restarts and speaks to the last active session by itself."
            .to_owned()
    })
}
