//! Where the person lives in time. The time itself is not here: it would change the prompt with every turn.

use crate::prompt::PromptInput;

pub(super) fn part(input: &PromptInput<'_>) -> Option<String> {
    let zone = input.settings.time_zone.as_deref()?;
    let now = if input.has("session_status") {
        "\nNeed the date or time of day? Call `session_status`."
    } else {
        "\nThe messages carry their times."
    };
    Some(format!("## Time\nTime zone: {zone}{now}"))
}
