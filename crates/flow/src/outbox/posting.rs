//! A message that a person or a program sends over the gateway, without an agent.

use openclaw_delivery::Sound;
use openclaw_types::{AccountId, ChannelId, Target, ThreadId};

use super::post::{Order, OrderFault, order};
use crate::error::FlowError;
use crate::flow::Inner;

/// A message to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posting {
    /// The platform, by its id or another name of it.
    pub channel: String,
    /// Our login there; nothing said means the default one.
    pub account: Option<String>,
    /// The place, as a person writes it.
    pub to: String,
    /// The thread there.
    pub thread: Option<String>,
    /// The words, as Markdown.
    pub text: String,
    /// Files and addresses.
    pub media: Vec<String>,
    /// Names the message; the same name is sent once.
    pub key: String,
}

/// Keeps a message for sending.
///
/// # Errors
/// The platform or the place makes no sense, or the message could not be kept.
pub(crate) async fn post(flow: &Inner, posting: Posting) -> Result<Target, FlowError> {
    let target = target(flow, &posting)?;
    let sent = order(
        flow,
        Order {
            target: target.clone(),
            agent: flow.settings().agents.default_agent.clone(),
            stem: format!("send/{}", posting.key),
            source: "send".to_owned(),
            text: posting.text,
            media: posting.media,
            reply: None,
            quote: None,
            buttons: Vec::new(),
            sound: Sound::Usual,
            voice: false,
        },
    );
    sent.await.map_err(|fault| match fault {
        OrderFault::File(why) => FlowError::Wrong(why),
        OrderFault::Store(error) => error.into(),
    })?;
    Ok(target)
}

fn target(flow: &Inner, posting: &Posting) -> Result<Target, FlowError> {
    let wrong = |text: String| FlowError::Wrong(text);
    let hall = &flow.parts.channels;
    let unknown = || wrong(format!("unsupported channel: {}", posting.channel));
    let kind = hall.kind(&posting.channel).ok_or_else(unknown)?;
    let channel = ChannelId::new(kind.descriptor().id).map_err(|error| wrong(error.to_string()))?;
    let account = match posting.account.as_deref().map(str::trim).filter(|id| !id.is_empty()) {
        Some(id) => Some(AccountId::new(id).map_err(|error| wrong(error.to_string()))?),
        None => hall.accounts_of(&channel).into_iter().next(),
    };
    let account = account.filter(|account| hall.view(&channel, account).is_some());
    let account = account.ok_or_else(|| wrong(format!("no such account of {channel} is configured")))?;
    let to = kind.target(&posting.to).map_err(wrong)?;
    let thread = posting.thread.as_deref().map(ThreadId::new).transpose();
    let thread = thread.map_err(|error| wrong(error.to_string()))?;
    Ok(Target { channel, account, to, thread })
}
