//! Decides which sessions a session's tools may see and write to.
//!
//! `check` is pure. A session always sees itself and what it started; more is a matter of `tools.sessions.visibility`,
//! and sessions of other agents also of `tools.agentToAgent`.

use std::collections::HashSet;

use openclaw_config::sections::{SandboxMode, SandboxSessionVisibility, SessionVisibility};
use openclaw_config::{BetweenAgents, SessionToolSettings};
use openclaw_ports::tool::{SessionToolFault, ToolContext};
use openclaw_session::ListQuery;
use openclaw_types::{AgentId, SessionKey};

use super::fault;
use super::reference::key_context;
use crate::flow::Inner;

/// What a session wants with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// See it in a list.
    List,
    /// Read it.
    Read,
    /// Write to it.
    Send,
    /// See its card.
    Status,
}

/// What a session sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct View {
    /// The session that looks.
    pub(super) own: SessionKey,
    /// Its agent.
    pub(super) agent: AgentId,
    /// How far it sees.
    pub(super) reach: SessionVisibility,
    /// Whether a sandbox keeps it to what it started.
    pub(super) confined: Confined,
    /// Whether agents talk to each other.
    pub(super) between: BetweenAgents,
    /// What it started, and what those started.
    pub(super) below: HashSet<SessionKey>,
}

/// Whether a sandbox keeps a session to what it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Confined {
    /// It does.
    Yes,
    /// It does not.
    No,
}

/// What the session of a call sees.
pub(super) async fn view(flow: &Inner, context: &ToolContext) -> Result<View, SessionToolFault> {
    let config = flow.settings();
    let settings = SessionToolSettings::of(&config.raw, &context.agent);
    let main = context.session.is_main(&key_context(&config, &context.agent));
    let sandboxed = match settings.sandboxed {
        SandboxMode::Off => false,
        SandboxMode::NonMain => !main,
        SandboxMode::All => true,
    };
    let spawned_only = settings.sandbox_visibility == SandboxSessionVisibility::Spawned;
    Ok(View {
        own: context.session.clone(),
        agent: context.agent.clone(),
        reach: settings.visibility,
        confined: if sandboxed && spawned_only { Confined::Yes } else { Confined::No },
        between: settings.between_agents,
        below: below(flow, &context.session).await?,
    })
}

/// Everything that was started from a session, at any depth.
async fn below(flow: &Inner, own: &SessionKey) -> Result<HashSet<SessionKey>, SessionToolFault> {
    let query = ListQuery { include_global: true, include_unknown: true, ..ListQuery::default() };
    let all = flow.parts.sessions.list(&query).await.map_err(fault)?;
    let mut below = HashSet::new();
    let mut above = vec![own.as_str().to_owned()];
    while let Some(by) = above.pop() {
        for one in all.iter().filter(|one| one.entry.facts.spawned_by.as_deref() == Some(by.as_str())) {
            if below.insert(one.key.clone()) {
                above.push(one.key.as_str().to_owned());
            }
        }
    }
    Ok(below)
}

impl View {
    /// Whether a session may be seen, read or written to.
    ///
    /// # Errors
    /// Names the rule that forbids it.
    pub(super) fn check(&self, target: &SessionKey, act: Act) -> Result<(), SessionToolFault> {
        if *target == self.own || (self.reach != SessionVisibility::Own && self.below.contains(target)) {
            return Ok(());
        }
        if self.confined == Confined::Yes {
            return Err(refused(
                act,
                "agents.defaults.sandbox.sessionToolsVisibility is `spawned`: a sandboxed session sees \
                                     only what it started",
            ));
        }
        let owner = target.agent().unwrap_or(&self.agent);
        if *owner != self.agent {
            return self.check_agent(owner, act);
        }
        match (self.reach, act) {
            // The card of another session of the same agent says nothing that was said there.
            (_, Act::Status) | (SessionVisibility::Agent | SessionVisibility::All, _) => Ok(()),
            (SessionVisibility::Own, _) => {
                Err(refused(act, "tools.sessions.visibility is `self`: only the current session"))
            }
            (SessionVisibility::Tree, _) => Err(refused(
                act,
                "tools.sessions.visibility is `tree`: only the current session and what it started",
            )),
        }
    }

    fn check_agent(&self, owner: &AgentId, act: Act) -> Result<(), SessionToolFault> {
        if act != Act::Status && self.reach != SessionVisibility::All {
            return Err(refused(act, "sessions of other agents need tools.sessions.visibility to be `all`"));
        }
        match &self.between {
            BetweenAgents::Off => {
                Err(refused(act, "sessions of other agents need tools.agentToAgent.enabled"))
            }
            between if between.admit(&self.agent) && between.admit(owner) => Ok(()),
            BetweenAgents::Allowed(_) => {
                Err(refused(act, "tools.agentToAgent.allow does not name both agents"))
            }
        }
    }
}

fn refused(act: Act, rule: &str) -> SessionToolFault {
    let what = match act {
        Act::List => "listed",
        Act::Read => "read",
        Act::Send => "written to",
        Act::Status => "looked at",
    };
    SessionToolFault::Refused(format!("This session may not be {what} from here: {rule}."))
}
