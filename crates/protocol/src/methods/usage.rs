//! `usage.*` and `sessions.usage*`: tokens and money, by session, model, channel and day.
//!
//! Only the shapes. Sums are made from the ledger of calls and from transcripts by the handlers; money is a plain number in dollars,
//! written without a decimal point when it is whole.

use openclaw_types::UnixMillis;
use serde_json::Value;

use super::AnyParams;
use super::sessions::SessionOrigin;
use crate::method::methods;
use crate::shape::{DayText, NonEmpty, Num, Positive, UtcOffset, choices, either, object};

methods! {
    /// Answers how much of each vendor's allowance is used.
    UsageStatus = "usage.status": AnyParams => UsageStatusResult;
    /// Answers cost by day.
    UsageCost = "usage.cost": UsageCostParams => UsageCostResult;
    /// Answers cost by session.
    SessionsUsage = "sessions.usage": SessionsUsageParams => SessionsUsageResult;
    /// Answers the cost of a session over time.
    SessionsUsageTimeseries = "sessions.usage.timeseries": SessionsUsageTimeseriesParams => SessionsUsageTimeseriesResult;
    /// Answers the messages of a session with their cost.
    SessionsUsageLogs = "sessions.usage.logs": SessionsUsageLogsParams => SessionsUsageLogsResult;
}

choices! {
    /// Whose midnight ends a day.
    DayMode { Utc = "utc", Gateway = "gateway", Specific = "specific" }
    /// Whose spending is limited.
    BudgetOwner { Total = "total", Agent = "agent" }
    /// How long a limit counts before it starts anew.
    BudgetPeriod { Day = "day", Month = "month" }
}

either! {
    /// How many days: a number, or a text that holds one. Any other text counts as absent.
    DayCount {
        /// A number.
        Number(Num),
        /// A text.
        Text(String),
    }
}

impl DayCount {
    /// The number, where there is one.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(number.0),
            Self::Text(text) => text.trim().parse().ok(),
        }
        .filter(|number: &f64| number.is_finite())
    }
}

