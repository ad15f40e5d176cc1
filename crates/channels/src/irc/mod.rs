//! IRC: one line to one server, rooms and people there.
//!
//! `line` reads and writes the protocol's lines, `register` signs in, `connection` has the socket, `outlet` knows what
//! waits and what the server took, `pace` writes it, `receive` and `send` are the slots. An IRC server forgets what it
//! delivers: what happens while the line is down is never heard, and nothing is delivered twice.

mod config;
mod connection;
mod form;
mod format;
mod line;
mod normalize;
mod outlet;
mod pace;
mod receive;
mod register;
mod send;

#[cfg(test)]
mod proof;
#[cfg(test)]
mod tests;

use openclaw_ports::channel::{
    AccountCredentials, AccountPlan, Capability, ChannelDescriptor, ChannelKind, ConfigFault, Measure,
    RepeatSafety, Resolver,
};
use openclaw_types::{ChatKind, ChatPlace, PeerId, SendTarget};
use serde_json::Value;

use crate::shared::form::contradictions;

/// The platform.
pub(crate) struct Irc;

/// The most characters the platform's usual settings put into one message.
const TEXT_LIMIT: usize = 350;
/// The most lines of one message: each costs seconds, and a message is confirmed as a whole.
const LINE_LIMIT: usize = 8;

static DESCRIPTOR: ChannelDescriptor = ChannelDescriptor {
    id: "irc",
    aliases: &["internet-relay-chat"],
    label: "IRC",
    blurb: "Classic IRC networks: rooms and direct messages over TLS, with SASL or NickServ.",
    chats: &[ChatKind::Direct, ChatKind::Group],
    capabilities: &[Capability::Receive, Capability::Send, Capability::Probe],
    measure: Measure::MarkupChars,
    most: 4_000,
    caption_most: 0,
    albums: None,
    repeats: RepeatSafety::Visible,
    hints: "IRC shows plain lines: write short, without tables or headings. Long answers arrive slowly.",
    format: format::format,
};

impl ChannelKind for Irc {
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
        normalize::target(text)
    }

    /// Anybody may use a nick: there is nothing to take away.
    fn credentials(&self) -> AccountCredentials {
        AccountCredentials::default()
    }

    fn place(&self, target: &SendTarget) -> Option<ChatPlace> {
        let kind = if normalize::is_room(&target.to) { ChatKind::Group } else { ChatKind::Direct };
        Some(ChatPlace::new(kind, PeerId::new(target.to.as_str()).ok()?, target.to.clone()))
    }
}
