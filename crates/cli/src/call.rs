//! Asks a gateway something, once: connect, request, goodbye, on a single thread.
//!
//! Scopes are the least the method needs, from the protocol's own table, so that a stolen device token of the command
//! line is worth little. Used by every command that speaks to a gateway.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use openclaw_client::{
    Await, ClientProfile, ConnectError, ConnectOptions, Device, DeviceIdentity, DeviceTokens, RequestOptions,
    Session, SignatureVersion, connect,
};
use openclaw_ports::{Deadline, TaskScope};
use openclaw_protocol::{Access, find_method};
use openclaw_types::Scope;
use serde_json::Value;

use crate::context::{Context, VERSION};
use crate::target::Target;

/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_millis(500);

/// A question to a gateway.
#[derive(Debug, Clone)]
pub(crate) struct Question<'a> {
    /// The method.
    pub(crate) method: &'a str,
    /// Its parameters.
    pub(crate) params: Value,
    /// How long connecting and answering may take together.
    pub(crate) limit: Duration,
    /// Which answer is waited for.
    pub(crate) until: Await,
}

impl<'a> Question<'a> {
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
pub(crate) fn ask(context: &Context, target: &Target, question: &Question<'_>) -> anyhow::Result<Value> {
    block_on(async {
        let clock = context.clock.as_ref();
        let deadline = Deadline::after(clock, question.limit);
        let reach = Reach {
            profile: ClientProfile::command_line(VERSION),
            scopes: scopes_for([question.method]),
            limit: question.limit,
        };
        let line = Line::open(context, target, reach).await?;
        let answer = line.ask(&Question { limit: deadline.left(clock), ..question.clone() }).await;
        line.close().await;
        answer
    })
}

/// As whom, with which scopes and within which time a command connects.
pub(crate) struct Reach {
    /// How we introduce ourselves.
    pub(crate) profile: ClientProfile,
    /// What we want to be allowed.
    pub(crate) scopes: Vec<Scope>,
    /// How long connecting may take.
    pub(crate) limit: Duration,
}

/// An open connection of a command.
pub(crate) struct Line {
    session: Session,
}

impl Line {
    /// Connects.
    pub(crate) async fn open(context: &Context, target: &Target, reach: Reach) -> Result<Self, ConnectError> {
        let Reach { profile, scopes, limit } = reach;
        let mut options = ConnectOptions::new(target.address.clone(), profile);
        options.trust = target.trust.clone();
        options.credentials = target.credentials.clone();
        options.scopes = scopes;
        options.connect_limit = limit;
        options.challenge_limit = options.challenge_limit.min(limit);
        options.device = Some(device(context)?);
        let tasks = TaskScope::root("command");
        let session = connect(&options, Arc::clone(&context.clock), &tasks).await?;
        Ok(Self { session })
    }

    /// Asks one question.
    pub(crate) async fn ask(&self, question: &Question<'_>) -> anyhow::Result<Value> {
        let options = RequestOptions { limit: question.limit, until: question.until };
        let answer = self.session.request(question.method, &question.params, options).await?;
        serde_json::from_str(answer.get()).context("the gateway's answer is no JSON")
    }

    /// Says goodbye.
    pub(crate) async fn close(self) {
        self.session.close(GOODBYE).await;
    }
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
            Some(Access::Operator(scope)) => scope,
            Some(Access::Anyone) => Scope::Read,
            Some(Access::Handshake | Access::Node) | None => Scope::Admin,
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
