//! When the agent looks into its memory.

use crate::prompt::{Citations, PromptInput};

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    if !input.has("memory_search") && !input.has("memory_get") {
        return None;
    }
    input.only_full(|| {
        let sources = match input.settings.citations {
            Citations::Shown => "Name the source (`path#line`) where it helps to check it.",
            Citations::Hidden => "Do not name files or lines unless you are asked.",
        };
        format!(
            "## Memory\n\
            Is it about earlier work, decisions, dates, people, preferences or open tasks? Then look before you answer: `memory_search` over MEMORY.md and memory/*.md, and `memory_get` for the lines you need. If you find nothing certain, say that you looked. {sources}"
        )
    })
}
