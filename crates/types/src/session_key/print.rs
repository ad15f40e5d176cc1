//! Writes the text of a session key.
//!
//! Every part is trimmed and lower-cased on its way out, so equal conversations give equal texts. `key` calls this
//! once when a key is built; nobody else joins key text.

use super::scope::{ApiInterface, DirectWord, SessionScope, SessionThread};

/// The text after `agent:<id>:`.
pub(super) fn rest(scope: &SessionScope, thread: Option<&SessionThread>) -> String {
    let mut parts = scope_parts(scope);
    if let Some(thread) = thread {
        parts.push(thread.marker.as_str().to_owned());
        parts.push(token(thread.id.as_str()));
    }
    parts.join(":")
}

fn scope_parts(scope: &SessionScope) -> Vec<String> {
    match scope {
        SessionScope::Global => vec!["global".to_owned()],
        SessionScope::Unknown => vec!["unknown".to_owned()],
        SessionScope::Main => vec!["main".to_owned()],
        SessionScope::Peer(word, peer) => tokens(&[direct(*word), peer.as_str()]),
        SessionScope::ChannelPeer(channel, word, peer) => {
            tokens(&[channel.as_str(), direct(*word), peer.as_str()])
        }
        SessionScope::AccountPeer(channel, account, word, peer) => {
            tokens(&[channel.as_str(), account.as_str(), direct(*word), peer.as_str()])
        }
        SessionScope::Group(channel, group) => tokens(&[channel.as_str(), "group", group.as_str()]),
        SessionScope::Room(channel, room) => tokens(&[channel.as_str(), "channel", room.as_str()]),
        SessionScope::BareGroup(group) => tokens(&["group", group.as_str()]),
        SessionScope::Slash(channel, peer) => tokens(&[channel.as_str(), "slash", peer.as_str()]),
        SessionScope::Subagent(lineage) => {
            lineage.iter().flat_map(|task| tokens(&["subagent", task.as_str()])).collect()
        }
        SessionScope::Cron(job) => tokens(&["cron", job.as_str()]),
        SessionScope::CronRun(job, run) => tokens(&["cron", job.as_str(), "run", run.as_str()]),
        SessionScope::Hook(call) => tokens(&["hook", call.as_str()]),
        SessionScope::Node(node) => vec![format!("node-{}", token(node.as_str()))],
        SessionScope::Acp(task) => tokens(&["acp", task.as_str()]),
        SessionScope::Explicit(id) => tokens(&["explicit", id.as_str()]),
        SessionScope::ApiRequest(ApiInterface::ChatCompletions, run) => tokens(&["openai", run.as_str()]),
        SessionScope::ApiRequest(ApiInterface::Responses, run) => tokens(&["openresponses", run.as_str()]),
        SessionScope::ApiUser(ApiInterface::ChatCompletions, user) => tokens(&["openai-user", user.as_str()]),
        SessionScope::ApiUser(ApiInterface::Responses, user) => {
            tokens(&["openresponses-user", user.as_str()])
        }
        SessionScope::Other(name) => vec![name.as_str().to_owned()],
    }
}

fn direct(word: DirectWord) -> &'static str {
    match word {
        DirectWord::Direct => "direct",
        DirectWord::Dm => "dm",
    }
}

fn tokens(parts: &[&str]) -> Vec<String> {
    parts.iter().map(|part| token(part)).collect()
}

fn token(part: &str) -> String {
    part.trim().to_lowercase()
}
