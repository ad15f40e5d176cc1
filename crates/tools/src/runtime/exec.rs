//! The `exec` tool: runs a command and says what came of it.
//!
//! Reads arguments, asks the command host, words the outcome. A command that ended with an error code did its work; one
//! that was not found, not allowed or killed did not, and is told as a failure.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use openclaw_ports::tool::{
    Audience, CommandEnd, CommandHost, CommandOutcome, CommandRequest, Concurrency, Effect, ExecChoices,
    RunningCommand, Tool, ToolContext, ToolDescriptor, ToolGroup, ToolOutput, ToolReply,
};
use serde_json::{Value, json};

use super::title::title;
use crate::arguments::ToolArguments;
use crate::stop::{Stop, reply};

/// Runs commands.
pub(super) struct ExecTool {
    descriptor: ToolDescriptor,
    host: Arc<dyn CommandHost>,
}

impl ExecTool {
    pub(super) fn new(host: Arc<dyn CommandHost>) -> Self {
        Self { descriptor: descriptor(), host }
    }

    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<ToolOutput, Stop> {
        let given = ToolArguments::of("exec", arguments)?;
        let request = request(&given)?;
        let title = title(&request.command, request.workdir.as_deref());
        let output = match self.host.run(context, request).await {
            CommandOutcome::Ended(end) => ended(end),
            CommandOutcome::Running(command) => running(&command),
            CommandOutcome::Refused(text) => return Err(Stop::Refused(text)),
            CommandOutcome::Failed(text) => ToolOutput::failed(text),
        };
        Ok(output.with_meta(title))
    }
}

#[async_trait]
impl Tool for ExecTool {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    async fn call(&self, context: &ToolContext, arguments: Value) -> ToolReply {
        reply(self.run(context, arguments).await)
    }
}

fn descriptor() -> ToolDescriptor {
    let text = |what: &str| json!({ "type": "string", "description": what });
    let number = |what: &str| json!({ "type": "number", "description": what });
    let flag = |what: &str| json!({ "type": "boolean", "description": what });
    ToolDescriptor {
        name: "exec",
        label: "Run",
        summary: "Run shell commands, in the background when they take long",
        description: "Runs a shell command and gives its output. A command that takes longer than yieldMs goes on in the \
                      background: follow it with the process tool. Use background for servers and watchers, pty for \
                      programs that need a terminal."
            .into(),
        parameters: json!({
            "type": "object",
            "required": ["command"],
            "properties": {
                "command": text("The command line for the shell."),
                "workdir": text("The folder to run in; the workspace when left out."),
                "env": { "type": "object", "patternProperties": { "^(.*)$": { "type": "string" } } },
                "yieldMs": number("Milliseconds to wait before it goes into the background (10000 when left out)."),
                "background": flag("Send it into the background at once, with its input open for writing."),
                "timeout": number("Seconds after which it is killed."),
                "pty": flag("Give it a terminal, for programs that draw on the screen or ask questions."),
                "elevated": flag("Ask to leave the sandbox and run on the host, where that is allowed."),
                "host": text("Where to run: sandbox, gateway or node."),
                "security": text("A stricter rule for this call: deny, allowlist or full."),
                "ask": text("A stricter rule about asking for this call: off, on-miss or always."),
                "node": text("The node, for host=node."),
            },
        }).into(),
        group: ToolGroup::Runtime,
        concurrency: Concurrency::Exclusive,
        effect: Effect::Reaches,
        audience: Audience::Everybody,
    }
}

fn variables(given: &ToolArguments) -> Result<BTreeMap<String, String>, Stop> {
    let fields = given.object("env")?;
    let read = |(name, value): (&String, &Value)| match value {
        Value::String(text) => Ok((name.clone(), text.clone())),
        Value::Number(_) | Value::Bool(_) => Ok((name.clone(), value.to_string())),
        _ => Err(Stop::failed(format!("exec: the variable {name} in `env` must be text."))),
    };
    fields.iter().map(read).collect()
}

fn request(given: &ToolArguments) -> Result<CommandRequest, Stop> {
    let yield_ms = given.whole("yieldMs")?.map(|span| span.clamp(10, 120_000));
    let yield_after = match given.flag("background")? {
        Some(true) => Some(Duration::ZERO),
        Some(false) | None => yield_ms.map(Duration::from_millis),
    };
    let timeout = given.number("timeout")?.filter(|seconds| *seconds > 0.0);
    let elevated = given.flag("elevated")?.map(|wanted| if wanted { "on" } else { "off" }.to_owned());
    Ok(CommandRequest {
        command: given.needed_word(&["command", "cmd"])?,
        workdir: given.word(&["workdir", "cwd"])?.map(PathBuf::from),
        env: variables(given)?,
        yield_after,
        timeout: timeout.map(|seconds| Duration::from_secs_f64(seconds.min(1e9))),
        terminal: given.flag("pty")?.unwrap_or(false),
        choices: ExecChoices {
            host: given.word(&["host"])?,
            security: given.word(&["security"])?,
            ask: given.word(&["ask"])?,
            node: given.word(&["node"])?,
            elevated,
        },
    })
}

fn running(command: &RunningCommand) -> ToolOutput {
    let RunningCommand { id, pid, tail, .. } = command;
    let process = pid.map_or_else(|| "unknown".to_owned(), |pid| pid.to_string());
    let mut text = format!(
        "The command is still running in the background as session {id} (pid {process}). Follow it with the process tool: \
         poll, log, write, kill."
    );
    if !tail.trim().is_empty() {
        text.push_str("\n\nOutput so far:\n");
        text.push_str(tail.trim_end());
    }
    ToolOutput { details: Some(command.details()), ..ToolOutput::done(text) }
}

fn ended(end: CommandEnd) -> ToolOutput {
    let trouble = trouble(&end);
    let mut text = end.output.trim().to_owned();
    if let Some(path) = &end.full_output {
        text.push_str(&format!(
            "\n\n[{} bytes in all; read the rest in {}]",
            end.output_bytes,
            path.display()
        ));
    }
    let note = trouble.clone().or_else(|| exit_note(&end));
    if let Some(note) = &note {
        text.push_str(if text.is_empty() { "" } else { "\n\n" });
        text.push_str(note);
    }
    if text.is_empty() {
        text.push_str("(no output)");
    }
    let details = json!({
        "status": if trouble.is_some() { "failed" } else { "completed" },
        "exitCode": end.exit_code,
        "exitSignal": end.signal,
        "durationMs": u64::try_from(end.took.as_millis()).unwrap_or(u64::MAX),
        "aggregated": end.output,
        "cwd": end.workdir.display().to_string(),
    });
    let output = if trouble.is_some() { ToolOutput::failed(text) } else { ToolOutput::done(text) };
    ToolOutput { details: Some(details), ..output }
}

/// Why the command did not do its work at all.
fn trouble(end: &CommandEnd) -> Option<String> {
    if end.timed_out {
        return Some(format!("The command was killed: it took longer than {} seconds.", end.took.as_secs()));
    }
    match (end.exit_code, &end.signal) {
        (Some(127), _) => Some("The command was not found (exit code 127).".to_owned()),
        (Some(126), _) => Some("The command may not be executed (exit code 126).".to_owned()),
        (None, Some(signal)) => Some(format!("The command was ended by {signal}.")),
        (None, None) => Some("The command ended without an exit code.".to_owned()),
        (Some(_), _) => None,
    }
}

fn exit_note(end: &CommandEnd) -> Option<String> {
    end.exit_code.filter(|code| *code != 0).map(|code| format!("(Exit code {code}.)"))
}
