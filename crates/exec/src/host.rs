//! The command host: reads a command, applies the rules, asks a person where they say so, and runs it.
//!
//! What an allow-list let through runs in the form that was checked; what a person approved runs as it was shown. While
//! a person thinks, programs may change: everything is read again before it runs. Tools see this as
//! `ports::tool::CommandHost`; `app` builds it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use openclaw_config::sections::SessionScope as Breadth;
use openclaw_config::{Config, Environment, ExecSettings, SessionSettings};
use openclaw_ports::stores::{AuditLedger, GrantStore};
use openclaw_ports::tool::{
    CommandHost, CommandOutcome, CommandRequest, NoSuchProcess, OutputSlice, ProcessFacts, ProcessInput,
    ProcessPoll, ProcessScope, ToolContext, ToolProgress,
};
use openclaw_ports::{Clock, Deadline, TaskScope};
use openclaw_types::{Content, KeyContext, SessionBreadth};

mod clearance;

use crate::approvals::{ApprovalQueue, ApprovalsFile, SettledApproval};
use crate::audit::AuditedCommand;
use crate::command_line::{LineInput, Located, Opaque, SearchPlace, locate, read};
use crate::policy::{AddedVariables, ExecPrincipal, ExecRefusal, SafeBins, Sources, effective};
use crate::process::{ExitNotice, LineRange, Process, ProcessOrder, ProcessTable, child_environment};
use clearance::Cleared;

/// What a command host stands on.
pub struct CommandParts {
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Where commands are watched. Cancelling it ends every command; joining it waits for that.
    pub tasks: TaskScope,
    /// The configuration of the moment.
    pub config: Arc<dyn Fn() -> Arc<Config> + Send + Sync>,
    /// The gateway's environment, of which children see a part.
    pub environment: Environment,
    /// What people allowed for good, in the file.
    pub file: Arc<ApprovalsFile>,
    /// The same as grants.
    pub grants: Arc<dyn GrantStore>,
    /// Where people are asked.
    pub queue: Arc<ApprovalQueue>,
    /// Where decisions are written down.
    pub audit: Arc<dyn AuditLedger>,
    /// Hears that a background command ended. Must not block.
    pub notice: Arc<dyn Fn(ExitNotice) + Send + Sync>,
}

/// Runs commands.
pub struct Commands {
    parts: CommandParts,
    table: Arc<ProcessTable>,
}

/// A command with everything that was found out about it.
struct Prepared<'a> {
    context: &'a ToolContext,
    command: &'a str,
    settings: ExecSettings,
    workdir: PathBuf,
    /// What its commands can read.
    input: LineInput,
    variables: BTreeMap<String, String>,
    /// The names of those that the call adds.
    env_keys: Vec<String>,
    /// What of those matters for the decision.
    added: AddedVariables,
}

impl Commands {
    /// A command host without commands.
    #[must_use]
    pub fn new(parts: CommandParts) -> Self {
        let table =
            ProcessTable::new(Arc::clone(&parts.clock), parts.tasks.clone(), Arc::clone(&parts.notice));
        Self { parts, table }
    }

    async fn attempt(
        &self,
        context: &ToolContext,
        request: CommandRequest,
    ) -> Result<CommandOutcome, ExecRefusal> {
        let config = (self.parts.config)();
        let settings = ExecSettings::of(&config, &context.agent);
        let file = self.parts.file.rules(&context.agent).await;
        let env_keys: Vec<String> = request.env.keys().cloned().collect();
        let subject = AuditedCommand { context, command: &request.command, env_keys: &env_keys, line: None };
        let rules = effective(&Sources {
            settings: &settings,
            file: &file,
            session: &context.exec,
            call: &request.choices,
            trustee: ExecPrincipal { sender: &context.sender, in_main_session: is_main(&config, context) },
        });
        let rules = match rules {
            Ok(rules) => rules,
            Err(refusal) => return Err(self.refused(&subject, refusal).await),
        };
        let workdir = match self.workdir(context, request.workdir.as_ref()).await {
            Ok(workdir) => workdir,
            Err(text) => return Ok(CommandOutcome::Failed(text)),
        };
        let variables = match child_environment(&self.parts.environment, &settings.path_prepend, &request.env)
        {
            Ok(variables) => variables,
            Err(name) => {
                let rule = format!(
                    "the variable {name} may not be set for a command: it decides which code runs. Leave it out"
                );
                return Err(self.refused(&subject, ExecRefusal(rule)).await);
            }
        };
        let prepared = Prepared {
            context,
            command: &request.command,
            settings,
            workdir,
            input: line_input(&request),
            variables,
            env_keys,
            added: AddedVariables::of(&request.env),
        };
        let mut cleared = self.clearance(&prepared, &rules, &file).await?;
        let approved = cleared.approved.take();
        let order = self.order(&prepared, cleared, &request);
        let in_front = request.yield_after.unwrap_or(prepared.settings.background_after);
        match self.table.start(order).await {
            Ok(process) => {
                self.remind(&process, approved, prepared.settings.running_notice);
                Ok(self.follow(context, process, in_front).await)
            }
            Err(text) => Ok(CommandOutcome::Failed(text)),
        }
    }

