//! `health`: whether the gateway, its channels and its agents are well.
//!
//! Only the shapes. The answer is made by the gateway, kept, and sent to every client as the `health` event;
//! what channels say about themselves passes through unread.

use std::collections::BTreeMap;

use openclaw_types::UnixMillis;
use serde_json::Value;

use crate::method::methods;
use crate::shape::{Yes, object};

methods! {
    /// Answers whether all is well; any role may ask.
    Health = "health": HealthParams => HealthResult;
}

object! {
    /// Params of `health`.
    #[derive(Eq, Default)]
    open HealthParams {
        /// Ask the platforms themselves instead of answering from memory.
        probe?: bool,
    }
    /// The state of health; also the payload of the `health` event.
    open HealthResult {
        ok: Yes,
        ts: UnixMillis,
        duration_ms: u64,
        /// What each channel says about itself, in its own words.
        channels: BTreeMap<String, Value>,
        channel_order: Vec<String>,
        channel_labels: BTreeMap<String, String>,
        heartbeat_seconds: u64,
        default_agent_id: String,
        agents: Vec<AgentHealth>,
        sessions: SessionStoreHealth,
    }
    /// One agent.
    open AgentHealth {
        agent_id: String,
        name?: String,
        is_default: bool,
        heartbeat: HeartbeatHealth,
        sessions: SessionStoreHealth,
    }
    /// When and how an agent wakes by itself.
    open HeartbeatHealth {
        enabled: bool,
        every: String,
        every_ms: Option<u64>,
        prompt: String,
        target: String,
        model?: String,
        ack_max_chars: u64,
    }
    /// The sessions of one store and the newest among them.
    open SessionStoreHealth {
        path: String,
        count: u64,
        recent: Vec<RecentSession>,
    }
    /// A session and when it was last used.
    open RecentSession {
        key: String,
        updated_at: Option<UnixMillis>,
        age: Option<u64>,
    }
}
