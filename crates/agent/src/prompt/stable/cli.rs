//! The commands of our own command line that matter in a conversation.

use crate::prompt::PromptInput;

pub(super) fn part(_input: &PromptInput<'_>) -> Option<String> {
    Some(
        "## The openclaw command\n\
        The gateway is a service: `openclaw gateway status`, `start`, `stop`, `restart`. `openclaw status` shows how things are, `openclaw help` lists the rest.\n\
        Use commands that exist; when unsure, look at `openclaw <command> --help` instead of guessing."
            .to_owned(),
    )
}
