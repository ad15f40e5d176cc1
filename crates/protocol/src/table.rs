//! The one table of methods: name, who may call it, whether clients are told about it, how often it may be called.
//!
//! The gateway authorises by this table and nothing else. A row names the method's type, so that a name, its params, its
//! result and its rights stand in one line. Handlers live in `gateway`; a row here does not mean that a handler exists.

use std::collections::HashMap;
use std::sync::LazyLock;

use openclaw_types::{Role, Scope, ScopeSet};
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::connect;
use crate::error::ErrorShape;
use crate::method::{Method, decode_params};
use crate::methods::{
    accounts, agents, approvals, browser, catalog, channels, chat, config, cron, devices, health, logs,
    messages, nodes, outbox, sessions, speech, status, strangers, system, usage, wizard,
};

/// Who may call a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodAccess {
    /// Only as the first request on a socket.
    Handshake,
    /// Everybody who is connected, in any role and without any scope.
    Anyone,
    /// Operators with this scope.
    Operator(Scope),
    /// Nodes only.
    Node,
}

/// Whether `features.methods` names a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodListing {
    /// It does, once the method works.
    Listed,
    /// It does not; clients that know the method call it anyway.
    Unlisted,
}

/// How often a method may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateClass {
    /// As often as the connection allows.
    Free,
    /// Shares the budget of changes to the gateway itself: three calls in 60 seconds for one device and address.
    ControlPlane,
}

/// Calls of `RateClass::ControlPlane` in one window.
pub const CONTROL_PLANE_CALLS: u32 = 3;
/// The window of `RateClass::ControlPlane`, in milliseconds.
pub const CONTROL_PLANE_WINDOW_MS: u64 = 60_000;

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct MethodSpec {
    /// The name on the wire.
    pub name: &'static str,
    /// Who may call it.
    pub access: MethodAccess,
    /// Whether clients are told about it.
    pub listing: MethodListing,
    /// How often it may be called.
    pub rate: RateClass,
    shapes: Shapes,
}

#[derive(Debug, Clone, Copy)]
struct Shapes {
    params_schema: fn(&mut SchemaGenerator) -> Schema,
    result_schema: fn(&mut SchemaGenerator) -> Schema,
    check_params: fn(Option<&RawValue>) -> Result<(), ErrorShape>,
    check_result: fn(&RawValue) -> Result<Value, serde_json::Error>,
}

impl MethodSpec {
    const fn new<M: Method>(access: MethodAccess) -> Self {
        Self {
            name: M::NAME,
            access,
            listing: MethodListing::Listed,
            rate: RateClass::Free,
            shapes: Shapes {
                params_schema: |generator| generator.subschema_for::<M::Params>(),
                result_schema: |generator| generator.subschema_for::<M::Result>(),
                check_params: |params| decode_params::<M>(params).map(drop),
                check_result: |result| serde_json::to_value(serde_json::from_str::<M::Result>(result.get())?),
            },
        }
    }

    const fn unlisted(mut self) -> Self {
        self.listing = MethodListing::Unlisted;
        self
    }

    const fn control_plane(mut self) -> Self {
        self.rate = RateClass::ControlPlane;
        self
    }

    /// Whether a principal may call the method after the handshake.
    ///
    /// # Errors
    /// The answer to send instead.
    pub fn authorize(&self, role: Role, scopes: &ScopeSet) -> Result<(), ErrorShape> {
        match (self.access, role) {
            (MethodAccess::Handshake, _) => {
                Err(ErrorShape::invalid_request("connect is only valid as the first request"))
            }
            (MethodAccess::Anyone, _) | (MethodAccess::Node, Role::Node) => Ok(()),
            (MethodAccess::Operator(scope), Role::Operator) if scopes.covers(scope) => Ok(()),
            (MethodAccess::Operator(scope), Role::Operator) => Err(ErrorShape::missing_scope(scope)),
            (MethodAccess::Operator(_), Role::Node) | (MethodAccess::Node, Role::Operator) => {
                Err(ErrorShape::unauthorized_role(role))
            }
        }
    }

    /// Reads params without keeping them.
    ///
    /// # Errors
    /// The same as `decode_params`.
    pub fn check_params(&self, params: Option<&RawValue>) -> Result<(), ErrorShape> {
        (self.shapes.check_params)(params)
    }

    /// Reads a result and gives it back as our types write it.
    ///
    /// # Errors
    /// When it does not have the method's shape.
    pub fn check_result(&self, result: &RawValue) -> Result<Value, serde_json::Error> {
        (self.shapes.check_result)(result)
    }

    pub(crate) fn params_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.shapes.params_schema)(generator)
    }

    pub(crate) fn result_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.shapes.result_schema)(generator)
    }
}

/// Finds a method by its name.
#[must_use]
pub fn find_method(name: &str) -> Option<&'static MethodSpec> {
    static BY_NAME: LazyLock<HashMap<&'static str, &'static MethodSpec>> =
        LazyLock::new(|| METHODS.iter().map(|spec| (spec.name, spec)).collect());
    BY_NAME.get(name).copied()
}

