//! `sessions.*`: listing, finding, changing and ending conversations. Their cost is in `usage`.
//!
//! Only the shapes. A stored session keeps keys this version does not know, so that nothing is lost on the way;
//! rules of reset and maintenance live in `session`.

use openclaw_types::UnixMillis;
use serde_json::Value;

use super::approvals::ThreadRef;
use crate::method::methods;
use crate::shape::{Int, List, Natural, NonEmpty, Positive, Text, Yes, choices, object};

methods! {
    /// Lists sessions, newest first.
    SessionsList = "sessions.list": SessionsListParams => SessionsListResult;
    /// Shows the last lines of several sessions.
    SessionsPreview = "sessions.preview": SessionsPreviewParams => SessionsPreviewResult;
    /// Finds the full key of a session.
    SessionsResolve = "sessions.resolve": SessionsResolveParams => SessionsResolveResult;
    /// Changes the preferences of a session.
    SessionsPatch = "sessions.patch": SessionsPatchParams => SessionsPatchResult;
    /// Starts a session anew.
    SessionsReset = "sessions.reset": SessionsResetParams => SessionsResetResult;
    /// Removes a session.
    SessionsDelete = "sessions.delete": SessionsDeleteParams => SessionsDeleteResult;
    /// Shortens the transcript of a session.
    SessionsCompact = "sessions.compact": SessionsCompactParams => SessionsCompactResult;
    /// Goes on from an earlier message, in the same session or in a new one. Ours.
    SessionsBranch = "sessions.branch": SessionsBranchParams => SessionsBranchResult;
}

/// A label people give a session.
pub type SessionLabel = Text<1, 64>;

choices! {
    /// What a session is.
    SessionKind { Direct = "direct", Group = "group", Global = "global", Unknown = "unknown" }
    /// Whether a preview could be made.
    PreviewStatus { Ok = "ok", Empty = "empty", Missing = "missing", Error = "error" }
    /// Who said a line of a preview.
    PreviewRole { User = "user", Assistant = "assistant", Tool = "tool", System = "system", Other = "other" }
    /// How much is told about the cost of an answer.
    ResponseUsage { Off = "off", Tokens = "tokens", Full = "full", On = "on" }
    /// Whether answers may be sent.
    SendPolicy { Allow = "allow", Deny = "deny" }
    /// When an agent answers in a group.
    GroupActivation { Mention = "mention", Always = "always" }
    /// Why a session starts anew.
    ResetReason { New = "new", Reset = "reset" }
}

