//! The vocabulary of a session key: what a session is about, and the thread it may hang in.
//!
//! Plain data. A scope on its own promises nothing about its text; `SessionKey` brings it into normal form.

use std::sync::Arc;

use crate::{
    AccountId, ChannelId, ChatKind, EventId, GroupId, JobId, NodeId, PeerId, RunId, SessionId, TaskId,
    ThreadId,
};

/// What a session is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SessionScope {
    /// The one conversation of everybody with everything (`session.scope` is `global`). Belongs to no agent.
    Global,
    /// Runs whose conversation is not known. Belongs to no agent.
    Unknown,
    /// The agent's main conversation, named `main`.
    Main,
    /// One person, on every channel.
    Peer(DirectWord, PeerId),
    /// One person on one channel.
    ChannelPeer(ChannelId, DirectWord, PeerId),
    /// One person on one channel, seen by one of our accounts.
    AccountPeer(ChannelId, AccountId, DirectWord, PeerId),
    /// A group of people.
    Group(ChannelId, GroupId),
    /// A room.
    Room(ChannelId, GroupId),
    /// A group whose channel was not written down; `SessionKey::on_channel` completes it.
    BareGroup(GroupId),
    /// The native commands of one person on one channel.
    Slash(ChannelId, PeerId),
    /// A delegated task and the tasks it was delegated by.
    Subagent(Lineage),
    /// A scheduled job.
    Cron(JobId),
    /// One run of a scheduled job.
    CronRun(JobId, SessionId),
    /// A call of a web hook.
    Hook(EventId),
    /// What a node asks for by itself.
    Node(NodeId),
    /// A foreign agent that we steer.
    Acp(TaskId),
    /// A session that a client began under an id of its own choice.
    Explicit(SessionId),
    /// A request of an OpenAI-compatible interface that names no user.
    ApiRequest(ApiInterface, RunId),
    /// All requests of an OpenAI-compatible interface that name this user.
    ApiUser(ApiInterface, PeerId),
    /// Any other session, by its name: a custom main key, a name a client chose, a form of a later version.
    Other(SessionName),
}

impl SessionScope {
    /// One person on every channel.
    #[must_use]
    pub fn peer(peer: PeerId) -> Self {
        Self::Peer(DirectWord::Direct, peer)
    }

    /// One person on one channel.
    #[must_use]
    pub fn channel_peer(channel: ChannelId, peer: PeerId) -> Self {
        Self::ChannelPeer(channel, DirectWord::Direct, peer)
    }

    /// One person on one channel, seen by one of our accounts.
    #[must_use]
    pub fn account_peer(channel: ChannelId, account: AccountId, peer: PeerId) -> Self {
        Self::AccountPeer(channel, account, DirectWord::Direct, peer)
    }

    /// A task that a person or a session without a task of its own delegated.
    #[must_use]
    pub fn subagent(task: TaskId) -> Self {
        Self::Subagent(Lineage::of(task))
    }

    /// The kind of chat this scope says it is; `None` where a scope is no chat.
    #[must_use]
    pub fn chat_kind(&self) -> Option<ChatKind> {
        match self {
            Self::Peer(..) | Self::ChannelPeer(..) | Self::AccountPeer(..) => Some(ChatKind::Direct),
            Self::Group(..) | Self::BareGroup(_) => Some(ChatKind::Group),
            Self::Room(..) => Some(ChatKind::Channel),
            // People choose the keys of their hooks, and some name a chat in them.
            Self::Hook(call) => super::parse::chat_kind_of_name(call.as_str()),
            Self::Other(name) => super::parse::chat_kind_of_name(name.as_str()),
            _ => None,
        }
    }

    /// The channel this scope is bound to.
    #[must_use]
    pub fn channel(&self) -> Option<&ChannelId> {
        match self {
            Self::ChannelPeer(channel, ..)
            | Self::AccountPeer(channel, ..)
            | Self::Group(channel, _)
            | Self::Room(channel, _)
            | Self::Slash(channel, _) => Some(channel),
            _ => None,
        }
    }
}

/// The name of a session that has no form of its own: never empty, in lower case. Made by `SessionKey` only.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionName(Arc<str>);

impl SessionName {
    /// Takes checked, lower-cased text.
    pub(super) fn of(text: &str) -> Self {
        Self(text.into())
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The word for a direct chat. Both name the same session; `SessionKey::canonical` turns the older into the newer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DirectWord {
    /// `direct`, written today.
    Direct,
    /// `dm`, found in older stores.
    Dm,
}

/// The OpenAI-compatible interface that a request came over. Each has sessions of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApiInterface {
    /// `/v1/chat/completions`.
    ChatCompletions,
    /// `/v1/responses`.
    Responses,
}

/// A delegated task with its ancestors, oldest first. Never empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Lineage {
    ancestors: Vec<TaskId>,
    task: TaskId,
}

impl Lineage {
    /// A task without ancestors.
    #[must_use]
    pub fn of(task: TaskId) -> Self {
        Self { ancestors: Vec::new(), task }
    }

    /// The task that `task` is delegated to by this one.
    #[must_use]
    pub fn then(mut self, task: TaskId) -> Self {
        self.ancestors.push(self.task);
        Self { ancestors: self.ancestors, task }
    }

    /// The task itself, the youngest of the line.
    #[must_use]
    pub fn task(&self) -> &TaskId {
        &self.task
    }

    /// How many tasks deep this is; at least one.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.ancestors.len() + 1
    }

    /// The task that delegated this one, when it was a task.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let (task, ancestors) = self.ancestors.split_last()?;
        Some(Self { ancestors: ancestors.to_vec(), task: task.clone() })
    }

    /// Every task of the line, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &TaskId> {
        self.ancestors.iter().chain([&self.task])
    }
}

/// A thread below a session.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionThread {
    /// The word the key uses for it.
    pub marker: ThreadMarker,
    /// The platform's name for it.
    pub id: ThreadId,
}

/// The word a key uses for a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ThreadMarker {
    /// A thread of replies.
    Thread,
    /// A topic of a forum.
    Topic,
}

impl ThreadMarker {
    /// The word as it stands in a key.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Thread => "thread",
            Self::Topic => "topic",
        }
    }

    /// The word with the colons around it, as it parts a key from its thread.
    pub(super) fn between_colons(self) -> &'static str {
        match self {
            Self::Thread => ":thread:",
            Self::Topic => ":topic:",
        }
    }
}
