//! How readily the agent reacts to messages with emoji.

use crate::prompt::{PromptInput, ReactionLevel};

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    let manner = match input.situation.channel?.reactions? {
        ReactionLevel::Minimal => {
            "React with an emoji only where it says something: an important request received, real delight. About one in ten messages at most, and never your own."
        }
        ReactionLevel::Extensive => {
            "React with an emoji whenever a person would: to agree, to thank, to laugh, to show that you have seen it."
        }
    };
    Some(format!("## Reactions\n{manner}"))
}
