//! Everything it takes to answer people: sessions, tools, commands, the agent and the flow, put together.
//!
//! The gateway builds it at its start; the command line for runs without a gateway. Nothing here decides. Some parts
//! need each other (tools ask the flow, the flow runs tools; a question to people goes over the gateway, which comes
//! last): those get a slot that is filled when the other is there.

mod approvals;
mod control;
mod old_sessions;
mod overlay;
mod platforms;
mod vision;

use std::sync::Arc;

use openclaw_agent::prompt::{FenceKind, fence};
use openclaw_agent::{Agent, AgentParts, HostFacts, Models};
use openclaw_config::{Config, Environment, LiveConfig, Locations, WebToolSettings};
use openclaw_exec::{ApprovalQueue, ApprovalQueueParts, ApprovalsFile, CommandParts, Commands, ExitNotice};
use openclaw_flow::{CommandHandles, Flow, FlowParts, SessionTools};
use openclaw_gateway::AgentServices;
use openclaw_ports::channel::ChannelKind;
use openclaw_ports::stores::SessionStore;
use openclaw_ports::tool::WebClient;
use openclaw_ports::{Clock, TaskScope};
use openclaw_providers::Web;
use openclaw_session::{GatedStore, ImportGate, Journal, SessionParts, Sessions, Zone};
use openclaw_stores::sqlite::{AgentDatabases, StateDatabase};
use openclaw_tools::{GuardedFiles, ProtectedPlaces, ToolHandles, tools};

pub(crate) use approvals::LateApprovals;
pub(crate) use control::FileControl;
pub use old_sessions::old_sessions;
use overlay::Overlay;
use platforms::channel_accounts;
pub use platforms::configured_accounts;
use vision::ModelVision;

use crate::models::ModelRuntime;

/// What the runtime is put together from.
pub struct AgentRuntimeParts<'a> {
    /// The configuration, which may change.
    pub config: &'a LiveConfig,
    /// Where files are.
    pub locations: &'a Locations,
    /// The variables.
    pub environment: &'a Environment,
    /// The gateway-wide store.
    pub store: &'a Arc<StateDatabase>,
    /// Calls models.
    pub models: &'a ModelRuntime,
    /// Tells the time.
    pub clock: &'a Arc<dyn Clock>,
    /// Where runs hang.
    pub tasks: &'a TaskScope,
    /// Our version.
    pub version: &'a str,
    /// The platforms there are.
    pub platforms: fn() -> Vec<Box<dyn ChannelKind>>,
}

/// Answers people.
pub struct AgentRuntime {
    /// Takes messages.
    pub flow: Flow,
    /// Knows sessions.
    pub sessions: Sessions,
    /// Keeps them.
    pub databases: Arc<AgentDatabases>,
    /// Makes everybody but `databases` wait while sessions of an earlier installation are imported.
    pub import_gate: ImportGate,
    /// Asks people whether commands may run.
    pub approvals: Arc<ApprovalQueue>,
    /// What they allowed for good.
    pub approvals_file: Arc<ApprovalsFile>,
    /// Runs commands.
    pub commands: Arc<Commands>,
    /// Fetches from the public internet.
    pub web: Arc<dyn WebClient>,
    pub(crate) late_approvals: Arc<LateApprovals>,
    pub(crate) control: Arc<FileControl>,
}

