//! What is there when a run begins: the model that was chosen, the tools it gets, the system prompt, the folders.
//!
//! Gathered once for a run, so that the prompt stays the same byte for byte from call to call. `prompt`, `policy` and
//! `workspace` say what it is made of.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use openclaw_config::sections::SandboxMode;
use openclaw_config::{CachedVendorSignIn, Config, FileToolSettings, ToolRules, WorkspaceSettings};
use openclaw_ports::model::{SystemText, ToolChoice, ToolSpec, thinks_in_tags};
use openclaw_ports::tool::{Effect, FileReach, Tool};
use openclaw_types::ModelRef;

use super::caches::RunCaches;
use super::keep;
use super::known::KnownPrompt;
use super::order::{AgentParts, PromptMeasuring, RunOrder};
use crate::context::{PromptReport, ReportFrame, ReportSource, TokenCounter};
use crate::policy::{
    ImageModel, Sandboxing, ToolCandidate, ToolDecision, ToolRule, ToolSituation, ToolVerdict,
    canonical_tool_name, circles, decide_tools, sandboxing,
};
use crate::prompt::{ChannelFacts, PromptInput, PromptSettings, ReasoningFormat, ToolLine, build};
use crate::workspace::{Injection, Readers, WorkspaceError, load, workspace_dir};

/// What is there when a run begins.
pub(super) struct RunSetup {
    /// The model that was chosen; another may answer.
    pub(super) selected: ModelRef,
    /// What may be called.
    pub(super) offer: Offer,
    /// The system prompt, what stays the same first.
    pub(super) system: SystemText,
    /// What it takes, as a guess.
    pub(super) system_tokens: u64,
    /// What it is made of, where somebody wants to know.
    pub(super) report: Option<PromptReport>,
    /// Where the agent works.
    pub(super) workspace: PathBuf,
    /// Which files tools may touch.
    pub(super) reach: FileReach,
    /// Where output is kept that is too long for a model.
    pub(super) keep: PathBuf,
    /// How the chosen model's vendor is signed in to, where its cache expires.
    pub(super) sign_in: CachedVendorSignIn,
}

/// What may be called in a run.
pub(super) struct Offer {
    tools: Vec<Arc<dyn Tool>>,
    decision: ToolDecision,
    client: Vec<ToolSpec>,
    /// Whether the session belongs into a sandbox, and the setting that says so.
    pub(super) sandbox: Sandboxing,
    sandbox_mode: SandboxMode,
}

/// What a name stands for in a run.
pub(super) enum Found {
    /// A tool that the run has.
    Ours(Arc<dyn Tool>),
    /// A tool that the client runs itself.
    Client,
    /// A tool that the run does not have, by a rule.
    Refused(ToolRule),
    /// No tool.
    Unknown,
}

/// What a setup is gathered for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Occasion<'a> {
    /// A run: the workspace is made ready.
    Run(&'a RunCaches),
    /// A report: nothing is changed, and tokens are counted as well as they can be.
    Report,
}

