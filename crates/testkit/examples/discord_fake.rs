//! The fake of Discord as a program, for clients that are not written in Rust.
//!
//! `discord_fake` prints `listening on <address of its API>`, plays its story with the first client that connects, and
//! says `done` or `failed: …` in its room. `cargo xtask peers` starts it.

use std::error::Error;
use std::io::Write as _;

use openclaw_testkit::discord_fake::{DiscordFake, ids, play};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let fake = DiscordFake::start().await;
    writeln!(std::io::stdout(), "listening on {}", fake.root())?;
    let end = match play(&fake).await {
        Ok(()) => "done".to_owned(),
        Err(complaints) => format!("failed: {complaints}"),
    };
    fake.say(ids::GENERAL, ids::ANA, &end);
    // Whoever started it ends it.
    std::future::pending().await
}
