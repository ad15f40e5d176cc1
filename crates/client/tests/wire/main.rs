//! The client against a gateway whose every message the test writes, over real sockets.
//!
//! Time is simulated where waiting matters, so no test sleeps.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails loudly, at the line that is wrong"
)]

mod handshake;
mod scripted;
mod session;
