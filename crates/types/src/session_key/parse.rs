//! Reads the part of a session key after `agent:<id>:`.
//!
//! Total: every text is some scope. A form is recognised only when printing it gives the very same text; everything
//! else is kept as it is in `SessionScope::Other`, so nothing is lost. Callers pass trimmed, lower-cased text.

use super::print;
use super::scope::{
    ApiInterface, DirectWord, Lineage, SessionName, SessionScope, SessionThread, ThreadMarker,
};
use crate::{
    AccountId, ChannelId, ChatKind, EventId, GroupId, IdError, JobId, NodeId, PeerId, RunId, SessionId,
    TaskId, ThreadId,
};

/// Splits the rest of a key into what it is about and the thread below it.
pub(super) fn rest(text: &str) -> (SessionScope, Option<SessionThread>) {
    let read = match split_thread(text) {
        Some((base, thread)) => (scope(base), Some(thread)),
        None => (scope(text), None),
    };
    let is_the_text = matches!(&read, (SessionScope::Other(_), None));
    match is_the_text || print::rest(&read.0, read.1.as_ref()) == text {
        true => read,
        false => (SessionScope::Other(SessionName::of(text)), None),
    }
}

/// The kind of chat that a session of unknown form seems to be, by the words in its name.
pub(super) fn chat_kind_of_name(name: &str) -> Option<ChatKind> {
    let words: Vec<&str> = name.split(':').filter(|word| !word.is_empty()).collect();
    let has = |wanted: &str| words.contains(&wanted);
    if has("group") {
        return Some(ChatKind::Group);
    }
    // Stores of early versions wrote rooms as `guild-<id>:channel-<id>`.
    let early_room = matches!(words.as_slice(), [_, .., guild, room] if guild.starts_with("guild-") && room.starts_with("channel-"));
    if has("channel") || early_room {
        return Some(ChatKind::Channel);
    }
    (has("direct") || has("dm")).then_some(ChatKind::Direct)
}

/// Cuts at the last marker, because an id in front of it may hold colons.
fn split_thread(text: &str) -> Option<(&str, SessionThread)> {
    // Most keys of people's own sessions have no part that could be one.
    text.find(':')?;
    let (at, marker) = [ThreadMarker::Thread, ThreadMarker::Topic]
        .into_iter()
        .filter_map(|marker| Some((text.rfind(marker.between_colons())?, marker)))
        .max_by_key(|(at, _)| *at)?;
    let base = text.get(..at)?;
    let id = text.get(at + marker.between_colons().len()..)?;
    let id = ThreadId::new(id).ok()?;
    // What is left has to be a key of its own.
    let names_something = base.chars().any(|letter| letter != ':' && !letter.is_whitespace());
    names_something.then_some((base, SessionThread { marker, id }))
}

fn scope(text: &str) -> SessionScope {
    let read = match text.split_once(':') {
        None => Ok(single(text)),
        Some((head, tail)) => headed(head, tail).unwrap_or_else(|| on_channel(head, tail)),
    };
    match read {
        Ok(Some(scope)) => scope,
        Ok(None) | Err(_) => SessionScope::Other(SessionName::of(text)),
    }
}

fn single(text: &str) -> Option<SessionScope> {
    match text {
        "main" => Some(SessionScope::Main),
        _ => NodeId::new(text.strip_prefix("node-")?).ok().map(SessionScope::Node),
    }
}

type Read = Result<Option<SessionScope>, IdError>;

/// Forms that are told by their first word; `None` when the first word is none of them.
fn headed(head: &str, tail: &str) -> Option<Read> {
    let some = |scope: Result<SessionScope, IdError>| Some(scope.map(Some));
    match head {
        "direct" => some(PeerId::new(tail).map(|peer| SessionScope::Peer(DirectWord::Direct, peer))),
        "dm" => some(PeerId::new(tail).map(|peer| SessionScope::Peer(DirectWord::Dm, peer))),
        "group" => some(GroupId::new(tail).map(SessionScope::BareGroup)),
        "subagent" => Some(lineage(tail)),
        "cron" => some(cron(tail)),
        "hook" => some(EventId::new(tail).map(SessionScope::Hook)),
        "acp" => some(TaskId::new(tail).map(SessionScope::Acp)),
        "explicit" => some(SessionId::new(tail).map(SessionScope::Explicit)),
        "openai" => some(api_request(ApiInterface::ChatCompletions, tail)),
        "openai-user" => some(api_user(ApiInterface::ChatCompletions, tail)),
        "openresponses" => some(api_request(ApiInterface::Responses, tail)),
        "openresponses-user" => some(api_user(ApiInterface::Responses, tail)),
        "channel" | "main" => Some(Ok(None)),
        _ => None,
    }
}

fn api_request(interface: ApiInterface, tail: &str) -> Result<SessionScope, IdError> {
    RunId::new(tail).map(|run| SessionScope::ApiRequest(interface, run))
}

fn api_user(interface: ApiInterface, tail: &str) -> Result<SessionScope, IdError> {
    PeerId::new(tail).map(|user| SessionScope::ApiUser(interface, user))
}

fn lineage(tail: &str) -> Read {
    let mut tasks = tail.split(":subagent:").map(TaskId::new);
    let Some(first) = tasks.next() else { return Ok(None) };
    let line = tasks.try_fold(Lineage::of(first?), |line, task| Ok::<_, IdError>(line.then(task?)))?;
    Ok(Some(SessionScope::Subagent(line)))
}

fn cron(tail: &str) -> Result<SessionScope, IdError> {
    match tail.split(':').collect::<Vec<_>>().as_slice() {
        [job, "run", run] => Ok(SessionScope::CronRun(JobId::new(job)?, SessionId::new(run)?)),
        _ => JobId::new(tail).map(SessionScope::Cron),
    }
}

/// Forms that begin with a channel: `<channel>:<kind>:<id>` and `<channel>:<account>:direct:<id>`.
fn on_channel(channel: &str, tail: &str) -> Read {
    let Some((second, rest)) = tail.split_once(':') else { return Ok(None) };
    let channel = ChannelId::new(channel)?;
    if let Some(word) = direct_word(second) {
        return Ok(Some(SessionScope::ChannelPeer(channel, word, PeerId::new(rest)?)));
    }
    match second {
        "group" => return Ok(Some(SessionScope::Group(channel, GroupId::new(rest)?))),
        "channel" => return Ok(Some(SessionScope::Room(channel, GroupId::new(rest)?))),
        "slash" => return Ok(Some(SessionScope::Slash(channel, PeerId::new(rest)?))),
        _ => {}
    }
    let Some((third, peer)) = rest.split_once(':') else { return Ok(None) };
    let Some(word) = direct_word(third) else { return Ok(None) };
    Ok(Some(SessionScope::AccountPeer(channel, AccountId::new(second)?, word, PeerId::new(peer)?)))
}

fn direct_word(word: &str) -> Option<DirectWord> {
    match word {
        "direct" => Some(DirectWord::Direct),
        "dm" => Some(DirectWord::Dm),
        _ => None,
    }
}
