//! Where we differ from the original on purpose, each with its reason. The tests fail when an entry no longer applies.
//!
//! Two rules hold for all results and event payloads and are not repeated below: they are open when read, so that our
//! client understands a newer gateway; and they do not promise lower bounds (non-empty texts, smallest numbers), because
//! they are built by us and bounds are checked where values come in.

/// A recorded sample our types read or write differently.
pub(crate) struct SampleDeviation {
    /// The sample's name in the fixture.
    pub(crate) sample: &'static str,
    /// `params` or `result`.
    pub(crate) part: &'static str,
    /// What the test finds.
    pub(crate) difference: &'static str,
    /// Why this is right.
    #[expect(dead_code, reason = "written for people; the test only needs the difference")]
    pub(crate) reason: &'static str,
}

/// A definition our type differs from.
pub(crate) struct DefinitionDeviation {
    /// What the test finds.
    pub(crate) differences: &'static [&'static str],
    /// Why this is right.
    #[expect(dead_code, reason = "written for people; the test only needs the differences")]
    pub(crate) reason: &'static str,
}

/// Every sample that is read or written differently.
pub(crate) const SAMPLE_DEVIATIONS: &[SampleDeviation] = &[
    SampleDeviation {
        sample: "chat.history.bad",
        part: "params",
        difference: "refused with \"invalid chat.history params: at /sessionKey: must be non-empty\"",
        reason: "the same place and form, our own words after it",
    },
    SampleDeviation {
        sample: "connect",
        part: "params",
        difference: "refused with \"invalid connect params: at root: must have required property 'minProtocol'; \
                     at root: must have required property 'maxProtocol'; at root: must have required property 'client'\"",
        reason: "the recording is of a second connect, which the gateway refuses before it reads the params",
    },
];

/// Definitions without a type of their own.
pub(crate) const UNMAPPED_DEFINITIONS: &[(&str, &str)] = &[
    ("CronDeliveryAnnounce", "a member of CronDelivery, which adds the mode and is compared as a whole"),
    ("CronDeliveryNoop", "a member of CronDelivery, which adds the mode and is compared as a whole"),
    ("CronDeliveryWebhook", "a member of CronDelivery, which adds the mode and is compared as a whole"),
    ("GatewayFrame", "the union of the three frames, which are compared one by one"),
    ("HealthSnapshot", "the original leaves it open; ours is typed and checked against recordings"),
];

