//! Our types against the original's schemas and recordings (release 2026.2.26).
//!
//! `definitions` compares every schema of the original with the type that stands for it, `samples` reads and writes back
//! what was recorded on the wire. Both accept only the differences listed in `deviations`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a fixture that cannot be read must fail the test"
)]

mod definitions;
mod deviations;
mod samples;
mod shape;