    fn order(&self, prepared: &Prepared<'_>, cleared: Cleared, request: &CommandRequest) -> ProcessOrder {
        let context = prepared.context;
        let mut variables = prepared.variables.clone();
        variables
            .extend(cleared.pinned.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let progress = Arc::clone(&context.progress);
        ProcessOrder {
            scope: ProcessScope { agent: context.agent.clone(), session: context.session.clone() },
            command: prepared.command.to_owned(),
            launch: cleared.launch,
            workdir: prepared.workdir.clone(),
            variables,
            terminal: request.terminal,
            open_input: prepared.input == LineInput::Open,
            // Somebody who sends a command behind on purpose means it to last.
            timeout: request
                .timeout
                .or_else(|| request.yield_after.is_none().then_some(prepared.settings.timeout)),
            keep: context.keep.clone(),
            remember: prepared.settings.remember,
            notices: prepared.settings.exit_notice,
            progress: Arc::new(move |running| {
                progress(ToolProgress {
                    details: Some(running.details()),
                    content: vec![Content::text(running.tail)],
                });
            }),
        }
    }

    /// Has people told when a command that one of them allowed runs for long.
    fn remind(&self, process: &Arc<Process>, approved: Option<SettledApproval>, after: Option<Duration>) {
        let (Some(approved), Some(after)) = (approved, after) else { return };
        let (clock, queue) = (Arc::clone(&self.parts.clock), Arc::clone(&self.parts.queue));
        let process = Arc::clone(process);
        self.parts.tasks.start_cancellable("running notice", async move {
            let ended = Deadline::after(&*clock, after).bound(&*clock, process.ended()).await;
            if ended.is_err() {
                queue.still_runs(&approved, after);
            }
        });
    }

    /// Waits until the command ends or goes behind. Dropped or cancelled before that, the command is ended.
    async fn follow(
        &self,
        context: &ToolContext,
        process: Arc<Process>,
        in_front: Duration,
    ) -> CommandOutcome {
        let guard = EndOnDrop { process: Some(Arc::clone(&process)) };
        if in_front.is_zero() {
            return self.behind(process, guard);
        }
        // The end counts before the other two; waiting loses nothing.
        tokio::select! {
            biased;
            end = process.ended() => {
                self.table.forget(&process.id);
                CommandOutcome::Ended(end)
            }
            () = context.cancel.cancelled() => {
                process.stop();
                let end = process.ended().await;
                self.table.forget(&process.id);
                CommandOutcome::Ended(end)
            }
            () = self.parts.clock.sleep(in_front) => self.behind(process, guard),
        }
    }

    fn behind(&self, process: Arc<Process>, mut guard: EndOnDrop) -> CommandOutcome {
        guard.process = None;
        match process.send_behind() {
            Some(end) => {
                self.table.forget(&process.id);
                CommandOutcome::Ended(end)
            }
            None => CommandOutcome::Running(process.running()),
        }
    }

    async fn workdir(&self, context: &ToolContext, wanted: Option<&PathBuf>) -> Result<PathBuf, String> {
        let wanted = match wanted {
            Some(path) => match path.strip_prefix("~") {
                Ok(rest) => self.home().join(rest),
                Err(_not_below_home) => context.workspace.join(path),
            },
            None => context.workspace.clone(),
        };
        let found = tokio::fs::canonicalize(&wanted).await;
        let found =
            found.map_err(|error| format!("the folder {} cannot be used: {error}", wanted.display()))?;
        match tokio::fs::metadata(&found).await {
            Ok(about) if about.is_dir() => Ok(found),
            Ok(_) => Err(format!("{} is not a folder", wanted.display())),
            Err(error) => Err(format!("the folder {} cannot be used: {error}", wanted.display())),
        }
    }

    /// The home directory that the shell of a child would expand a tilde to.
    fn home(&self) -> PathBuf {
        self.parts
            .environment
            .get("HOME")
            .map_or_else(|| self.parts.environment.home().to_owned(), PathBuf::from)
    }

    /// Reads a command and looks its programs up, as they are now.
    async fn reading(&self, prepared: &Prepared<'_>) -> Result<Located, Opaque> {
        let home = self.home();
        let line = read(prepared.command, &home)?;
        let path = prepared.variables.get("PATH").cloned().unwrap_or_default();
        let config_home = prepared.variables.get("XDG_CONFIG_HOME").filter(|place| !place.is_empty());
        let config_home = config_home.map_or_else(|| home.join(".config"), PathBuf::from);
        let place = SearchPlace {
            path,
            directory: prepared.workdir.clone(),
            base: prepared.context.workspace.clone(),
            input: prepared.input,
            git_configs: vec![home.join(".gitconfig"), config_home.join("git/config")],
        };
        let located = tokio::task::spawn_blocking(move || locate(line, &place)).await;
        located.unwrap_or(Err(Opaque::Unfinished))
    }

    fn safe_bins(settings: &ExecSettings) -> SafeBins {
        SafeBins::of(settings)
    }
}

/// Ends a command that nobody waits for any more.
struct EndOnDrop {
    process: Option<Arc<Process>>,
}

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        if let Some(process) = &self.process {
            process.stop();
        }
    }
}

