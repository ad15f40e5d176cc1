//! What a client says about itself in `connect`, in both dialects.
//!
//! A client that speaks only protocol 3 is held to that protocol's closed schema, so that its mistakes are named; one
//! whose range reaches protocol 4 is read with the later additions, and keys newer than both are ignored. Whether the
//! claims are true (credentials, device signature, pairing) is decided in `gateway`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::error::ErrorShape;
use crate::hello::HelloOk;
use crate::method::{Method, decode_as};
use crate::shape::{Natural, NonEmpty, Positive, SecretText, Text, choices, object};
use crate::version::{Dialect, ProtocolMismatch, negotiate};

choices! {
    /// Which program connects.
    ClientId {
        WebchatUi = "webchat-ui",
        ControlUi = "openclaw-control-ui",
        BrowserCopilot = "openclaw-browser-copilot",
        Tui = "openclaw-tui",
        Webchat = "webchat",
        Cli = "cli",
        GatewayClient = "gateway-client",
        MacosApp = "openclaw-macos",
        LinuxApp = "openclaw-linux",
        IosApp = "openclaw-ios",
        WatchosApp = "openclaw-watchos",
        AndroidApp = "openclaw-android",
        NodeHost = "node-host",
        Worker = "openclaw-worker",
        Test = "test",
        Fingerprint = "fingerprint",
        Probe = "openclaw-probe",
    }
    /// What the program is used for.
    ClientMode {
        Webchat = "webchat",
        Cli = "cli",
        Ui = "ui",
        Backend = "backend",
        Node = "node",
        Worker = "worker",
        Probe = "probe",
        Test = "test",
    }
    /// The programs protocol 3 knows.
    ClientIdV3 {
        WebchatUi = "webchat-ui",
        ControlUi = "openclaw-control-ui",
        Webchat = "webchat",
        Cli = "cli",
        GatewayClient = "gateway-client",
        MacosApp = "openclaw-macos",
        IosApp = "openclaw-ios",
        AndroidApp = "openclaw-android",
        NodeHost = "node-host",
        Test = "test",
        Fingerprint = "fingerprint",
        Probe = "openclaw-probe",
    }
    /// The uses protocol 3 knows.
    ClientModeV3 {
        Webchat = "webchat",
        Cli = "cli",
        Ui = "ui",
        Backend = "backend",
        Node = "node",
        Probe = "probe",
        Test = "test",
    }
}

object! {
    /// The first request on every socket, with the additions of protocol 4.
    open ConnectParams {
        min_protocol: Positive,
        max_protocol: Positive,
        client: ClientInfo,
        caps?: Vec<NonEmpty>,
        /// Node commands offered.
        commands?: Vec<NonEmpty>,
        /// What the operating system lets a node do.
        permissions?: BTreeMap<String, bool>,
        path_env?: String,
        /// `operator` when absent; anything but `operator` and `node` is refused by the handshake.
        role?: NonEmpty,
        scopes?: Vec<NonEmpty>,
        device?: DeviceProof,
        auth?: ConnectAuth,
        locale?: String,
        user_agent?: String,
        computer_use?: Value,
        worker_runs?: Value,
        model_catalog?: Value,
    }
    /// The program that connects.
    open ClientInfo {
        id: ClientId,
        display_name?: NonEmpty,
        version: NonEmpty,
        platform: NonEmpty,
        device_family?: NonEmpty,
        model_identifier?: NonEmpty,
        mode: ClientMode,
        /// One installation or browser tab.
        instance_id?: NonEmpty,
        build_id?: Text<1, 96>,
        time_zone?: Text<1, 64>,
    }
    /// Proof that the client holds a device's key.
    closed DeviceProof {
        /// Hex SHA-256 of the public key.
        id: NonEmpty,
        public_key: NonEmpty,
        signature: NonEmpty,
        signed_at: Natural,
        /// From the challenge; releases before 2026.2.26 leave it out on loopback, so the handshake judges its absence.
        nonce?: NonEmpty,
    }
    /// What the client authenticates with.
    #[derive(Default)]
    open ConnectAuth {
        token?: SecretText,
        device_token?: SecretText,
        password?: SecretText,
        bootstrap_token?: SecretText,
        approval_runtime_token?: SecretText,
        agent_runtime_identity_token?: SecretText,
    }
    /// The first request of a client that speaks only protocol 3.
    closed ConnectParamsV3 {
        min_protocol: Positive,
        max_protocol: Positive,
        client: ClientInfoV3,
        caps?: Vec<NonEmpty>,
        commands?: Vec<NonEmpty>,
        permissions?: BTreeMap<String, bool>,
        path_env?: String,
        role?: NonEmpty,
        scopes?: Vec<NonEmpty>,
        device?: DeviceProof,
        auth?: ConnectAuthV3,
        locale?: String,
        user_agent?: String,
    }
    /// The program that connects, as protocol 3 describes it.
    closed ClientInfoV3 {
        id: ClientIdV3,
        display_name?: NonEmpty,
        version: NonEmpty,
        platform: NonEmpty,
        device_family?: NonEmpty,
        model_identifier?: NonEmpty,
        mode: ClientModeV3,
        instance_id?: NonEmpty,
    }
    /// What a client of protocol 3 authenticates with.
    closed ConnectAuthV3 {
        token?: SecretText,
        device_token?: SecretText,
        password?: SecretText,
    }
}