const ADMIN: MethodAccess = MethodAccess::Operator(Scope::Admin);
const READ: MethodAccess = MethodAccess::Operator(Scope::Read);
const WRITE: MethodAccess = MethodAccess::Operator(Scope::Write);
const APPROVALS: MethodAccess = MethodAccess::Operator(Scope::Approvals);
const PAIRING: MethodAccess = MethodAccess::Operator(Scope::Pairing);

/// Every method of protocol 3; behind them `sessions.branch`, which is ours, and `commands.list` and
/// `exec.approval.list` of protocol 4.
pub static METHODS: &[MethodSpec] = &[
    MethodSpec::new::<connect::Connect>(MethodAccess::Handshake).unlisted(),
    MethodSpec::new::<health::Health>(MethodAccess::Anyone),
    MethodSpec::new::<status::Status>(READ),
    MethodSpec::new::<system::SystemPresence>(READ),
    MethodSpec::new::<system::SystemEvent>(ADMIN),
    MethodSpec::new::<system::LastHeartbeat>(READ),
    MethodSpec::new::<system::SetHeartbeats>(ADMIN),
    MethodSpec::new::<system::Wake>(WRITE),
    MethodSpec::new::<system::DoctorMemoryStatus>(READ),
    MethodSpec::new::<system::SecretsReload>(ADMIN),
    MethodSpec::new::<system::UpdateRun>(ADMIN).control_plane(),
    MethodSpec::new::<logs::LogsTail>(READ),
    MethodSpec::new::<config::ConfigGet>(READ),
    MethodSpec::new::<config::ConfigSchema>(ADMIN),
    MethodSpec::new::<config::ConfigSet>(ADMIN),
    MethodSpec::new::<config::ConfigApply>(ADMIN).control_plane(),
    MethodSpec::new::<config::ConfigPatch>(ADMIN).control_plane(),
    MethodSpec::new::<wizard::WizardStart>(ADMIN),
    MethodSpec::new::<wizard::WizardNext>(ADMIN),
    MethodSpec::new::<wizard::WizardCancel>(ADMIN),
    MethodSpec::new::<wizard::WizardStatus>(ADMIN),
    MethodSpec::new::<devices::DevicePairList>(PAIRING),
    MethodSpec::new::<devices::DevicePairApprove>(PAIRING),
    MethodSpec::new::<devices::DevicePairReject>(PAIRING),
    MethodSpec::new::<devices::DevicePairRemove>(PAIRING),
    MethodSpec::new::<devices::DeviceTokenRotate>(PAIRING),
    MethodSpec::new::<devices::DeviceTokenRevoke>(PAIRING),
    MethodSpec::new::<nodes::NodePairRequest>(PAIRING),
    MethodSpec::new::<nodes::NodePairList>(PAIRING),
    MethodSpec::new::<nodes::NodePairApprove>(PAIRING),
    MethodSpec::new::<nodes::NodePairReject>(PAIRING),
    MethodSpec::new::<nodes::NodePairVerify>(PAIRING),
    MethodSpec::new::<nodes::NodeRename>(PAIRING),
    MethodSpec::new::<nodes::NodeList>(READ),
    MethodSpec::new::<nodes::NodeDescribe>(READ),
    MethodSpec::new::<nodes::NodeInvoke>(WRITE),
    MethodSpec::new::<nodes::NodeInvokeAnswer>(MethodAccess::Node),
    MethodSpec::new::<nodes::NodeEvent>(MethodAccess::Node),
    MethodSpec::new::<nodes::PushTest>(WRITE).unlisted(),
    MethodSpec::new::<approvals::ExecApprovalsGet>(ADMIN),
    MethodSpec::new::<approvals::ExecApprovalsSet>(ADMIN),
    MethodSpec::new::<approvals::ExecApprovalsNodeGet>(ADMIN),
    MethodSpec::new::<approvals::ExecApprovalsNodeSet>(ADMIN),
    MethodSpec::new::<approvals::ExecApprovalRequest>(APPROVALS),
    MethodSpec::new::<approvals::ExecApprovalWait>(APPROVALS),
    MethodSpec::new::<approvals::ExecApprovalResolve>(APPROVALS),
    MethodSpec::new::<chat::Agent>(WRITE),
    MethodSpec::new::<chat::AgentWait>(WRITE),
    MethodSpec::new::<chat::ChatSend>(WRITE),
    MethodSpec::new::<chat::ChatHistory>(READ),
    MethodSpec::new::<chat::ChatAbort>(WRITE),
    MethodSpec::new::<chat::ChatInject>(ADMIN).unlisted(),
    MethodSpec::new::<sessions::SessionsList>(READ),
    MethodSpec::new::<sessions::SessionsPreview>(READ),
    MethodSpec::new::<sessions::SessionsResolve>(READ).unlisted(),
    MethodSpec::new::<sessions::SessionsPatch>(ADMIN),
    MethodSpec::new::<sessions::SessionsReset>(ADMIN),
    MethodSpec::new::<sessions::SessionsDelete>(ADMIN),
    MethodSpec::new::<sessions::SessionsCompact>(ADMIN),
    MethodSpec::new::<usage::SessionsUsage>(READ).unlisted(),
    MethodSpec::new::<usage::SessionsUsageTimeseries>(READ).unlisted(),
    MethodSpec::new::<usage::SessionsUsageLogs>(READ).unlisted(),
    MethodSpec::new::<usage::UsageStatus>(READ),
    MethodSpec::new::<usage::UsageCost>(READ),
    MethodSpec::new::<messages::Send>(WRITE),
    MethodSpec::new::<messages::Poll>(WRITE).unlisted(),
    MethodSpec::new::<agents::AgentsList>(READ),
    MethodSpec::new::<agents::AgentsCreate>(ADMIN),
    MethodSpec::new::<agents::AgentsUpdate>(ADMIN),
    MethodSpec::new::<agents::AgentsDelete>(ADMIN),
    MethodSpec::new::<agents::AgentsFilesList>(READ),
    MethodSpec::new::<agents::AgentsFilesGet>(READ),
    MethodSpec::new::<agents::AgentsFilesSet>(ADMIN),
    MethodSpec::new::<agents::AgentIdentityGet>(READ),
    MethodSpec::new::<catalog::ModelsList>(READ),
    MethodSpec::new::<catalog::ToolsCatalog>(READ),
    MethodSpec::new::<catalog::SkillsStatus>(READ),
    MethodSpec::new::<catalog::SkillsBins>(MethodAccess::Node),
    MethodSpec::new::<catalog::SkillsInstall>(ADMIN),
    MethodSpec::new::<catalog::SkillsUpdate>(ADMIN),
    MethodSpec::new::<channels::ChannelsStatus>(READ),
    MethodSpec::new::<channels::ChannelsLogout>(ADMIN),
    MethodSpec::new::<channels::WebLoginStart>(ADMIN).unlisted(),
    MethodSpec::new::<channels::WebLoginWait>(ADMIN).unlisted(),
    MethodSpec::new::<cron::CronList>(READ),
    MethodSpec::new::<cron::CronStatus>(READ),
    MethodSpec::new::<cron::CronAdd>(ADMIN),
    MethodSpec::new::<cron::CronUpdate>(ADMIN),
    MethodSpec::new::<cron::CronRemove>(ADMIN),
    MethodSpec::new::<cron::CronRun>(ADMIN),
    MethodSpec::new::<cron::CronRuns>(READ),
    MethodSpec::new::<speech::TalkConfig>(READ),
    MethodSpec::new::<speech::TalkMode>(WRITE),
    MethodSpec::new::<speech::TtsStatus>(READ),
    MethodSpec::new::<speech::TtsProviders>(READ),
    MethodSpec::new::<speech::TtsEnable>(WRITE),
    MethodSpec::new::<speech::TtsDisable>(WRITE),
    MethodSpec::new::<speech::TtsConvert>(WRITE),
    MethodSpec::new::<speech::TtsSetProvider>(WRITE),
    MethodSpec::new::<speech::VoicewakeGet>(READ),
    MethodSpec::new::<speech::VoicewakeSet>(WRITE),
    MethodSpec::new::<browser::BrowserRequest>(WRITE),
    MethodSpec::new::<sessions::SessionsBranch>(ADMIN),
    MethodSpec::new::<catalog::CommandsList>(READ),
    MethodSpec::new::<approvals::ExecApprovalList>(APPROVALS),
    MethodSpec::new::<outbox::OutboxList>(READ),
    MethodSpec::new::<outbox::OutboxRetry>(ADMIN),
    MethodSpec::new::<outbox::OutboxDrop>(ADMIN),
    MethodSpec::new::<outbox::PairingList>(PAIRING),
    MethodSpec::new::<outbox::PairingApprove>(PAIRING),
    MethodSpec::new::<outbox::PairingRemove>(PAIRING),
    MethodSpec::new::<accounts::ChannelsStart>(ADMIN),
    MethodSpec::new::<accounts::ChannelsStop>(ADMIN),
    MethodSpec::new::<accounts::ChannelsCapabilities>(READ),
    MethodSpec::new::<accounts::ChannelsResolve>(READ),
    MethodSpec::new::<accounts::DirectoryList>(READ),
    MethodSpec::new::<accounts::RouteExplain>(READ),
    MethodSpec::new::<messages::MessageAction>(WRITE),
    MethodSpec::new::<outbox::PairingDismiss>(PAIRING),
    MethodSpec::new::<strangers::ChannelsPairingList>(PAIRING),
    MethodSpec::new::<strangers::ChannelsPairingApprove>(PAIRING),
    MethodSpec::new::<strangers::ChannelsPairingDismiss>(PAIRING),
];
