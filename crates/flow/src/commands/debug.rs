//! `/debug`: settings that hold until the next start and are never written to the file.

use openclaw_inbound::commands::DebugEdit;
use openclaw_ports::tool::ControlRequest;
use serde_json::Value;

use super::CommandCall;
use super::config::value;
use super::wording::fenced;

/// Shows or changes what holds until the next start.
pub(super) async fn debug(call: &CommandCall<'_>, edit: DebugEdit) -> String {
    let Some(control) = &call.handles().control else {
        return "⚠️ The configuration cannot be reached from here.".to_owned();
    };
    let (request, said) = match edit {
        DebugEdit::Show => (ControlRequest::OverridesGet, None),
        DebugEdit::Reset => (ControlRequest::OverridesClear, Some("⚙️ Every override is gone.".to_owned())),
        DebugEdit::Set { path, value: written } => {
            let said = format!(
                "⚙️ {path} holds until the next start, in sessions, prompts, tools and commands. What listens and what \
                 calls models goes on with the file."
            );
            (ControlRequest::OverrideSet { path, value: value(&written) }, Some(said))
        }
        DebugEdit::Unset { path } => {
            let said = format!("⚙️ The override of {path} is gone.");
            (ControlRequest::OverrideUnset { path }, Some(said))
        }
    };
    match (control.act(request).await, said) {
        (Ok(_done), Some(said)) => said,
        (Ok(overrides), None) => shown(&overrides),
        (Err(fault), _) => format!("⚠️ {fault}"),
    }
}

fn shown(overrides: &Value) -> String {
    match overrides.as_object().is_none_or(serde_json::Map::is_empty) {
        true => "⚙️ Nothing is overridden.".to_owned(),
        false => {
            let text = serde_json::to_string_pretty(overrides).unwrap_or_else(|_never| overrides.to_string());
            format!("⚙️ Overridden until the next start:\n{}", fenced("json", &text))
        }
    }
}
