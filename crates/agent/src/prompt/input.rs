//! What the system prompt is made from.
//!
//! Plain data, borrowed for one build. `PromptInput::of` fills it for a run; a report about a session that does not
//! run fills it the same way.

use std::path::Path;

use openclaw_types::{AgentId, ModelRef, ThinkingLevel};

use super::settings::PromptSettings;
use crate::workspace::Injection;
use crate::{HostFacts, PromptMode, Reasoning, RunOrder};

/// What the system prompt is made from. Its hash tells prompts apart, so that everything that counts is in it.
#[derive(Debug, Clone, Copy, Hash)]
pub struct PromptInput<'a> {
    /// How much is said.
    pub mode: PromptMode,
    /// Who answers.
    pub agent: &'a AgentId,
    /// What the configuration says.
    pub settings: &'a PromptSettings,
    /// What is there.
    pub situation: PromptSituation<'a>,
    /// More, from whoever ordered the run: what a group is about, what a sub-agent is to do. Whatever in it came from
    /// outside is fenced already.
    pub extra: Option<&'a str>,
    /// Whether thoughts are shown.
    pub reasoning: Reasoning,
}

/// What is there when the prompt is built.
#[derive(Debug, Clone, Copy, Hash)]
pub struct PromptSituation<'a> {
    /// Where things are and what machine this is.
    pub surroundings: &'a HostFacts,
    /// Where the agent works.
    pub workspace: &'a Path,
    /// Its files.
    pub files: &'a Injection,
    /// What may be called, in the order of the request.
    pub tools: &'a [ToolLine<'a>],
    /// What can be learned on demand.
    pub skills: &'a [SkillLine<'a>],
    /// The model that answers.
    pub model: Option<&'a ModelRef>,
    /// The agent's own model.
    pub default_model: Option<&'a ModelRef>,
    /// How hard it thinks.
    pub thinking: ThinkingLevel,
    /// How it writes its thoughts.
    pub format: ReasoningFormat,
    /// The container that tools run in.
    pub sandbox: Option<&'a SandboxFacts>,
    /// The platform that the answer goes to.
    pub channel: Option<&'a ChannelFacts>,
    /// How spoken answers are written, where answers are spoken.
    pub voice: Option<&'a str>,
}

impl<'a> PromptInput<'a> {
    /// What the prompt of a run is made from.
    #[must_use]
    pub fn of(order: &'a RunOrder, settings: &'a PromptSettings, situation: PromptSituation<'a>) -> Self {
        Self {
            mode: order.prompt,
            agent: &order.agent,
            settings,
            situation,
            extra: order.extra_system.as_deref(),
            reasoning: order.reasoning,
        }
    }

    /// Whether a tool may be called.
    pub(super) fn has(&self, tool: &str) -> bool {
        self.situation.tools.iter().any(|line| line.name == tool)
    }

    /// A text that is said in full prompts only.
    pub(super) fn only_full(&self, text: impl FnOnce() -> String) -> Option<String> {
        (self.mode == PromptMode::Full).then(text)
    }
}

/// A tool as the prompt lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ToolLine<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it does, in one line; empty where the description in the request has to do.
    pub summary: &'a str,
}

/// A skill as the prompt lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SkillLine<'a> {
    /// Its name.
    pub name: &'a str,
    /// When it helps.
    pub description: &'a str,
    /// The file that teaches it.
    pub location: &'a str,
}

/// The container that tools run in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct SandboxFacts {
    /// The workspace's path inside.
    pub inside: Option<String>,
    /// What may be done to the workspace: `none`, `ro` or `rw`.
    pub access: Option<String>,
    /// The level at which commands may leave it, where they may.
    pub elevated: Option<String>,
}

/// The platform that the answer goes to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ChannelFacts {
    /// Its id.
    pub id: String,
    /// What it can do, such as `inlineButtons`.
    pub capabilities: Vec<String>,
    /// What the platform's adapter wants the model to know, in our own words.
    pub hints: Vec<String>,
    /// How readily the agent reacts to messages with emoji, where the platform can.
    pub reactions: Option<ReactionLevel>,
}

/// How readily the agent reacts to messages with emoji.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReactionLevel {
    /// Now and then.
    Minimal,
    /// Whenever it fits.
    Extensive,
}

/// How a model writes its thoughts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum ReasoningFormat {
    /// The vendor keeps them apart.
    #[default]
    Native,
    /// In tags inside the answer, which we take out.
    Tags,
}
