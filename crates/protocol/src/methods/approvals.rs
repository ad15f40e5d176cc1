//! `exec.approval.*` and `exec.approvals.*`: asking a person before a command runs, and the standing rules.
//!
//! Only the shapes, of the standing rules and of single questions. Whether a command may run is decided in `exec`;
//! the two events of a question carry payloads declared here.

use std::collections::BTreeMap;

use openclaw_types::UnixMillis;
use serde_json::Value;

use super::{Done, NoParams};
use crate::method::methods;
use crate::shape::{Exactly, Natural, NonEmpty, Num, Positive, SecretText, choices, either, object};

methods! {
    /// Answers the standing rules.
    ExecApprovalsGet = "exec.approvals.get": NoParams => ApprovalsSnapshot;
    /// Replaces the standing rules.
    ExecApprovalsSet = "exec.approvals.set": ApprovalsSetParams => ApprovalsSnapshot;
    /// Answers the standing rules of a node.
    ExecApprovalsNodeGet = "exec.approvals.node.get": ApprovalsNodeGetParams => Value;
    /// Replaces the standing rules of a node.
    ExecApprovalsNodeSet = "exec.approvals.node.set": ApprovalsNodeSetParams => Value;
    /// Asks whether a command may run.
    ExecApprovalRequest = "exec.approval.request": ApprovalRequestParams => ApprovalRequestResult;
    /// Waits for the answer.
    ExecApprovalWait = "exec.approval.waitDecision": ApprovalWaitParams => ApprovalWaitResult;
    /// Answers whether a command may run.
    ExecApprovalResolve = "exec.approval.resolve": ApprovalResolveParams => Done;
    /// Answers the questions that are open.
    ExecApprovalList = "exec.approval.list": NoParams => Vec<ApprovalListed>;
}

choices! {
    /// A person's answer.
    ApprovalDecision { AllowOnce = "allow-once", AllowAlways = "allow-always", Deny = "deny" }
    /// Which arguments a lasting permission covers.
    ScopeArguments { Exact = "exact", Leading = "leading", Any = "any" }
    /// Where a lasting permission holds.
    ScopeFolder { Here = "here", Anywhere = "anywhere" }
    /// For whom a lasting permission holds.
    ScopeHolder { Agent = "agent", Session = "session" }
    /// A question that was taken.
    ApprovalStatus { Accepted = "accepted" }
}

