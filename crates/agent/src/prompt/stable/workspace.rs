//! Where the agent works.

use crate::prompt::{FenceKind, PromptInput, fence};

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    let directory = fence(FenceKind::Directory, &input.situation.workspace.to_string_lossy());
    let guidance = match input.situation.sandbox.and_then(|sandbox| sandbox.inside.as_deref()) {
        Some(inside) => format!(
            "File tools work there; commands run in a container where the same folder is {}. Relative paths mean the same in both, so prefer them.",
            fence(FenceKind::Directory, inside)
        ),
        None => "Relative paths start there. Keep your files there unless you are told otherwise.".to_owned(),
    };
    Some(format!("## Workspace\nYour folder: {directory}\n{guidance}"))
}