object! {
    /// Result of `usage.status`.
    open UsageStatusResult {
        updated_at: UnixMillis,
        providers: Vec<ProviderUsage>,
    }
    /// One vendor's allowance.
    open ProviderUsage {
        provider: String,
        display_name: String,
        windows: Vec<UsageWindow>,
        plan?: String,
        error?: String,
    }
    /// An allowance for a stretch of time.
    open UsageWindow {
        label: String,
        used_percent: Num,
        reset_at?: UnixMillis,
    }
    /// Params of `usage.cost`.
    open UsageCostParams {
        start_date?: String,
        end_date?: String,
        days?: DayCount,
        mode?: DayMode,
        utc_offset?: String,
    }
    /// Result of `usage.cost`.
    open UsageCostResult {
        updated_at: UnixMillis,
        days: u64,
        daily: Vec<DailyTotals>,
        totals: UsageTotals,
        /// Our own addition, absent when nothing is limited.
        budgets?: Vec<BudgetStatus>,
    }
    /// A limit on spending and how much of it is used.
    open BudgetStatus {
        scope: BudgetOwner,
        agent_id?: String,
        window: BudgetPeriod,
        cap: Num,
        spent: Num,
        /// Set aside for calls under way.
        held: Num,
        resets_at: UnixMillis,
    }
    /// One day.
    open DailyTotals {
        date: String,
        + totals: UsageTotals,
    }
    /// Tokens and money.
    #[derive(Default)]
    open UsageTotals {
        input: u64,
        output: u64,
        cache_read: u64,
        cache_write: u64,
        total_tokens: u64,
        total_cost: Num,
        input_cost: Num,
        output_cost: Num,
        cache_read_cost: Num,
        cache_write_cost: Num,
        missing_cost_entries: u64,
    }
    /// Params of `sessions.usage`.
    closed SessionsUsageParams {
        key?: NonEmpty,
        start_date?: DayText,
        end_date?: DayText,
        mode?: DayMode,
        utc_offset?: UtcOffset,
        limit?: Positive,
        include_context_weight?: bool,
    }
    /// Result of `sessions.usage`.
    open SessionsUsageResult {
        updated_at: UnixMillis,
        start_date: String,
        end_date: String,
        sessions: Vec<SessionUsageRow>,
        totals: UsageTotals,
        aggregates: UsageAggregates,
    }
    /// The cost of one session.
    open SessionUsageRow {
        key: String,
        label?: String,
        session_id?: String,
        updated_at?: UnixMillis,
        agent_id?: String,
        channel?: String,
        chat_type?: String,
        origin?: SessionOrigin,
        model_override?: String,
        provider_override?: String,
        model_provider?: String,
        model?: String,
        usage: Option<SessionUsage>,
        context_weight?: Option<Value>,
    }
    /// What happened in a session and what it cost.
    open SessionUsage {
        session_id?: String,
        session_file?: String,
        first_activity?: UnixMillis,
        last_activity?: UnixMillis,
        duration_ms?: u64,
        activity_dates?: Vec<String>,
        daily_breakdown?: Vec<DailyCost>,
        daily_message_counts?: Vec<DailyCounts>,
        daily_latency?: Vec<DailyLatency>,
        daily_model_usage?: Vec<DailyModelUsage>,
        message_counts?: MessageCounts,
        tool_usage?: ToolUsage,
        model_usage?: Vec<ModelUsage>,
        latency?: Latency,
        + totals: UsageTotals,
    }
    /// Tokens and money of a day.
    open DailyCost {
        date: String,
        tokens: u64,
        cost: Num,
    }
    /// Messages of a day.
    open DailyCounts {
        date: String,
        + counts: MessageCounts,
    }
    /// Messages by kind.
    #[derive(Eq, Default)]
    open MessageCounts {
        total: u64,
        user: u64,
        assistant: u64,
        tool_calls: u64,
        tool_results: u64,
        errors: u64,
    }
    /// Waiting times of a day.
    open DailyLatency {
        date: String,
        + latency: Latency,
    }
    /// Waiting times.
    #[derive(Default)]
    open Latency {
        count: u64,
        avg_ms: Num,
        "p95Ms" p95_ms: Num,
        min_ms: Num,
        max_ms: Num,
    }
    /// A model on a day.
    open DailyModelUsage {
        date: String,
        provider?: String,
        model?: String,
        tokens: u64,
        cost: Num,
        count: u64,
    }
    /// Tools that were called.
    #[derive(Eq, Default)]
    open ToolUsage {
        total_calls: u64,
        unique_tools: u64,
        tools: Vec<ToolCount>,
    }
    /// How often a tool was called.
    #[derive(Eq)]
    open ToolCount {
        name: String,
        count: u64,
    }
    /// What a model or vendor cost.
    open ModelUsage {
        provider?: String,
        model?: String,
        count: u64,
        totals: UsageTotals,
    }
    /// What an agent cost.
    open AgentUsage {
        agent_id: String,
        totals: UsageTotals,
    }
    /// What a channel cost.
    open ChannelUsage {
        channel: String,
        totals: UsageTotals,
    }
    /// One day over all sessions.
    open DailyActivity {
        date: String,
        tokens: u64,
        cost: Num,
        messages: u64,
        tool_calls: u64,
        errors: u64,
    }
    /// Sums over all sessions.
    open UsageAggregates {
        messages: MessageCounts,
        tools: ToolUsage,
        by_model: Vec<ModelUsage>,
        by_provider: Vec<ModelUsage>,
        by_agent: Vec<AgentUsage>,
        by_channel: Vec<ChannelUsage>,
        latency?: Latency,
        daily_latency?: Vec<DailyLatency>,
        model_daily?: Vec<DailyModelUsage>,
        daily: Vec<DailyActivity>,
    }
    /// Params of `sessions.usage.timeseries`.
    open SessionsUsageTimeseriesParams {
        key: String,
    }
    /// Result of `sessions.usage.timeseries`.
    open SessionsUsageTimeseriesResult {
        session_id?: String,
        points: Vec<UsagePoint>,
    }
    /// Cost at a moment and up to it.
    open UsagePoint {
        timestamp: UnixMillis,
        input: u64,
        output: u64,
        cache_read: u64,
        cache_write: u64,
        total_tokens: u64,
        cost: Num,
        cumulative_tokens: u64,
        cumulative_cost: Num,
    }
    /// Params of `sessions.usage.logs`.
    open SessionsUsageLogsParams {
        key: String,
        limit?: Num,
    }
    /// Result of `sessions.usage.logs`.
    open SessionsUsageLogsResult {
        logs: Vec<UsageLogLine>,
    }
    /// A message and its cost.
    open UsageLogLine {
        timestamp: UnixMillis,
        role: String,
        content: String,
        tokens?: u64,
        cost?: Num,
    }
}
