//! `cron.*`: scheduled jobs and their runs.
//!
//! Only the shapes: when a job is due is decided in `schedule`. A job is one type for the wire and for what a client
//! sends back, so it is closed even in results.

use openclaw_types::UnixMillis;

use super::NoParams;
use super::system::WakeMode;
use crate::method::methods;
use crate::shape::{Int, JobFileId, List, Natural, NonEmpty, Num, Positive, choices, either, object, tagged};

methods! {
    /// Lists jobs.
    CronList = "cron.list": CronListParams => CronListResult;
    /// Answers whether the scheduler runs and when it wakes next.
    CronStatus = "cron.status": NoParams => CronStatusResult;
    /// Adds a job.
    CronAdd = "cron.add": CronAddParams => CronJob;
    /// Changes a job.
    CronUpdate = "cron.update": CronUpdateParams => CronJob;
    /// Removes a job.
    CronRemove = "cron.remove": CronRemoveParams => CronRemoveResult;
    /// Runs a job now and waits for it.
    CronRun = "cron.run": CronRunParams => CronRunResult;
    /// Lists past runs.
    CronRuns = "cron.runs": CronRunsParams => CronRunsResult;
}

choices! {
    /// Which jobs are listed.
    CronEnabledFilter { All = "all", Enabled = "enabled", Disabled = "disabled" }
    /// What jobs are ordered by.
    CronSortBy { NextRunAtMs = "nextRunAtMs", UpdatedAtMs = "updatedAtMs", Name = "name" }
    /// Which end comes first.
    SortDirection { Ascending = "asc", Descending = "desc" }
    /// Where a job runs.
    CronSessionTarget { Main = "main", Isolated = "isolated" }
    /// How a run ended.
    CronRunStatus { Ok = "ok", Error = "error", Skipped = "skipped" }
    /// What became of a run's answer.
    CronDeliveryStatus { Delivered = "delivered", NotDelivered = "not-delivered", Unknown = "unknown", NotRequested = "not-requested" }
    /// How a run's answer is delivered.
    CronDeliveryMode { None = "none", Announce = "announce", Webhook = "webhook" }
    /// Whether a job runs only when it is due.
    CronRunMode { Due = "due", Force = "force" }
    /// Whether runs of one job or of all are listed.
    CronRunsScope { Job = "job", All = "all" }
    /// Which runs are listed.
    CronRunsStatusFilter { All = "all", Ok = "ok", Error = "error", Skipped = "skipped" }
    /// Why a job did not run.
    CronNotRunReason { NotDue = "not-due", AlreadyRunning = "already-running" }
    /// The only action that is logged.
    CronLogAction { Finished = "finished" }
    /// What happened to a job.
    CronAction { Added = "added", Updated = "updated", Removed = "removed", Started = "started", Finished = "finished" }
}

