//! Who answers, and in which session.

mod chance;
mod examples;
mod explanations;
mod keys;
mod models;
mod tiers;

use openclaw_config::sections::RawConfig;
use openclaw_config::{RouteSettings, SessionSettings};
use openclaw_types::{
    AccountId, AgentId, ChannelId, ChatKind, ChatPlace, GroupId, PeerId, SessionKey, ThreadId,
};
use serde_json::{Value, json};

use super::*;

fn routes(file: Value) -> RouteSettings {
    let raw: RawConfig = serde_json::from_value(file).unwrap();
    RouteSettings::resolve(&raw)
}

fn seeker(channel: &str, account: &str, place: ChatPlace) -> RouteQuery {
    RouteQuery {
        channel: ChannelId::new(channel).unwrap(),
        account: AccountId::new(account).unwrap(),
        place,
        roles: Vec::new(),
    }
}

fn place(kind: ChatKind, id: &str) -> ChatPlace {
    ChatPlace::new(kind, PeerId::new(id).unwrap(), id)
}

fn thread(id: &str) -> Option<ThreadId> {
    Some(ThreadId::new(id).unwrap())
}

fn group_id(id: &str) -> Option<GroupId> {
    Some(GroupId::new(id).unwrap())
}

fn agent(id: &str) -> AgentId {
    AgentId::new(id).unwrap()
}

fn key(text: &str) -> SessionKey {
    text.parse().unwrap()
}

/// The agent and the tier that decided.
fn found(routes: &RouteSettings, seeker: &RouteQuery) -> (String, &'static str) {
    let route = resolve(routes, &SessionSettings::default(), seeker);
    (route.agent.as_str().to_owned(), route.matched.as_str())
}