object! {
    /// Params of `sessions.list`.
    #[derive(Default)]
    closed SessionsListParams {
        limit?: Positive,
        active_minutes?: Positive,
        include_global?: bool,
        include_unknown?: bool,
        include_derived_titles?: bool,
        include_last_message?: bool,
        label?: SessionLabel,
        spawned_by?: NonEmpty,
        agent_id?: NonEmpty,
        search?: String,
    }
    /// Result of `sessions.list`.
    open SessionsListResult {
        ts: UnixMillis,
        /// `(multiple)` when several stores were read.
        path: String,
        count: u64,
        defaults: SessionsDefaults,
        sessions: Vec<SessionRow>,
    }
    /// The model of a session that names none.
    open SessionsDefaults {
        model_provider: Option<String>,
        model: Option<String>,
        context_tokens: Option<u64>,
    }
    /// One session in a list.
    open SessionRow {
        key: String,
        kind: SessionKind,
        label?: String,
        display_name?: String,
        channel?: String,
        subject?: String,
        group_channel?: String,
        space?: String,
        chat_type?: String,
        origin?: SessionOrigin,
        updated_at: Option<UnixMillis>,
        session_id?: String,
        system_sent?: bool,
        aborted_last_run?: bool,
        thinking_level?: String,
        verbose_level?: String,
        reasoning_level?: String,
        elevated_level?: String,
        send_policy?: SendPolicy,
        input_tokens?: u64,
        output_tokens?: u64,
        total_tokens?: u64,
        total_tokens_fresh?: bool,
        response_usage?: ResponseUsage,
        model_provider?: String,
        model?: String,
        context_tokens?: u64,
        delivery_context?: DeliveryContext,
        last_channel?: String,
        last_to?: String,
        last_account_id?: String,
        derived_title?: String,
        last_message_preview?: String,
    }
    /// Where a session came from.
    #[derive(Default)]
    open SessionOrigin {
        label?: String,
        provider?: String,
        surface?: String,
        chat_type?: String,
        from?: String,
        to?: String,
        account_id?: String,
        thread_id?: ThreadRef,
    }
    /// Where answers of a session go.
    #[derive(Default)]
    open DeliveryContext {
        channel?: String,
        to?: String,
        account_id?: String,
        thread_id?: ThreadRef,
    }
    /// A session as it is stored.
    open SessionEntry {
        session_id: String,
        updated_at: UnixMillis,
        session_file?: String,
        system_sent?: bool,
        aborted_last_run?: bool,
        chat_type?: String,
        channel?: String,
        group_id?: String,
        group_channel?: String,
        space?: String,
        subject?: String,
        display_name?: String,
        label?: String,
        origin?: SessionOrigin,
        delivery_context?: DeliveryContext,
        last_channel?: String,
        last_to?: String,
        last_account_id?: String,
        last_thread_id?: ThreadRef,
        thinking_level?: String,
        verbose_level?: String,
        reasoning_level?: String,
        elevated_level?: String,
        exec_host?: String,
        exec_security?: String,
        exec_ask?: String,
        exec_node?: String,
        provider_override?: String,
        model_override?: String,
        auth_profile_override?: String,
        model_provider?: String,
        model?: String,
        context_tokens?: u64,
        input_tokens?: u64,
        output_tokens?: u64,
        total_tokens?: u64,
        total_tokens_fresh?: bool,
        cache_read?: u64,
        cache_write?: u64,
        compaction_count?: u64,
        queue_mode?: String,
        queue_debounce_ms?: u64,
        queue_cap?: u64,
        queue_drop?: String,
        response_usage?: ResponseUsage,
        send_policy?: SendPolicy,
        group_activation?: GroupActivation,
        spawned_by?: String,
        spawn_depth?: u64,
        skills_snapshot?: Value,
        system_prompt_report?: Value,
        acp?: Value,
        ..rest
    }
    /// Params of `sessions.preview`.
    closed SessionsPreviewParams {
        keys: List<NonEmpty, 1, 0>,
        limit?: Positive,
        max_chars?: Int<20>,
    }
    /// Result of `sessions.preview`.
    open SessionsPreviewResult {
        ts: UnixMillis,
        previews: Vec<SessionPreview>,
    }
    /// The last lines of a session.
    open SessionPreview {
        key: String,
        status: PreviewStatus,
        items: Vec<PreviewItem>,
    }
    /// A line of a preview.
    open PreviewItem {
        role: PreviewRole,
        text: String,
    }
    /// Params of `sessions.resolve`; exactly one of key, session id and label.
    closed SessionsResolveParams {
        key?: NonEmpty,
        session_id?: NonEmpty,
        label?: SessionLabel,
        agent_id?: NonEmpty,
        spawned_by?: NonEmpty,
        include_global?: bool,
        include_unknown?: bool,
    }
    /// Result of `sessions.resolve`.
    open SessionsResolveResult {
        ok: Yes,
        key: String,
    }
    /// Params of `sessions.patch`; null clears a preference.
    closed SessionsPatchParams {
        key: NonEmpty,
        label?: Option<SessionLabel>,
        thinking_level?: Option<NonEmpty>,
        verbose_level?: Option<NonEmpty>,
        reasoning_level?: Option<NonEmpty>,
        response_usage?: Option<ResponseUsage>,
        elevated_level?: Option<NonEmpty>,
        exec_host?: Option<NonEmpty>,
        exec_security?: Option<NonEmpty>,
        exec_ask?: Option<NonEmpty>,
        exec_node?: Option<NonEmpty>,
        model?: Option<NonEmpty>,
        spawned_by?: Option<NonEmpty>,
        spawn_depth?: Option<Natural>,
        send_policy?: Option<SendPolicy>,
        group_activation?: Option<GroupActivation>,
    }
    /// Result of `sessions.patch`.
    open SessionsPatchResult {
        ok: Yes,
        path: String,
        key: String,
        entry: SessionEntry,
        resolved?: ResolvedModel,
    }
    /// The model a session uses.
    open ResolvedModel {
        model_provider?: String,
        model?: String,
    }
    /// Params of `sessions.reset`.
    closed SessionsResetParams {
        key: NonEmpty,
        reason?: ResetReason,
    }
    /// Result of `sessions.reset`.
    open SessionsResetResult {
        ok: Yes,
        key: String,
        entry: SessionEntry,
    }
    /// Params of `sessions.delete`.
    closed SessionsDeleteParams {
        key: NonEmpty,
        delete_transcript?: bool,
        emit_lifecycle_hooks?: bool,
    }
    /// Result of `sessions.delete`.
    open SessionsDeleteResult {
        ok: Yes,
        key: String,
        deleted: bool,
        archived: Vec<String>,
    }
    /// Params of `sessions.compact`.
    closed SessionsCompactParams {
        key: NonEmpty,
        max_lines?: Positive,
    }
    /// Params of `sessions.branch`.
    closed SessionsBranchParams {
        key: NonEmpty,
        /// The message to go on from, as `__openclaw.id` of `chat.history` names it.
        entry_id: NonEmpty,
        /// The session that goes on; the same one when absent.
        new_key?: NonEmpty,
    }
    /// Result of `sessions.branch`.
    open SessionsBranchResult {
        ok: Yes,
        key: String,
        entry: SessionEntry,
    }
    /// Result of `sessions.compact`.
    open SessionsCompactResult {
        ok: Yes,
        key: String,
        compacted: bool,
        reason?: String,
        kept?: u64,
        archived?: String,
    }
}
