//! What a client asks for in `connect`, read into the words of the system.
//!
//! Pure. Nothing here is believed yet. Scopes nobody knows grant nothing, but they stay in `asked`, because the client
//! has signed them; a node has no scopes at all.

use openclaw_protocol::{ClientId, ClientInfo, ClientMode, ConnectParams, DeviceProof, Dialect};
use openclaw_types::{Role, Scope, ScopeSet};

use crate::auth::SentCredentials;

/// A client that asks to be let in.
#[derive(Debug, Clone)]
pub(crate) struct Applicant {
    /// The protocol it will be spoken to in.
    pub(crate) dialect: Dialect,
    /// The program.
    pub(crate) client: ClientInfo,
    /// What kind of program it is.
    pub(crate) kind: ClientKind,
    /// The role it wants.
    pub(crate) role: Role,
    /// The scopes as it wrote them, in its order.
    pub(crate) asked: Vec<String>,
    /// The scopes it wants, as far as they exist.
    pub(crate) scopes: ScopeSet,
    /// Its proof of a device.
    pub(crate) device: Option<DeviceProof>,
    /// Its secrets.
    pub(crate) credentials: SentCredentials,
}

/// A role that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BadRole;

impl Applicant {
    /// Reads what a client asks for.
    ///
    /// # Errors
    /// `BadRole` when the role is neither operator nor node.
    pub(crate) fn read(dialect: Dialect, params: ConnectParams) -> Result<Self, BadRole> {
        let role = match params.role.as_ref().map(|role| role.as_str().parse::<Role>()) {
            None => Role::Operator,
            Some(Ok(role)) => role,
            Some(Err(_unknown)) => return Err(BadRole),
        };
        let asked: Vec<String> =
            params.scopes.into_iter().flatten().map(|scope| scope.into_string()).collect();
        let scopes = match role {
            Role::Operator => asked.iter().filter_map(|scope| scope.trim().parse::<Scope>().ok()).collect(),
            Role::Node => ScopeSet::none(),
        };
        Ok(Self {
            dialect,
            kind: ClientKind::of(&params.client),
            client: params.client,
            role,
            asked,
            scopes,
            device: params.device,
            credentials: SentCredentials::new(params.auth),
        })
    }
}

/// The kinds of programs that the rules tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClientKind {
    /// The gateway's own page.
    ControlUi,
    /// A chat in a web page.
    WebChat,
    /// The command line.
    Cli,
    /// Anything else.
    Other,
}

impl ClientKind {
    /// Sorts a program by what it says it is.
    pub(crate) fn of(client: &ClientInfo) -> Self {
        match (client.id, client.mode) {
            (ClientId::ControlUi, _) => Self::ControlUi,
            (ClientId::WebchatUi, _) | (_, ClientMode::Webchat) => Self::WebChat,
            (_, ClientMode::Cli) => Self::Cli,
            _ => Self::Other,
        }
    }

    /// Whether it is one of the pages that browsers are expected to load.
    pub(crate) fn is_web_page(self) -> bool {
        matches!(self, Self::ControlUi | Self::WebChat)
    }
}