impl AgentRuntime {
    /// Puts it together. Nothing runs yet.
    #[must_use]
    pub fn open(parts: &AgentRuntimeParts<'_>) -> Self {
        let overlay = Overlay::new(parts.config);
        let control = Arc::new(FileControl::new(parts.config, &overlay, parts.clock, parts.store.clone()));
        let settings: Arc<dyn Fn() -> Arc<Config> + Send + Sync> = Arc::new(move || overlay.current());
        let databases = Arc::new(databases(parts));
        let import_gate = ImportGate::new(Arc::clone(parts.clock));
        let store: Arc<dyn SessionStore> = Arc::new(GatedStore::new(import_gate.clone(), databases.clone()));
        let journal = Arc::new(Journal::new(Arc::clone(&store), Arc::clone(parts.clock)));
        let sessions = Sessions::new(SessionParts {
            store: Arc::clone(&store),
            journal: Arc::clone(&journal),
            settings: Arc::clone(&settings),
            clock: Arc::clone(parts.clock),
            zone: Zone::system(),
        });
        let late_approvals = Arc::new(LateApprovals::default());
        let approvals = ApprovalQueue::new(ApprovalQueueParts {
            clock: Arc::clone(parts.clock),
            tasks: parts.tasks.child("approvals"),
            audit: parts.store.clone(),
            reach: late_approvals.reach(),
            observer: late_approvals.clone(),
        });
        let approvals_file =
            Arc::new(ApprovalsFile::new(parts.locations.state_dir.join("exec-approvals.json")));
        let exits = Arc::new(ExitSlot::default());
        let commands = Arc::new(commands(parts, &settings, &approvals, &approvals_file, &exits));
        let models = parts.models.models.clone();
        let web = web(parts, &settings);
        let mut tool_handles = handles(parts, &settings, &commands, &models);
        tool_handles.web = Some(Arc::clone(&web));
        tool_handles.control = Some(control.clone());
        let session_tools = SessionTools::unbound();
        tool_handles.sessions = Some(Arc::new(session_tools.clone()));
        tool_handles.messenger = Some(Arc::new(session_tools.clone()));
        let agent = Agent::open(AgentParts {
            models: models.clone(),
            sessions: Arc::clone(&store),
            journal,
            tools: tools(&tool_handles),
            settings: Arc::clone(&settings),
            surroundings: surroundings(parts),
            clock: Arc::clone(parts.clock),
            tasks: parts.tasks.child("runs"),
        });
        let protected = ProtectedPlaces::of(parts.locations).with_settings(&settings);
        let flow = Flow::open(FlowParts {
            agent,
            models,
            sessions: sessions.clone(),
            store,
            inbox: parts.store.clone(),
            subagents: parts.store.clone(),
            channels: channel_accounts(parts),
            outbox: parts.store.clone(),
            senders: parts.store.clone(),
            settings,
            handles: CommandHandles {
                approvals: Some(Arc::clone(&approvals)),
                shell: Some(commands.clone()),
                control: Some(control.clone()),
                ledger: Some(Arc::new(GatedStore::new(import_gate.clone(), parts.store.clone()))),
                credentials: Some(Arc::new(parts.models.credentials.clone())),
                web: Some(Arc::clone(&web)),
                files: Some(Arc::new(GuardedFiles(protected))),
            },
            clock: Arc::clone(parts.clock),
            tasks: parts.tasks.child("flow"),
        });
        exits.fill(flow.clone());
        late_approvals.fill_flow(flow.clone());
        session_tools.bind(&flow);
        Self {
            flow,
            sessions,
            databases,
            import_gate,
            approvals,
            approvals_file,
            commands,
            web,
            late_approvals,
            control,
        }
    }
}

impl AgentRuntime {
    /// What the gateway is given.
    #[must_use]
    pub fn services(&self) -> AgentServices {
        AgentServices {
            flow: self.flow.clone(),
            import_gate: self.import_gate.clone(),
            approvals: Arc::clone(&self.approvals),
            approvals_file: Arc::clone(&self.approvals_file),
            web: Some(Arc::clone(&self.web)),
        }
    }
}

fn databases(parts: &AgentRuntimeParts<'_>) -> AgentDatabases {
    let live = parts.config.clone();
    AgentDatabases::within(&parts.locations.state_dir, Arc::clone(parts.clock))
        .with_folders(Arc::new(move || live.current().places.given().clone()))
}