object! {
    /// Params of `cron.list`.
    #[derive(Default)]
    closed CronListParams {
        include_disabled?: bool,
        limit?: Int<1, 200>,
        offset?: Natural,
        query?: String,
        enabled?: CronEnabledFilter,
        sort_by?: CronSortBy,
        sort_dir?: SortDirection,
    }
    /// Result of `cron.list`.
    open CronListResult {
        jobs: Vec<CronJob>,
        total: u64,
        offset: u64,
        limit: u64,
        has_more: bool,
        next_offset: Option<u64>,
    }
    /// Result of `cron.status`.
    open CronStatusResult {
        enabled: bool,
        store_path: String,
        jobs: u64,
        next_wake_at_ms: Option<UnixMillis>,
    }
    /// A job.
    closed CronJob {
        id: NonEmpty,
        agent_id?: NonEmpty,
        session_key?: NonEmpty,
        name: NonEmpty,
        description?: String,
        enabled: bool,
        delete_after_run?: bool,
        created_at_ms: UnixMillis,
        updated_at_ms: UnixMillis,
        schedule: CronSchedule,
        session_target: CronSessionTarget,
        wake_mode: WakeMode,
        payload: CronPayload,
        delivery?: CronDelivery,
        state: CronJobState,
    }
    /// What the scheduler remembers of a job.
    #[derive(Default)]
    closed CronJobState {
        next_run_at_ms?: Natural,
        running_at_ms?: Natural,
        last_run_at_ms?: Natural,
        last_run_status?: CronRunStatus,
        last_status?: CronRunStatus,
        last_error?: String,
        last_duration_ms?: Natural,
        consecutive_errors?: Natural,
        last_delivered?: bool,
        last_delivery_status?: CronDeliveryStatus,
        last_delivery_error?: String,
    }
    /// Once, at a moment.
    closed CronAt {
        at: NonEmpty,
    }
    /// Again and again.
    closed CronEvery {
        every_ms: Positive,
        anchor_ms?: Natural,
    }
    /// By a cron expression.
    closed CronExpression {
        expr: NonEmpty,
        tz?: String,
        stagger_ms?: Natural,
    }
    /// A note for the main session.
    closed CronSystemEvent {
        text: NonEmpty,
    }
    /// A prompt for an agent.
    closed CronAgentTurn {
        message: NonEmpty,
        model?: String,
        thinking?: String,
        timeout_seconds?: Natural,
        allow_unsafe_external_content?: bool,
        deliver?: bool,
        channel?: String,
        to?: String,
        best_effort_deliver?: bool,
    }
    /// A changed note.
    closed CronSystemEventPatch {
        text?: NonEmpty,
    }
    /// A changed prompt.
    closed CronAgentTurnPatch {
        message?: NonEmpty,
        model?: String,
        thinking?: String,
        timeout_seconds?: Natural,
        allow_unsafe_external_content?: bool,
        deliver?: bool,
        channel?: String,
        to?: String,
        best_effort_deliver?: bool,
    }
    /// The answer stays where it is.
    closed CronDeliveryNone {
        /// `last` or the name of a channel.
        channel?: NonEmpty,
        account_id?: NonEmpty,
        best_effort?: bool,
        to?: String,
    }
    /// The answer is sent to a chat.
    closed CronDeliveryAnnounce {
        /// `last` or the name of a channel.
        channel?: NonEmpty,
        account_id?: NonEmpty,
        best_effort?: bool,
        to?: String,
    }
    /// The answer is posted to an address.
    closed CronDeliveryWebhook {
        /// `last` or the name of a channel.
        channel?: NonEmpty,
        account_id?: NonEmpty,
        best_effort?: bool,
        to: NonEmpty,
    }
    /// A changed delivery.
    closed CronDeliveryPatch {
        mode?: CronDeliveryMode,
        /// `last` or the name of a channel.
        channel?: NonEmpty,
        account_id?: NonEmpty,
        best_effort?: bool,
        to?: String,
    }
    /// Params of `cron.add`.
    closed CronAddParams {
        name: NonEmpty,
        agent_id?: Option<NonEmpty>,
        session_key?: Option<NonEmpty>,
        description?: String,
        enabled?: bool,
        delete_after_run?: bool,
        schedule: CronSchedule,
        session_target: CronSessionTarget,
        wake_mode: WakeMode,
        payload: CronPayload,
        delivery?: CronDelivery,
    }
    /// What changes in a job.
    closed CronJobPatch {
        name?: NonEmpty,
        agent_id?: Option<NonEmpty>,
        session_key?: Option<NonEmpty>,
        description?: String,
        enabled?: bool,
        delete_after_run?: bool,
        schedule?: CronSchedule,
        session_target?: CronSessionTarget,
        wake_mode?: WakeMode,
        payload?: CronPayloadPatch,
        delivery?: CronDeliveryPatch,
        state?: CronJobState,
    }
    /// A change of the job `id`.
    closed CronUpdateById {
        id: NonEmpty,
        patch: CronJobPatch,
    }
    /// A change of the job `jobId`.
    closed CronUpdateByJobId {
        job_id: NonEmpty,
        patch: CronJobPatch,
    }
    /// The job `id`.
    closed CronRemoveById {
        id: NonEmpty,
    }
    /// The job `jobId`.
    closed CronRemoveByJobId {
        job_id: NonEmpty,
    }
    /// Result of `cron.remove`.
    open CronRemoveResult {
        ok: bool,
        removed: bool,
    }
    /// A run of the job `id`.
    closed CronRunById {
        id: NonEmpty,
        mode?: CronRunMode,
    }
    /// A run of the job `jobId`.
    closed CronRunByJobId {
        job_id: NonEmpty,
        mode?: CronRunMode,
    }
    /// Result of `cron.run`.
    open CronRunResult {
        ok: bool,
        ran?: bool,
        reason?: CronNotRunReason,
    }
    /// Params of `cron.runs`.
    #[derive(Default)]
    closed CronRunsParams {
        scope?: CronRunsScope,
        id?: JobFileId,
        job_id?: JobFileId,
        limit?: Int<1, 200>,
        offset?: Natural,
        statuses?: List<CronRunStatus, 1, 3>,
        status?: CronRunsStatusFilter,
        delivery_statuses?: List<CronDeliveryStatus, 1, 4>,
        delivery_status?: CronDeliveryStatus,
        query?: String,
        sort_dir?: SortDirection,
    }
    /// Result of `cron.runs`.
    open CronRunsResult {
        entries: Vec<CronRunLogEntry>,
        total: u64,
        offset: u64,
        limit: u64,
        has_more: bool,
        next_offset: Option<u64>,
    }
    /// A past run.
    open CronRunLogEntry {
        ts: UnixMillis,
        job_id: String,
        action: CronLogAction,
        status?: CronRunStatus,
        error?: String,
        summary?: String,
        delivered?: bool,
        delivery_status?: CronDeliveryStatus,
        delivery_error?: String,
        session_id?: String,
        session_key?: String,
        run_at_ms?: UnixMillis,
        duration_ms?: u64,
        next_run_at_ms?: UnixMillis,
        model?: String,
        provider?: String,
        usage?: CronUsage,
        job_name?: String,
    }
    /// Tokens a run used.
    #[derive(Default)]
    open CronUsage {
        "input_tokens" input_tokens?: Num,
        "output_tokens" output_tokens?: Num,
        "total_tokens" total_tokens?: Num,
        "cache_read_tokens" cache_read_tokens?: Num,
        "cache_write_tokens" cache_write_tokens?: Num,
    }
    /// Payload of the `cron` event.
    open CronEvent {
        job_id: String,
        action: CronAction,
        run_at_ms?: UnixMillis,
        duration_ms?: u64,
        status?: CronRunStatus,
        error?: String,
        summary?: String,
        delivered?: bool,
        delivery_status?: CronDeliveryStatus,
        delivery_error?: String,
        session_id?: String,
        session_key?: String,
        next_run_at_ms?: UnixMillis,
        model?: String,
        provider?: String,
        usage?: CronUsage,
    }
}

