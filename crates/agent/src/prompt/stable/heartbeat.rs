//! What the agent does when it is woken without a message.

use crate::prompt::PromptInput;

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    input.only_full(|| {
        let question = match input.settings.heartbeat.as_deref() {
            Some(question) => format!("The question is: {question}\n"),
            None => String::new(),
        };
        format!(
            "## Heartbeats\n\
            Now and then you are woken to see whether anything needs attention, usually by what HEARTBEAT.md lists. {question}\
            If nothing does, answer `HEARTBEAT_OK` and nothing else; it is not shown to anybody. If something does, say what, and leave HEARTBEAT_OK out. Old tasks from earlier conversations are not a reason."
        )
    })
}
