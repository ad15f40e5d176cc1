//! Which agent answers where: `bindings`, `broadcast` and the agents they may name.
//!
//! Nothing is matched here; `inbound::route` does that. What a binding says is kept as written apart from what the
//! original evens out too: channels and agents in lower case, accounts as ids.

use std::collections::BTreeMap;

use openclaw_types::{AccountId, AgentId, ChatKind};

use super::super::agents;
use crate::sections::{Binding, BindingPeer, BroadcastStrategy, ChatType, RawConfig};

/// Which agent answers where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteSettings {
    /// The bindings in the order of the file.
    pub bindings: Vec<BindingRule>,
    /// The agents that bindings may name.
    pub agents: KnownAgents,
    /// Who answers when nothing else decides.
    pub default_agent: AgentId,
    /// Conversations that several agents answer, by their id as written.
    pub broadcast: BTreeMap<String, BroadcastGroup>,
}

/// One binding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BindingRule {
    /// Its place in the file, from zero.
    pub index: usize,
    /// The agent; nothing when the file names none.
    pub agent: Option<AgentId>,
    /// A note for people.
    pub comment: Option<String>,
    /// The channel, in lower case. An empty one matches nothing.
    pub channel: String,
    /// Our login.
    pub account: AccountMatch,
    /// The conversation.
    pub peer: PeerMatch,
    /// The guild.
    pub guild: Option<String>,
    /// The team.
    pub team: Option<String>,
    /// Roles of the person, any of them; empty means that they do not matter.
    pub roles: Vec<String>,
}

/// Which of our logins a binding is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountMatch {
    /// None is named: the default one.
    Default,
    /// All of them.
    Any,
    /// This one.
    Only(AccountId),
}

/// Which conversation a binding is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PeerMatch {
    /// None is named: all.
    Any,
    /// One is named without an id: none.
    Nothing,
    /// This one.
    Only(ChatKind, String),
}

/// The agents that bindings may name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KnownAgents {
    /// No list is written: whatever a binding names.
    Any,
    /// Those of the list; the default agent stands in for any other.
    Listed(Vec<AgentId>),
}

/// Several agents that answer one conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroadcastGroup {
    /// The agents in the order of the file, each once. Never empty.
    pub agents: Vec<AgentId>,
    /// Whether they answer at once or in turn.
    pub strategy: BroadcastStrategy,
}

impl RouteSettings {
    /// The routes that a configuration sets.
    #[must_use]
    pub fn resolve(raw: &RawConfig) -> Self {
        // What is wrong with agents is told when the configuration is loaded.
        let settings = agents::resolve(raw.agents.as_ref(), &mut Vec::new());
        let listed = raw
            .agents
            .as_ref()
            .and_then(|section| section.list.as_ref())
            .is_some_and(|list| !list.is_empty());
        let ids = || settings.list.iter().map(|agent| agent.id.clone()).collect();
        let agents = if listed { KnownAgents::Listed(ids()) } else { KnownAgents::Any };
        let bindings = raw.bindings.iter().flatten().enumerate();
        Self {
            bindings: bindings.map(|(index, binding)| rule(index, binding)).collect(),
            broadcast: broadcast(raw, &agents),
            agents,
            default_agent: settings.default_agent,
        }
    }

    /// The agent that a binding's agent stands for: itself when it is known, else the default one.
    #[must_use]
    pub fn agent_of<'a>(&'a self, binding: &'a BindingRule) -> &'a AgentId {
        match (&binding.agent, &self.agents) {
            (Some(agent), KnownAgents::Any) => agent,
            (Some(agent), KnownAgents::Listed(list)) if list.contains(agent) => agent,
            _ => &self.default_agent,
        }
    }
}

fn rule(index: usize, binding: &Binding) -> BindingRule {
    let matching = &binding.matching;
    BindingRule {
        index,
        agent: written(Some(&binding.agent_id)).map(|agent| AgentId::sanitized(&agent)),
        comment: written(binding.comment.as_deref()),
        channel: matching.channel.trim().to_lowercase(),
        account: account(matching.account_id.as_deref()),
        peer: matching.peer.as_ref().map_or(PeerMatch::Any, peer),
        guild: written(matching.guild_id.as_deref()),
        team: written(matching.team_id.as_deref()),
        roles: matching.roles.clone().unwrap_or_default(),
    }
}

fn account(text: Option<&str>) -> AccountMatch {
    match text.map(str::trim) {
        None | Some("") => AccountMatch::Default,
        Some("*") => AccountMatch::Any,
        Some(account) => AccountMatch::Only(AccountId::sanitized(account)),
    }
}

fn peer(peer: &BindingPeer) -> PeerMatch {
    let kind = match peer.kind {
        ChatType::Direct | ChatType::Dm => ChatKind::Direct,
        ChatType::Group => ChatKind::Group,
        ChatType::Channel => ChatKind::Channel,
    };
    match peer.id.trim() {
        "" => PeerMatch::Nothing,
        id => PeerMatch::Only(kind, id.to_owned()),
    }
}

fn broadcast(raw: &RawConfig, known: &KnownAgents) -> BTreeMap<String, BroadcastGroup> {
    let Some(section) = &raw.broadcast else { return BTreeMap::new() };
    let strategy = section.strategy.unwrap_or(BroadcastStrategy::Parallel);
    let mut groups = BTreeMap::new();
    for (peer, names) in &section.extra {
        let mut agents: Vec<AgentId> = Vec::new();
        for agent in names.iter().map(|name| AgentId::sanitized(name)) {
            let is_known = match known {
                KnownAgents::Any => true,
                KnownAgents::Listed(list) => list.contains(&agent),
            };
            if is_known && !agents.contains(&agent) {
                agents.push(agent);
            }
        }
        if !agents.is_empty() {
            groups.insert(peer.trim().to_owned(), BroadcastGroup { agents, strategy });
        }
    }
    groups
}

fn written(text: Option<&str>) -> Option<String> {
    text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}
