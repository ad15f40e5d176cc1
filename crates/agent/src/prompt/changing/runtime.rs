//! What the agent runs on, in one line.

use crate::prompt::{FenceKind, PromptInput, fence};

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    let scene = &input.scene;
    let around = scene.surroundings;
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
    if let Some(channel) = scene.channel {
        let abilities = match channel.capabilities.as_slice() {
            [] => "none".to_owned(),
            some => some.join(","),
        };
        facts.push(format!("channel={} | capabilities={abilities}", channel.id));
    }
    if let Some(model) = scene.model {
        facts.push(format!("model={model}"));
    }
    if let Some(model) = scene.default_model {
        facts.push(format!("default_model={model}"));
    }
    facts.push(format!("thinking={}", scene.thinking));
    Some(format!("## Runtime\n{}", facts.join(" | ")))
}
