//! What happens when a model fails: the next step, and how long what failed is left alone.
//!
//! `decide` is the table of next steps and `pause` the arithmetic of pauses, both pure. `health` keeps what was
//! learned, in memory and in its store; `probe` says when something that rests may be tried early.

mod decide;
mod health;
mod pause;
mod probe;

#[cfg(test)]
mod tests;

pub(crate) use decide::{FailoverStep, Remaining, Renewal, Situation, decide};
pub(crate) use health::{Health, HealthSubject, RestCause, Resting, rules_for};
pub(crate) use pause::PauseRules;
pub(crate) use probe::{Probes, is_near_end};
