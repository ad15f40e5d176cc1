//! Slack: an app in one workspace, over Socket Mode or over HTTP events.
//!
//! `api` calls the Web API, `receive` has the socket and `webhook` the signed requests; both hand what they got to
//! `intake`, which looks up who and where and lets `normalize` put it in neutral words. `send` and what stands below it
//! are the slots that write; `known` remembers names and conversations for as long as the line is up.

mod account;
mod actions;
mod api;
mod config;
mod directory;
mod fetch;
mod form;
mod format;
mod intake;
mod known;
mod normalize;
mod receive;
mod rules;
mod send;
mod signature;
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
pub(crate) struct Slack;

/// The id of the platform, which is the name of its section.
const ID: &str = "slack";

/// The most characters that go into one message; Slack cuts longer ones up by itself.
const TEXT_LIMIT: usize = 4_000;

/// What an account can do, whichever way its messages come in.
const CAPABILITIES: &[Capability] = &[
    Capability::Receive,
    Capability::Webhook,
    Capability::Send,
    Capability::Edit,
    Capability::Delete,
    Capability::React,
    Capability::Typing,
    Capability::Draft,
    Capability::Threads,
    Capability::SendMedia,
    Capability::FetchMedia,
    Capability::Buttons,
    Capability::Reply,
    Capability::Directory,
    Capability::Actions,
    Capability::Probe,
];

static DESCRIPTOR: ChannelDescriptor = ChannelDescriptor {
    id: ID,
    aliases: &[],
    label: "Slack",
    blurb: "Slack workspaces: direct messages, channels and threads, over Socket Mode or HTTP events.",
    chats: &[ChatKind::Direct, ChatKind::Group, ChatKind::Channel],
    capabilities: CAPABILITIES,
    measure: Measure::MarkupChars,
    most: TEXT_LIMIT,
    caption_most: TEXT_LIMIT,
    albums: Some(Albums { most: 10, family: send::family }),
    repeats: RepeatSafety::Findable,
    hints: "Slack shows bold, italics, strikethrough, code, quotes, lists and links; no headings and no tables. \
            Name a person as <@U…> with their id, a channel as <#C…>. Reactions are named by words such as `eyes`.",
    format: format::format,
};

impl ChannelKind for Slack {
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
        contradictions(section, &config::OWN, Some(["dm.policy", "dm.allowFrom"]))
    }

    fn target(&self, text: &str) -> Result<String, String> {
        target::read(text).map(|target| target.to_string())
    }

    fn credentials(&self) -> AccountCredentials {
        AccountCredentials {
            keys: &["botToken", "appToken", "userToken"],
            variables: &["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"],
        }
    }

    fn place(&self, target: &SendTarget) -> Option<ChatPlace> {
        target::place(target)
    }
}
