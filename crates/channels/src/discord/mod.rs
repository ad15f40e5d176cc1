//! Discord: one bot, the guilds it is in and the people who write to it.
//!
//! `rest` carries calls, `gateway` has the line over which events come, `receive` and `events` hear it, `normalize` says
//! in neutral words what happened; `send`, `slots`, `menu`, `media`, `directory` and `actions` do things there. `rooms`
//! knows names and parents, `pluralkit` who speaks behind a shared account, `known` is what the slots share, `send::answers` keeps the commands that are to be answered.

mod actions;
mod config;
mod connection;
mod destination;
mod directory;
mod events;
mod format;
mod gateway;
mod known;
mod media;
mod menu;
mod named;
mod normalize;
mod pluralkit;
mod receive;
mod rest;
mod rooms;
mod send;
mod slots;
mod wire;

#[cfg(test)]
mod proof;
#[cfg(test)]
mod tests;

use openclaw_ports::channel::{
    AccountCredentials, AccountPlan, Albums, Capability, ChannelDescriptor, ChannelKind, ConfigFault,
    Measure, RepeatSafety, Resolver,
};
use openclaw_types::{ChatKind, ChatPlace, SendTarget};
use serde_json::Value;

use crate::shared::form::contradictions;

/// The platform.
pub(crate) struct Discord;

/// The most characters of a message.
const TEXT_LIMIT: usize = 2000;

static DESCRIPTOR: ChannelDescriptor = ChannelDescriptor {
    id: "discord",
    aliases: &[],
    label: "Discord",
    blurb: "A Discord bot: direct messages, server channels, threads and forums, with slash commands and buttons.",
    chats: &[ChatKind::Direct, ChatKind::Group, ChatKind::Channel],
    capabilities: &[
        Capability::Receive,
        Capability::Send,
        Capability::Edit,
        Capability::Delete,
        Capability::React,
        Capability::Typing,
        Capability::Threads,
        Capability::Polls,
        Capability::SendMedia,
        Capability::FetchMedia,
        Capability::Buttons,
        Capability::Panels,
        Capability::Reply,
        Capability::Directory,
        Capability::NativeCommands,
        Capability::Actions,
        Capability::Probe,
    ],
    measure: Measure::MarkupChars,
    most: TEXT_LIMIT,
    caption_most: TEXT_LIMIT,
    albums: Some(Albums { most: 10, family: send::family }),
    repeats: RepeatSafety::Findable,
    hints: "Discord shows Markdown without tables. Messages hold 2,000 characters. Mention people as <@id> and channels \
            as <#id>.",
    format: format::format,
};

impl ChannelKind for Discord {
    fn descriptor(&self) -> &'static ChannelDescriptor {
        &DESCRIPTOR
    }

    fn accounts(&self, section: &Value, resolver: &dyn Resolver) -> (Vec<AccountPlan>, Vec<ConfigFault>) {
        config::accounts(section, resolver)
    }

    fn form(&self) -> Value {
        config::form()
    }

    fn contradictions(&self, section: &Value) -> Vec<ConfigFault> {
        contradictions(section, &config::OWN, Some(["dm.policy", "dm.allowFrom"]))
    }

    fn target(&self, text: &str) -> Result<String, String> {
        destination::DiscordDestination::read(text).map(|destination| destination.write())
    }

    fn credentials(&self) -> AccountCredentials {
        AccountCredentials { keys: &config::OWN, variables: &["DISCORD_BOT_TOKEN"] }
    }

    fn place(&self, target: &SendTarget) -> Option<ChatPlace> {
        destination::place(target)
    }
}
