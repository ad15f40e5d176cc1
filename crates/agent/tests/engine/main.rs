//! The engine as a whole, over real stores and a scripted line: failover, budgets, calls, and a long run of trouble.
//!
//! Vendors, models and keys are made up in `world`. Nothing here looks inside the crate.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests fail loudly, at the line that is wrong")]

mod books;
mod budget;
mod calls;
mod compaction;
mod failover;
mod recovery;
mod runs;
mod soak;
mod world;