object! {
    /// The standing rules and where they are kept.
    open ApprovalsSnapshot {
        path: String,
        exists: bool,
        /// To be sent back as `baseHash` with a change.
        hash: String,
        file: ApprovalsFile,
    }
    /// The file of standing rules.
    closed ApprovalsFile {
        version: Exactly<1>,
        socket?: ApprovalsSocket,
        defaults?: ApprovalsDefaults,
        agents?: BTreeMap<String, ApprovalsAgent>,
    }
    /// Where a local program answers questions.
    closed ApprovalsSocket {
        path?: String,
        token?: SecretText,
    }
    /// Rules for agents without their own.
    #[derive(Eq, Default)]
    closed ApprovalsDefaults {
        security?: String,
        ask?: String,
        ask_fallback?: String,
        auto_allow_skills?: bool,
    }
    /// Rules for one agent.
    closed ApprovalsAgent {
        security?: String,
        ask?: String,
        ask_fallback?: String,
        auto_allow_skills?: bool,
        allowlist?: Vec<AllowlistEntry>,
    }
    /// A command that may run without asking.
    closed AllowlistEntry {
        id?: NonEmpty,
        pattern: String,
        last_used_at?: Natural,
        last_used_command?: String,
        last_resolved_path?: String,
    }
    /// Params of `exec.approvals.set`.
    closed ApprovalsSetParams {
        file: ApprovalsFile,
        base_hash?: NonEmpty,
    }
    /// Params of `exec.approvals.node.get`.
    closed ApprovalsNodeGetParams {
        node_id: NonEmpty,
    }
    /// Params of `exec.approvals.node.set`.
    closed ApprovalsNodeSetParams {
        node_id: NonEmpty,
        file: ApprovalsFile,
        base_hash?: NonEmpty,
    }
    /// Params of `exec.approval.request`.
    closed ApprovalRequestParams {
        id?: NonEmpty,
        command: NonEmpty,
        command_argv?: Vec<String>,
        "systemRunPlanV2" system_run_plan?: SystemRunPlan,
        env?: BTreeMap<String, String>,
        cwd?: Option<String>,
        node_id?: Option<NonEmpty>,
        host?: Option<String>,
        security?: Option<String>,
        ask?: Option<String>,
        agent_id?: Option<String>,
        resolved_path?: Option<String>,
        session_key?: Option<String>,
        turn_source_channel?: Option<String>,
        turn_source_to?: Option<String>,
        turn_source_account_id?: Option<String>,
        turn_source_thread_id?: Option<ThreadRef>,
        timeout_ms?: Positive,
        /// First `accepted`, then the decision, under the same request id.
        two_phase?: bool,
    }
    /// Exactly what will run on a node.
    closed SystemRunPlan {
        version: Exactly<2>,
        argv: Vec<String>,
        cwd: Option<String>,
        raw_command: Option<String>,
        agent_id: Option<String>,
        session_key: Option<String>,
    }
    /// The question was taken; the decision follows under the same request id.
    open ApprovalAccepted {
        status: ApprovalStatus,
        id: String,
        created_at_ms: UnixMillis,
        expires_at_ms: UnixMillis,
    }
    /// The decision; null when nobody answered in time.
    open ApprovalOutcome {
        id: String,
        decision: Option<ApprovalDecision>,
        created_at_ms: UnixMillis,
        expires_at_ms: UnixMillis,
    }
    /// Params of `exec.approval.waitDecision`.
    open ApprovalWaitParams {
        id: String,
    }
    /// Result of `exec.approval.waitDecision`.
    open ApprovalWaitResult {
        id: String,
        decision: Option<ApprovalDecision>,
        created_at_ms?: UnixMillis,
        expires_at_ms?: UnixMillis,
    }
    /// Params of `exec.approval.resolve`. The decision is a plain text here; the handler names the allowed words.
    closed ApprovalResolveParams {
        id: NonEmpty,
        decision: NonEmpty,
        /// How far `allow-always` reaches; as narrow as can be when absent.
        scope?: ApprovalScope,
    }
    /// How far a lasting permission reaches. What is left out is as narrow as can be, and lasts until it is taken back.
    #[derive(Eq, Default)]
    closed ApprovalScope {
        arguments?: ScopeArguments,
        /// How many arguments stay the same, with `arguments: "leading"`.
        leading?: Positive,
        folder?: ScopeFolder,
        holder?: ScopeHolder,
        lasts_ms?: Positive,
    }
    /// An open question.
    open ApprovalListed {
        id: String,
        request: Value,
        created_at_ms: UnixMillis,
        expires_at_ms: UnixMillis,
        /// What `allow-always` remembers, in words for people.
        always?: String,
    }
    /// Payload of `exec.approval.requested`.
    open ApprovalRequested {
        id: String,
        request: ApprovalQuestion,
        created_at_ms: UnixMillis,
        expires_at_ms: UnixMillis,
    }
    /// What a person is asked. Nothing is said with null, not by absence.
    open ApprovalQuestion {
        command: String,
        command_argv?: Vec<String>,
        env_keys?: Vec<String>,
        "systemRunBindingV1" system_run_binding: Option<Value>,
        "systemRunPlanV2" system_run_plan: Option<SystemRunPlan>,
        cwd: Option<String>,
        node_id: Option<String>,
        host: Option<String>,
        security: Option<String>,
        ask: Option<String>,
        agent_id: Option<String>,
        resolved_path: Option<String>,
        session_key: Option<String>,
        turn_source_channel: Option<String>,
        turn_source_to: Option<String>,
        turn_source_account_id: Option<String>,
        turn_source_thread_id: Option<ThreadRef>,
    }
    /// Payload of `exec.approval.resolved`.
    open ApprovalResolved {
        id: String,
        decision: ApprovalDecision,
        resolved_by?: String,
        ts: UnixMillis,
        request?: Value,
    }
}

either! {
    /// A thread as platforms name it: a text or a number.
    ThreadRef {
        /// By text.
        Text(String),
        /// By number.
        Number(Num),
    }
}

either! {
    /// Result of `exec.approval.request`.
    ApprovalRequestResult {
        /// The question was taken.
        Accepted(ApprovalAccepted),
        /// The decision.
        Outcome(ApprovalOutcome),
    }
}
