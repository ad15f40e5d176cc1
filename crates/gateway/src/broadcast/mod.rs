//! Telling connected clients what happens.
//!
//! `roster` knows who is connected and gives out `seq`; who may see what stands in the protocol's table; `announce`
//! builds the gateway's own events; `upkeep` is what happens by the clock, `switches` passes on what models do.

mod announce;
mod roster;
mod switches;
mod upkeep;

pub(crate) use announce::{SENT, SENT_WITH_AGENTS, pending_device};
pub(crate) use roster::{Announcement, Missing, Roster};
pub(crate) use switches::follow as follow_switches;
pub(crate) use upkeep::start as start_upkeep;

#[cfg(test)]
mod tests;
