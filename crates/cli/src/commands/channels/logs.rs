//! `openclaw channels logs`: what the log says about platforms.

use clap::Args;
use serde_json::{Value, json};

use super::ask::text;
use crate::commands::logs::recent;
use crate::context::Context;
use crate::exit::{Exit, Output, answering};
use crate::print;
use crate::target::TargetArgs;

/// Which parts of the program speak about platforms.
const SUBSYSTEMS: [&str; 2] = ["channels", "outbox"];

/// `openclaw channels logs`
#[derive(Debug, Args)]
pub(super) struct LogsArgs {
    /// Only of this platform
    #[arg(long, value_name = "name", default_value = "all")]
    channel: String,
    /// Maximum number of lines
    #[arg(long, value_name = "n", default_value_t = 200)]
    lines: usize,
    #[command(flatten)]
    target: TargetArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Shows lines.
pub(super) fn run(context: &Context, arguments: &LogsArgs) -> anyhow::Result<Exit> {
    answering(Output::of(arguments.json), || {
        let (file, lines) = recent(context, &arguments.target)?;
        let channel = arguments.channel.trim().to_lowercase();
        let lines = last(lines, &channel, arguments.lines);
        if arguments.json {
            print::json(&json!({ "file": file, "channel": channel, "lines": lines }))?;
            return Ok(Exit::Done);
        }
        print::line(&print::muted(&format!("Log file: {file}")))?;
        if lines.is_empty() {
            print::line(&print::muted("It says nothing about platforms."))?;
        }
        for line in &lines {
            let parts = [text(&line["time"]), text(&line["level"]), text(&line["message"])];
            print::line(&parts.join(" "))?;
        }
        Ok(Exit::Done)
    })
}

/// The last lines about a platform, or about all of them.
fn last(lines: Vec<Value>, channel: &str, most: usize) -> Vec<Value> {
    let about = |line: &Value| {
        let subsystem = line["subsystem"].as_str().unwrap_or_default();
        let spoken = SUBSYSTEMS.iter().any(|name| subsystem.split('/').any(|part| part == *name));
        let raw = line["raw"].as_str().unwrap_or_default().to_lowercase();
        spoken && (channel == "all" || raw.contains(channel))
    };
    let mut about: Vec<Value> = lines.into_iter().filter(about).collect();
    about.drain(..about.len().saturating_sub(most));
    for line in &mut about {
        if let Some(line) = line.as_object_mut() {
            line.remove("type");
        }
    }
    about
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_about_the_platform_are_shown_and_the_last_ones() {
        let line = |subsystem: &str, raw: &str| json!({ "type": "log", "subsystem": subsystem, "raw": raw });
        let lines = vec![
            line("channels", "channel=sim one"),
            line("gateway", "channel=sim no"),
            line("outbox", "channel=Sim two"),
            line("channels", "channel=other"),
        ];
        let shown = |channel: &str, most: usize| -> Vec<String> {
            last(lines.clone(), channel, most).iter().map(|line| text(&line["raw"])).collect()
        };
        assert_eq!(shown("sim", 5), ["channel=sim one", "channel=Sim two"]);
        assert_eq!(shown("all", 2), ["channel=Sim two", "channel=other"]);
    }
}
