//! What strangers are told: the code, and later that they were let in.

use openclaw_types::{ChannelId, Person};

/// What a stranger is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairingReply<'a> {
    /// The platform.
    pub channel: &'a ChannelId,
    /// Who they are.
    pub person: &'a Person,
    /// Their code.
    pub code: &'a str,
}

impl PairingReply<'_> {
    /// The words. They name the id, which the owner may need, and nothing that the person wrote.
    #[must_use]
    pub fn text(&self) -> String {
        format!(
            "Hello! This assistant answers only people its owner knows.\n\nYour id here: {}\nYour pairing code: \
             {}\n\nSend the code to the owner. They let you in with:\n`openclaw pairing approve {} {}`\n\nThe code is \
             good for one hour.",
            self.person.id, self.code, self.channel, self.code
        )
    }
}

/// What somebody is told who was let in.
#[must_use]
pub fn approved_notice() -> &'static str {
    "✅ You were let in. Write a message to begin."
}
