//! Test support for the whole workspace: steered time, replayable chance, isolated homes, conformance suites.
//!
//! A dev-dependency only. It knows the contracts of `ports` and the words of `types`, never an implementation, so
//! that every implementation can be held against the same suite.
#![expect(clippy::expect_used, reason = "test support fails loudly, at the line that is wrong")]

pub mod conformance;
mod home;
mod random;
mod sim_clock;

pub use home::TempHome;
pub use random::Random;
pub use sim_clock::SimClock;
