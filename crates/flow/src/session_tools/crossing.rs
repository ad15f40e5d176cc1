//! What may be said from one conversation in another, and how it is marked there (`tools.message.crossContext`).

use openclaw_config::CrossContextSettings;
use openclaw_ports::tool::MessageFault;
use openclaw_types::{ChannelId, SendTarget, Sender};

use crate::flow::Inner;

/// The rules for a call from one conversation.
pub(super) struct Crossing<'a> {
    sender: &'a Sender,
    rules: CrossContextSettings,
}

impl<'a> Crossing<'a> {
    pub(super) fn of(flow: &Inner, sender: &'a Sender) -> Self {
        Self { sender, rules: CrossContextSettings::resolve(&flow.settings().raw) }
    }

    /// What is said in one platform's conversation stays on that platform, unless the configuration says otherwise.
    pub(super) fn check_platform(&self, channel: &ChannelId) -> Result<(), MessageFault> {
        match self.sender.channel.as_ref().filter(|own| *own != channel) {
            Some(own) if !self.rules.across => Err(MessageFault::Refused(format!(
                "This conversation is on {own}, and messages to {channel} are not allowed from here \
                 (tools.message.crossContext.allowAcrossProviders)."
            ))),
            _ => Ok(()),
        }
    }

    /// Whether something may be said in a conversation of the platform.
    pub(super) fn check_place(&self, target: &SendTarget) -> Result<(), MessageFault> {
        match self.origin(target) {
            Some(here) if !self.rules.within && self.sender.channel.as_ref() == Some(&target.channel) => {
                Err(MessageFault::Refused(format!(
                    "This conversation is {here}, and messages to {} are not allowed from here \
                     (tools.message.crossContext.allowWithinProvider).",
                    target.to
                )))
            }
            _ => Ok(()),
        }
    }

    /// Words as they are said there: in another conversation they show where they come from.
    pub(super) fn marked(&self, target: &SendTarget, words: &str) -> String {
        match (self.origin(target), &self.rules.marker) {
            (Some(here), Some((before, behind))) if !words.is_empty() => {
                let named = |mark: &str| mark.replace("{channel}", here);
                format!("{}{words}{}", named(before), named(behind))
            }
            _ => words.to_owned(),
        }
    }

    /// This conversation, where the target is another one.
    fn origin(&self, target: &SendTarget) -> Option<&'a str> {
        let here = self.sender.to.as_deref()?;
        let same = self.sender.channel.as_ref() == Some(&target.channel) && here == target.to;
        (!same).then_some(here)
    }
}
