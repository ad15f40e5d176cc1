//! Where our own documentation is.

use crate::prompt::PromptInput;

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    let docs = input.settings.docs.as_deref()?;
    input.only_full(|| {
        format!(
            "## Documentation\n\
            Questions about OpenClaw itself (settings, commands, how it works) are answered in {docs}; look there first. To find out what is wrong, run `openclaw status` yourself where you can."
        )
    })
}
