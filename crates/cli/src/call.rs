//! Asks a gateway something, once: connect, request, goodbye, on a single thread.
//!
//! Scopes are the least the method needs, from the protocol's own table, so that a stolen device token of the command
//! line is worth little. Who grants rights has to hold them, so approving asks for all of them. Used by every command that speaks to a gateway.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use openclaw_client::{
    Await, ClientProfile, ConnectError, ConnectOptions, Device, DeviceIdentity, DeviceTokens, RefusalKind,
    RequestError, RequestOptions, Session, SignatureVersion, connect,
};
use openclaw_ports::{Deadline, TaskScope};
use openclaw_protocol::{MethodAccess, find_method};
use openclaw_types::Scope;
use serde_json::Value;

use crate::context::{Context, VERSION};
use crate::target::{GatewayTarget, SecretFlags};

/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_millis(500);

/// Methods that grant rights: the gateway lets nobody grant what they do not hold.
const GRANTING: [&str; 2] = ["device.pair.approve", "device.token.rotate"];

/// A question to a gateway.
#[derive(Debug, Clone)]
pub(crate) struct GatewayQuestion<'a> {
    /// The method.
    pub(crate) method: &'a str,
    /// Its parameters.
    pub(crate) params: Value,
    /// How long connecting and answering may take together.
    pub(crate) limit: Duration,
    /// Which answer is waited for.
    pub(crate) until: Await,
}

impl<'a> GatewayQuestion<'a> {
    /// A question that waits for the first answer.
    pub(crate) fn new(method: &'a str, params: Value, limit: Duration) -> Self {
        Self { method, params, limit, until: Await::First }
    }
}

/// Runs asynchronous work of a short command.
pub(crate) fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the system refused what an event loop needs")?;
    runtime.block_on(work)
}

/// Asks one question and gives the answer.
pub(crate) fn ask(
    context: &Context,
    target: &GatewayTarget,
    question: &GatewayQuestion<'_>,
) -> anyhow::Result<Value> {
    block_on(async {
        let clock = context.clock.as_ref();
        let deadline = Deadline::after(clock, question.limit);
        let reach = CommandReach {
            profile: ClientProfile::command_line(VERSION),
            scopes: scopes_for([question.method]),
            limit: question.limit,
        };
        let line = GatewayConnection::open(context, target, reach).await?;
        let answer = line.ask(&GatewayQuestion { limit: deadline.left(clock), ..question.clone() }).await;
        line.close().await;
        answer
    })
}

/// As whom, with which scopes and within which time a command connects.
pub(crate) struct CommandReach {
    /// How we introduce ourselves.
    pub(crate) profile: ClientProfile,
    /// What we want to be allowed.
    pub(crate) scopes: Vec<Scope>,
    /// How long connecting may take.
    pub(crate) limit: Duration,
}

/// An open connection of a command.
pub(crate) struct GatewayConnection {
    session: Session,
}

impl GatewayConnection {
    /// Connects.
    pub(crate) async fn open(
        context: &Context,
        target: &GatewayTarget,
        reach: CommandReach,
    ) -> Result<Self, Unconnected> {
        let CommandReach { profile, scopes, limit } = reach;
        let mut options = ConnectOptions::new(target.address.clone(), profile);
        options.trust = target.trust.clone();
        options.credentials = target.credentials.clone();
        options.scopes = scopes;
        options.connect_limit = limit;
        options.challenge_limit = options.challenge_limit.min(limit);
        let failed = |error| Unconnected::new(error, target.secret_flags);
        options.device = Some(device(context).map_err(failed)?);
        let tasks = TaskScope::root("command");
        let session = connect(&options, Arc::clone(&context.clock), &tasks).await.map_err(failed)?;
        Ok(Self { session })
    }

    /// Asks one question.
    pub(crate) async fn ask(&self, question: &GatewayQuestion<'_>) -> anyhow::Result<Value> {
        let options = RequestOptions { limit: question.limit, until: question.until };
        let answer = self.session.request(question.method, &question.params, options).await?;
        serde_json::from_str(answer.get()).context("the gateway's answer is no JSON")
    }

    /// Says goodbye.
    pub(crate) async fn close(self) {
        self.session.close(GOODBYE).await;
    }
}

/// No connection came about, in the words of the command that wanted it.
#[derive(Debug, thiserror::Error)]
#[error("{error}{advice}")]
pub(crate) struct Unconnected {
    error: ConnectError,
    advice: &'static str,
    #[source]
    cause: Option<Cause>,
}

/// What lies below a failed connection.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Cause(String);

impl Unconnected {
    fn new(error: ConnectError, flags: SecretFlags) -> Self {
        let cause = std::error::Error::source(&error).map(|source| Cause(source.to_string()));
        let advice = match (&error, flags) {
            (ConnectError::Refused(refusal), SecretFlags::Offered)
                if refusal.kind == RefusalKind::Unauthorized =>
            {
                "; or pass --token or --password"
            }
            _ => "",
        };
        Self { error, advice, cause }
    }
}

/// Why a gateway did not answer a question, for commands that show it instead of ending with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// It is there and turned us away.
    Refused(String),
    /// It cannot be reached, or did not answer.
    Silent(String),
}

impl NoAnswer {
    /// Sorts an error of `ask` or `Line`.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        let text = format!("{error:#}");
        let refused = error.chain().any(|cause| {
            cause
                .downcast_ref::<Unconnected>()
                .is_some_and(|unconnected| matches!(unconnected.error, ConnectError::Refused(_)))
                || matches!(cause.downcast_ref::<RequestError>(), Some(RequestError::Refused(_)))
        });
        if refused { Self::Refused(text) } else { Self::Silent(text) }
    }

    /// What happened.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Refused(text) | Self::Silent(text) => text,
        }
    }
}

/// The single faults a gateway listed when it refused a request, as it listed them.
pub(crate) fn listed_issues(error: &anyhow::Error) -> Vec<Value> {
    let shape = error.chain().find_map(|cause| match cause.downcast_ref::<RequestError>() {
        Some(RequestError::Refused(shape)) => Some(shape),
        _ => None,
    });
    let details = shape.and_then(|shape| shape.details.as_deref());
    details.and_then(|details| details["issues"].as_array()).cloned().unwrap_or_default()
}

fn device(context: &Context) -> Result<Device, ConnectError> {
    let folder = context.locations.identity_dir();
    let identity = DeviceIdentity::load_or_create(&folder, context.clock.as_ref())?;
    let tokens = DeviceTokens::new(&folder, identity.device_id().clone());
    Ok(Device { identity: Arc::new(identity), tokens, signature: SignatureVersion::default() })
}

/// The least scopes these methods need. A method nobody knows may need everything.
pub(crate) fn scopes_for<'a>(methods: impl IntoIterator<Item = &'a str>) -> Vec<Scope> {
    let mut scopes: Vec<Scope> = Vec::new();
    for method in methods {
        let needed = match find_method(method).map(|found| found.access) {
            _ if GRANTING.contains(&method) => Scope::Admin,
            Some(MethodAccess::Operator(scope)) => scope,
            Some(MethodAccess::Anyone) => Scope::Read,
            Some(MethodAccess::Handshake | MethodAccess::Node) | None => Scope::Admin,
        };
        if !scopes.contains(&needed) {
            scopes.push(needed);
        }
    }
    scopes
}

/// Parses what a person gave as a number of milliseconds.
pub(crate) fn millis(limit: u64) -> Duration {
    Duration::from_millis(limit.clamp(1, 2_147_483_647))
}
