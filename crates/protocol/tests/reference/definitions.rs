//! Every schema of the original beside the type of ours that stands for it.
//!
//! Params must be the same in every respect. Results and payloads must have the same fields and types; what they do not
//! promise is said in `deviations`. A definition without a type of its own is listed there too.

use std::collections::BTreeSet;

use openclaw_protocol::events::{self, Event};
use openclaw_protocol::methods::{
    NoParams, agents, approvals, catalog, channels, chat, config, cron, devices, logs, messages, nodes,
    sessions, speech, system, usage, wizard,
};
use openclaw_protocol::{
    ClientId, ClientIdV3, ClientMode, ClientModeV3, ConnectParamsV3, ErrorCode, ErrorShape, EventFrame,
    HelloOk, JobFileId, PresenceEntry, RequestFrame, ResponseFrame, SessionDefaults, Snapshot, StateVersion,
};
use schemars::{JsonSchema, schema_for};
use serde_json::Value;

use crate::deviations::{DEFINITION_DEVIATIONS, UNMAPPED_DEFINITIONS};
use crate::shape::Shape;

const REFERENCE: &str = include_str!("../fixtures/protocol-v3-2026.2.26.schema.json");

/// How strictly a type is compared.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    /// What clients send: the same in every respect.
    Params,
    /// What we send: the same fields and types.
    Result,
}

struct Row {
    definition: &'static str,
    rule: Rule,
    schema: Value,
}

fn row<T: JsonSchema>(definition: &'static str, rule: Rule) -> Row {
    Row { definition, rule, schema: schema_for!(T).to_value() }
}

macro_rules! rows {
    ($($rule:ident { $($definition:literal => $ty:ty,)* })*) => {
        vec![$($(row::<$ty>($definition, Rule::$rule),)*)*]
    };
}

