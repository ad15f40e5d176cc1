//! What is kept of a session, what we ask to be told, and what a close means. Pure.

use std::time::Duration;

use openclaw_ports::channel::ChannelError;
use serde::{Deserialize, Serialize};

use super::super::config::Wants;

/// What it takes to take a session up again. Events after `sequence` come again then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in super::super) struct Resume {
    /// The session.
    pub(in super::super) session: String,
    /// Where it can be taken up.
    pub(in super::super) url: String,
    /// The last event that was kept by the host.
    pub(in super::super) sequence: u64,
    /// Whose session it is.
    pub(in super::super) us: String,
    /// What it was told of.
    pub(in super::super) intents: u64,
}

/// What we ask to be told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Intents(pub(in super::super) u64);

const GUILDS: u64 = 1;
const MEMBERS: u64 = 1 << 1;
const PRESENCES: u64 = 1 << 8;
const GUILD_MESSAGES: u64 = 1 << 9;
const GUILD_REACTIONS: u64 = 1 << 10;
const DIRECT_MESSAGES: u64 = 1 << 12;
const DIRECT_REACTIONS: u64 = 1 << 13;
const CONTENT: u64 = 1 << 15;
const USUAL: u64 = GUILDS | GUILD_MESSAGES | GUILD_REACTIONS | DIRECT_MESSAGES | DIRECT_REACTIONS;

/// The bits of an application that say which of the guarded intents it may use: as a verified one, or as a small one.
const MAY: [(u64, u64, &str); 3] = [
    (PRESENCES, 1 << 12 | 1 << 13, "Presence Intent"),
    (MEMBERS, 1 << 14 | 1 << 15, "Server Members Intent"),
    (CONTENT, 1 << 18 | 1 << 19, "Message Content Intent"),
];

impl Intents {
    /// What the settings want, and the platform allows; with the names of those that are wanted and switched off.
    pub(in super::super) fn choose(wants: Wants, flags: u64) -> (Self, Vec<&'static str>) {
        let mut wanted = USUAL | CONTENT;
        wanted |= if wants.members { MEMBERS } else { 0 };
        wanted |= if wants.presences { PRESENCES } else { 0 };
        let missing: Vec<_> =
            MAY.iter().filter(|(intent, may, _)| wanted & intent != 0 && flags & may == 0).collect();
        let lost = missing.iter().fold(0, |all, (intent, _, _)| all | intent);
        (Self(wanted & !lost), missing.iter().map(|(_, _, name)| *name).collect())
    }

    /// The same without those that have to be switched on; nothing where there are none.
    pub(in super::super) fn unguarded(self) -> Option<Self> {
        (self.0 & !USUAL != 0).then_some(Self(self.0 & USUAL))
    }
}

/// What people are told when intents are switched off.
pub(in super::super) fn limited(missing: &[&str]) -> String {
    format!(
        "switched off for this bot: {}. Turn it on in the Discord developer portal (Bot, Privileged Gateway Intents) and \
         restart the account; until then the bot reads only direct messages and messages that mention it",
        missing.join(", ")
    )
}

/// The pause before another session is begun: the platform wants one to five seconds, by chance.
pub(in super::super) fn before_new(chance: f64) -> Duration {
    Duration::from_secs_f64(1.0 + 4.0 * chance)
}

/// What to do when a line has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Next {
    /// Take the session up again.
    Resume {
        /// Why the line ended.
        reason: String,
    },
    /// Begin a new session.
    Fresh {
        /// Why the old one is over.
        reason: String,
    },
    /// Begin a new session and ask for less.
    Less,
    /// Give up; a person has to act, or the host tries again much later.
    End(ChannelError),
}

/// What a close means.
pub(in super::super) fn after_close(code: u16, said: &str) -> Next {
    let reason = || match said.trim() {
        "" => format!("Discord closed the line (code {code})"),
        said => format!("Discord closed the line: {said} (code {code})"),
    };
    let refused = |reason: &str| Next::End(ChannelError::Refused { reason: reason.to_owned() });
    match code {
        4004 => Next::End(ChannelError::Unauthorized {
            reason: "the gateway does not know the bot token; copy a new one from the Bot page of the Discord developer \
                     portal into channels.discord.token"
                .to_owned(),
        }),
        4010 | 4011 => refused(
            "Discord wants this bot to split its line because it is in too many servers, which OpenClaw does not do; \
             remove it from some",
        ),
        4012 => refused("Discord no longer speaks this version of its gateway; update OpenClaw"),
        4013 => refused("Discord does not know what we ask to be told of; update OpenClaw"),
        4014 => Next::Less,
        4003 | 4007 | 4009 => Next::Fresh { reason: reason() },
        _ => Next::Resume { reason: reason() },
    }
}
