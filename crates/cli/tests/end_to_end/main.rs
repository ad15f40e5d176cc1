//! The real binary with a home of its own.
//!
//! `agents` sets agents up and `talking` talks to them, `channels` has accounts on platforms, `commands` runs commands alone and against the real gateway,
//! `devices` lets devices of other machines in, `models…` choose, find and call models, `repairs` looks at what is told
//! and mended when something is wrong, `secrets` for secrets in all of it; `world` gives each test a home and cleans up.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails loudly, at the line that is wrong"
)]

mod agents;
mod channels;
mod commands;
mod devices;
mod messages;
mod models;
mod models_over_tls;
mod models_scan;
mod remote;
mod repairs;
mod secrets;
mod talking;
mod world;