impl RunSetup {
    /// Looks at everything.
    pub(super) async fn gather(
        parts: &AgentParts,
        config: &Config,
        order: &RunOrder,
        occasion: Occasion<'_>,
    ) -> Result<Self, WorkspaceError> {
        let selected = parts.models.chosen(&order.agent, &order.model);
        let offer = Offer::decide(parts, config, order, &selected).await;
        let own = || workspace_dir(config, &parts.surroundings, &order.agent);
        let workspace = order.workspace.clone().unwrap_or_else(own);
        let settings = WorkspaceSettings::of(config, &order.agent);
        let readers = Readers::of(&order.key, order.sender.standing);
        let files = match occasion {
            Occasion::Run(caches) if order.workspace.is_none() => {
                let known = &caches.workspaces;
                known.prepare_and_load(&workspace, &settings, readers, parts.clock.as_ref()).await?
            }
            _ => Arc::new(load(&workspace, &settings, readers).await?),
        };
        let reach = match (FileToolSettings::of(config, &order.agent).workspace_only, offer.sandbox) {
            (false, Sandboxing::None) => FileReach::Machine,
            (true, _) | (false, Sandboxing::Missing(_)) => FileReach::Workspace,
        };
        let told = Told { workspace: &workspace, files: &files, offer: &offer, model: &selected };
        let (prompt, report) = told.prompt(parts, config, order, occasion);
        let KnownPrompt { system, tokens: system_tokens } = prompt;
        let agent_dir = config.places.agent_dir(&parts.surroundings.state_dir, &order.agent);
        let keep = keep::session_outputs(&agent_dir, &order.session);
        let sign_in = parts.models.cached_sign_in(&order.agent, &selected, order.pin.as_ref()).await;
        Ok(Self { selected, offer, system, system_tokens, report, workspace, reach, keep, sign_in })
    }
}

/// What the prompt tells about.
struct Told<'a> {
    workspace: &'a Path,
    files: &'a Injection,
    offer: &'a Offer,
    model: &'a ModelRef,
}

impl Told<'_> {
    fn prompt(
        &self,
        parts: &AgentParts,
        config: &Config,
        order: &RunOrder,
        occasion: Occasion<'_>,
    ) -> (KnownPrompt, Option<PromptReport>) {
        let settings = PromptSettings::of(config, &order.agent);
        let tools = self.offer.lines();
        let channel = ChannelFacts::of(config, &order.sender);
        let usual = parts.models.primary(&order.agent);
        let setup = crate::prompt::PromptSituation {
            surroundings: &parts.surroundings,
            workspace: self.workspace,
            files: self.files,
            tools: &tools,
            skills: &[],
            model: Some(self.model),
            default_model: Some(&usual),
            thinking: parts.models.thinking(self.model, order.thinking),
            format: match thinks_in_tags(self.model.provider().as_str()) {
                true => ReasoningFormat::Tags,
                false => ReasoningFormat::Native,
            },
            sandbox: None,
            channel: channel.as_ref(),
            voice: None,
        };
        let input = PromptInput::of(order, &settings, setup);
        let (source, counter) = match occasion {
            Occasion::Run(caches) if order.report == PromptMeasuring::Unwanted => {
                return (caches.prompts.of(&input), None);
            }
            Occasion::Run(_) => (ReportSource::Run, TokenCounter::estimate()),
            Occasion::Report => (ReportSource::Estimate, TokenCounter::for_model(Some(self.model))),
        };
        let frame = ReportFrame {
            source,
            at: parts.clock.now(),
            session: Some(&order.session),
            key: Some(&order.key),
            sandbox_mode: mode_word(self.offer.sandbox_mode),
            tools: &self.offer.specs(),
        };
        let prompt = build(&input);
        let report = PromptReport::of(&input, &prompt, &frame, &counter);
        (KnownPrompt::of(&prompt), Some(report))
    }
}

/// The setting of the sandbox as it is written.
fn mode_word(mode: SandboxMode) -> &'static str {
    match mode {
        SandboxMode::Off => "off",
        SandboxMode::NonMain => "non-main",
        SandboxMode::All => "all",
    }
}

