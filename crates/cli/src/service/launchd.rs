//! Writes the service down as a launch agent's property list.
//!
//! Pure: a plan in, a text out. Values are escaped for XML. `manager` puts the text in its place on macOS.

use super::plan::ServicePlan;

/// The property list.
pub(crate) fn render(plan: &ServicePlan) -> String {
    let strings = |values: &[String]| {
        values
            .iter()
            .map(|value| format!("      <string>{}</string>", escaped(value)))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let variables = plan
        .variables
        .iter()
        .map(|(name, value)| {
            format!("      <key>{}</key>\n      <string>{}</string>", escaped(name), escaped(value.value()))
        })
        .collect::<Vec<_>>()
        .join("\n");
    let output = |file: &str| escaped(&plan.log_folder.join(file).display().to_string());
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
  <dict>
    <key>Label</key>
    <string>{label}</string>
    <key>Comment</key>
    <string>{description}</string>
    <key>RunAtLoad</key>
    <true/>
    <key>KeepAlive</key>
    <true/>
    <key>ThrottleInterval</key>
    <integer>60</integer>
    <key>ProgramArguments</key>
    <array>
{command}
    </array>
    <key>StandardOutPath</key>
    <string>{out}</string>
    <key>StandardErrorPath</key>
    <string>{err}</string>
    <key>EnvironmentVariables</key>
    <dict>
{variables}
    </dict>
  </dict>
</plist>
"#,
        label = escaped(&plan.label),
        description = escaped(&plan.description),
        command = strings(&plan.command),
        out = output("gateway.log"),
        err = output("gateway.err.log"),
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&apos;")
}