fn commands(
    parts: &AgentRuntimeParts<'_>,
    settings: &Arc<dyn Fn() -> Arc<Config> + Send + Sync>,
    queue: &Arc<ApprovalQueue>,
    file: &Arc<ApprovalsFile>,
    exits: &Arc<ExitSlot>,
) -> Commands {
    let exits = Arc::clone(exits);
    Commands::new(CommandParts {
        clock: Arc::clone(parts.clock),
        tasks: parts.tasks.child("commands"),
        config: Arc::clone(settings),
        environment: parts.environment.clone(),
        file: Arc::clone(file),
        grants: parts.store.clone(),
        queue: Arc::clone(queue),
        audit: parts.store.clone(),
        notice: Arc::new(move |notice| exits.tell(&notice)),
    })
}

/// The way to the web, which follows the configuration.
fn web(
    parts: &AgentRuntimeParts<'_>,
    settings: &Arc<dyn Fn() -> Arc<Config> + Send + Sync>,
) -> Arc<dyn WebClient> {
    let settings = Arc::clone(settings);
    let trusts_proxy = move || WebToolSettings::of(&settings()).fetch.trusts_proxy;
    Arc::new(Web::new(parts.models.transport.clone(), trusts_proxy))
}

fn handles(
    parts: &AgentRuntimeParts<'_>,
    settings: &Arc<dyn Fn() -> Arc<Config> + Send + Sync>,
    commands: &Arc<Commands>,
    models: &Models,
) -> ToolHandles {
    ToolHandles {
        settings: Arc::clone(settings),
        environment: parts.environment.clone(),
        protected: ProtectedPlaces::of(parts.locations),
        clock: Arc::clone(parts.clock),
        web: None,
        commands: Some(commands.clone()),
        sessions: None,
        messenger: None,
        control: None,
        vision: Some(Arc::new(ModelVision::new(models.clone(), Arc::clone(settings)))),
    }
}

fn surroundings(parts: &AgentRuntimeParts<'_>) -> HostFacts {
    let name = rustix::system::uname();
    let shell = parts.environment.get_trimmed("SHELL").unwrap_or("/bin/sh").to_owned();
    HostFacts {
        state_dir: parts.locations.state_dir.clone(),
        home: parts.environment.home().to_owned(),
        profile: parts.locations.profile.clone(),
        host: name.nodename().to_string_lossy().into_owned(),
        system: format!("{} ({})", std::env::consts::OS, architecture()),
        shell,
        version: parts.version.to_owned(),
    }
}

/// The architecture in the words that people of this field use.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    }
}

/// Where the end of background commands is told, once the flow is there.
#[derive(Default)]
struct ExitSlot(std::sync::OnceLock<Flow>);

impl ExitSlot {
    fn fill(&self, flow: Flow) {
        if self.0.set(flow).is_err() {
            tracing::error!("the flow was put together twice");
        }
    }

    fn tell(&self, notice: &ExitNotice) {
        if let Some(flow) = self.0.get() {
            flow.command_ended(&notice.scope.session, &words(notice));
        }
    }
}

/// How a background command ended, in one line for the agent.
fn words(notice: &ExitNotice) -> String {
    let how = match (notice.end.timed_out, notice.end.exit_code, &notice.end.signal) {
        (true, ..) => "was ended because its time was over".to_owned(),
        (_, Some(code), _) => format!("ended with code {code}"),
        (_, None, Some(signal)) => format!("was ended by {signal}"),
        (_, None, None) => "ended".to_owned(),
    };
    let tail: String = notice.tail.chars().rev().take(400).collect::<Vec<_>>().into_iter().rev().collect();
    let said = match tail.trim() {
        "" => String::new(),
        // What a command prints comes from outside and must not pose as our words.
        tail => format!(" Its last words: {}", fence(FenceKind::ToolOutput, &one_line(tail))),
    };
    format!("The background command {} {how}.{said}", notice.id)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
