//! The real binary with a home of its own.
//!
//! `commands` runs commands alone and against the real gateway, `devices` lets devices of other machines in, `models`
//! chooses and calls models, `repairs` looks at what is told and mended when something is wrong, `secrets` for secrets
//! in all of it; `world` gives each test its home and cleans up.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails loudly, at the line that is wrong"
)]

mod commands;
mod devices;
mod models;
mod remote;
mod repairs;
mod secrets;
mod world;
