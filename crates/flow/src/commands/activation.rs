//! `/activation`: when the agent answers in a group.

use openclaw_inbound::commands::ActivationChoice;
use openclaw_session::{FieldChange, SessionPatch};

use super::{CommandCall, CommandTrouble};

/// Shows or changes when the agent answers.
pub(super) async fn activation(
    call: &CommandCall<'_>,
    choice: ActivationChoice,
) -> Result<String, CommandTrouble> {
    if !call.submission.from.group && !call.key().is_group() {
        return Ok("⚙️ This is not a group: I answer every message here.".to_owned());
    }
    let entry = call.open().await?;
    let word = match choice {
        ActivationChoice::Show => {
            let now = entry.facts.group_activation.as_deref().unwrap_or("mention");
            return Ok(format!("⚙️ Activation in this group: {now}. Choices: mention, always."));
        }
        ActivationChoice::Mention => "mention",
        ActivationChoice::Always => "always",
    };
    let patch =
        SessionPatch { group_activation: FieldChange::Set(word.to_owned()), ..SessionPatch::default() };
    call.patch(patch, &call.model(&entry.facts)).await?;
    Ok(match choice {
        ActivationChoice::Always => {
            "⚙️ I look at every message of this group and answer when it makes sense."
        }
        _ => "⚙️ I answer in this group when I am mentioned.",
    }
    .to_owned())
}
