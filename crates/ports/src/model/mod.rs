//! The line to a model: a neutral request, a stream of events, typed faults, and the contracts between them.
//!
//! A wire protocol is a `ModelApi`: it turns a request into one HTTP call and the answer's bytes into events, without
//! sockets. A `ModelLine` moves the bytes; a `ModelCatalog` says what there is, `Credentials` sign in. Selection and
//! failover, in the `agent` crate, decide what to try next. The rest lives in `providers`.

mod alias;
mod api;
mod catalog;
mod credentials;
mod event;
mod fault;
mod line;
mod listing;
mod quota;
mod request;
mod written;

pub use alias::{
    DEFAULT_MODEL, DEFAULT_PROVIDER, INJECTED_API, has_timed_cache, normal_model, normal_provider,
    thinks_in_tags, writes_patches,
};
pub use api::{ApiName, HttpCall, ModelApi, StreamDecoder, UnknownApi};
pub use catalog::{
    Endpoint, ModelCatalog, ModelFacts, Prices, ProviderFacts, ProviderOrigin, ServerReach, SignIn,
};
pub use credentials::{CallCredential, CredentialKind, CredentialOrigin, Credentials, ProfileFacts};
pub use event::{Completion, ModelEvent};
pub use fault::{FaultReason, ModelFault};
pub use line::{AwsKeys, ModelLine, ModelRoute, ModelStream};
pub use listing::{ModelListing, OpenLimit, SpendingLimits};
pub use quota::{ProviderQuota, QuotaWindow, Quotas};
pub use request::{
    CacheLifetime, Compatibility, MaxTokensField, ModelRequest, ModelTarget, ThinkingFormat, ToolChoice,
    ToolSpec,
};
pub use written::{SharedText, SystemText, ToolSchema, Written};
