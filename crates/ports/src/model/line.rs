//! One attempt at one model on one server: the contract of the transport.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::Stream;
use openclaw_types::{ProviderId, Secret};

use super::{ApiName, ModelEvent, ModelRequest, ModelTarget, ServerReach};

/// Carries requests to models.
pub trait ModelLine: Send + Sync {
    /// Sends a request once the stream is first polled.
    ///
    /// The stream ends in exactly one `Done` or `Failed`, whatever happens. Dropping it cancels the call and closes
    /// its socket at once. An attempt may be repeated inside as long as nothing was streamed.
    fn open(&self, request: Arc<ModelRequest>, route: ModelRoute) -> ModelStream;
}

/// The events of one attempt.
pub type ModelStream = Pin<Box<dyn Stream<Item = ModelEvent> + Send>>;

/// Where a request goes and how it signs in.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRoute {
    /// The vendor, for logs.
    pub provider: ProviderId,
    /// The protocol.
    pub api: ApiName,
    /// The model, its address and its key.
    pub target: ModelTarget,
    /// What signs the call, where the vendor wants signatures instead of a key.
    pub aws: Option<AwsKeys>,
    /// Where the address may lie.
    pub reach: ServerReach,
}

/// Keys that sign calls to AWS.
#[derive(Clone, PartialEq, Eq)]
pub struct AwsKeys {
    /// Names the keys; not secret by itself.
    pub access_key_id: String,
    /// Signs.
    pub secret_access_key: Secret<String>,
    /// Goes along with temporary keys.
    pub session_token: Option<Secret<String>>,
    /// The region that is called.
    pub region: String,
}

impl fmt::Debug for AwsKeys {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("AwsKeys").field("region", &self.region).finish_non_exhaustive()
    }
}
