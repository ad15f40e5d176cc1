//! `/config`: shows and changes the configuration file. Who may, and whether at all, was decided before.
//!
//! The file is edited in place and checked as a whole before anything is written; secrets are never shown.

use openclaw_config::KeyPath;
use openclaw_inbound::commands::ConfigEdit;
use openclaw_ports::tool::{ControlFault, ControlRequest, GatewayControl};
use serde_json::Value;

use super::CommandCall;
use super::wording::{capped, fenced};

/// How much of the configuration is shown at once.
const SHOWN: usize = 6_000;

/// Shows or changes the file.
pub(super) async fn config(call: &CommandCall<'_>, edit: ConfigEdit) -> String {
    if !matches!(edit, ConfigEdit::Show { .. })
        && let Some(refusal) = call.may_not_write()
    {
        return refusal;
    }
    let Some(control) = &call.handles().control else {
        return "⚠️ The configuration cannot be reached from here.".to_owned();
    };
    let done = match edit {
        ConfigEdit::Show { path } => show(control.as_ref(), path.as_deref()).await,
        ConfigEdit::Set { path, value } => set(control.as_ref(), path, &value).await,
        ConfigEdit::Unset { path } => {
            let request = ControlRequest::ConfigUnset { path: path.clone() };
            control.act(request).await.map(|_written| format!("⚙️ {path} is no longer set."))
        }
    };
    done.unwrap_or_else(|fault| format!("⚠️ {fault}"))
}

async fn show(control: &dyn GatewayControl, path: Option<&str>) -> Result<String, ControlFault> {
    let answer = control.act(ControlRequest::ConfigGet).await?;
    let config = answer.get("config").unwrap_or(&Value::Null);
    let Some(path) = path else {
        return Ok(format!("⚙️ The configuration:\n{}", shown(config)));
    };
    let steps: KeyPath = path.parse().map_err(|fault| ControlFault(format!("{fault}")))?;
    Ok(match steps.find(config) {
        Some(value) => format!("⚙️ {path}:\n{}", shown(value)),
        None => format!("⚙️ {path} is not set."),
    })
}

async fn set(control: &dyn GatewayControl, path: String, written: &str) -> Result<String, ControlFault> {
    let request = ControlRequest::ConfigSet { path: path.clone(), value: value(written) };
    let answer = control.act(request).await?;
    let config = answer.get("config").unwrap_or(&Value::Null);
    let steps: KeyPath = path.parse().map_err(|fault| ControlFault(format!("{fault}")))?;
    let now = steps.find(config).map_or_else(String::new, |value| format!(" It is now {value}."));
    Ok(format!("⚙️ {path} is set.{now}"))
}

/// A value as people type it: JSON where it is JSON, else the text itself.
pub(super) fn value(written: &str) -> Value {
    serde_json::from_str(written).unwrap_or_else(|_plain_text| Value::String(written.to_owned()))
}

fn shown(value: &Value) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_else(|_never| value.to_string());
    fenced("json", &capped(&text, SHOWN))
}