#[expect(clippy::too_many_lines, reason = "a flat table")]
fn request_rows() -> Vec<Row> {
    rows! {
        Params {
            "AgentIdentityParams" => agents::AgentIdentityParams,
            "AgentParams" => chat::AgentParams,
            "AgentWaitParams" => chat::AgentWaitParams,
            "AgentsCreateParams" => agents::AgentsCreateParams,
            "AgentsDeleteParams" => agents::AgentsDeleteParams,
            "AgentsFilesGetParams" => agents::AgentsFilesGetParams,
            "AgentsFilesListParams" => agents::AgentsFilesListParams,
            "AgentsFilesSetParams" => agents::AgentsFilesSetParams,
            "AgentsListParams" => NoParams,
            "AgentsUpdateParams" => agents::AgentsUpdateParams,
            "ApnsEnvironment" => nodes::ApnsEnvironment,
            "ChannelsLogoutParams" => channels::ChannelsLogoutParams,
            "ChannelsStatusParams" => channels::ChannelsStatusParams,
            "ChatAbortParams" => chat::ChatAbortParams,
            "ChatHistoryParams" => chat::ChatHistoryParams,
            "ChatInjectParams" => chat::ChatInjectParams,
            "ChatSendParams" => chat::ChatSendParams,
            "ConfigApplyLikeParams" => config::ConfigApplyParams,
            "ConfigApplyParams" => config::ConfigApplyParams,
            "ConfigGetParams" => NoParams,
            "ConfigPatchParams" => config::ConfigApplyParams,
            "ConfigSchemaParams" => NoParams,
            "ConfigSetParams" => config::ConfigSetParams,
            "ConnectParams" => ConnectParamsV3,
            "CronAddParams" => cron::CronAddParams,
            "CronDelivery" => cron::CronDelivery,
            "CronDeliveryPatch" => cron::CronDeliveryPatch,
            "CronDeliveryStatus" => cron::CronDeliveryStatus,
            "CronJob" => cron::CronJob,
            "CronJobPatch" => cron::CronJobPatch,
            "CronJobState" => cron::CronJobState,
            "CronJobsEnabledFilter" => cron::CronEnabledFilter,
            "CronJobsSortBy" => cron::CronSortBy,
            "CronListParams" => cron::CronListParams,
            "CronPayload" => cron::CronPayload,
            "CronPayloadPatch" => cron::CronPayloadPatch,
            "CronRemoveParams" => cron::CronRemoveParams,
            "CronRunLogJobId" => JobFileId,
            "CronRunParams" => cron::CronRunParams,
            "CronRunStatus" => cron::CronRunStatus,
            "CronRunsParams" => cron::CronRunsParams,
            "CronRunsStatusFilter" => cron::CronRunsStatusFilter,
            "CronRunsStatusValue" => cron::CronRunStatus,
            "CronSchedule" => cron::CronSchedule,
            "CronSessionTarget" => cron::CronSessionTarget,
            "CronSortDir" => cron::SortDirection,
            "CronStatusParams" => NoParams,
            "CronUpdateParams" => cron::CronUpdateParams,
            "CronWakeMode" => system::WakeMode,
            "DevicePairApproveParams" => devices::DevicePairApproveParams,
            "DevicePairListParams" => NoParams,
            "DevicePairRejectParams" => devices::DevicePairRejectParams,
            "DevicePairRemoveParams" => devices::DevicePairRemoveParams,
            "DeviceTokenRevokeParams" => devices::DeviceTokenRevokeParams,
            "DeviceTokenRotateParams" => devices::DeviceTokenRotateParams,
            "ExecApprovalRequestParams" => approvals::ApprovalRequestParams,
            "ExecApprovalResolveParams" => approvals::ApprovalResolveParams,
            "ExecApprovalsAgent" => approvals::ApprovalsAgent,
            "ExecApprovalsAllowlistEntry" => approvals::AllowlistEntry,
            "ExecApprovalsDefaults" => approvals::ApprovalsDefaults,
            "ExecApprovalsFile" => approvals::ApprovalsFile,
            "ExecApprovalsGetParams" => NoParams,
            "ExecApprovalsNodeGetParams" => approvals::ApprovalsNodeGetParams,
            "ExecApprovalsNodeSetParams" => approvals::ApprovalsNodeSetParams,
            "ExecApprovalsSetParams" => approvals::ApprovalsSetParams,
            "GatewayClientId" => ClientIdV3,
            "GatewayClientMode" => ClientModeV3,
            "LogsTailParams" => logs::LogsTailParams,
            "ModelsListParams" => NoParams,
            "NodeDescribeParams" => nodes::NodeDescribeParams,
            "NodeEventParams" => nodes::NodeEventParams,
            "NodeInvokeParams" => nodes::NodeInvokeParams,
            "NodeInvokeResultParams" => nodes::NodeInvokeAnswerParams,
            "NodeListParams" => NoParams,
            "NodePairApproveParams" => nodes::NodePairApproveParams,
            "NodePairListParams" => NoParams,
            "NodePairRejectParams" => nodes::NodePairRejectParams,
            "NodePairRequestParams" => nodes::NodePairRequestParams,
            "NodePairVerifyParams" => nodes::NodePairVerifyParams,
            "NodeRenameParams" => nodes::NodeRenameParams,
            "PollParams" => messages::PollParams,
            "PushTestParams" => nodes::PushTestParams,
            "RequestFrame" => RequestFrame,
            "SendParams" => messages::SendParams,
            "SessionsCompactParams" => sessions::SessionsCompactParams,
            "SessionsDeleteParams" => sessions::SessionsDeleteParams,
            "SessionsListParams" => sessions::SessionsListParams,
            "SessionsPatchParams" => sessions::SessionsPatchParams,
            "SessionsPreviewParams" => sessions::SessionsPreviewParams,
            "SessionsResetParams" => sessions::SessionsResetParams,
            "SessionsResolveParams" => sessions::SessionsResolveParams,
            "SessionsUsageParams" => usage::SessionsUsageParams,
            "SkillsBinsParams" => NoParams,
            "SkillsInstallParams" => catalog::SkillsInstallParams,
            "SkillsStatusParams" => catalog::SkillsStatusParams,
            "SkillsUpdateParams" => catalog::SkillsUpdateParams,
            "TalkConfigParams" => speech::TalkConfigParams,
            "TalkModeParams" => speech::TalkModeParams,
            "ToolsCatalogParams" => catalog::ToolsCatalogParams,
            "UpdateRunParams" => system::UpdateRunParams,
            "WakeParams" => system::WakeParams,
            "WebLoginStartParams" => channels::WebLoginStartParams,
            "WebLoginWaitParams" => channels::WebLoginWaitParams,
            "WizardAnswer" => wizard::WizardAnswer,
            "WizardCancelParams" => wizard::WizardSessionParams,
            "WizardNextParams" => wizard::WizardNextParams,
            "WizardRunStatus" => wizard::WizardRunStatus,
            "WizardSessionIdParams" => wizard::WizardSessionParams,
            "WizardStartParams" => wizard::WizardStartParams,
            "WizardStatusParams" => wizard::WizardSessionParams,
        }
    }
}

