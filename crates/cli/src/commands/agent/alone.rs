//! Answers in this process, without a gateway, on the same stores and by the same rules.
//!
//! Holds the state directory's lock while it works: two processes that answer would not know of each other's runs.
//! Nobody can be asked whether a command may run, so what needs asking is refused. A message that a kill cuts off stays
//! accepted and is answered by the next gateway; one that the person stops is stopped for good.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use openclaw_app::{
    AgentRuntime, AgentRuntimeParts, InstanceError, InstanceLock, ModelRuntime, ModelRuntimeParts,
    old_sessions,
};
use openclaw_config::{LiveConfig, StartedFrom};
use openclaw_flow::{
    Author, EndedRun, FlowEvent, Observer, Rank, Submission, SubmissionOptions, SubmissionSurface, Submitted,
};
use openclaw_gateway::agent_outcome;
use openclaw_ports::{Deadline, TaskScope};
use openclaw_providers::Demonstration;
use openclaw_session::{FieldChange, LegacyParts, PatchBounds, SessionPatch, import_sessions};
use openclaw_stores::sqlite::{StateDatabase, StateLocation};
use openclaw_types::{AbortCause, RunEnding, RunId, SessionId, SessionKey};

use super::order::{AgentOrder, AgentSession};
use super::reply;
use crate::call::block_on;
use crate::context::{Context, VERSION};
use crate::exit::{Exit, Output, misuse};

/// How long everything may take to end.
const FAREWELL: Duration = Duration::from_secs(5);

/// Answers and prints.
pub(super) fn answer(context: &Context, order: &AgentOrder<'_>, output: Output) -> anyhow::Result<Exit> {
    if order.arguments.deliver {
        return Err(misuse(
            "--deliver needs the gateway, which speaks to channels; start it with `openclaw gateway`",
        ));
    }
    let lock = InstanceLock::acquire(&context.locations, context.clock.now()).map_err(taken)?;
    let answered = block_on(async {
        let open = Open::begin(context).await?;
        let answered = talk(context, order, &open).await;
        open.end(context).await?;
        answered
    });
    drop(lock);
    let Answered { ended, said, session } = answered?;
    match &ended.how {
        RunEnding::Answered | RunEnding::Failed { .. } => {}
        RunEnding::Aborted(cause) if said.is_empty() && ended.outcome.is_none() => {
            anyhow::bail!("stopped ({})", cause.as_str())
        }
        RunEnding::Aborted(_) => {}
    }
    let exit =
        reply::show_outcome(&agent_outcome(&ended, said, session.as_ref().map(SessionId::as_str)), output)?;
    Ok(if matches!(ended.how, RunEnding::Answered) { exit } else { Exit::NotInOrder })
}

fn taken(error: InstanceError) -> anyhow::Error {
    match error {
        InstanceError::Taken { pid, .. } => anyhow::anyhow!(
            "a gateway (pid {pid}) is using this state directory; leave --local out and it answers"
        ),
        other @ InstanceError::Unusable { .. } => other.into(),
    }
}

/// Everything that answers, open.
struct Open {
    config: LiveConfig,
    store: Arc<StateDatabase>,
    models: ModelRuntime,
    runtime: AgentRuntime,
    tasks: TaskScope,
}

impl Open {
    async fn begin(context: &Context) -> anyhow::Result<Self> {
        let file = context.config_file().with_clock(Arc::clone(&context.clock));
        let (config, from) = LiveConfig::open(&file);
        if let StartedFrom::Remains { .. } = from {
            anyhow::bail!(
                "{} is not valid, and no earlier good one is known; `openclaw config validate` says what is wrong",
                context.short(&context.locations.config_path)
            );
        }
        let tasks = TaskScope::root("command");
        let location = StateLocation::within(&context.locations.state_dir);
        let store = Arc::new(StateDatabase::open(location, Arc::clone(&context.clock)).await?);
        let settings = config.clone();
        let models = ModelRuntime::open(ModelRuntimeParts {
            settings: Arc::new(move || settings.running()),
            locations: context.locations.clone(),
            store: Arc::clone(&store),
            clock: Arc::clone(&context.clock),
            tasks: tasks.child("models"),
            demonstration: Demonstration::Absent,
        })
        .await
        .context("what is stored about sign-ins cannot be read; `openclaw doctor` says more")?;
        models.import_sign_ins().await?;
        models.find_local_servers().await;
        let runtime = AgentRuntime::open(&AgentRuntimeParts {
            config: &config,
            locations: &context.locations,
            environment: &context.environment,
            store: &store,
            models: &models,
            clock: &context.clock,
            tasks: &tasks,
            version: VERSION,
            platforms: openclaw_app::platforms,
        });
        Ok(Self { config, store, models, runtime, tasks })
    }

