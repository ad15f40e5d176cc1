//! Sub-agents: runs that agents start for themselves, from the order to the announcement of the result.
//!
//! A sub-agent is written down before it begins and stays so until its result was handed to the session that asked, as
//! a submission in the inbox; a crash at any point leaves something that `recover` finds and finishes, and the submission's name
//! keeps it from being handed over twice. A sub-agent is over when its session rests and none of its own sub-agents has
//! something left to say. Chat commands and `session_tools` call the functions here; `execute` tells the ends of runs.

mod announce;
mod book;
mod roster;
mod settle;
mod spawn;
mod steer;
mod stop;
mod sweep;
mod thread;
mod words;

#[cfg(test)]
mod tests;

pub(crate) use announce::{ANNOUNCING, announce_again, author, provenance};
pub(crate) use book::Book;
pub(crate) use roster::{Numbered, Roster, label, roster, status};
pub(crate) use settle::{run_ended, works_in};
pub(crate) use spawn::{Spawn, handed_on, known_model, room_rule, spawn};
pub(crate) use steer::{Steer, Steered, steer};
pub(crate) use stop::{kill, kill_all};
pub(crate) use sweep::{keep_sweeping, take_up, withdraw_killed};
pub(crate) use words::span;
