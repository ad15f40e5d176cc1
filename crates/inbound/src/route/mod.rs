//! Which agent answers, and in which session.
//!
//! `resolve` walks the eight tiers and says which one matched; `explain` says it for every tier; `session_key` names the
//! session; `broadcast` names the agents of conversations that several answer; `room_model` the model of a room. Pure: `flow::routing` and the command
//! `route explain` call it.

mod broadcast;
mod explain;
mod key;
mod model;
mod resolve;
mod tier;

#[cfg(test)]
mod tests;

pub use broadcast::{Broadcast, broadcast};
pub use explain::{Explained, ExplainedTier, Miss, describe, explain};
pub use key::{identity_on, main_session, parent_session, session_key};
pub use model::{RoomNames, room_model};
pub use resolve::{AgentRoute, resolve};
pub use tier::{MatchedBy, RouteQuery};
