//! Stage: what answers people. Put together before the sockets listen; afterwards it goes on with what the last process
//! left, takes over the sessions of an earlier installation, and puts old sessions away now and then.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use openclaw_agent::{OutputSweep, SweptOutputs, sweep_outputs};
use openclaw_config::{Care, LiveConfig, Locations};
use openclaw_ports::{Clock, TaskScope};
use openclaw_session::{ImportOrder, Imported, LegacyParts, import_sessions};
use openclaw_stores::sqlite::StateDatabase;
use openclaw_types::AgentId;

use super::places;
use crate::agents::{AgentRuntime, old_sessions};

/// How often old sessions are put away.
const TIDY_EVERY: Duration = Duration::from_secs(3600);
/// How long it is remembered that a message or a run was dealt with.
const REMEMBERED: Duration = Duration::from_secs(7 * 24 * 3600);

/// How long what could not be sent is kept for people to see.
const REMEMBERED_UNSENT: Duration = Duration::from_secs(30 * 24 * 3600);

/// What earlier stages made.
pub(crate) struct AgentStageParts<'a> {
    pub(crate) config: &'a LiveConfig,
    pub(crate) locations: &'a Locations,
    pub(crate) store: &'a Arc<StateDatabase>,
    pub(crate) clock: &'a Arc<dyn Clock>,
    pub(crate) tasks: &'a TaskScope,
}

/// Imports old sessions. The sockets listen already; what needs a session waits until the old ones are there.
pub(crate) async fn import(runtime: &AgentRuntime, parts: &AgentStageParts<'_>) {
    let config = parts.config.current();
    places::compare(&runtime.databases, &**parts.store, &config.agents).await;
    for order in old_sessions(&config, &parts.locations.state_dir) {
        take_over(runtime, parts, &order).await;
    }
    runtime.import_gate.open();
}

/// Goes on with what a crash cut off.
///
/// # Errors
/// What the last process left cannot be read.
pub(crate) async fn go_on(runtime: &AgentRuntime) -> anyhow::Result<()> {
    let recovered = runtime.flow.recover().await?;
    if recovered != openclaw_flow::Recovered::default() {
        tracing::info!(
            subsystem = "agent",
            resumed = recovered.resumed,
            restarted = recovered.restarted,
            answered = recovered.answered,
            given_up = recovered.given_up,
            "went on with what the last stop cut off"
        );
    }
    Ok(())
}

/// Puts old sessions away and forgets what nobody asks for any more, until the scope ends.
pub(crate) fn look_after(runtime: &Arc<AgentRuntime>, parts: &AgentStageParts<'_>) {
    let (runtime, clock, store) = (Arc::clone(runtime), Arc::clone(parts.clock), Arc::clone(parts.store));
    parts.tasks.child("session upkeep").start_cancellable("session upkeep", async move {
        loop {
            clock.sleep(TIDY_EVERY).await;
            tidy(&runtime, &store, clock.as_ref()).await;
        }
    });
}

async fn tidy(runtime: &AgentRuntime, store: &StateDatabase, clock: &dyn Clock) {
    use openclaw_ports::stores::{Inbox, Outbox, SessionStore as _};
    let busy: HashSet<_> = runtime.flow.busy_sessions().into_iter().collect();
    match runtime.sessions.maintain(&busy).await {
        Ok(done) if done.care == Care::Enforce && !done.sessions.is_empty() => {
            tracing::info!(subsystem = "sessions", count = done.sessions.len(), "old sessions were put away");
        }
        Ok(_) => {}
        Err(error) => tracing::warn!(subsystem = "sessions", %error, "old sessions could not be put away"),
    }
    let before = clock.now().minus(REMEMBERED);
    if let Err(error) = Inbox::forget(store, before).await {
        tracing::warn!(subsystem = "sessions", %error, "old messages could not be forgotten");
    }
    if let Err(error) = Outbox::forget(store, before, clock.now().minus(REMEMBERED_UNSENT)).await {
        tracing::warn!(subsystem = "outbox", %error, "old answers could not be forgotten");
    }
    match runtime.flow.outbox().sweep_files().await {
        Ok(0) => {}
        Ok(files) => tracing::info!(subsystem = "outbox", files, "old files of messages were removed"),
        Err(error) => tracing::warn!(subsystem = "outbox", %error, "old files could not be removed"),
    }
    let agents = runtime.databases.agents().await.unwrap_or_else(|error| {
        tracing::warn!(subsystem = "sessions", %error, "the agents could not be listed");
        Vec::new()
    });
    for agent in agents {
        if let Err(error) = runtime.databases.forget_runs(&agent, before).await {
            tracing::warn!(subsystem = "sessions", %error, "old runs could not be forgotten");
        }
        sweep(runtime, agent, clock).await;
    }
}

/// Removes outputs of tools that went with their transcript, or that are too old or too many.
async fn sweep(runtime: &AgentRuntime, agent: AgentId, clock: &dyn Clock) {
    // Asked before the folders are looked at: what begins in between is too young to go.
    let sessions = match runtime.sessions.transcripts(&agent).await {
        Ok(sessions) => sessions,
        Err(error) => {
            tracing::warn!(subsystem = "sessions", %error, "the transcripts could not be listed");
            return;
        }
    };
    let answering = runtime.flow.agent().parts();
    let (state_dir, config) = (&answering.surroundings.state_dir, (answering.settings)());
    let folders =
        [Some(config.places.agent_dir(state_dir, &agent)), config.places.former_agent_dir(state_dir, &agent)];
    for agent_dir in folders.into_iter().flatten() {
        let order = OutputSweep { agent_dir, sessions: sessions.clone(), now: clock.now() };
        tell_swept(sweep_outputs(order).await);
    }
}

fn tell_swept(outcome: std::io::Result<SweptOutputs>) {
    match outcome {
        Ok(swept) if swept.files > 0 => {
            tracing::info!(
                subsystem = "sessions",
                files = swept.files,
                bytes = swept.bytes,
                "old outputs of tools were removed"
            );
        }
        Ok(_) => {}
        Err(error) => {
            tracing::warn!(subsystem = "sessions", %error, "old outputs of tools could not be removed")
        }
    }
}

/// A failed import must not keep the gateway from starting: the files stay where they are, and the next start tries
/// again.
async fn take_over(runtime: &AgentRuntime, parts: &AgentStageParts<'_>, order: &ImportOrder) {
    let agent = &order.agent;
    let legacy = LegacyParts {
        store: runtime.databases.clone(),
        state: parts.store.clone(),
        ledger: parts.store.clone(),
        clock: Arc::clone(parts.clock),
    };
    match import_sessions(&legacy, order).await {
        Ok(done) => tell_imported(agent, &done),
        Err(error) => {
            tracing::warn!(subsystem = "sessions", %agent, %error, "sessions of an earlier installation could not be imported; the next start tries again");
        }
    }
}

/// Tells how many sessions were imported, and names those that were not.
fn tell_imported(agent: &AgentId, done: &Imported) {
    if !done.sessions.is_empty() || !done.past.is_empty() {
        tracing::info!(
            subsystem = "sessions",
            %agent,
            sessions = done.sessions.len(),
            as_past = done.past.len(),
            "imported the sessions of an earlier installation"
        );
    }
    for skipped in done.skipped.iter().filter(|skipped| !skipped.cause.is_harmless()) {
        tracing::warn!(
            subsystem = "sessions",
            %agent,
            session = skipped.key,
            cause = skipped.cause.as_str(),
            "a session of an earlier installation was not imported; its files stay where they are"
        );
    }
}
