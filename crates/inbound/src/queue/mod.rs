//! When a message is answered: at once, later, together with others, inside the answer being made, or not at all.
//!
//! `SessionQueue` is the memory of one session and `decide` its rule; `Lanes` says how many answers are made at once
//! over all sessions. `flow::enqueue` feeds both and carries out what they say.
//! Invariants: a session has at most one run, and every message that comes in leaves in exactly one way.

mod decide;
mod lanes;
mod overflow;
mod prompt;
mod session;
mod settings;

#[cfg(test)]
mod tests;

pub use decide::{Decision, Fit, Happening, Phase, RunResult, SteeringState, Waiting, decide};
pub use lanes::{Lane, LaneAdmission, Lanes};
pub use prompt::{collected_prompt, summary_prompt};
pub use session::{Batch, DropReason, Item, QueueAction, QueueEvent, ReplyRoute, Rights, SessionQueue};
pub use settings::session_choices;
