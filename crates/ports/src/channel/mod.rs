//! Channels: what a platform is to the spine, and what the host promises those who build one.
//!
//! An adapter translates. The host stores what comes before it is acknowledged, drops what came before, admits, queues,
//! cuts answers into pieces, keeps them in the outbox, retries, supervises and redacts. What a platform can do is the
//! slots of its `Surface` that are filled; the conformance suite proves that they are what its descriptor declares.

mod fault;
mod kind;
mod receive;
mod send;
mod status;
mod surface;

pub use fault::{ChannelError, Landed, without_markup};
pub use kind::{
    Account, AccountCredentials, AccountPlan, Albums, Capability, ChannelContext, ChannelDescriptor,
    ChannelKind, ConfigFault, Measure, Readiness, RepeatSafety, Resolver,
};
pub use receive::{NotTaken, Receive, Sink, Webhook, WebhookAnswer, WebhookRequest};
pub use send::{
    ActionRequest, Actions, CommandEntry, CommandMenu, DeleteMessage, Draft, EditMessage, FetchMedia,
    Fetched, React, Requester, SendMessage, Sent, Threads, Typing, Waiting,
};
pub use status::{Health, HealthSink, Identity};
pub use surface::{Directory, DirectoryEntry, DirectoryKind, Probe, Surface};
