//! What happens on the platform in neutral words. Pure: what is known of the place comes as a `Scene`.
//!
//! `message` reads messages and changes of them, `happening` what the platform itself says in a room, `reaction`
//! reactions, `interaction` commands, buttons, menus and forms; `place` says where, `content` what and with which files.

mod content;
mod happening;
mod interaction;
mod message;
mod place;
mod reaction;

use openclaw_types::{AccountId, UnixMillis};

pub(super) use content::thread_name;
pub(super) use interaction::{Answered, interaction};
pub(super) use message::{edited, message};
pub(super) use reaction::{ReactionFacts, reaction};

use super::config::Habits;
use super::rooms::GuildFacts;
use super::wire::Channel;

/// What is known of the place where something happens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scene<'a> {
    /// Our account.
    pub(super) account: &'a AccountId,
    /// Our id.
    pub(super) us: &'a str,
    /// The room.
    pub(super) room: Option<&'a Channel>,
    /// The room above a thread.
    pub(super) parent: Option<&'a Channel>,
    /// The guild.
    pub(super) guild: Option<&'a GuildFacts>,
    /// What the configuration says about rooms beyond who may talk.
    pub(super) habits: &'a Habits,
    /// The time of the machine, for what has none of its own.
    pub(super) now: UnixMillis,
}

/// The name of the platform.
const CHANNEL: &str = "discord";

/// The first moment of the platform's ids.
const EPOCH: i64 = 1_420_070_400_000;

/// The least id of a moment: the platform's ids hold the moment.
pub(super) fn id_at(moment: UnixMillis) -> u64 {
    u64::try_from(moment.0.saturating_sub(EPOCH)).unwrap_or(0) << 22
}

/// When something was made.
fn made_at(id: &str, fallback: UnixMillis) -> UnixMillis {
    let moment = id.parse::<u64>().ok().and_then(|id| i64::try_from(id >> 22).ok());
    moment.map_or(fallback, |since| UnixMillis(since.saturating_add(EPOCH)))
}

/// A moment as the platform writes one.
fn moment(text: Option<&str>) -> Option<UnixMillis> {
    let time: jiff::Timestamp = text?.parse().ok()?;
    Some(UnixMillis(time.as_millisecond()))
}
