//! `node.*` and `push.test`: devices that lend their abilities to agents, and the older pairing of nodes.
//!
//! Only the shapes. Which commands a node may be asked is decided in the gateway; results of commands pass through
//! as raw JSON.

use std::collections::BTreeMap;

use openclaw_types::UnixMillis;
use serde_json::Value;

use super::NoParams;
use super::devices::PairingDecision;
use crate::method::methods;
use crate::shape::{Natural, NonEmpty, SecretText, Yes, choices, object};

methods! {
    /// Asks for a node to be paired.
    NodePairRequest = "node.pair.request": NodePairRequestParams => NodePairRequestResult;
    /// Lists nodes that wait and nodes that are paired.
    NodePairList = "node.pair.list": NoParams => NodePairListResult;
    /// Admits a node that waits.
    NodePairApprove = "node.pair.approve": NodePairApproveParams => NodePairApproveResult;
    /// Turns a node away.
    NodePairReject = "node.pair.reject": NodePairRejectParams => NodePairRejectResult;
    /// Checks the token of a paired node.
    NodePairVerify = "node.pair.verify": NodePairVerifyParams => NodePairVerifyResult;
    /// Gives a paired node another name.
    NodeRename = "node.rename": NodeRenameParams => NodeRenameResult;
    /// Lists nodes, connected ones first.
    NodeList = "node.list": NoParams => NodeListResult;
    /// Describes one node.
    NodeDescribe = "node.describe": NodeDescribeParams => NodeDescribeResult;
    /// Runs a command on a node.
    NodeInvoke = "node.invoke": NodeInvokeParams => NodeInvokeResult;
    /// A node's answer to a command.
    NodeInvokeAnswer = "node.invoke.result": NodeInvokeAnswerParams => NodeInvokeAnswerResult;
    /// Something a node reports by itself.
    NodeEvent = "node.event": NodeEventParams => super::Done;
    /// Sends a push notification to a node as a test.
    PushTest = "push.test": PushTestParams => PushTestResult;
}

choices! {
    /// A pairing request that was taken.
    NodePairStatus { Pending = "pending" }
    /// Which push service is used.
    ApnsEnvironment { Sandbox = "sandbox", Production = "production" }
}

