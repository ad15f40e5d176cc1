//! What can be learned on demand: names and descriptions; the skill itself is read when it is needed.

use crate::prompt::{FenceKind, PromptInput, SkillLine, fence};

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    let skills = input.situation.skills;
    if skills.is_empty() {
        return None;
    }
    Some(format!(
        "## Skills\n\
        Before you answer, look through this list. If one skill clearly fits, read its file with `read` and follow it; if several fit, take the most specific. Read one at most, and none when none fits.\n{}",
        skill_text(skills)
    ))
}

/// The skills, one line each. Descriptions come from whoever wrote the skill.
pub(crate) fn skill_text(skills: &[SkillLine<'_>]) -> String {
    skills
        .iter()
        .map(|skill| {
            let description = fence(FenceKind::Label, skill.description);
            format!("- {} ({}): {description}", skill.name, skill.location)
        })
        .collect::<Vec<_>>()
        .join("\n")
}
