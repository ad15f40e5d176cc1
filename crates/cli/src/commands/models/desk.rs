//! What the commands about models work with: the configuration, the agent they are about, and the runtime that calls
//! models, opened on the state directory beside a gateway that may be running.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use openclaw_app::{Imported, ModelRuntime, ModelRuntimeParts};
use openclaw_config::FileSnapshot;
use openclaw_ports::{Deadline, TaskScope};
use openclaw_providers::Demonstration;
use openclaw_stores::sqlite::{StateDatabase, StateLocation};
use openclaw_types::AgentId;

use crate::agents::{agent_dir_of, known_agent};
use crate::call::block_on;
use crate::context::Context;
use crate::print;

/// How long calls may take to write down what they cost when a command ends.
const FAREWELL: Duration = Duration::from_secs(5);

/// One command about models.
pub(super) struct ModelCommand<'a> {
    /// The surroundings.
    pub(super) context: &'a Context,
    /// The configuration.
    pub(super) snapshot: Arc<FileSnapshot>,
    /// The agent it is about.
    pub(super) agent: AgentId,
    /// Calls models, and knows who signs in where.
    pub(super) desk: ModelRuntime,
    /// How many sign-ins of an earlier installation were taken over just now.
    pub(super) imported: usize,
}

impl ModelCommand<'_> {
    /// The directory of the agent's state.
    pub(super) fn agent_dir(&self) -> PathBuf {
        agent_dir_of(self.context, &self.snapshot.config, &self.agent)
    }
}

/// Opens everything, does the work and closes it again.
pub(super) fn session<T>(
    context: &Context,
    agent: Option<&str>,
    work: impl AsyncFnOnce(&ModelCommand<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    session_with(context, agent, Demonstration::Absent, work)
}

/// The same, perhaps with the demonstration model.
pub(super) fn session_with<T>(
    context: &Context,
    agent: Option<&str>,
    demonstration: Demonstration,
    work: impl AsyncFnOnce(&ModelCommand<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let snapshot = Arc::new(context.read_config());
    if !snapshot.valid {
        print::note(&format!(
            "{} {} is not valid; what could be understood is used, `openclaw config validate` says more",
            print::warn("warning:"),
            context.short(&snapshot.path)
        ))?;
    }
    let agent = known_agent(&snapshot, agent)?;
    block_on(async {
        let clock = Arc::clone(&context.clock);
        let location = StateLocation::within(&context.locations.state_dir);
        let store = Arc::new(StateDatabase::open(location, Arc::clone(&clock)).await?);
        let tasks = TaskScope::root("command");
        let settings = Arc::clone(&snapshot);
        let desk = ModelRuntime::open(ModelRuntimeParts {
            settings: Arc::new(move || Arc::clone(&settings)),
            locations: context.locations.clone(),
            store: Arc::clone(&store),
            clock: Arc::clone(&clock),
            tasks: tasks.clone(),
            demonstration,
        })
        .await
        .context("what is stored about sign-ins cannot be read; `openclaw doctor` says more")?;
        let mut imported = 0;
        for report in desk.import_sign_ins().await? {
            tell(context, &report)?;
            imported += report.taken;
        }
        let done = work(&ModelCommand { context, snapshot, agent, desk, imported }).await;
        let deadline = Deadline::after(clock.as_ref(), FAREWELL);
        if let Err(left) = tasks.join(clock.as_ref(), deadline).await {
            tracing::debug!(?left, "a call did not end in time; the next start counts it");
        }
        let closed = store.close().await;
        let done = done?;
        closed?;
        Ok(done)
    })
}

/// Tells what became of a file of the original.
fn tell(context: &Context, report: &Imported) -> anyhow::Result<()> {
    let file = context.short(&report.file);
    if let Some(fault) = &report.fault {
        print::note(&format!("{} {file} is left out: {fault}", print::warn("warning:")))?;
    }
    for problem in &report.problems {
        let (entry, why) = (&problem.entry, problem.problem);
        print::note(&format!("{} {file}: {entry} is left out, it {why}", print::warn("warning:")))?;
    }
    if report.taken > 0 {
        print::note(&format!(
            "Took over {} from {file} for the agent {}; they are sealed here, and still in plain text there.",
            counted(report.taken, "sign-in"),
            report.agent
        ))?;
    }
    Ok(())
}

/// `1 sign-in`, `2 sign-ins`.
pub(super) fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}
