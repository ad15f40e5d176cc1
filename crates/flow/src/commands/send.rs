//! `/send`: whether answers of this session are sent.

use openclaw_inbound::commands::SendChoice;
use openclaw_session::{FieldChange, SessionPatch};

use super::{CommandCall, CommandTrouble};

/// Shows or changes the choice.
pub(super) async fn send(call: &CommandCall<'_>, choice: SendChoice) -> Result<String, CommandTrouble> {
    let entry = call.open().await?;
    let (change, said) = match choice {
        SendChoice::Show => {
            return Ok(format!("⚙️ Sending in this session: {}.", shown(entry.facts.send_policy.as_deref())));
        }
        SendChoice::On => (FieldChange::Set("allow".to_owned()), "⚙️ Answers are sent in this session."),
        SendChoice::Off => (
            FieldChange::Set("deny".to_owned()),
            "⚙️ Nothing is answered in this session from now on but commands. /send on undoes it.",
        ),
        SendChoice::Inherit => {
            (FieldChange::Clear, "⚙️ The configuration decides whether answers are sent in this session.")
        }
    };
    let patch = SessionPatch { send_policy: change, ..SessionPatch::default() };
    call.patch(patch, &call.model(&entry.facts)).await?;
    Ok(said.to_owned())
}

fn shown(policy: Option<&str>) -> &'static str {
    match policy {
        Some("allow") => "on",
        Some("deny") => "off",
        _ => "inherit (the configuration decides)",
    }
}
