//! What the gateway is given to answer people with, and the few questions every method asks of it.

use std::path::PathBuf;
use std::sync::Arc;

use openclaw_agent::{Models, workspace};
use openclaw_config::sections::SessionScope as Breadth;
use openclaw_config::{Config, SessionSettings};
use openclaw_exec::{ApprovalQueue, ApprovalsFile};
use openclaw_flow::Flow;
use openclaw_ports::tool::WebClient;
use openclaw_protocol::ErrorShape;
use openclaw_session::{ImportGate, Sessions};
use openclaw_types::{AgentId, KeyContext, RunId, SessionBreadth, SessionKey};

/// Who answers people.
#[derive(Clone)]
pub struct AgentServices {
    /// Takes messages, and knows sessions and the agent.
    pub flow: Flow,
    /// Whether sessions can be asked for yet.
    pub import_gate: ImportGate,
    /// Asks people whether commands may run.
    pub approvals: Arc<ApprovalQueue>,
    /// What they allowed for good.
    pub approvals_file: Arc<ApprovalsFile>,
    /// Fetches what requests of other programs only name the address of; nothing is fetched without it.
    pub web: Option<Arc<dyn WebClient>>,
}

impl AgentServices {
    /// The configuration of the moment.
    pub(crate) fn config(&self) -> Arc<Config> {
        (self.flow.agent().parts().settings)()
    }

    /// Knows sessions.
    pub(crate) fn sessions(&self) -> &Sessions {
        self.flow.sessions()
    }

    /// Knows models.
    pub(crate) fn models(&self) -> &Models {
        &self.flow.agent().parts().models
    }

    /// The session that a client means.
    pub(crate) fn key(&self, text: &str) -> Result<SessionKey, ErrorShape> {
        SessionKey::resolve(text, &self.key_context())
            .map_err(|error| ErrorShape::invalid_request(format!("invalid session key: {error}")))
    }

    /// The main session of an agent.
    pub(crate) fn main_of(&self, agent: &AgentId) -> SessionKey {
        self.key_context().main_session(agent)
    }

    /// Whose session it is.
    pub(crate) fn agent_of(&self, key: &SessionKey) -> AgentId {
        self.sessions().agent_of(key)
    }

    /// The agent that a client names; it must be there.
    pub(crate) fn known_agent(&self, written: &str) -> Result<AgentId, ErrorShape> {
        let agent = AgentId::sanitized(written);
        match self.config().agents.get(&agent) {
            Some(_) => Ok(agent),
            None => Err(ErrorShape::invalid_request(format!("unknown agent id \"{written}\""))),
        }
    }

    /// Where an agent works.
    pub(crate) fn workspace_of(&self, agent: &AgentId) -> PathBuf {
        workspace::workspace_dir(&self.config(), &self.flow.agent().parts().surroundings, agent)
    }

    fn key_context(&self) -> KeyContext {
        let config = self.config();
        let breadth = match config.session.scope {
            Breadth::Global => SessionBreadth::Global,
            Breadth::PerSender => SessionBreadth::PerSender,
        };
        KeyContext::new(&config.agents.default_agent, SessionSettings::MAIN_KEY, breadth)
    }
}

/// The run that a client names.
pub(crate) fn run_id(text: &str) -> Result<RunId, ErrorShape> {
    RunId::new(text).map_err(|error| ErrorShape::invalid_request(error.to_string()))
}
