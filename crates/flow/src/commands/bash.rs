//! `/bash` and `!`: a person runs a command on the gateway's machine.
//!
//! Open to the owner where `commands.bash` is on and the gates of elevated commands let them through; the command then
//! runs as one of an elevated session. What takes long goes into the background and is looked at with `!poll`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use openclaw_config::ExecSettings;
use openclaw_exec::elevated_obstacle;
use openclaw_inbound::commands::Bash;
use openclaw_ports::tool::{
    CommandEnd, CommandHost, CommandOutcome, CommandRequest, ExecChoices, FileReach, NoSuchProcess,
    ProcessFacts, ProcessScope, ProcessState, RunningCommand, ToolContext,
};
use openclaw_types::{IdError, SessionEntry, ToolCallId};
use tokio_util::sync::CancellationToken;

use super::options::gates_text;
use super::wording::{capped, fenced, span};
use super::{CommandCall, CommandTrouble};

/// How much of the output is shown.
const SHOWN: usize = 4_000;
const HELP: &str = "⚙️ ! <command> runs a command on the gateway's machine. !poll shows what a long one gave, !stop ends \
    it; both take its id. /bash is the same as !.";

/// Runs, looks at or ends a command.
pub(super) async fn bash(call: &CommandCall<'_>, bash: Bash) -> Result<String, CommandTrouble> {
    let settings = ExecSettings::of(&call.settings(), call.agent());
    if let Some(gate) = elevated_obstacle(&settings.elevated, &call.submission.sender()) {
        return Ok(gates_text("Shell commands are", &gate));
    }
    let Some(shell) = &call.handles().shell else {
        return Ok("⚠️ No commands can be run here.".to_owned());
    };
    let scope = ProcessScope { agent: call.agent().clone(), session: call.key().clone() };
    Ok(match bash {
        Bash::Help => HELP.to_owned(),
        Bash::Run(command) => run(call, shell.as_ref(), &command).await?,
        Bash::Poll(id) => match find(shell.as_ref(), &scope, id).await {
            Some(id) => poll(shell.as_ref(), &scope, &id).await.unwrap_or_else(|fault| format!("⚠️ {fault}")),
            None => "⚙️ No command runs in the background here.".to_owned(),
        },
        Bash::Stop(id) => match find(shell.as_ref(), &scope, id).await {
            Some(id) => match shell.kill(&scope, &id).await {
                Ok(()) => format!("⚙️ Ended {id}."),
                Err(fault) => format!("⚠️ {fault}"),
            },
            None => "⚙️ No command runs in the background here.".to_owned(),
        },
    })
}

async fn run(
    call: &CommandCall<'_>,
    shell: &dyn CommandHost,
    command: &str,
) -> Result<String, CommandTrouble> {
    let entry = call.open().await?;
    let context = match tool_context(call, &entry) {
        Ok(context) => context,
        Err(fault) => return Ok(format!("⚠️ The command was not run: {fault}")),
    };
    let request = CommandRequest {
        command: command.to_owned(),
        workdir: None,
        env: BTreeMap::new(),
        yield_after: Some(call.switches().bash_foreground),
        timeout: None,
        terminal: false,
        choices: elevated(),
    };
    Ok(match shell.run(&context, request).await {
        CommandOutcome::Ended(end) => ended(command, &end),
        CommandOutcome::Running(RunningCommand { id, tail, .. }) => {
            format!(
                "⚙️ {command}\nIt goes on as {id}; !poll {id} shows more, !stop {id} ends it.{}",
                block(&tail)
            )
        }
        CommandOutcome::Refused(why) => format!("⚠️ The command was not run: {why}"),
        CommandOutcome::Failed(why) => format!("⚠️ The command could not be started: {why}"),
    })
}

fn elevated() -> ExecChoices {
    ExecChoices { elevated: Some("full".to_owned()), ..ExecChoices::default() }
}

fn tool_context(call: &CommandCall<'_>, entry: &SessionEntry) -> Result<ToolContext, IdError> {
    let surroundings = &call.flow.parts.agent.parts().surroundings;
    let workspace = openclaw_agent::workspace::workspace_dir(&call.settings(), surroundings, call.agent());
    let agent_dir = call.settings().places.agent_dir(&surroundings.state_dir, call.agent());
    // A person may want a shell before the agent ever worked.
    let workspace = if workspace.is_dir() { workspace } else { surroundings.home.clone() };
    Ok(ToolContext {
        run: call.submission.run.clone(),
        call: ToolCallId::new("chat-bash")?,
        agent: call.agent().clone(),
        session: call.key().clone(),
        session_id: entry.session_id.clone(),
        keep: openclaw_agent::session_outputs(&agent_dir, &entry.session_id),
        workspace,
        files: FileReach::Machine,
        model: None,
        sees_images: false,
        sender: call.submission.sender(),
        exec: elevated(),
        progress: Arc::new(|_nobody_watches| {}),
        cancel: CancellationToken::new(),
    })
}

/// The command that is meant: the one that was named, else the newest that runs, else the newest.
async fn find(shell: &dyn CommandHost, scope: &ProcessScope, id: Option<String>) -> Option<String> {
    if id.is_some() {
        return id;
    }
    let known = shell.list(scope).await;
    let running = known.iter().find(|process| process.state == ProcessState::Running);
    running.or_else(|| known.first()).map(|process: &ProcessFacts| process.id.clone())
}

async fn poll(shell: &dyn CommandHost, scope: &ProcessScope, id: &str) -> Result<String, NoSuchProcess> {
    let news = shell.poll(scope, id, Duration::ZERO).await?;
    Ok(match &news.state {
        ProcessState::Running => format!("⚙️ {id} still runs.{}", block(&news.fresh)),
        ProcessState::Ended(end) => format!("{}{}", how(id, end), block(&news.fresh)),
    })
}

fn ended(command: &str, end: &CommandEnd) -> String {
    format!("{}{}", how(command, end), block(&end.output))
}

fn how(what: &str, end: &CommandEnd) -> String {
    let how = match (end.timed_out, end.exit_code, &end.signal) {
        (true, ..) => "was ended because its time was over".to_owned(),
        (_, Some(code), _) => format!("ended with code {code}"),
        (_, None, Some(signal)) => format!("was ended by {signal}"),
        (_, None, None) => "ended".to_owned(),
    };
    format!("⚙️ {what}\nIt {how} after {}.", span(end.took))
}

fn block(output: &str) -> String {
    match output.trim().is_empty() {
        true => String::new(),
        false => format!("\n{}", fenced("", &capped(output.trim_end(), SHOWN))),
    }
}
