//! `agent`, `agent.wait` and `chat.*`: starting a run, waiting for it, and the chat surface.
//!
//! Only the shapes. Messages stay raw JSON here, because their model lives in `types`; runs are made in `agent`,
//! and their steps arrive as the `agent` and `chat` events.

use openclaw_types::UnixMillis;
use serde_json::Value;

use crate::method::methods;
use crate::shape::{Int, Natural, NonEmpty, Text, Yes, choices, either, object};

methods! {
    /// Starts a run; answers twice under the same id, when it is taken and when it ended.
    Agent = "agent": AgentParams => AgentResult;
    /// Waits for a run to end.
    AgentWait = "agent.wait": AgentWaitParams => AgentWaitResult;
    /// Sends a message as a person in a chat.
    ChatSend = "chat.send": ChatSendParams => ChatSendResult;
    /// Reads the newest messages of a session.
    ChatHistory = "chat.history": ChatHistoryParams => ChatHistoryResult;
    /// Stops runs of a session.
    ChatAbort = "chat.abort": ChatAbortParams => ChatAbortResult;
    /// Puts an answer into a session without a model.
    ChatInject = "chat.inject": ChatInjectParams => ChatInjectResult;
}

choices! {
    /// Who is behind a message.
    ProvenanceKind { ExternalUser = "external_user", InterSession = "inter_session", InternalSystem = "internal_system" }
    /// A run that was taken.
    RunAcceptedStatus { Accepted = "accepted" }
    /// How a run ended.
    RunEndStatus { Ok = "ok", Error = "error" }
    /// How waiting for a run ended.
    RunWaitStatus { Ok = "ok", Error = "error", Timeout = "timeout" }
    /// What became of a message; a repeated one is told how the first is doing.
    ChatSendStatus { Started = "started", InFlight = "in_flight", Ok = "ok" }
}

object! {
    /// Params of `agent`.
    closed AgentParams {
        message: NonEmpty,
        agent_id?: NonEmpty,
        to?: String,
        reply_to?: String,
        session_id?: String,
        session_key?: String,
        thinking?: String,
        deliver?: bool,
        attachments?: Vec<Value>,
        channel?: String,
        reply_channel?: String,
        account_id?: String,
        reply_account_id?: String,
        thread_id?: String,
        group_id?: String,
        group_channel?: String,
        group_space?: String,
        timeout?: Natural,
        best_effort_deliver?: bool,
        lane?: String,
        extra_system_prompt?: String,
        input_provenance?: InputProvenance,
        /// Becomes the run's id.
        idempotency_key: NonEmpty,
        label?: Text<1, 64>,
        spawned_by?: String,
    }
    /// Where a message comes from.
    closed InputProvenance {
        kind: ProvenanceKind,
        source_session_key?: String,
        source_channel?: String,
        source_tool?: String,
    }
    /// The first answer to `agent`.
    open AgentAccepted {
        run_id: String,
        status: RunAcceptedStatus,
        accepted_at: UnixMillis,
    }
    /// The second answer to `agent`.
    open AgentEnded {
        run_id: String,
        status: RunEndStatus,
        summary: String,
        result?: AgentOutcome,
    }
    /// What a run produced.
    open AgentOutcome {
        payloads: Vec<ReplyPayload>,
        meta: RunMeta,
    }
    /// One message of the answer.
    open ReplyPayload {
        text?: String,
        media_url: Option<String>,
        media_urls?: Vec<String>,
    }
    /// What a run took.
    open RunMeta {
        duration_ms: u64,
        agent_meta?: AgentRunMeta,
        aborted?: bool,
        system_prompt_report?: Value,
        stop_reason?: String,
        error?: Value,
    }
    /// Which session and model a run used.
    open AgentRunMeta {
        session_id: String,
        provider: String,
        model: String,
        usage?: RunUsage,
        last_call_usage?: RunUsage,
        prompt_tokens?: u64,
        compaction_count?: u64,
    }
    /// Tokens a run used.
    #[derive(Eq, Default)]
    open RunUsage {
        input?: u64,
        output?: u64,
        cache_read?: u64,
        cache_write?: u64,
        total?: u64,
    }
    /// Params of `agent.wait`.
    closed AgentWaitParams {
        run_id: NonEmpty,
        timeout_ms?: Natural,
    }
    /// Result of `agent.wait`.
    open AgentWaitResult {
        run_id: String,
        status: RunWaitStatus,
        started_at?: UnixMillis,
        ended_at?: UnixMillis,
        error?: String,
    }
    /// Params of `chat.send`.
    closed ChatSendParams {
        session_key: NonEmpty,
        message: String,
        thinking?: String,
        deliver?: bool,
        attachments?: Vec<Value>,
        timeout_ms?: Natural,
        /// Becomes the run's id.
        idempotency_key: NonEmpty,
    }
    /// The message was taken.
    open ChatSendTaken {
        run_id: String,
        status: ChatSendStatus,
    }
    /// Params of `chat.history`.
    closed ChatHistoryParams {
        session_key: NonEmpty,
        limit?: Int<1, 1000>,
    }
    /// Result of `chat.history`.
    open ChatHistoryResult {
        /// As it was sent.
        session_key: String,
        session_id?: String,
        messages: Vec<Value>,
        thinking_level?: String,
        verbose_level?: String,
    }
    /// Params of `chat.abort`.
    closed ChatAbortParams {
        session_key: NonEmpty,
        run_id?: NonEmpty,
    }
    /// Result of `chat.abort`.
    open ChatAbortResult {
        ok: Yes,
        aborted: bool,
        run_ids: Vec<String>,
    }
    /// Params of `chat.inject`.
    closed ChatInjectParams {
        session_key: NonEmpty,
        message: NonEmpty,
        label?: Text<0, 100>,
    }
    /// Result of `chat.inject`.
    open ChatInjectResult {
        ok: Yes,
        message_id: String,
    }
}

either! {
    /// Result of `agent`.
    AgentResult {
        /// The run was taken.
        Accepted(AgentAccepted),
        /// The run ended.
        Ended(AgentEnded),
    }
}

either! {
    /// Result of `chat.send`.
    ChatSendResult {
        /// A run was started, or had been.
        Taken(ChatSendTaken),
        /// The message was a word that stops runs.
        Aborted(ChatAbortResult),
    }
}