fn answer_rows() -> Vec<Row> {
    rows! {
        Result {
            "AgentEvent" => <events::Agent as Event>::Payload,
            "AgentIdentityResult" => agents::AgentIdentityResult,
            "AgentSummary" => agents::AgentSummary,
            "AgentsCreateResult" => agents::AgentsCreateResult,
            "AgentsDeleteResult" => agents::AgentsDeleteResult,
            "AgentsFileEntry" => agents::AgentFile,
            "AgentsFilesGetResult" => agents::AgentsFilesGetResult,
            "AgentsFilesListResult" => agents::AgentsFilesListResult,
            "AgentsFilesSetResult" => agents::AgentsFilesSetResult,
            "AgentsListResult" => agents::AgentsListResult,
            "AgentsUpdateResult" => agents::AgentsUpdateResult,
            "ChannelAccountSnapshot" => channels::ChannelAccount,
            "ChannelUiMeta" => channels::ChannelMeta,
            "ChannelsStatusResult" => channels::ChannelsStatusResult,
            "ChatEvent" => <events::Chat as Event>::Payload,
            "ConfigSchemaResponse" => config::ConfigSchemaResult,
            "ConfigUiHint" => config::ConfigUiHint,
            "CronRunLogEntry" => cron::CronRunLogEntry,
            "DevicePairRequestedEvent" => <events::DevicePairRequested as Event>::Payload,
            "DevicePairResolvedEvent" => <events::DevicePairResolved as Event>::Payload,
            "ErrorShape" => ErrorShape,
            "EventFrame" => EventFrame,
            "ExecApprovalsSnapshot" => approvals::ApprovalsSnapshot,
            "HelloOk" => HelloOk,
            "LogsTailResult" => logs::LogsTailResult,
            "ModelChoice" => catalog::ModelChoice,
            "ModelsListResult" => catalog::ModelsListResult,
            "NodeInvokeRequestEvent" => <events::NodeInvokeRequest as Event>::Payload,
            "PresenceEntry" => PresenceEntry,
            "PushTestResult" => nodes::PushTestResult,
            "ResponseFrame" => ResponseFrame,
            "SessionDefaults" => SessionDefaults,
            "ShutdownEvent" => <events::Shutdown as Event>::Payload,
            "SkillsBinsResult" => catalog::SkillsBinsResult,
            "Snapshot" => Snapshot,
            "StateVersion" => StateVersion,
            "TalkConfigResult" => speech::TalkConfigResult,
            "TalkProviderConfig" => speech::TalkProvider,
            "TickEvent" => <events::Tick as Event>::Payload,
            "ToolCatalogEntry" => catalog::ToolEntry,
            "ToolCatalogGroup" => catalog::ToolGroup,
            "ToolCatalogProfile" => catalog::ToolProfile,
            "ToolsCatalogResult" => catalog::ToolsCatalogResult,
            "WizardNextResult" => wizard::WizardNextResult,
            "WizardStartResult" => wizard::WizardStartResult,
            "WizardStatusResult" => wizard::WizardStatusResult,
            "WizardStep" => wizard::WizardStep,
            "WizardStepOption" => wizard::WizardOption,
        }
    }
}

fn all_rows() -> Vec<Row> {
    request_rows().into_iter().chain(answer_rows()).collect()
}

fn reference() -> Value {
    serde_json::from_str(REFERENCE).unwrap()
}

#[test]
fn every_definition_of_the_original_is_mapped_or_explained() {
    let reference = reference();
    let theirs: BTreeSet<String> = reference["definitions"].as_object().unwrap().keys().cloned().collect();
    let mut ours: BTreeSet<String> = all_rows().into_iter().map(|row| row.definition.to_owned()).collect();
    ours.extend(UNMAPPED_DEFINITIONS.iter().map(|(definition, _)| (*definition).to_owned()));
    assert_eq!(ours, theirs);
}

#[test]
fn every_type_has_the_shape_of_its_definition() {
    let reference = reference();
    let mut found = BTreeSet::new();
    for row in all_rows() {
        let theirs = Shape::read(&reference["definitions"][row.definition], &reference);
        let ours = Shape::read(&row.schema, &row.schema);
        let mut differences = Vec::new();
        match row.rule {
            Rule::Params => theirs.differences(&ours, "", &mut differences),
            Rule::Result => theirs.relaxed().differences(&ours.relaxed(), "", &mut differences),
        }
        found.extend(differences.into_iter().map(|difference| format!("{}{difference}", row.definition)));
    }
    let expected: BTreeSet<String> = DEFINITION_DEVIATIONS
        .iter()
        .flat_map(|deviation| deviation.differences.iter().map(|difference| (*difference).to_owned()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn client_ids_and_modes_are_those_of_the_original_and_protocol_4_only_adds() {
    let reference = reference();
    let words = |key: &str| -> BTreeSet<String> {
        let map = reference[key].as_object().unwrap();
        map.values().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    let ids: BTreeSet<String> = ClientIdV3::ALL.iter().map(|id| id.as_str().to_owned()).collect();
    let modes: BTreeSet<String> = ClientModeV3::ALL.iter().map(|mode| mode.as_str().to_owned()).collect();
    assert_eq!((ids, modes), (words("clientIds"), words("clientModes")));
    for id in ClientIdV3::ALL {
        assert_eq!(ClientId::from(*id).as_str(), id.as_str());
    }
    for mode in ClientModeV3::ALL {
        assert_eq!(ClientMode::from(*mode).as_str(), mode.as_str());
    }
}

#[test]
fn the_error_codes_of_the_original_are_known() {
    let known: BTreeSet<&str> = ErrorCode::KNOWN.iter().map(ErrorCode::as_str).collect();
    for code in reference()["errorCodes"].as_object().unwrap().values() {
        assert!(known.contains(code.as_str().unwrap()), "{code}");
    }
}
