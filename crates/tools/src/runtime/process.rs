//! The `process` tool: looks after commands in the background.
//!
//! Each action is one question to the command host, for the session of the call alone. Text for the model and details for
//! programs are made from the same answer.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use openclaw_ports::Clock;
use openclaw_ports::tool::{
    Audience, CommandEnd, CommandHost, Concurrency, Effect, NoSuchProcess, ProcessFacts, ProcessInput,
    ProcessScope, ProcessState, Tool, ToolContext, ToolDescriptor, ToolGroup, ToolOutput, ToolReply,
};
use serde_json::{Value, json};

use super::keys;
use super::shortened;
use crate::arguments::ToolArguments;
use crate::stop::{Stop, reply};

/// The lines that `log` shows when nobody says how many.
const LINES: usize = 200;
/// The longest that `poll` waits.
const MOST_WAIT: u64 = 120_000;

/// Looks after commands.
pub(super) struct ProcessTool {
    descriptor: ToolDescriptor,
    host: Arc<dyn CommandHost>,
    clock: Arc<dyn Clock>,
}

/// A call about one command.
struct Call<'a> {
    given: &'a ToolArguments,
    scope: &'a ProcessScope,
    id: &'a str,
}

impl From<NoSuchProcess> for Stop {
    fn from(missing: NoSuchProcess) -> Self {
        Self::Failed(missing.0)
    }
}

impl ProcessTool {
    pub(super) fn new(host: Arc<dyn CommandHost>, clock: Arc<dyn Clock>) -> Self {
        Self { descriptor: descriptor(), host, clock }
    }

    async fn act(&self, context: &ToolContext, arguments: Value) -> Result<ToolOutput, Stop> {
        let given = ToolArguments::of("process", arguments)?;
        let action = given.needed_word(&["action"])?;
        let scope = ProcessScope { agent: context.agent.clone(), session: context.session.clone() };
        if action == "list" {
            return Ok(self.list(&scope).await);
        }
        let id = given.needed_word(&["sessionId", "session_id", "id"])?;
        let call = Call { given: &given, scope: &scope, id: &id };
        let output = match action.as_str() {
            "poll" => self.poll(context, &call).await,
            "log" => self.log(&call).await,
            "write" => self.write(&call).await,
            "send-keys" => self.send_keys(&call).await,
            "submit" => {
                self.send(&call, b"\r".to_vec(), "Submitted: a carriage return was sent".to_owned()).await
            }
            "paste" => self.paste(&call).await,
            "kill" => self.kill(&call).await,
            "clear" => self
                .host
                .clear(&scope, &id)
                .await
                .map(|()| done(&id, "completed", format!("{id} was cleared.")))
                .map_err(Stop::from),
            "remove" => self
                .host
                .remove(&scope, &id)
                .await
                .map(|()| done(&id, "completed", format!("{id} was removed.")))
                .map_err(Stop::from),
            other => Err(Stop::failed(format!(
                "process: '{other}' is no action. There are list, poll, log, write, send-keys, submit, paste, kill, clear \
                 and remove."
            ))),
        };
        output.map(|output| output.with_meta(format!("{action} {id}")))
    }

    async fn list(&self, scope: &ProcessScope) -> ToolOutput {
        let found = self.host.list(scope).await;
        let now = self.clock.now();
        let span = |facts: &ProcessFacts| match &facts.state {
            ProcessState::Running => now.since(facts.started_at),
            ProcessState::Ended(end) => end.took,
        };
        let line = |facts: &ProcessFacts| {
            let status = status(&facts.state);
            format!(
                "{} {status:<9} {} :: {}",
                facts.id,
                short_span(span(facts)),
                shortened(&facts.command, 120)
            )
        };
        let lines: Vec<String> = found.iter().map(line).collect();
        let text =
            if lines.is_empty() { "There are no background commands.".to_owned() } else { lines.join("\n") };
        let sessions: Vec<Value> = found.iter().map(|facts| entry(facts, span(facts))).collect();
        let details = json!({ "status": "completed", "sessions": sessions });
        ToolOutput { details: Some(details), ..ToolOutput::done(text) }
    }

