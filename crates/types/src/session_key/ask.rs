//! The questions engines ask a session key, so that none of them looks at its text.
//!
//! Pure. Questions that depend on settings, such as `is_main`, live in `resolve`.

use super::key::SessionKey;
use super::scope::{DirectWord, Lineage, SessionScope};
use crate::{AgentId, ChannelId, ChatKind, JobId, SessionId, TaskId};

impl SessionKey {
    /// The same session in today's spelling: `dm` becomes `direct`.
    #[must_use]
    pub fn canonical(&self) -> Self {
        let scope = match self.scope() {
            SessionScope::Peer(DirectWord::Dm, peer) => SessionScope::peer(peer.clone()),
            SessionScope::ChannelPeer(channel, DirectWord::Dm, peer) => {
                SessionScope::channel_peer(channel.clone(), peer.clone())
            }
            SessionScope::AccountPeer(channel, account, DirectWord::Dm, peer) => {
                SessionScope::account_peer(channel.clone(), account.clone(), peer.clone())
            }
            _ => return self.clone(),
        };
        self.with_scope(&scope)
    }

    /// Completes a bare group with the channel it was seen on; other keys stay as they are.
    #[must_use]
    pub fn on_channel(&self, channel: &ChannelId) -> Self {
        match self.scope() {
            SessionScope::BareGroup(group) => {
                self.with_scope(&SessionScope::Group(channel.clone(), group.clone()))
            }
            _ => self.clone(),
        }
    }

    /// What kind of chat it is; `None` for sessions that are no chat with a platform, the main session among them.
    #[must_use]
    pub fn chat_kind(&self) -> Option<ChatKind> {
        self.scope().chat_kind()
    }

    /// Whether several people may read along: a group or a room.
    #[must_use]
    pub fn is_group(&self) -> bool {
        matches!(self.chat_kind(), Some(ChatKind::Group | ChatKind::Channel))
    }

    /// The channel the session is bound to.
    #[must_use]
    pub fn channel(&self) -> Option<&ChannelId> {
        self.scope().channel()
    }

    /// Whether it is the session of a delegated task.
    #[must_use]
    pub fn is_subagent(&self) -> bool {
        matches!(self.scope(), SessionScope::Subagent(_))
    }

    /// How many delegations deep it is; zero when it is no delegated task.
    #[must_use]
    pub fn subagent_depth(&self) -> usize {
        match self.scope() {
            SessionScope::Subagent(lineage) => lineage.depth(),
            _ => 0,
        }
    }

    /// The session of a task that this session delegates to `agent`; nests when this is a delegated task itself.
    #[must_use]
    pub fn spawn(&self, agent: &AgentId, task: TaskId) -> Self {
        let lineage = match self.scope() {
            SessionScope::Subagent(lineage) => lineage.clone().then(task),
            _ => Lineage::of(task),
        };
        Self::new(agent, SessionScope::Subagent(lineage))
    }

    /// The session one step up: the one a thread hangs below, the task that delegated a nested task, the job of a run.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        if self.thread().is_some() {
            return self.without_thread();
        }
        let agent = self.agent()?;
        match self.scope() {
            SessionScope::Subagent(lineage) => {
                Some(Self::new(agent, SessionScope::Subagent(lineage.parent()?)))
            }
            SessionScope::CronRun(job, _) => Some(Self::new(agent, SessionScope::Cron(job.clone()))),
            _ => None,
        }
    }

    /// Whether it belongs to a scheduled job, a single run included.
    #[must_use]
    pub fn is_cron(&self) -> bool {
        self.cron_job().is_some()
    }

    /// Whether it is a single run of a scheduled job.
    #[must_use]
    pub fn is_cron_run(&self) -> bool {
        matches!(self.scope(), SessionScope::CronRun(..))
    }

    /// The scheduled job it belongs to.
    #[must_use]
    pub fn cron_job(&self) -> Option<&JobId> {
        match self.scope() {
            SessionScope::Cron(job) | SessionScope::CronRun(job, _) => Some(job),
            _ => None,
        }
    }

    /// The session of one run of this job; `None` when this is no job's session.
    #[must_use]
    pub fn cron_run(&self, run: SessionId) -> Option<Self> {
        let job = self.cron_job()?.clone();
        Some(Self::new(self.agent()?, SessionScope::CronRun(job, run)))
    }

    /// Whether a web hook started it.
    #[must_use]
    pub fn is_hook(&self) -> bool {
        matches!(self.scope(), SessionScope::Hook(_))
    }

    /// Whether a foreign agent answers in it.
    #[must_use]
    pub fn is_acp(&self) -> bool {
        matches!(self.scope(), SessionScope::Acp(_))
    }

    /// The id that a client chose for this session.
    #[must_use]
    pub fn explicit_id(&self) -> Option<&SessionId> {
        match self.scope() {
            SessionScope::Explicit(id) => Some(id),
            _ => None,
        }
    }

    /// Whether the text without the agent begins with `prefix`, in any case (`keyPrefix` of a send policy).
    #[must_use]
    pub fn short_text_begins_with(&self, prefix: &str) -> bool {
        self.short_text().starts_with(&prefix.trim().to_lowercase())
    }

    /// Whether the full text begins with `prefix`, in any case (`rawKeyPrefix` of a send policy).
    #[must_use]
    pub fn text_begins_with(&self, prefix: &str) -> bool {
        self.as_str().starts_with(&prefix.trim().to_lowercase())
    }
}
