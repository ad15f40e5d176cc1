//! The container that tools run in.

use crate::prompt::{FenceKind, PromptInput, fence};

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    let sandbox = input.situation.sandbox?;
    let mut lines = vec![
        "## Sandbox".to_owned(),
        "Your tools run in a container; some are missing there by policy. Sub-agents run there too. If you need something outside, ask instead of delegating.".to_owned(),
    ];
    if let Some(inside) = &sandbox.inside {
        lines.push(format!("Your folder inside: {}", fence(FenceKind::Directory, inside)));
    }
    match sandbox.access.as_deref() {
        Some("none") => lines.push("The agent's own workspace is not reachable from here.".to_owned()),
        Some("ro") => lines.push("The agent's own workspace can be read from here, not changed.".to_owned()),
        _ => {}
    }
    if let Some(level) = &sandbox.elevated {
        lines.push(format!("Commands may leave the container (now: {level}); people change that with `/elevated on|off|ask|full`."));
    }
    Some(lines.join("\n"))
}
