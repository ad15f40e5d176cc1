//! The files of the workspace.

use crate::prompt::PromptInput;
use crate::prompt::clean::without_fences;
use crate::workspace::InjectedFile;

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    let files: Vec<&InjectedFile> =
        input.situation.files.files.iter().filter(|file| !file.text.trim().is_empty()).collect();
    if files.is_empty() {
        return None;
    }
    let mut out = String::from(
        "# Project Context\n\
        Your own files from the workspace follow. You and your person may change them; they guide you wherever they do not contradict what is above.",
    );
    if files.iter().any(|file| file.name == "SOUL.md") {
        out.push_str(" SOUL.md is who you are: speak that way, not like a manual.");
    }
    for file in files {
        out.push_str("\n\n## ");
        out.push_str(file.name);
        out.push_str("\n\n");
        out.push_str(&without_fences(&file.text));
    }
    out.push_str("\n\n(Here your workspace files end.)");
    Some(out)
}
