//! What a caller decides before connecting: where, as whom, with which rights and secrets.
//!
//! Plain data. Nothing here reads files or variables: the caller has found everything already.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use openclaw_types::{Role, Scope, Secret};

use crate::address::GatewayAddress;
use crate::identity::{DeviceIdentity, DeviceTokens, SignatureVersion};
use crate::tls::Trust;

/// Everything one connection needs.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// Where the gateway is.
    pub address: GatewayAddress,
    /// How its certificate is judged; only read for `wss://`.
    pub trust: Trust,
    /// Where plain text may go.
    pub plaintext: Plaintext,
    /// Who we say we are.
    pub client: ClientProfile,
    /// The part we play.
    pub role: Role,
    /// What we want to be allowed, in the order it is sent.
    pub scopes: Vec<Scope>,
    /// Capabilities we announce.
    pub capabilities: Vec<String>,
    /// What we show to be let in.
    pub credentials: ConnectCredentials,
    /// The device that vouches for us; absent for a client that only has the shared secret.
    pub device: Option<Device>,
    /// The protocol generations we speak.
    pub protocols: RangeInclusive<u32>,
    /// How long the whole way to `hello-ok` may take.
    pub connect_limit: Duration,
    /// How long the gateway's challenge may take; at most `connect_limit`.
    pub challenge_limit: Duration,
}

impl ConnectOptions {
    /// Options for a command-line program without any secret or device yet.
    #[must_use]
    pub fn new(address: GatewayAddress, client: ClientProfile) -> Self {
        Self {
            address,
            trust: Trust::System,
            plaintext: Plaintext::LoopbackOnly,
            client,
            role: Role::Operator,
            scopes: Vec::new(),
            capabilities: Vec::new(),
            credentials: ConnectCredentials::default(),
            device: None,
            protocols: 3..=4,
            connect_limit: Duration::from_secs(10),
            challenge_limit: Duration::from_secs(2),
        }
    }
}

/// Where an unencrypted connection may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Plaintext {
    /// Only to this machine.
    #[default]
    LoopbackOnly,
    /// Anywhere; for networks that encrypt by themselves.
    Anywhere,
}

/// How a client introduces itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientProfile {
    /// One of the client names gateways know, such as `cli`.
    pub id: String,
    /// The way it is run, such as `cli`, `probe` or `backend`.
    pub mode: String,
    /// What people see in lists.
    pub display_name: Option<String>,
    /// The program's version.
    pub version: String,
    /// The operating system.
    pub platform: String,
    /// The hardware family.
    pub device_family: Option<String>,
    /// Names this run or installation.
    pub instance_id: Option<String>,
}

impl ClientProfile {
    /// The command line on this machine.
    #[must_use]
    pub fn command_line(version: &str) -> Self {
        Self {
            id: "cli".to_owned(),
            mode: "cli".to_owned(),
            display_name: None,
            version: version.to_owned(),
            platform: platform().to_owned(),
            device_family: None,
            instance_id: Some(uuid::Uuid::new_v4().to_string()),
        }
    }

    /// The same program, looking whether a gateway is there.
    #[must_use]
    pub fn probe(version: &str) -> Self {
        Self { mode: "probe".to_owned(), ..Self::command_line(version) }
    }
}

/// The word OpenClaw programs use for this operating system.
fn platform() -> &'static str {
    match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    }
}

/// What is shown to be let in. An explicit token wins over the stored one of the device.
#[derive(Debug, Clone, Default)]
pub struct ConnectCredentials {
    /// The gateway's shared token.
    pub token: Option<Secret<String>>,
    /// The gateway's shared password.
    pub password: Option<Secret<String>>,
    /// A device token that did not come from the token file.
    pub device_token: Option<Secret<String>>,
}

/// A device key and where its tokens are kept.
#[derive(Debug, Clone)]
pub struct Device {
    /// The key.
    pub identity: Arc<DeviceIdentity>,
    /// The tokens gateways gave to it.
    pub tokens: DeviceTokens,
    /// Which fields are signed.
    pub signature: SignatureVersion,
}
