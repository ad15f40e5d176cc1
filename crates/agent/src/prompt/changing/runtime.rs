//! What the agent runs on, in one line.

use crate::prompt::{FenceKind, PromptInput, fence};

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    let situation = &input.situation;
    let around = situation.surroundings;
    let mut facts = vec![
        format!("agent={}", input.agent),
        format!("host={}", fence(FenceKind::Label, &around.host)),
        format!("os={}", around.system),
        format!("openclaw={}", around.version),
    ];
    if let Some(repository) = &input.settings.repo_root {
        facts.push(format!("repo={}", fence(FenceKind::Directory, repository)));
    }
    if !around.shell.is_empty() {
        facts.push(format!("shell={}", around.shell));
    }
    if let Some(channel) = situation.channel {
        let abilities = match channel.capabilities.as_slice() {
            [] => "none".to_owned(),
            some => some.join(","),
        };
        facts.push(format!("channel={} | capabilities={abilities}", channel.id));
    }
    if let Some(model) = situation.model {
        facts.push(format!("model={model}"));
    }
    if let Some(model) = situation.default_model {
        facts.push(format!("default_model={model}"));
    }
    facts.push(format!("thinking={}", situation.thinking));
    Some(format!("## Runtime\n{}", facts.join(" | ")))
}
