//! `openclaw logs`: the gateway's log, asked from the gateway or, when it cannot be reached, read from its file.
//!
//! Lines come in the JSON format that all OpenClaw programs write; `line` takes them apart, `source` fetches them.

mod line;
mod source;

use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use self::line::{LogLine, Look};
use self::source::{Batch, LogSource};
use crate::call::block_on;
use crate::context::Context;
use crate::exit::Exit;
use crate::print;
use crate::target::TargetArgs;

/// `openclaw logs`
#[derive(Debug, Args)]
pub(crate) struct LogsArgs {
    /// Maximum number of lines to show; 0 shows none, with --follow only new ones
    #[arg(long, value_name = "n", default_value_t = 200)]
    limit: u64,
    /// Maximum number of bytes to read
    #[arg(long, value_name = "n", default_value_t = 250_000)]
    max_bytes: u64,
    /// Go on showing what is added
    #[arg(long)]
    follow: bool,
    /// How often to look for more, in milliseconds
    #[arg(long, value_name = "ms", default_value_t = 1_000)]
    interval: u64,
    /// Print one JSON object for each line
    #[arg(long)]
    json: bool,
    /// Print full timestamps and no colours, as when piped
    #[arg(long)]
    plain: bool,
    /// Show times in the zone of this machine
    #[arg(long)]
    local_time: bool,
    #[command(flatten)]
    target: TargetArgs,
    /// How long the gateway may take, in milliseconds
    #[arg(long, value_name = "ms", default_value_t = 30_000)]
    timeout: u64,
    /// Accepted for compatibility; the log has only one answer
    #[arg(long)]
    expect_final: bool,
}

/// What is shown of one line.
#[derive(Debug, Clone, Copy)]
enum Output {
    Json,
    Text(Look),
}

/// The file of the log and its last lines, for programs.
pub(crate) fn recent(context: &Context, target: &TargetArgs) -> anyhow::Result<(String, Vec<Value>)> {
    let arguments = LogsArgs {
        limit: 5_000,
        max_bytes: 1_000_000,
        follow: false,
        interval: 1_000,
        json: true,
        plain: true,
        local_time: false,
        target: target.clone(),
        timeout: 10_000,
        expect_final: false,
    };
    block_on(async {
        let mut source = LogSource::open(context, &arguments).await?;
        let batch = source.next(context, &arguments).await?;
        source.close().await;
        let lines = batch.lines.iter().filter_map(|raw| Some(LogLine::parse(raw)?.as_json(raw)));
        Ok((batch.file.clone(), lines.collect()))
    })
}

/// Shows the log.
pub(crate) fn run(context: &Context, arguments: &LogsArgs) -> anyhow::Result<Exit> {
    let pretty = !arguments.plain && print::to_terminal();
    let output = if arguments.json {
        Output::Json
    } else {
        Output::Text(Look { pretty, local_time: arguments.local_time })
    };
    if arguments.limit == 0 && !arguments.follow {
        return Ok(Exit::Done);
    }
    block_on(async {
        let mut source = LogSource::open(context, arguments).await?;
        let mut first = true;
        loop {
            let mut batch = source.next(context, arguments).await?;
            if first && arguments.limit == 0 {
                batch.lines.clear();
            }
            show(&batch, output, first)?;
            first = false;
            if !arguments.follow {
                break;
            }
            context.clock.sleep(Duration::from_millis(arguments.interval.max(50))).await;
        }
        source.close().await;
        Ok(Exit::Done)
    })
}

fn show(batch: &Batch, output: Output, first: bool) -> anyhow::Result<()> {
    match output {
        Output::Json if first => {
            print::json_line(
                &json!({ "type": "meta", "file": batch.file, "cursor": batch.cursor, "size": batch.size }),
            )?;
        }
        Output::Text(look) if first => {
            let title = if look.pretty { print::muted("Log file:") } else { "Log file:".to_owned() };
            print::line(&format!("{title} {}", batch.file))?;
        }
        _ => {}
    }
    for raw in &batch.lines {
        match (output, LogLine::parse(raw)) {
            (Output::Json, Some(line)) => print::json_line(&line.as_json(raw))?,
            (Output::Json, None) => print::json_line(&json!({ "type": "raw", "raw": raw }))?,
            (Output::Text(look), Some(line)) => print::line(&line.render(look))?,
            (Output::Text(_), None) => print::line(raw)?,
        }
    }
    for message in notices(batch) {
        match output {
            Output::Json => print::json_line(&json!({ "type": "notice", "message": message }))?,
            Output::Text(_) => print::note(message)?,
        }
    }
    Ok(())
}

fn notices(batch: &Batch) -> Vec<&'static str> {
    let mut notices = Vec::new();
    if batch.truncated {
        notices.push("Earlier lines were left out; --max-bytes shows more.");
    }
    if batch.reset {
        notices.push("The log file was replaced; reading the new one.");
    }
    notices
}