object! {
    /// Params of `node.pair.request`.
    closed NodePairRequestParams {
        node_id: NonEmpty,
        display_name?: NonEmpty,
        platform?: NonEmpty,
        version?: NonEmpty,
        core_version?: NonEmpty,
        ui_version?: NonEmpty,
        device_family?: NonEmpty,
        model_identifier?: NonEmpty,
        caps?: Vec<NonEmpty>,
        commands?: Vec<NonEmpty>,
        remote_ip?: NonEmpty,
        silent?: bool,
    }
    /// Result of `node.pair.request`.
    open NodePairRequestResult {
        status: NodePairStatus,
        request: PendingNode,
        created: bool,
    }
    /// A node that waits; also the payload of `node.pair.requested`.
    open PendingNode {
        request_id: String,
        node_id: String,
        display_name?: String,
        platform?: String,
        version?: String,
        core_version?: String,
        ui_version?: String,
        device_family?: String,
        model_identifier?: String,
        caps?: Vec<String>,
        commands?: Vec<String>,
        permissions?: BTreeMap<String, bool>,
        remote_ip?: String,
        silent?: bool,
        is_repair?: bool,
        ts: UnixMillis,
    }
    /// A node that was paired the older way.
    open PairedNode {
        node_id: String,
        token?: SecretText,
        display_name?: String,
        platform?: String,
        version?: String,
        core_version?: String,
        ui_version?: String,
        device_family?: String,
        model_identifier?: String,
        caps?: Vec<String>,
        commands?: Vec<String>,
        permissions?: BTreeMap<String, bool>,
        remote_ip?: String,
        created_at_ms: UnixMillis,
        approved_at_ms: UnixMillis,
        last_connected_at_ms?: UnixMillis,
    }
    /// Result of `node.pair.list`.
    open NodePairListResult {
        pending: Vec<PendingNode>,
        paired: Vec<PairedNode>,
    }
    /// Params of `node.pair.approve`.
    closed NodePairApproveParams {
        request_id: NonEmpty,
    }
    /// Result of `node.pair.approve`.
    open NodePairApproveResult {
        request_id: String,
        node: PairedNode,
    }
    /// Params of `node.pair.reject`.
    closed NodePairRejectParams {
        request_id: NonEmpty,
    }
    /// Result of `node.pair.reject`.
    open NodePairRejectResult {
        request_id: String,
        node_id: String,
    }
    /// Payload of `node.pair.resolved`.
    open NodePairResolved {
        request_id: String,
        node_id: String,
        decision: PairingDecision,
        ts: UnixMillis,
    }
    /// Params of `node.pair.verify`.
    closed NodePairVerifyParams {
        node_id: NonEmpty,
        token: NonEmpty,
    }
    /// Result of `node.pair.verify`.
    open NodePairVerifyResult {
        ok: bool,
        node?: PairedNode,
    }
    /// Params of `node.rename`.
    closed NodeRenameParams {
        node_id: NonEmpty,
        display_name: NonEmpty,
    }
    /// Result of `node.rename`.
    open NodeRenameResult {
        node_id: String,
        display_name: String,
    }
    /// Result of `node.list`.
    open NodeListResult {
        ts: UnixMillis,
        nodes: Vec<NodeRow>,
    }
    /// One node.
    open NodeRow {
        node_id: String,
        display_name?: String,
        platform?: String,
        version?: String,
        core_version?: String,
        ui_version?: String,
        device_family?: String,
        model_identifier?: String,
        remote_ip?: String,
        caps: Vec<String>,
        commands: Vec<String>,
        path_env?: String,
        permissions?: BTreeMap<String, bool>,
        connected_at_ms?: UnixMillis,
        paired: bool,
        connected: bool,
    }
    /// Params of `node.describe`.
    closed NodeDescribeParams {
        node_id: NonEmpty,
    }
    /// Result of `node.describe`.
    open NodeDescribeResult {
        ts: UnixMillis,
        + node: NodeRow,
    }
    /// Params of `node.invoke`.
    closed NodeInvokeParams {
        node_id: NonEmpty,
        command: NonEmpty,
        params?: Value,
        timeout_ms?: Natural,
        idempotency_key: NonEmpty,
    }
    /// Result of `node.invoke`.
    open NodeInvokeResult {
        ok: Yes,
        node_id: String,
        command: String,
        payload: Value,
        "payloadJSON" payload_json: Option<String>,
    }
    /// Payload of `node.invoke.request`, which asks a node to run a command.
    open NodeInvokeRequest {
        id: String,
        node_id: String,
        command: String,
        "paramsJSON" params_json: Option<String>,
        timeout_ms?: u64,
        idempotency_key?: String,
    }
    /// Params of `node.invoke.result`. Some nodes send null where they mean nothing.
    closed NodeInvokeAnswerParams {
        id: NonEmpty,
        node_id: NonEmpty,
        ok: bool,
        payload?: Value,
        "payloadJSON" payload_json?: Option<String>,
        error?: Option<NodeFault>,
    }
    /// Why a node could not run a command.
    closed NodeFault {
        code?: NonEmpty,
        message?: NonEmpty,
    }
    /// Result of `node.invoke.result`.
    open NodeInvokeAnswerResult {
        ok: Yes,
        /// The answer came too late or nobody asked.
        ignored?: Yes,
    }
    /// Params of `node.event`.
    closed NodeEventParams {
        event: NonEmpty,
        payload?: Value,
        "payloadJSON" payload_json?: String,
    }
    /// Params of `push.test`.
    closed PushTestParams {
        node_id: NonEmpty,
        title?: String,
        body?: String,
        environment?: ApnsEnvironment,
    }
    /// Result of `push.test`.
    open PushTestResult {
        ok: bool,
        status: i64,
        apns_id?: String,
        reason?: String,
        token_suffix: String,
        topic: String,
        environment: ApnsEnvironment,
    }
}