impl Offer {
    /// Decides which tools a run gets.
    pub(super) async fn decide(
        parts: &AgentParts,
        config: &Config,
        order: &RunOrder,
        model: &ModelRef,
    ) -> Self {
        let rules = ToolRules::of(&config.raw, &order.agent);
        let sandbox = sandboxing(config, &rules, order);
        let by_key = u64::try_from(order.key.subagent_depth()).unwrap_or(u64::MAX);
        let situation = ToolSituation {
            rules: &rules,
            model: Some(model),
            standing: order.sender.standing,
            depth: order.depth.max(by_key),
            sandbox,
            circles: circles(parts.sessions.as_ref(), config, order).await,
            images: match parts.models.see_pictures(&order.agent) {
                true => ImageModel::Present,
                false => ImageModel::Missing,
            },
        };
        let candidates: Vec<ToolCandidate> =
            parts.tools.iter().map(|tool| ToolCandidate::from(tool.descriptor())).collect();
        let decision = decide_tools(&situation, &candidates);
        for unknown in decision.unknown() {
            tracing::debug!(subsystem = "agent", agent = %order.agent, "{unknown}");
        }
        let has =
            |tool: &&Arc<dyn Tool>| decision.allowed().iter().any(|name| name == tool.descriptor().name);
        let tools = match order.tool_choice {
            ToolChoice::None => Vec::new(),
            _ => parts.tools.iter().filter(has).cloned().collect(),
        };
        let client = order.client_tools.clone();
        Self { tools, decision, client, sandbox, sandbox_mode: rules.sandbox.mode }
    }

    /// The tools as requests carry them. A client's tool hides one of ours with the same name.
    pub(super) fn specs(&self) -> Vec<ToolSpec> {
        let ours = self.ours().map(|tool| {
            let descriptor = tool.descriptor();
            let (description, parameters) = match tool.face() {
                Some(face) => (face.description, face.parameters),
                None => (descriptor.description.clone(), descriptor.parameters.clone()),
            };
            ToolSpec { name: descriptor.name.to_owned(), description, parameters }
        });
        ours.chain(self.client.iter().cloned()).collect()
    }

    /// The same tools as the prompt lists them. What a client's tool is for stands in the request alone.
    pub(super) fn lines(&self) -> Vec<ToolLine<'_>> {
        let ours = self.ours().map(|tool| tool.descriptor());
        let ours = ours.map(|tool| ToolLine { name: tool.name, summary: tool.summary });
        let client = self.client.iter().map(|tool| ToolLine { name: &tool.name, summary: "" });
        ours.chain(client).collect()
    }

    /// Our own tools that no tool of the client hides.
    fn ours(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        let hidden = |name: &str| self.client.iter().any(|client| client.name == name);
        self.tools.iter().filter(move |tool| !hidden(tool.descriptor().name))
    }

    /// What was decided about every tool.
    pub(super) fn into_decision(self) -> ToolDecision {
        self.decision
    }

    /// The names that may be called.
    pub(super) fn names(&self) -> Vec<&str> {
        let client = self.client.iter().map(|tool| tool.name.as_str());
        self.tools.iter().map(|tool| tool.descriptor().name).chain(client).collect()
    }

    /// What a name stands for.
    pub(super) fn find(&self, name: &str) -> Found {
        if self.client.iter().any(|tool| tool.name == name) {
            return Found::Client;
        }
        let meant = canonical_tool_name(name);
        let ours = self.tools.iter().find(|tool| canonical_tool_name(tool.descriptor().name) == meant);
        match (ours, self.decision.judge(name)) {
            (Some(tool), _) => Found::Ours(Arc::clone(tool)),
            (None, ToolVerdict::Refused(ToolRule::NoSuchTool { .. }) | ToolVerdict::Allowed) => {
                Found::Unknown
            }
            (None, ToolVerdict::Refused(rule)) => Found::Refused(rule),
        }
    }

    /// What a tool of the run can do to the world; nothing when the run does not have it.
    pub(super) fn effect(&self, name: &str) -> Option<Effect> {
        match self.find(name) {
            Found::Ours(tool) => Some(tool.descriptor().effect),
            Found::Client | Found::Refused(_) | Found::Unknown => None,
        }
    }

    /// Whether any tool of the run can change something.
    pub(super) fn has_deeds(&self) -> bool {
        self.tools.iter().any(|tool| tool.descriptor().effect != Effect::Looks)
    }

    /// Whether the client has tools of its own.
    pub(super) fn has_client_tools(&self) -> bool {
        !self.client.is_empty()
    }
}
