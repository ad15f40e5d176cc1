//! Short names of models.

use crate::prompt::PromptInput;

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    let aliases = &input.settings.aliases;
    if aliases.is_empty() {
        return None;
    }
    input.only_full(|| {
        let lines = aliases.iter().map(|(alias, model)| format!("- {alias}: {model}"));
        let lines = lines.collect::<Vec<_>>().join("\n");
        format!("## Model names\nWhen you choose a model, these short names work as well as `provider/model`:\n{lines}")
    })
}
