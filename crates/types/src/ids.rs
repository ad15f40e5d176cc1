//! Identifiers: one newtype for each kind of name, so that an agent can never be passed where a channel is meant.
//!
//! An id is parsed once, where it enters, and printed once, where it leaves. There is no `From<String>` and no
//! `Deref<Target = str>` on purpose. Ids are passed on far more often than made, so copies share their text. The rules
//! for a session key's segments live in `session_key`, not here.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// Longest identifier accepted from outside, in bytes.
const MAX_ID_BYTES: usize = 512;

/// Says why a text is not an identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// The text was empty or only white space.
    #[error("{kind} must not be empty")]
    Empty {
        /// What was being parsed.
        kind: &'static str,
    },
    /// The text was longer than any identifier we accept.
    #[error("{kind} is longer than {max} bytes")]
    TooLong {
        /// What was being parsed.
        kind: &'static str,
        /// The limit that was passed.
        max: usize,
    },
    /// The text held a control character.
    #[error("{kind} must not contain control characters")]
    ControlCharacter {
        /// What was being parsed.
        kind: &'static str,
    },
}

fn check(kind: &'static str, text: &str) -> Result<(), IdError> {
    if text.trim().is_empty() {
        return Err(IdError::Empty { kind });
    }
    if text.len() > MAX_ID_BYTES {
        return Err(IdError::TooLong { kind, max: MAX_ID_BYTES });
    }
    if text.chars().any(char::is_control) {
        return Err(IdError::ControlCharacter { kind });
    }
    Ok(())
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $kind:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
        #[serde(transparent)]
        #[schemars(transparent)]
        pub struct $name(#[schemars(length(min = 1))] Arc<str>);

        impl $name {
            /// Parses the identifier: not empty, at most 512 bytes, no control characters.
            ///
            /// # Errors
            /// Says which of the three rules the text broke.
            pub fn new(text: impl AsRef<str>) -> Result<Self, IdError> {
                let text = text.as_ref();
                check($kind, text)?;
                Ok(Self(text.into()))
            }

            /// The identifier as text, for printing at an edge.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                Self::new(text)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = String::deserialize(from)?;
                Self::new(text).map_err(serde::de::Error::custom)
            }
        }
    )*};
}

ids! {
    /// Names an agent, for example `main`.
    AgentId = "agent id";
    /// Names a messaging platform.
    ChannelId = "channel id";
    /// Names one of our logins on a platform.
    AccountId = "account id";
    /// Names who or where we talk to on a platform.
    PeerId = "peer id";
    /// Names a group or room on a platform.
    GroupId = "group id";
    /// Names a thread or topic inside a conversation.
    ThreadId = "thread id";
    /// Names one transcript of a session; a reset gives the session a new one.
    SessionId = "session id";
    /// Names one entry of a transcript.
    EntryId = "entry id";
    /// Names one answer being made.
    RunId = "run id";
    /// Names a tool call inside a run.
    ToolCallId = "tool call id";
    /// Names a message on a platform.
    MessageId = "message id";
    /// Names an inbound event of a platform.
    EventId = "event id";
    /// Names a model vendor.
    ProviderId = "provider id";
    /// Names a stored credential.
    AuthProfileId = "auth profile id";
    /// Names a scheduled job.
    JobId = "job id";
    /// Names a delegated task.
    TaskId = "task id";
    /// Names a plugin.
    PluginId = "plugin id";
    /// Names a paired device: the hex SHA-256 of its public key.
    DeviceId = "device id";
    /// Names a node; equal to its device id.
    NodeId = "node id";
    /// Names a pending pairing request.
    PairingRequestId = "pairing request id";
    /// Names one socket to the gateway.
    ConnectionId = "connection id";
    /// Names one installation or browser tab of a client.
    InstanceId = "instance id";
}

impl AgentId {
    /// The agent that exists when none is listed: `main`.
    #[must_use]
    pub fn main() -> Self {
        Self("main".into())
    }

    /// Takes a text that already follows the rules of `session_key::sanitize`.
    pub(crate) fn from_sanitized(text: String) -> Self {
        Self(text.into())
    }
}

impl AccountId {
    /// Takes a text that already follows the rules of `session_key::sanitize`.
    pub(crate) fn from_sanitized(text: String) -> Self {
        Self(text.into())
    }
}
