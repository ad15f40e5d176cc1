//! The platforms there are. A new one is a folder and a line here.

use openclaw_ports::channel::ChannelKind;

use crate::{discord, irc, slack, telegram};

/// Every platform, in the order people see them.
#[must_use]
pub fn kinds() -> Vec<Box<dyn ChannelKind>> {
    vec![Box::new(telegram::Telegram), Box::new(discord::Discord), Box::new(slack::Slack), Box::new(irc::Irc)]
}

#[cfg(test)]
mod tests;
