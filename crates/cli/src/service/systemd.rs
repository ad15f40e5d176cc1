//! Writes the service down as a systemd user unit.
//!
//! Pure: a plan in, a text out. Everything that systemd would interpret (quotes, percent signs, dollar signs) is
//! escaped, and a line break is refused, so that no value can add a setting. `manager` puts the text in its place.

use super::plan::ServicePlan;

/// A value that cannot stand in a unit file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} holds a line break and cannot be written into a service; unset it and try again")]
pub(crate) struct LineBreak {
    /// What holds it.
    pub(crate) name: String,
}

/// The unit file.
pub(crate) fn render(plan: &ServicePlan) -> Result<String, LineBreak> {
    let mut lines = vec![
        "[Unit]".to_owned(),
        format!("Description={}", checked("the description", &plan.description)?),
        "After=network-online.target".to_owned(),
        "Wants=network-online.target".to_owned(),
        String::new(),
        "[Service]".to_owned(),
    ];
    let mut command = Vec::new();
    for argument in &plan.command {
        // In a command line a dollar sign would name a variable.
        command.push(quoted(&checked("the command", argument)?.replace('$', "$$")));
    }
    lines.push(format!("ExecStart={}", command.join(" ")));
    lines.extend(["Restart=always", "RestartSec=5", "TimeoutStopSec=45"].map(str::to_owned));
    for (name, value) in &plan.variables {
        lines.push(format!("Environment={}", quoted(&format!("{name}={}", checked(name, value.value())?))));
    }
    lines.extend(["", "[Install]", "WantedBy=default.target", ""].map(str::to_owned));
    Ok(lines.join("\n"))
}

fn checked<'a>(name: &str, value: &'a str) -> Result<&'a str, LineBreak> {
    if value.contains(['\n', '\r']) { Err(LineBreak { name: name.to_owned() }) } else { Ok(value.trim()) }
}

/// Quotes when needed. A percent sign would start a specifier, so it is doubled.
fn quoted(value: &str) -> String {
    let value = value.replace('%', "%%");
    if value.contains([' ', '\t', '"', '\'', '\\']) {
        format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
    } else {
        value
    }
}