    async fn poll(&self, context: &ToolContext, call: &Call<'_>) -> Result<ToolOutput, Stop> {
        let wait = Duration::from_millis(call.given.whole("timeout")?.unwrap_or(0).min(MOST_WAIT));
        // Stopping the run ends the wait; nothing is lost by that.
        let polled = tokio::select! {
            polled = self.host.poll(call.scope, call.id, wait) => polled?,
            () = context.cancel.cancelled() => return Err(Stop::failed("The run was stopped.")),
        };
        let fresh = polled.fresh.trim();
        let text = format!(
            "{}\n\n{}",
            if fresh.is_empty() { "(no new output)" } else { fresh },
            told(&polled.state)
        );
        let mut details = json!({ "status": status(&polled.state), "sessionId": call.id });
        add_end(&mut details, &polled.state);
        Ok(ToolOutput { details: Some(details), ..ToolOutput::done(text) })
    }

    async fn log(&self, call: &Call<'_>) -> Result<ToolOutput, Stop> {
        let number = |name: &str| -> Result<Option<usize>, Stop> {
            Ok(call.given.whole(name)?.map(|value| usize::try_from(value).unwrap_or(usize::MAX)))
        };
        let (offset, limit) = (number("offset")?, number("limit")?);
        let tail_only = offset.is_none() && limit.is_none();
        let slice = self.host.log(call.scope, call.id, offset, limit.or(tail_only.then_some(LINES))).await?;
        let mut text = if slice.text.is_empty() { "(no output)".to_owned() } else { slice.text };
        if tail_only && slice.total > LINES {
            text.push_str(&format!(
                "\n\n[the last {LINES} of {} lines; page with offset and limit]",
                slice.total
            ));
        }
        let mut details = json!({
            "status": status(&slice.state),
            "sessionId": call.id,
            "total": slice.total,
            "totalLines": slice.total,
            "from": slice.from,
        });
        add_end(&mut details, &slice.state);
        Ok(ToolOutput { details: Some(details), ..ToolOutput::done(text) })
    }

    async fn write(&self, call: &Call<'_>) -> Result<ToolOutput, Stop> {
        let data = call.given.text(&["data"])?.unwrap_or_default().into_bytes();
        let close = call.given.flag("eof")?.unwrap_or(false);
        let count = data.len();
        if count > 0 {
            self.host.write(call.scope, call.id, ProcessInput::Bytes(data)).await?;
        }
        if close {
            self.host.write(call.scope, call.id, ProcessInput::End).await?;
        }
        let ending = if close { " and its input was closed" } else { "" };
        Ok(done(call.id, "running", format!("{count} bytes were written to {}{ending}.", call.id)))
    }

    async fn send_keys(&self, call: &Call<'_>) -> Result<ToolOutput, Stop> {
        let mut bytes = call.given.text(&["literal"])?.unwrap_or_default().into_bytes();
        let mut warnings = Vec::new();
        for written in call.given.texts("hex")? {
            match keys::hex_byte(&written) {
                Some(byte) => bytes.push(byte),
                None => warnings.push(format!("'{written}' is no hexadecimal byte; it was left out")),
            }
        }
        for written in call.given.texts("keys")? {
            let (key, warning) = keys::key(&written);
            bytes.extend(key);
            warnings.extend(warning);
        }
        if bytes.is_empty() {
            return Err(Stop::failed("process: send-keys needs `keys`, `hex` or `literal`."));
        }
        let mut text = format!("{} bytes were sent to {}", bytes.len(), call.id);
        for warning in warnings {
            text.push_str("\n- ");
            text.push_str(&warning);
        }
        self.send(call, bytes, text).await
    }

    async fn paste(&self, call: &Call<'_>) -> Result<ToolOutput, Stop> {
        let text = call.given.text(&["text"])?.unwrap_or_default();
        if text.is_empty() {
            return Err(Stop::failed("process: paste needs `text`."));
        }
        let bytes = keys::paste(&text, call.given.flag("bracketed")?.unwrap_or(true));
        self.send(call, bytes, format!("{} characters were pasted into {}", text.chars().count(), call.id))
            .await
    }

    async fn send(&self, call: &Call<'_>, bytes: Vec<u8>, told: String) -> Result<ToolOutput, Stop> {
        self.host.write(call.scope, call.id, ProcessInput::Bytes(bytes)).await?;
        Ok(done(call.id, "running", format!("{told}.")))
    }

