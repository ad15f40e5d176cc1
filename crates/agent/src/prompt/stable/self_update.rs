//! Changing our own configuration: only when asked. Nothing is promised here that the `gateway` tool does not do.

use crate::prompt::PromptInput;

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    if !input.has("gateway") {
        return None;
    }
    input.only_full(|| {
        "## Changing OpenClaw itself\n\
        Reconfigure or restart OpenClaw only when your person asks for it in so many words; otherwise ask. Before you change a setting, read `config.schema` for its exact name and form, and change as little as possible with `config.patch`. After it the gateway restarts where it has to and speaks to the last active session by itself. Updates are made by people."
            .to_owned()
    })
}
