//! How an answer is attached to a message.

use crate::prompt::PromptInput;

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    input.only_full(|| {
        "## Reply tags\n\
        To answer as a quote of a message, begin with a tag, before anything else: `[[reply_to_current]]` for the message you are answering (the usual choice), or `[[reply_to:<id>]]` for one whose id you were given. The tag is taken out before sending; platforms without quotes ignore it.\n\
        To send a file or picture with your answer, put `MEDIA:<path or address>` on a line of its own."
            .to_owned()
    })
}