    async fn kill(&self, call: &Call<'_>) -> Result<ToolOutput, Stop> {
        self.host.kill(call.scope, call.id).await?;
        Ok(done(call.id, "failed", format!("{} was ended, with everything it had started.", call.id)))
    }
}

#[async_trait]
impl Tool for ProcessTool {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    async fn call(&self, context: &ToolContext, arguments: Value) -> ToolReply {
        reply(self.act(context, arguments).await)
    }
}

fn descriptor() -> ToolDescriptor {
    let text = |what: &str| json!({ "type": "string", "description": what });
    let texts = |what: &str| json!({ "type": "array", "items": { "type": "string" }, "description": what });
    let number = |what: &str| json!({ "type": "number", "description": what });
    let flag = |what: &str| json!({ "type": "boolean", "description": what });
    ToolDescriptor {
        name: "process",
        label: "Processes",
        summary: "Follow, write to and end background commands",
        description: "Looks after commands that exec sent into the background. list shows them; poll gives new output, log \
                      any lines; write, send-keys, submit and paste type into them; kill ends one with everything it \
                      started; clear and remove forget it."
            .into(),
        parameters: json!({
            "type": "object",
            "required": ["action"],
            "properties": {
                "action": text("list, poll, log, write, send-keys, submit, paste, kill, clear or remove."),
                "sessionId": text("Which command; for every action but list."),
                "data": text("What to write."),
                "keys": texts("Names of keys to press, such as Enter, C-c, Up, F5."),
                "hex": texts("Bytes to send, in hexadecimal."),
                "literal": text("Text to type as it is."),
                "text": text("Text to paste."),
                "bracketed": flag("Whether a paste is marked as one (yes when left out)."),
                "eof": flag("Close the input after writing."),
                "offset": number("The first line of the log, from 0."),
                "limit": number("How many lines of the log."),
                "timeout": { "minimum": 0, "type": "number", "description": "For poll: milliseconds to wait for news." },
            },
        }).into(),
        group: ToolGroup::Runtime,
        concurrency: Concurrency::Exclusive,
        effect: Effect::Reaches,
        audience: Audience::Everybody,
    }
}

fn done(id: &str, status: &str, text: String) -> ToolOutput {
    ToolOutput { details: Some(json!({ "status": status, "sessionId": id })), ..ToolOutput::done(text) }
}

fn status(state: &ProcessState) -> &'static str {
    match state {
        ProcessState::Running => "running",
        ProcessState::Ended(end) if end.exit_code == Some(0) => "completed",
        ProcessState::Ended(_) => "failed",
    }
}

fn told(state: &ProcessState) -> String {
    match state {
        ProcessState::Running => "The command is still running.".to_owned(),
        ProcessState::Ended(CommandEnd { timed_out: true, .. }) => {
            "The command was killed: its time was over.".to_owned()
        }
        ProcessState::Ended(CommandEnd { signal: Some(signal), .. }) => {
            format!("The command was ended by {signal}.")
        }
        ProcessState::Ended(end) => {
            format!("The command ended with exit code {}.", end.exit_code.unwrap_or(-1))
        }
    }
}

fn add_end(details: &mut Value, state: &ProcessState) {
    if let (ProcessState::Ended(end), Some(fields)) = (state, details.as_object_mut()) {
        fields.insert("exitCode".to_owned(), json!(end.exit_code));
        fields.insert("exitSignal".to_owned(), json!(end.signal));
    }
}

fn entry(facts: &ProcessFacts, span: Duration) -> Value {
    let mut details = json!({
        "sessionId": facts.id,
        "status": status(&facts.state),
        "pid": facts.pid,
        "startedAt": facts.started_at,
        "runtimeMs": u64::try_from(span.as_millis()).unwrap_or(u64::MAX),
        "cwd": facts.workdir.display().to_string(),
        "command": facts.command,
        "name": shortened(&facts.command, 80),
        "tail": facts.tail,
    });
    add_end(&mut details, &facts.state);
    details
}

fn short_span(span: Duration) -> String {
    let seconds = span.as_secs();
    match (seconds / 3600, seconds % 3600 / 60, seconds % 60) {
        (0, 0, 0) => format!("{}ms", span.as_millis()),
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m{seconds}s"),
        (hours, minutes, _) => format!("{hours}h{minutes}m"),
    }
}
