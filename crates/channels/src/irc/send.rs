//! Sends a piece as lines, and waits until the server took them.

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelError, SendMessage, Sent};
use openclaw_types::{MessageId, Outgoing, PiecePayload, Receipt, UnixMillis};

use super::format::{REOPENED, format, reopened};
use super::line::{fit, write};
use super::outlet::Outlet;

/// Sends pieces.
pub(super) struct IrcSend {
    outlet: Outlet,
}

impl IrcSend {
    pub(super) fn new(outlet: Outlet) -> Self {
        Self { outlet }
    }
}

#[async_trait]
impl SendMessage for IrcSend {
    async fn send(&self, piece: &Outgoing) -> Result<Receipt, ChannelError> {
        let PiecePayload::Text { text } = &piece.payload else {
            return Err(ChannelError::Wrong { reason: "IRC carries words only".into() });
        };
        let to =
            super::normalize::target(&piece.target.to).map_err(|reason| ChannelError::Wrong { reason })?;
        let lines: Vec<String> = reopened(fit(&format(text), self.outlet.spent(&to) + REOPENED))
            .iter()
            .map(|line| write("PRIVMSG", &[&to], Some(line)))
            .collect();
        if lines.is_empty() {
            return Err(ChannelError::Wrong { reason: "there is nothing to say".into() });
        }
        self.outlet.tell(&to, lines).await?;
        let message =
            MessageId::new(&piece.key).map_err(|error| ChannelError::Wrong { reason: error.to_string() })?;
        Ok(Receipt { message, moved_to: None })
    }

    async fn find(&self, _piece: &Outgoing, _since: UnixMillis) -> Result<Sent, ChannelError> {
        Ok(Sent::Unknown)
    }
}
