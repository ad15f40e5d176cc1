//! Which agents there are and which one answers by default.
//!
//! Without a list there is one agent, `main`. The default is the first entry marked so, else the first entry.
//! Ids are lower-cased and sanitised the way the original does, so that its directories are found again.

use openclaw_types::AgentId;

use super::heartbeat::{self, Heartbeat, HeartbeatRule};
use super::models::ModelPreference;
use super::problem::ConfigProblem;
use crate::sections::{AgentEntry, AgentsSection};

const MAX_AGENT_ID_CHARS: usize = 64;

/// Which agents there are. Never empty.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentSettings {
    /// The agents in the order of the file, each id once.
    pub list: Vec<ResolvedAgent>,
    /// The one that answers when nothing else decides.
    pub default_agent: AgentId,
}

/// One agent.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedAgent {
    /// Its id.
    pub id: AgentId,
    /// Its name for people.
    pub name: Option<String>,
    /// When it wakes by itself.
    pub heartbeat: Heartbeat,
    /// The models that answer, where it has its own.
    pub model: Option<ModelPreference>,
}

impl AgentSettings {
    /// The agent with an id.
    #[must_use]
    pub fn get(&self, id: &AgentId) -> Option<&ResolvedAgent> {
        self.list.iter().find(|agent| agent.id == *id)
    }

    /// The agents as people are shown them: the default one first, the others by name.
    #[must_use]
    pub fn default_first(&self) -> Vec<&ResolvedAgent> {
        let mut agents: Vec<&ResolvedAgent> = self.list.iter().collect();
        agents.sort_by_key(|agent| (!self.is_default(&agent.id), &agent.id));
        agents
    }

    /// Whether an agent is the default one.
    #[must_use]
    pub fn is_default(&self, id: &AgentId) -> bool {
        self.default_agent == *id
    }
}

pub(super) fn resolve(raw: Option<&AgentsSection>, problems: &mut Vec<ConfigProblem>) -> AgentSettings {
    let entries = raw.and_then(|agents| agents.list.as_deref()).unwrap_or_default();
    let defaults =
        raw.and_then(|agents| agents.defaults.as_ref()).and_then(|defaults| defaults.heartbeat.as_ref());
    let default_agent = default_agent(entries, problems);
    let rule = HeartbeatRule::new(entries, defaults);
    let mut list: Vec<ResolvedAgent> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let id = normal_id(&entry.id);
        if list.iter().any(|agent| agent.id == id) {
            problems.push(
                ConfigProblem::warning(
                    format!("agents.list[{index}].id"),
                    "is used by an earlier agent; this entry is ignored",
                )
                .hint("give every agent an id of its own"),
            );
            continue;
        }
        let name = entry.name.as_deref().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
        let place = heartbeat::Subject { is_default: id == default_agent, own: entry.heartbeat.as_ref() };
        let model = entry.model.as_ref().map(ModelPreference::of);
        list.push(ResolvedAgent { heartbeat: rule.resolve(&place), id, name, model });
    }
    if list.is_empty() {
        let place = heartbeat::Subject { is_default: true, own: None };
        let heartbeat = rule.resolve(&place);
        list.push(ResolvedAgent { id: default_agent.clone(), name: None, heartbeat, model: None });
    }
    AgentSettings { list, default_agent }
}

fn default_agent(entries: &[AgentEntry], problems: &mut Vec<ConfigProblem>) -> AgentId {
    let mut marked = entries.iter().enumerate().filter(|(_, entry)| entry.default == Some(true));
    let first = marked.next();
    if let Some((index, _)) = marked.next() {
        problems.push(
            ConfigProblem::warning(
                format!("agents.list[{index}].default"),
                "another agent is already the default; that one is used",
            )
            .hint("keep default: true on one agent only"),
        );
    }
    let chosen = first.map(|(_, entry)| entry).or_else(|| entries.first());
    chosen.map_or_else(AgentId::main, |entry| normal_id(&entry.id))
}

/// Makes an id of what a person wrote; `main` when nothing usable is left.
///
/// A text that already has the form of an id is only lower-cased. In any other, each run of other characters becomes
/// one dash, and dashes at the ends go away.
pub(super) fn normal_id(written: &str) -> AgentId {
    let lower = written.trim().to_lowercase();
    let text = if has_id_form(&lower) { lower } else { dashed(&lower) };
    AgentId::new(&text).unwrap_or_else(|_nothing_left| AgentId::main())
}

fn has_id_form(text: &str) -> bool {
    text.len() <= MAX_AGENT_ID_CHARS
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.chars().all(is_id_letter)
}

fn is_id_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'
}

fn dashed(text: &str) -> String {
    let mut out = String::new();
    let mut in_gap = false;
    for letter in text.chars() {
        let usable = is_id_letter(letter);
        if usable {
            out.push(letter);
        } else if !in_gap {
            out.push('-');
        }
        in_gap = !usable;
    }
    out.trim_matches('-').chars().take(MAX_AGENT_ID_CHARS).collect()
}
