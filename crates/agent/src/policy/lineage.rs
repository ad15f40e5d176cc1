//! What the settings of channels say about the group a run answers in, and about the person it answers.
//!
//! A sub-agent works for the session that started it, whatever its own key says: the groups of all sessions above it
//! count as well, so that nobody gets tools by having a sub-agent started. Which rules of a group count is decided in
//! `circles`.

use openclaw_config::Config;
use openclaw_config::sections::ToolLists;
use openclaw_ports::stores::SessionStore;
use openclaw_types::{PeerId, SessionKey, SessionScope, ToolRule};

use super::circles::{GroupSections, SenderNames, circle_rules};
use super::decide::CircleRules;
use crate::run::RunOrder;

/// How many sessions above a sub-agent are looked at. Sub-agents are never started that deep.
const MOST_ABOVE: usize = 16;

/// The rules of the group a run answers in, and of those that the sessions above it answer in.
pub(crate) async fn circles(
    sessions: &dyn SessionStore,
    config: &Config,
    order: &RunOrder,
) -> Vec<CircleRules> {
    let mut rules = of_group(config, &order.key, order);
    rules.extend(order.room.as_ref().map(of_room));
    let mut below = order.key.clone();
    for _ in 0..MOST_ABOVE {
        match above(sessions, &below).await {
            Above::Session(key) => {
                rules.extend(of_group(config, &key, order));
                below = key;
            }
            Above::Nobody => return rules,
            Above::Unknown(why) => {
                tracing::error!(subsystem = "agent", session = %below, "{why}; its sub-agent gets no tools");
                break;
            }
        }
    }
    // Nobody knows whose tools these would be.
    let deny = Some(vec!["*".to_owned()]);
    let path = "the list for sub-agents whose parent session cannot be read".to_owned();
    rules.push(CircleRules { path, lists: ToolLists { deny, ..ToolLists::default() } });
    rules
}

/// The session above another.
enum Above {
    Session(SessionKey),
    Nobody,
    Unknown(String),
}

async fn above(sessions: &dyn SessionStore, below: &SessionKey) -> Above {
    if !below.is_subagent() {
        return Above::Nobody;
    }
    let Some(agent) = below.agent() else { return Above::Nobody };
    let written = match sessions.entry(agent, below).await {
        Ok(entry) => entry.and_then(|entry| entry.facts.spawned_by.clone()),
        Err(fault) => return Above::Unknown(fault.to_string()),
    };
    match written.as_deref().map(str::parse) {
        None => Above::Nobody,
        Some(Ok(key)) => Above::Session(key),
        Some(Err(fault)) => Above::Unknown(format!("spawnedBy is no session key: {fault}")),
    }
}

/// What the account that a message came over says about the room it came from.
fn of_room(rule: &ToolRule) -> CircleRules {
    let filled = |list: &Vec<String>| (!list.is_empty()).then(|| list.clone());
    let lists = ToolLists {
        allow: rule.allow.clone(),
        also_allow: filled(&rule.also_allow),
        deny: filled(&rule.deny),
    };
    CircleRules { path: "the tools of the room that the message came from".to_owned(), lists }
}

fn of_group(config: &Config, key: &SessionKey, order: &RunOrder) -> Vec<CircleRules> {
    let (SessionScope::Group(channel, group) | SessionScope::Room(channel, group)) = key.scope() else {
        return Vec::new();
    };
    let section = config.raw.channels.get(channel.as_str());
    let Some(groups) = section.and_then(|section| section.value().get("groups")) else { return Vec::new() };
    let path = format!("channels.{channel}.groups");
    let names: Vec<&str> = order.sender.name.as_deref().into_iter().collect();
    let sender = SenderNames { id: order.sender.peer.as_ref().map(PeerId::as_str), names: &names };
    circle_rules(GroupSections { path: &path, group: group.as_str(), groups }, sender)
}
