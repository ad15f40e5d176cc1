//! What holds in chats: who answers where, who may give commands, what counts as a mention, what the model is told.
//!
//! Each is read where it is used, from the sections of the moment; nothing here decides about a message.

mod bindings;
mod envelope;
mod mentions;
mod messages;
mod models;
mod people;
mod status;

#[cfg(test)]
mod tests;

pub use bindings::{AccountMatch, BindingRule, BroadcastGroup, KnownAgents, PeerMatch, RouteSettings};
pub use envelope::{EnvelopeSettings, EnvelopeZone};
pub use mentions::{MentionSettings, MentionSource};
pub use messages::{AckSettings, DebounceSettings, MessageSettings};
pub use models::RoomModels;
pub use people::CommandAccess;
pub use status::StatusSigns;
