//! A command that somebody gave, with the questions that many commands ask: its session, its model, its settings.

use std::sync::Arc;
use std::time::Duration;

use openclaw_agent::{Models, RunInput, RunOrder};
use openclaw_config::{CommandSettings, Config};
use openclaw_ports::Deadline;
use openclaw_ports::stores::StoreError;
use openclaw_session::{Opening, PatchBounds, SessionError, SessionPatch, Sessions};
use openclaw_types::{
    AbortCause, AgentId, ModelRef, RunId, SessionEntry, SessionFacts, SessionKey, ThinkingLevel,
};

use super::CommandHandles;
use crate::channels::{Talk, chosen_model, release, selection, usual_model};
use crate::enqueue::{self, Results};
use crate::error::FlowError;
use crate::flow::Inner;
use crate::order::order;
use crate::runs::RunState;
use crate::submission::Submission;

/// How long a run that was stopped may take to end.
const PATIENCE: Duration = Duration::from_secs(15);

/// A command that somebody gave.
pub(crate) struct CommandCall<'a> {
    /// The flow.
    pub(crate) flow: &'a Arc<Inner>,
    /// The submission it came in.
    pub(crate) submission: &'a Submission,
}

/// A command that could not be carried out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandTrouble {
    /// The session could not be read or changed.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Something of the flow could not be done.
    #[error(transparent)]
    Flow(#[from] FlowError),
}

impl CommandTrouble {
    /// The trouble in words for people; what lies behind it is logged.
    pub(crate) fn told(self) -> String {
        match self {
            Self::Session(SessionError::Refused { reason }) => format!("⚠️ That was not changed: {reason}"),
            Self::Session(SessionError::Moved) => {
                "⚠️ This session changed at the same moment. Please try again.".to_owned()
            }
            other => {
                tracing::error!(subsystem = "flow", error = %other, "a command could not be carried out");
                "⚠️ That did not work: this session could not be read or written. Please try again; the gateway's log \
                 says more."
                    .to_owned()
            }
        }
    }
}

impl CommandCall<'_> {
    pub(super) fn agent(&self) -> &AgentId {
        &self.submission.agent
    }

    pub(super) fn key(&self) -> &SessionKey {
        &self.submission.key
    }

    pub(super) fn settings(&self) -> Arc<Config> {
        self.flow.settings()
    }

    /// Which commands are switched on.
    pub(super) fn switches(&self) -> CommandSettings {
        CommandSettings::resolve(&self.settings().raw)
    }

    pub(super) fn sessions(&self) -> &Sessions {
        &self.flow.parts.sessions
    }

    pub(super) fn models(&self) -> &Models {
        &self.flow.parts.models
    }

    pub(super) fn handles(&self) -> &CommandHandles {
        &self.flow.parts.handles
    }

    /// The platform the command came over, as lists of people name it.
    pub(super) fn channel(&self) -> &str {
        self.submission.from.channel.as_ref().map_or("webchat", |channel| channel.as_str())
    }

    /// Why the configuration must not be changed from where the command came, in words for people.
    pub(super) fn may_not_write(&self) -> Option<String> {
        let inbound = &self.submission.channel_origin.as_ref()?.inbound;
        let view = self.flow.parts.channels.view(&inbound.channel, &inbound.account)?;
        let refused = format!(
            "⚠️ The configuration cannot be changed from {}: channels.{}.configWrites is false.",
            view.descriptor.label, inbound.channel
        );
        (!view.manner.config_writes).then_some(refused)
    }

    /// The session as it is stored. It is made when it is not there, and begins anew when it is stale and rests.
    pub(super) async fn open(&self) -> Result<Arc<SessionEntry>, CommandTrouble> {
        if !self.flow.queues.is_idle(self.key())
            && let Some(entry) = self.sessions().entry(self.key()).await?
        {
            return Ok(entry);
        }
        let opening = Opening::new(self.key().clone(), self.submission.from.channel.clone());
        Ok(self.sessions().open(opening).await?.entry)
    }

    /// Changes what the session prefers.
    pub(super) async fn patch(
        &self,
        patch: SessionPatch,
        model: &ModelRef,
    ) -> Result<SessionEntry, CommandTrouble> {
        let bounds = PatchBounds { thinking: levels(self.models(), model) };
        Ok(self.sessions().patch(self.key(), patch, bounds).await?)
    }

    /// The model that answers in the session next.
    pub(super) fn model(&self, facts: &SessionFacts) -> ModelRef {
        chosen_model(self.flow, self.agent(), &self.talk(facts))
    }

    /// The model that answers in the session where nobody chose one.
    pub(super) fn usual_model(&self, facts: &SessionFacts) -> ModelRef {
        usual_model(self.flow, self.agent(), &self.talk(facts))
    }

    /// What a run of the session would be made with now.
    pub(super) fn order(&self, entry: &SessionEntry) -> RunOrder {
        let model = selection(self.flow, &self.talk(&entry.facts));
        order(self.submission, entry, model, RunInput::Resume)
    }

    /// The conversation the command was given in.
    pub(super) fn talk<'b>(&'b self, facts: &'b SessionFacts) -> Talk<'b> {
        Talk { key: self.key(), facts, submission: Some(self.submission) }
    }

    /// Stops what the session is doing, takes back what came before the command, and waits until the run under way
    /// ended. What came after it stays.
    pub(super) async fn stop(&self) {
        let before = self.flow.runs.before(&self.submission.run);
        let submissions = self.flow.runs.submissions(&before);
        let under_way = self.flow.queues.state(self.key()).run;
        enqueue::stop(self.flow, self.key(), AbortCause::Word, Results::Gone);
        for run in &before {
            self.flow.runs.stop(run, AbortCause::Word);
        }
        release(self.flow, self.key());
        self.flow.withdraw(submissions).await;
        self.ended(under_way).await;
    }

    /// Stops the run of the session and waits until it ended. What waits stays.
    pub(super) async fn stop_run(&self) {
        let Some(run) = self.flow.queues.state(self.key()).run else { return };
        let submissions = self.flow.runs.submissions(std::slice::from_ref(&run));
        self.flow.runs.stop(&run, AbortCause::Word);
        self.flow.withdraw(submissions).await;
        self.ended(Some(run)).await;
    }

    async fn ended(&self, run: Option<RunId>) {
        let clock = self.flow.parts.clock.as_ref();
        let deadline = Deadline::after(clock, PATIENCE);
        if let Some(run) = run
            && let RunState::Active(mut end) = self.flow.runs.state(&run)
            && deadline.bound(clock, end.wait_for(Option::is_some)).await.is_err()
        {
            tracing::warn!(subsystem = "flow", %run, "a run that was stopped takes long to end");
        }
    }
}

/// How hard a model can be asked to think. The highest level is only for models that have it.
pub(super) fn levels(models: &Models, model: &ModelRef) -> Vec<ThinkingLevel> {
    let has_highest = models.facts(model).is_some_and(|facts| facts.thinking.contains(&ThinkingLevel::XHigh));
    let offered = |level: &ThinkingLevel| has_highest || *level != ThinkingLevel::XHigh;
    ThinkingLevel::ALL.into_iter().filter(offered).collect()
}
