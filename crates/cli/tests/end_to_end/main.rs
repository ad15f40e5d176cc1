//! The real binary with a home of its own: commands alone, and against the real gateway on a free port.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails loudly, at the line that is wrong"
)]

mod commands;
mod world;
