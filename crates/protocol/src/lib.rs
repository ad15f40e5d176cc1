//! The gateway protocol: frames, errors, methods, events, scopes.
//!
//! Both sides of the wire are described here once, for protocol 3 and the parts of protocol 4 we serve; JSON Schema and
//! TypeScript types are exported from these types. No sockets, no clock, no state: `gateway` serves the protocol,
//! `client` speaks it. Params are refused in the form original clients show; results are read leniently.

mod close;
mod connect;
mod error;
pub mod events;
mod export;
mod frame;
mod hello;
mod method;
pub mod methods;
mod presence;
mod shape;
mod table;
mod version;

#[cfg(test)]
mod tests;

pub use close::{Close, CloseCode, MAX_CLOSE_REASON_BYTES, close_reason};
pub use connect::{
    ClientId, ClientIdV3, ClientInfo, ClientInfoV3, ClientMode, ClientModeV3, Connect, ConnectAuth,
    ConnectAuthV3, ConnectParams, ConnectParamsV3, DeviceProof,
};
pub use error::{DetailCode, EncodeError, ErrorCode, ErrorShape};
pub use events::{EVENTS, Event, EventSpec, WhenSlow, find_event};
pub use export::schemas;
pub use frame::{
    BadServerFrame, EventFrame, EventStamp, EventTag, EventText, FailedResponse, FrameFault,
    INVALID_REQUEST_ID, Request, RequestFrame, RequestTag, ResponseFrame, ResponseTag, ServerEvent,
    ServerFrame, ServerResponse, StateVersion, request, response_error, response_ok,
};
pub use hello::{
    AttachmentPolicy, AuthMode, Features, HANDSHAKE_TIMEOUT_MS, HelloAuth, HelloOk, HelloTag,
    MAX_BUFFERED_BYTES, MAX_PAYLOAD_BYTES, Policy, ServerInfo, SessionDefaults, Snapshot, TICK_INTERVAL_MS,
    UpdateInfo,
};
pub use method::{Method, decode_params, decode_params_in};
pub use presence::PresenceEntry;
pub use shape::{
    DayText, Exactly, Int, JobFileId, List, Natural, NonEmpty, Num, OutOfBounds, Positive, SecretText, Text,
    UtcOffset, Yes,
};
pub use table::{
    CONTROL_PLANE_CALLS, CONTROL_PLANE_WINDOW_MS, METHODS, MethodAccess, MethodListing, MethodSpec,
    RateClass, find_method,
};
pub use version::{Dialect, ProtocolMismatch, negotiate};
