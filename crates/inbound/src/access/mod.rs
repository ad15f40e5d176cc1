//! Access: may this person talk to us here, and is the message for us?
//!
//! `decide` takes an event and the rules of the account and gives a `Verdict` that names its rule. Pure: those who were
//! let in by a code, the patterns of the agent and who we are come as facts. `flow::admit` calls it and acts.
//!
//! How the rules of an account are read, so that every adapter can write its own settings in them:
//! - Under `allowlist`, rooms that are listed (`rooms`) are the only ones; without a list of rooms the people decide.
//!   `open` is everywhere. Below a guild or team that is listed with rooms, only those rooms count; topics below a room
//!   are settings, not a list.
//! - People in rooms: the room's own `allow_from` and `roles` bind under every policy. Else everybody where the policy
//!   (the room's own, else the account's) is `open`; else `group_allow_from`, else `allow_from`. Those let in by a code
//!   are let in to direct chats alone. A platform whose listed rooms are open to all who are there says
//!   `policy: Some(Open)` in those rooms.

mod address;
mod allow;
mod bots;
mod command;
mod decide;
mod dm;
mod group;
mod mention;
mod notice;
mod pairing;
mod room;
mod rule;
mod verdict;
mod words;

#[cfg(test)]
mod tests;

pub use address::{Us, command_text};
pub use decide::{AccessRequest, Activation, decide};
pub use mention::{Mentions, pattern_fits};
pub use pairing::{
    Attempt, CODE_LETTERS, KNOWN_FOR, MOST_PENDING, PairingStep, Pending, Stranger, expired_before, find,
    may_try, request,
};
pub use rule::Rule;
pub use verdict::{AccessVerdict, AuthorRights, MentionFacts, RoomFacts};
pub use words::{PairingReply, approved_notice};