    /// Ends what runs, and closes the stores.
    async fn end(self, context: &Context) -> anyhow::Result<()> {
        let clock = context.clock.as_ref();
        self.tasks.cancel();
        if let Err(left) = self.tasks.join(clock, Deadline::after(clock, FAREWELL)).await {
            tracing::debug!(?left, "something did not end in time");
        }
        self.runtime.databases.close().await?;
        if Deadline::after(clock, FAREWELL).bound(clock, self.models.models.close_books()).await.is_err() {
            tracing::debug!("a call was not booked in time; the next start counts it");
        }
        self.store.close().await?;
        Ok(())
    }
}

/// What came of it.
struct Answered {
    ended: EndedRun,
    said: Vec<String>,
    session: Option<SessionId>,
}

async fn talk(context: &Context, order: &AgentOrder<'_>, open: &Open) -> anyhow::Result<Answered> {
    take_over(context, open).await?;
    let flow = &open.runtime.flow;
    let key = session(open, &order.place).await?;
    if let Some(verbose) = order.arguments.verbose {
        let patch = SessionPatch {
            verbose_level: FieldChange::Set(verbose.as_str().to_owned()),
            ..SessionPatch::default()
        };
        open.runtime.sessions.patch(&key, patch, PatchBounds::default()).await?;
    }
    let run = RunId::new(uuid::Uuid::new_v4().to_string())?;
    let heard = Arc::new(Heard { run: run.clone(), said: Mutex::default() });
    flow.attach(heard.clone());
    let submission = submission(context, order, open, (run.clone(), key.clone()));
    match flow.submit(submission).await? {
        Submitted::Started | Submitted::InFlight => {}
        Submitted::Stopped(_) => {
            anyhow::bail!("there is nothing to stop: without a gateway only this message runs")
        }
        Submitted::Ended(_) => anyhow::bail!("the message was answered before"),
    }
    let ended = tokio::select! {
        ended = flow.outcome(&run) => ended,
        // Losing the other branch loses nothing: the end is waited for again.
        interrupted = tokio::signal::ctrl_c() => {
            interrupted?;
            flow.stop(&key, AbortCause::Request).await;
            flow.outcome(&run).await
        }
    };
    let ended =
        ended.context("the answer was lost; `openclaw sessions` shows whether it is in its session")?;
    let entry = open.runtime.sessions.entry(&key).await?;
    let said = std::mem::take(&mut *heard.said.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Answered { ended, said, session: entry.map(|entry| entry.session_id.clone()) })
}

/// Takes over the sessions that an earlier installation left, as the gateway does at its start: else a session would
/// begin here without its past.
async fn take_over(context: &Context, open: &Open) -> anyhow::Result<()> {
    let parts = LegacyParts {
        store: open.runtime.databases.clone(),
        state: open.store.clone(),
        ledger: open.store.clone(),
        clock: Arc::clone(&context.clock),
    };
    for order in old_sessions(&open.config.current(), &context.locations.state_dir) {
        import_sessions(&parts, &order).await?;
    }
    Ok(())
}

async fn session(open: &Open, place: &AgentSession) -> anyhow::Result<SessionKey> {
    match place {
        AgentSession::Session(key) => Ok(key.clone()),
        AgentSession::Transcript { id, otherwise } => {
            let agent = open.runtime.sessions.agent_of(otherwise);
            Ok(open.runtime.sessions.resolve_or_begin(&agent, id).await?)
        }
    }
}

fn submission(
    context: &Context,
    order: &AgentOrder<'_>,
    open: &Open,
    (run, key): (RunId, SessionKey),
) -> Submission {
    Submission {
        channel_origin: None,
        run,
        agent: open.runtime.sessions.agent_of(&key),
        raw_key: key.to_string(),
        key,
        surface: SubmissionSurface::Agent,
        text: order.message.to_owned(),
        pictures: Vec::new(),
        at: context.clock.now(),
        from: Author { standing: Rank::Owner, to: order.arguments.to.clone(), ..Author::default() },
        provenance: None,
        options: SubmissionOptions {
            thinking: order.arguments.thinking.as_deref().map(|level| level.trim().to_ascii_lowercase()),
            timeout_seconds: Some(order.seconds),
            stamped: true,
            alone: true,
            ..SubmissionOptions::default()
        },
    }
}

/// Keeps what is answered without a run.
struct Heard {
    run: RunId,
    said: Mutex<Vec<String>>,
}

impl Observer for Heard {
    fn notice(&self, notice: &FlowEvent) {
        if let FlowEvent::Answered { run, text: Some(text), .. } = notice
            && *run == self.run
        {
            self.said.lock().unwrap_or_else(PoisonError::into_inner).push(text.clone());
        }
    }
}