/// Every definition our type differs from.
pub(crate) const DEFINITION_DEVIATIONS: &[DefinitionDeviation] = &[
    DefinitionDeviation {
        differences: &[
            "ChannelAccountSnapshot/lastConnectedAt: theirs integer .., ours null or integer ..",
            "ChannelAccountSnapshot/lastInboundAt: theirs integer .., ours null or integer ..",
            "ChannelAccountSnapshot/lastOutboundAt: theirs integer .., ours null or integer ..",
            "ChannelAccountSnapshot/lastProbeAt: theirs integer .., ours null or integer ..",
            "ChannelAccountSnapshot/lastStartAt: theirs integer .., ours null or integer ..",
            "ChannelAccountSnapshot/lastStopAt: theirs integer .., ours null or integer ..",
            "ChannelAccountSnapshot/lastError: theirs text 0.., ours null or text 0..",
            "ChannelAccountSnapshot/mode: theirs text 0.., ours null or text 0..",
            "ChannelsStatusResult/channelAccounts/*/[]/lastConnectedAt: theirs integer .., ours null or integer ..",
            "ChannelsStatusResult/channelAccounts/*/[]/lastInboundAt: theirs integer .., ours null or integer ..",
            "ChannelsStatusResult/channelAccounts/*/[]/lastOutboundAt: theirs integer .., ours null or integer ..",
            "ChannelsStatusResult/channelAccounts/*/[]/lastProbeAt: theirs integer .., ours null or integer ..",
            "ChannelsStatusResult/channelAccounts/*/[]/lastStartAt: theirs integer .., ours null or integer ..",
            "ChannelsStatusResult/channelAccounts/*/[]/lastStopAt: theirs integer .., ours null or integer ..",
            "ChannelsStatusResult/channelAccounts/*/[]/lastError: theirs text 0.., ours null or text 0..",
            "ChannelsStatusResult/channelAccounts/*/[]/mode: theirs text 0.., ours null or text 0..",
        ],
        reason: "the original sends null for what is not known, against its own schema (see the recording of channels.status)",
    },
    DefinitionDeviation {
        differences: &[
            "AgentEvent/agentId: added",
            "AgentEvent/isHeartbeat: added",
            "AgentEvent/sessionId: added",
            "AgentEvent/spawnedBy: added",
            "ChatEvent/agentId: added",
            "ChatEvent/deltaText: added",
            "ChatEvent/errorDetail: added",
            "ChatEvent/errorKind: added",
            "ChatEvent/phase: added",
            "ChatEvent/replace: added",
            "ChatEvent/spawnedBy: added",
            "ChatEvent/yielded: added",
            "ChatEvent/state: theirs \"aborted\"|\"delta\"|\"error\"|\"final\", ours \"aborted\"|\"delta\"|\"error\"|\"final\"|\"status\"",
        ],
        reason: "fields of protocol 4, absent for clients of protocol 3",
    },
    DefinitionDeviation {
        differences: &["ExecApprovalResolveParams/scope: added"],
        reason: "a lasting permission can be made narrower or wider here; clients of the original send none",
    },
    DefinitionDeviation {
        differences: &["AgentEvent/sessionKey: added"],
        reason: "the original sends it, against its own schema (see the recorded runs)",
    },
    DefinitionDeviation {
        differences: &["ConnectParams/device/nonce: theirs Required, ours Optional"],
        reason: "releases before 2026.2.26 leave it out on loopback; the handshake refuses its absence from elsewhere",
    },
    DefinitionDeviation {
        differences: &[
            "DevicePairResolvedEvent/decision: theirs text 0.., ours \"approved\"|\"rejected\"",
            "HelloOk/auth/role: theirs text 0.., ours \"node\"|\"operator\"",
        ],
        reason: "only these words are ever sent",
    },
    DefinitionDeviation {
        differences: &[
            "HelloOk/auth/deviceToken: theirs Required, ours Optional",
            "HelloOk/auth/method: added",
            "HelloOk/features/capabilities: added",
            "HelloOk/pluginSurfaceUrls: added",
            "HelloOk/policy/attachments: added",
            "HelloOk/server/bootId: added",
            "HelloOk/server/buildId: added",
            "HelloOk/snapshot/appliedConfigHash: added",
            "HelloOk/snapshot/sessionDefaults/modelConfigured: added",
            "SessionDefaults/modelConfigured: added",
            "Snapshot/appliedConfigHash: added",
            "Snapshot/sessionDefaults/modelConfigured: added",
        ],
        reason: "one type serves both dialects; what protocol 4 adds is left out for clients of protocol 3",
    },
    DefinitionDeviation {
        differences: &["ModelChoice/input: added", "ModelsListResult/models/[]/input: added"],
        reason: "the original sends it, against its own schema (see the recording of models.list)",
    },
    DefinitionDeviation {
        differences: &[
            "NodeInvokeRequestEvent/paramsJSON: theirs Optional, ours Required",
            "NodeInvokeRequestEvent/paramsJSON: theirs text 0.., ours null or text 0..",
            "ShutdownEvent/restartExpectedMs: theirs Optional, ours Required",
            "ShutdownEvent/restartExpectedMs: theirs integer .., ours null or integer ..",
        ],
        reason: "the original sends null here, against its own schema",
    },
    DefinitionDeviation {
        differences: &[
            "NodeInvokeResultParams/error: theirs object, ours null or object",
            "NodeInvokeResultParams/payloadJSON: theirs text 0.., ours null or text 0..",
        ],
        reason: "some nodes send null where they mean nothing, and the original removes it before it checks",
    },
    DefinitionDeviation {
        differences: &["RequestFrame/expectedProfileId: added", "RequestFrame/traceparent: added"],
        reason: "clients of protocol 4 send them; they are read from everybody because the frame comes before the handshake",
    },
];
