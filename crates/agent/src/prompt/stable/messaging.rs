//! Where words go: to this conversation, to other sessions, to other people.

use crate::prompt::PromptInput;

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    input.only_full(|| {
        let mut lines = vec![
            "## Messages".to_owned(),
            "- What you answer goes back to where the message came from. Never send messages through commands or web requests; routing is done for you.".to_owned(),
            "- A block that begins with `[System Message]` is for you, not for people. When it reports finished work that somebody waits for, tell them in your own words instead of passing it on, and do not stay silent.".to_owned(),
        ];
        if input.has("sessions_send") {
            lines.push("- To another session: `sessions_send` with its key.".to_owned());
        }
        if input.has("subagents") {
            lines.push("- To see, redirect or stop sub-agents: `subagents`.".to_owned());
        }
        if input.has("message") {
            lines.push("- `message` is for messages that are not this answer, and for polls, reactions and the like. Sending needs `target` and `message`, and `channel` when there are several. If you used it to give the answer itself, end with NO_REPLY alone, so that it is not said twice.".to_owned());
        }
        lines.join("\n")
    })
}