tagged! {
    /// When a job runs.
    CronSchedule by "kind" { At = "at": CronAt, Every = "every": CronEvery, Cron = "cron": CronExpression }
}

tagged! {
    /// What a job does.
    CronPayload by "kind" { SystemEvent = "systemEvent": CronSystemEvent, AgentTurn = "agentTurn": CronAgentTurn }
}

tagged! {
    /// What changes in what a job does.
    CronPayloadPatch by "kind" { SystemEvent = "systemEvent": CronSystemEventPatch, AgentTurn = "agentTurn": CronAgentTurnPatch }
}

tagged! {
    /// What becomes of a job's answer.
    CronDelivery by "mode" { None = "none": CronDeliveryNone, Announce = "announce": CronDeliveryAnnounce, Webhook = "webhook": CronDeliveryWebhook }
}

either! {
    /// Params of `cron.update`.
    CronUpdateParams {
        /// By `id`.
        ById(CronUpdateById),
        /// By `jobId`.
        ByJobId(CronUpdateByJobId),
    }
}

either! {
    /// Params of `cron.remove`.
    CronRemoveParams {
        /// By `id`.
        ById(CronRemoveById),
        /// By `jobId`.
        ByJobId(CronRemoveByJobId),
    }
}

either! {
    /// Params of `cron.run`.
    CronRunParams {
        /// By `id`.
        ById(CronRunById),
        /// By `jobId`.
        ByJobId(CronRunByJobId),
    }
}