fn line_input(request: &CommandRequest) -> LineInput {
    match (request.terminal, request.yield_after) {
        (true, _) => LineInput::Terminal,
        (false, Some(span)) if span.is_zero() => LineInput::Open,
        (false, _) => LineInput::Closed,
    }
}

/// Whether a call comes from the main session of its agent, as the rules for tools see it too.
fn is_main(config: &Config, context: &ToolContext) -> bool {
    let breadth = match config.session.scope {
        Breadth::Global => SessionBreadth::Global,
        Breadth::PerSender => SessionBreadth::PerSender,
    };
    context.session.is_main(&KeyContext::new(&context.agent, SessionSettings::MAIN_KEY, breadth))
}

#[async_trait]
impl CommandHost for Commands {
    async fn run(&self, context: &ToolContext, request: CommandRequest) -> CommandOutcome {
        match self.attempt(context, request).await {
            Ok(outcome) => outcome,
            Err(ExecRefusal(text)) => CommandOutcome::Refused(text),
        }
    }

    async fn list(&self, scope: &ProcessScope) -> Vec<ProcessFacts> {
        self.table.list(scope)
    }

    async fn poll(
        &self,
        scope: &ProcessScope,
        id: &str,
        wait: Duration,
    ) -> Result<ProcessPoll, NoSuchProcess> {
        self.table.poll(scope, id, wait).await
    }

    async fn log(
        &self,
        scope: &ProcessScope,
        id: &str,
        offset: Option<usize>,
        limit: Option<usize>,
    ) -> Result<OutputSlice, NoSuchProcess> {
        self.table.log(scope, id, LineRange { offset, limit }).await
    }

    async fn write(&self, scope: &ProcessScope, id: &str, input: ProcessInput) -> Result<(), NoSuchProcess> {
        self.table.write(scope, id, input).await
    }

    async fn kill(&self, scope: &ProcessScope, id: &str) -> Result<(), NoSuchProcess> {
        self.table.kill(scope, id).await
    }

    async fn remove(&self, scope: &ProcessScope, id: &str) -> Result<(), NoSuchProcess> {
        self.table.remove(scope, id).await
    }

    async fn clear(&self, scope: &ProcessScope, id: &str) -> Result<(), NoSuchProcess> {
        self.table.clear(scope, id)
    }
}

#[cfg(test)]
mod tests;
