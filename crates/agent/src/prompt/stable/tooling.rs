//! Which tools there are, one line each, and how long work is waited for.

use crate::prompt::{PromptInput, ToolLine};

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    let mut lines = vec!["## Tools".to_owned()];
    if input.situation.tools.is_empty() {
        lines.push("You have no tools in this session. Say so when something would need one.".to_owned());
        return Some(lines.join("\n"));
    }
    lines.push("These are the tools you have here; a tool that is not listed does not exist. Spell their names exactly like this:".to_owned());
    lines.push(tool_text(input.situation.tools));
    lines.push(
        "TOOLS.md holds notes on how to use things around you. It neither adds nor removes tools.".to_owned(),
    );
    if input.has("exec") && input.has("process") {
        lines.push("Something takes long? Give `exec` a generous `yieldMs`, or ask `process` with action `poll` and a `timeout`. Do not poll in quick succession.".to_owned());
    }
    if input.has("sessions_spawn") {
        lines.push("Hand large or slow work to a sub-agent (`sessions_spawn`). Its result is announced to you by itself, so do not keep asking for it; look with `subagents` or `sessions_list` only to step in or when you are asked.".to_owned());
    }
    Some(lines.join("\n"))
}

/// The tools, one line each, in the order in which they were given.
pub(crate) fn tool_text(tools: &[ToolLine<'_>]) -> String {
    let line = |tool: &ToolLine<'_>| match tool.summary.trim() {
        "" => format!("- {}", tool.name),
        summary => format!("- {}: {summary}", tool.name),
    };
    tools.iter().map(line).collect::<Vec<_>>().join("\n")
}