/// Opens a connection; valid only as the first request.
#[derive(Debug, Clone, Copy)]
pub struct Connect;

impl Method for Connect {
    const NAME: &'static str = "connect";
    type Params = ConnectParams;
    type Result = HelloOk;
}

impl ConnectParams {
    /// Reads the params of a connect, as strictly as the range of protocols asks for.
    ///
    /// # Errors
    /// "invalid connect params: …", naming every problem. The range itself is judged by `dialect`.
    pub fn decode(params: Option<&RawValue>) -> Result<Self, ErrorShape> {
        if reaches_protocol_4(params) {
            decode_as::<Self>(Connect::NAME, params)
        } else {
            decode_as::<ConnectParamsV3>(Connect::NAME, params).map(Self::from)
        }
    }

    /// The newest protocol both sides speak.
    ///
    /// # Errors
    /// When there is none.
    pub fn dialect(&self) -> Result<Dialect, ProtocolMismatch> {
        negotiate(self.min_protocol.get(), self.max_protocol.get())
    }
}

fn reaches_protocol_4(params: Option<&RawValue>) -> bool {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Range {
        max_protocol: Natural,
    }
    params
        .and_then(|params| serde_json::from_str::<Range>(params.get()).ok())
        .is_some_and(|range| range.max_protocol.get() >= i64::from(Dialect::V4.number()))
}

impl From<ConnectParamsV3> for ConnectParams {
    fn from(old: ConnectParamsV3) -> Self {
        Self {
            min_protocol: old.min_protocol,
            max_protocol: old.max_protocol,
            client: old.client.into(),
            caps: old.caps,
            commands: old.commands,
            permissions: old.permissions,
            path_env: old.path_env,
            role: old.role,
            scopes: old.scopes,
            device: old.device,
            auth: old.auth.map(|auth| ConnectAuth {
                token: auth.token,
                device_token: auth.device_token,
                password: auth.password,
                ..ConnectAuth::default()
            }),
            locale: old.locale,
            user_agent: old.user_agent,
            computer_use: None,
            worker_runs: None,
            model_catalog: None,
        }
    }
}

impl From<ClientInfoV3> for ClientInfo {
    fn from(old: ClientInfoV3) -> Self {
        Self {
            id: old.id.into(),
            display_name: old.display_name,
            version: old.version,
            platform: old.platform,
            device_family: old.device_family,
            model_identifier: old.model_identifier,
            mode: old.mode.into(),
            instance_id: old.instance_id,
            build_id: None,
            time_zone: None,
        }
    }
}

impl From<ClientIdV3> for ClientId {
    fn from(old: ClientIdV3) -> Self {
        match old {
            ClientIdV3::WebchatUi => Self::WebchatUi,
            ClientIdV3::ControlUi => Self::ControlUi,
            ClientIdV3::Webchat => Self::Webchat,
            ClientIdV3::Cli => Self::Cli,
            ClientIdV3::GatewayClient => Self::GatewayClient,
            ClientIdV3::MacosApp => Self::MacosApp,
            ClientIdV3::IosApp => Self::IosApp,
            ClientIdV3::AndroidApp => Self::AndroidApp,
            ClientIdV3::NodeHost => Self::NodeHost,
            ClientIdV3::Test => Self::Test,
            ClientIdV3::Fingerprint => Self::Fingerprint,
            ClientIdV3::Probe => Self::Probe,
        }
    }
}

impl From<ClientModeV3> for ClientMode {
    fn from(old: ClientModeV3) -> Self {
        match old {
            ClientModeV3::Webchat => Self::Webchat,
            ClientModeV3::Cli => Self::Cli,
            ClientModeV3::Ui => Self::Ui,
            ClientModeV3::Backend => Self::Backend,
            ClientModeV3::Node => Self::Node,
            ClientModeV3::Probe => Self::Probe,
            ClientModeV3::Test => Self::Test,
        }
    }
}
