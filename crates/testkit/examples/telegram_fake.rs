//! The fake Bot API as a program, for clients that are not written in Rust.
//!
//! Prints `listening on <address>` and serves until it is ended. What is below `/control` of that address makes things
//! happen and shows what was called. `cargo xtask peers` starts it.

use std::io::Write as _;

use openclaw_testkit::TelegramFake;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let fake = TelegramFake::start().await;
    writeln!(std::io::stdout(), "listening on {}", fake.root())?;
    std::future::pending().await
}
