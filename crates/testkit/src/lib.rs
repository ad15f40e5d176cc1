//! Test support for the whole workspace: steered time, replayable chance, isolated homes, conformance suites,
//! a model server that follows scripts.
//!
//! A dev-dependency only. It knows the contracts of `ports` and the words of `types`, never an implementation, so
//! that every implementation can be held against the same suite. Of `providers` it takes the words of scripts alone.
#![expect(clippy::expect_used, reason = "test support fails loudly, at the line that is wrong")]

mod allocations;
pub mod conformance;
pub mod discord_fake;
mod fake_channel;
mod home;
mod irc_codes;
mod model_server;
mod planted;
mod random;
mod resolver;
mod sim_clock;
mod slack_fake;
mod telegram_fake;

pub use allocations::CountingAllocator;
pub use fake_channel::{FakePlatform, SendFailure};
pub use home::TempHome;
pub use irc_codes::read_codes;
pub use model_server::{CapturedRequest, HttpVersion, ScriptedModelServer, TestAuthority};
pub use planted::planted_secret;
pub use random::Random;
pub use resolver::AsWritten;
pub use sim_clock::SimClock;
pub use slack_fake::{
    SLACK_APP_TOKEN, SLACK_BOT_TOKEN, SLACK_USER_TOKEN, SlackCall, SlackFake, read_mrkdwn, slack_event_fits,
};
pub use telegram_fake::{BotCall, BotFailure, SentFile, TelegramFake, check_bot_update, read_html};
