//! `status`: heartbeats, queued events and sessions at a glance.
//!
//! Only the shapes. The gateway gathers the answer and leaves out paths for those without the admin scope.

use openclaw_types::UnixMillis;

use super::AnyParams;
use crate::method::methods;
use crate::shape::object;

methods! {
    /// Answers what the gateway is busy with.
    Status = "status": AnyParams => StatusResult;
}

object! {
    /// The state of work.
    open StatusResult {
        link_channel?: LinkChannel,
        heartbeat: HeartbeatStatus,
        channel_summary: Vec<String>,
        queued_system_events: Vec<String>,
        sessions: SessionsStatus,
    }
    /// The channel that is linked by scanning a code.
    open LinkChannel {
        id: String,
        label: String,
        linked: bool,
        auth_age_ms: Option<u64>,
    }
    /// When agents wake by themselves.
    open HeartbeatStatus {
        default_agent_id: String,
        agents: Vec<AgentHeartbeatStatus>,
    }
    /// When one agent wakes by itself.
    open AgentHeartbeatStatus {
        agent_id: String,
        enabled: bool,
        every: String,
        every_ms: Option<u64>,
    }
    /// Sessions of all agents.
    open SessionsStatus {
        paths: Vec<String>,
        count: u64,
        defaults: SessionModelDefaults,
        recent: Vec<SessionStatus>,
        by_agent: Vec<AgentSessionsStatus>,
    }
    /// The model of a session that names none.
    open SessionModelDefaults {
        model: Option<String>,
        context_tokens: Option<u64>,
    }
    /// Sessions of one agent.
    open AgentSessionsStatus {
        agent_id: String,
        path: String,
        count: u64,
        recent: Vec<SessionStatus>,
    }
    /// One session.
    open SessionStatus {
        agent_id?: String,
        key: String,
        kind: String,
        session_id?: String,
        updated_at: Option<UnixMillis>,
        age: Option<u64>,
        thinking_level?: String,
        verbose_level?: String,
        reasoning_level?: String,
        elevated_level?: String,
        system_sent?: bool,
        aborted_last_run?: bool,
        input_tokens?: u64,
        output_tokens?: u64,
        cache_read?: u64,
        cache_write?: u64,
        total_tokens: Option<u64>,
        total_tokens_fresh: bool,
        remaining_tokens: Option<u64>,
        percent_used: Option<u64>,
        model: Option<String>,
        context_tokens: Option<u64>,
        flags: Vec<String>,
    }
}
