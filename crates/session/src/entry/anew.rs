//! Decides what a session keeps when it begins anew.
//!
//! Where and with whom it talks always stays, and so do decisions that make it safer. Choices for one conversation go
//! when a session went stale by itself, stay when a person asked for a new one, and the counters begin at zero.

use openclaw_types::{SessionEntry, SessionFacts, SessionId, UnixMillis};
use serde_json::Map;

use super::route::FORKED;

/// Why a session begins anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AnewReason {
    /// It was stale.
    Stale,
    /// A person said so in the conversation.
    Asked,
    /// A client or a command asked for it from outside of the conversation.
    Request,
}

/// The entry of a session that begins anew with another transcript.
pub(crate) fn begin_anew(
    old: &SessionEntry,
    session: SessionId,
    at: UnixMillis,
    reason: AnewReason,
) -> SessionEntry {
    let facts = match reason {
        AnewReason::Stale => stale(&old.facts),
        AnewReason::Asked => asked(&old.facts),
        AnewReason::Request => request(&old.facts),
    };
    let mut other = match reason {
        AnewReason::Request => Map::new(),
        AnewReason::Stale | AnewReason::Asked => old.other.clone(),
    };
    other.remove(FORKED);
    SessionEntry { session_id: session, updated_at: at, facts, other }
}

/// What is true of the conversation itself, and what a person decided for its safety.
fn lasting(old: &SessionFacts) -> SessionFacts {
    SessionFacts {
        system_sent: Some(false),
        aborted_last_run: Some(false),
        chat_type: old.chat_type.clone(),
        channel: old.channel.clone(),
        group_id: old.group_id.clone(),
        group_channel: old.group_channel.clone(),
        space: old.space.clone(),
        subject: old.subject.clone(),
        display_name: old.display_name.clone(),
        label: old.label.clone(),
        origin: old.origin.clone(),
        delivery_context: old.delivery_context.clone(),
        last_channel: old.last_channel.clone(),
        last_to: old.last_to.clone(),
        last_account_id: old.last_account_id.clone(),
        last_thread_id: old.last_thread_id.clone(),
        send_policy: old.send_policy.clone(),
        group_activation: old.group_activation.clone(),
        room_tools: old.room_tools.clone(),
        docked_at: old.docked_at.clone(),
        spawned_by: old.spawned_by.clone(),
        spawn_depth: old.spawn_depth,
        model_provider: old.model_provider.clone(),
        model: old.model.clone(),
        skills_snapshot: old.skills_snapshot.clone(),
        ..SessionFacts::default()
    }
}

fn stale(old: &SessionFacts) -> SessionFacts {
    SessionFacts {
        elevated_level: old.elevated_level.clone(),
        exec_host: old.exec_host.clone(),
        exec_security: old.exec_security.clone(),
        exec_ask: old.exec_ask.clone(),
        exec_node: old.exec_node.clone(),
        auth_profile_override: old.auth_profile_override.clone(),
        auth_profile_override_source: old.auth_profile_override_source.clone(),
        acp: old.acp.clone(),
        compaction_count: Some(0),
        ..lasting(old)
    }
}

fn asked(old: &SessionFacts) -> SessionFacts {
    SessionFacts {
        thinking_level: old.thinking_level.clone(),
        verbose_level: old.verbose_level.clone(),
        reasoning_level: old.reasoning_level.clone(),
        tts_auto: old.tts_auto.clone(),
        provider_override: old.provider_override.clone(),
        model_override: old.model_override.clone(),
        ..stale(old)
    }
}

fn request(old: &SessionFacts) -> SessionFacts {
    SessionFacts {
        thinking_level: old.thinking_level.clone(),
        verbose_level: old.verbose_level.clone(),
        reasoning_level: old.reasoning_level.clone(),
        response_usage: old.response_usage.clone(),
        provider_override: old.provider_override.clone(),
        model_override: old.model_override.clone(),
        context_tokens: old.context_tokens,
        input_tokens: Some(0),
        output_tokens: Some(0),
        total_tokens: Some(0),
        total_tokens_fresh: Some(true),
        ..lasting(old)
    }
}
