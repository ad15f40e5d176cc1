//! What people are told: notices written from typed faults, answers without their marks, silence kept silent.
//!
//! `clean` takes from a model's words what is meant for the gateway: reply tags, files to attach, the word that means
//! silence. `LiveAnswer` does the same while the words come. `Notice` says in plain words why there is no better
//! answer. Pure; `agent` and `flow` call it.

mod answer;
mod heartbeat;
mod lines;
mod media;
mod notice;
mod silent;
mod tags;

#[cfg(test)]
mod tests;

pub use answer::{Answer, LiveAnswer, Marks, clean};
pub use heartbeat::{HeartbeatAnswer, read_heartbeat, without_heartbeat};
pub use notice::{LostResult, Notice, SideEffect};
pub use silent::{ANNOUNCE_SKIP, HEARTBEAT_OK, NO_REPLY, REPLY_SKIP, is_only, is_silent};
pub use tags::{ReplyTo, Tags};
