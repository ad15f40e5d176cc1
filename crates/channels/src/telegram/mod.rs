//! Telegram: a bot in chats with one person, groups with topics, and channels, over the Bot API.
//!
//! `connect` makes a line, `hear` turns updates into events for `receive` (we ask) and `webhook` (the platform calls),
//! `normalize` and `format` are the pure parts, `send` and `slots` do things there. `memory` is what an account remembers.

mod api;
mod config;
mod connect;
mod form;
mod format;
mod hear;
mod memory;
mod normalize;
mod receive;
mod send;
mod slots;
mod target;
mod webhook;
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
pub(crate) struct Telegram;

/// The most characters the usual settings put into one message.
const TEXT_LIMIT: usize = 4_000;

static DESCRIPTOR: ChannelDescriptor = ChannelDescriptor {
    id: "telegram",
    aliases: &["tg"],
    label: "Telegram",
    blurb: "A Telegram bot: direct chats, groups with topics, and channels. Make one with @BotFather.",
    chats: &[ChatKind::Direct, ChatKind::Group, ChatKind::Channel],
    capabilities: &[
        Capability::Receive,
        Capability::Webhook,
        Capability::Send,
        Capability::Edit,
        Capability::Delete,
        Capability::React,
        Capability::Typing,
        Capability::Draft,
        Capability::Threads,
        Capability::Polls,
        Capability::SendMedia,
        Capability::FetchMedia,
        Capability::Buttons,
        Capability::Reply,
        Capability::Directory,
        Capability::NativeCommands,
        Capability::Actions,
        Capability::Probe,
    ],
    measure: Measure::PlainUtf16,
    most: 4_096,
    caption_most: 1_024,
    albums: Some(Albums { most: 10, family: send::family }),
    repeats: RepeatSafety::Visible,
    hints: "Telegram shows bold, italic, strikethrough, spoilers, code, quotes and links; it has no tables and no \
            headings. Reactions are single emoji from Telegram's own set.",
    format: format::format,
};

impl ChannelKind for Telegram {
    fn descriptor(&self) -> &'static ChannelDescriptor {
        &DESCRIPTOR
    }

    fn accounts(&self, section: &Value, resolver: &dyn Resolver) -> (Vec<AccountPlan>, Vec<ConfigFault>) {
        config::accounts(section, resolver)
    }

    fn form(&self) -> Value {
        form::form()
    }

    fn contradictions(&self, section: &Value) -> Vec<ConfigFault> {
        contradictions(section, &config::OWN, None)
    }

    fn target(&self, text: &str) -> Result<String, String> {
        target::target(text)
    }

    fn credentials(&self) -> AccountCredentials {
        AccountCredentials { keys: &config::OWN, variables: &["TELEGRAM_BOT_TOKEN"] }
    }

    fn place(&self, target: &SendTarget) -> Option<ChatPlace> {
        target::place(target)
    }
}
