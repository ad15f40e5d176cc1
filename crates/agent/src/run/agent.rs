//! The agent as others see it: orders go in, runs come out.
//!
//! Puts the parts together and starts runs as tasks of their scope. What a run does is in `engine`, what it is made of
//! in `setup`.

use std::fmt;
use std::sync::Arc;

use openclaw_config::CompactionSettings;
use openclaw_types::{AfterCompaction, RunId};

use super::caches::RunCaches;
use super::control::RunControl;
use super::engine::{self, Beginning};
use super::order::{AgentParts, CompactOrder, CompactOutcome, RunOrder};
use super::setup::{Occasion, Offer, RunSetup};
use super::stream::{self, RunStream};
use crate::compaction::{
    CompactionCause, CompactionDone, CompactionHandles, CompactionResult, CompactionWork, compact,
};
use crate::context::PromptReport;
use crate::policy::ToolDecision;
use crate::workspace::WorkspaceError;

/// What a model of an unknown vendor is taken to read.
const UNKNOWN_WINDOW: u64 = 200_000;

/// Makes answers. Cloning is cheap.
#[derive(Clone)]
pub struct Agent {
    parts: Arc<AgentParts>,
    caches: Arc<RunCaches>,
}

impl Agent {
    /// Puts the parts together.
    #[must_use]
    pub fn open(parts: AgentParts) -> Self {
        Self { parts: Arc::new(parts), caches: Arc::default() }
    }

    /// Starts a run, as a task of the agent's scope. Must be called inside the runtime.
    ///
    /// The run goes on whether or not anybody reads its stream, as long as the stream is dropped or read: a reader that
    /// holds it without reading slows the run down. One session has one run at a time; whoever orders runs sees to it.
    #[must_use]
    pub fn start(&self, order: RunOrder) -> (RunControl, RunStream) {
        let (control, inbox) = RunControl::new();
        let began = self.parts.clock.now();
        let (events, stream) = stream::line(inbox.stop().clone(), began);
        let (parts, caches) = (Arc::clone(&self.parts), Arc::clone(&self.caches));
        self.parts.tasks.start("run", engine::make(Beginning { parts, caches, order, inbox, events, began }));
        (control, stream)
    }

    /// Which tools a run with this order would get, and why not the others.
    pub async fn tools_for(&self, order: &RunOrder) -> ToolDecision {
        let config = (self.parts.settings)();
        let model = self.parts.models.chosen(&order.agent, &order.model);
        Offer::decide(&self.parts, &config, order, &model).await.into_decision()
    }

    /// What the system prompt of a run with this order would be made of. Changes nothing.
    ///
    /// # Errors
    /// The workspace cannot be read.
    pub async fn context_report(&self, order: &RunOrder) -> Result<PromptReport, WorkspaceError> {
        let config = (self.parts.settings)();
        let setup = RunSetup::gather(&self.parts, &config, order, Occasion::Report).await?;
        // What is gathered for a report has one.
        setup.report.ok_or(WorkspaceError::Stopping)
    }

    /// Sums up the older part of a session. Whoever orders it sees to it that no run is under way there.
    pub async fn compact(&self, order: CompactOrder) -> CompactOutcome {
        let config = (self.parts.settings)();
        let settings = CompactionSettings::of(&config.raw);
        let chosen = self.parts.models.chosen(&order.agent, &order.model);
        let run = match RunId::new(format!("compact-{}", uuid::Uuid::new_v4())) {
            Ok(run) => run,
            Err(fault) => return CompactOutcome::Failed(fault.to_string()),
        };
        let inbox = CompactionHandles {
            models: &self.parts.models,
            journal: &self.parts.journal,
            sessions: self.parts.sessions.as_ref(),
        };
        let done = compact(
            inbox,
            CompactionWork {
                agent: order.agent,
                keeper: order.key.agent_or(&config.agents.default_agent).clone(),
                key: order.key,
                session: order.session,
                run,
                selection: order.model,
                pin: None,
                window: self.parts.models.window(&chosen).map_or(UNKNOWN_WINDOW, |window| window.tokens),
                settings: &settings,
                instructions: order.instructions,
                cause: CompactionCause::Asked,
                counted: None,
                then: AfterCompaction::GoOn,
                tell: &|_nobody_runs| {},
            },
        )
        .await;
        match done {
            Ok(CompactionResult::Done(CompactionDone { tokens_before, tokens_after, .. })) => {
                CompactOutcome::Done { tokens_before, tokens_after }
            }
            Ok(CompactionResult::Nothing) => CompactOutcome::Nothing,
            Ok(CompactionResult::NotSmaller { .. }) => CompactOutcome::Failed(
                "a summary would not be shorter than what it stands for; go on, or start over with /new"
                    .to_owned(),
            ),
            Err(fault) => {
                tracing::error!(subsystem = "agent", %fault, "a session could not be summed up");
                CompactOutcome::Failed(
                    "the session could not be read or written; the log says more".to_owned(),
                )
            }
        }
    }

    /// What the agent is put together from.
    #[must_use]
    pub fn parts(&self) -> &AgentParts {
        &self.parts
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Agent").field("tools", &self.parts.tools.len()).finish_non_exhaustive()
    }
}
