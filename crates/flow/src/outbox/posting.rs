//! A message that a person or a program sends over the gateway, without an agent.
//!
//! It is kept first. Then its sender waits a little for what the platform says, since most platforms answer at once.

use std::time::Duration;

use openclaw_delivery::{Sound, Videos};
use openclaw_inbound::route::{RouteQuery, session_key};
use openclaw_ports::Deadline;
use openclaw_ports::channel::Capability;
use openclaw_ports::stores::{OutboxRow, OutboxState, StoreError};
use openclaw_types::{
    AccountId, AgentId, ChannelId, MessageId, Outgoing, PiecePayload, Poll, SendTarget, SessionKey, ThreadId,
};

use super::lanes::keep;
use super::post::{OrderFault, SendOrder, order};
use crate::error::FlowError;
use crate::flow::Inner;

/// How long a sender waits for the platform.
const PATIENCE: Duration = Duration::from_secs(5);

/// A message to send.
#[derive(Debug, Clone, PartialEq)]
pub struct Posting {
    /// The platform, by its id or another name of it.
    pub channel: String,
    /// Our login there; nothing said means the default one.
    pub account: Option<String>,
    /// The place, as a person writes it.
    pub to: String,
    /// The thread there.
    pub thread: Option<String>,
    /// What is said.
    pub content: Posted,
    /// Names the message; the same name is sent once.
    pub key: String,
    /// In whose name it is sent: whose files may go with it, whose session of the conversation knows of it.
    pub agent: AgentId,
}

/// What a message says.
#[derive(Debug, Clone, PartialEq)]
pub enum Posted {
    /// Words and files.
    Words {
        /// The words, as Markdown.
        text: String,
        /// Files and addresses.
        media: Vec<String>,
        /// How films are shown.
        videos: Videos,
    },
    /// A question with answers to choose from.
    Poll {
        /// The question.
        poll: Poll,
        /// Whether it comes without a sound.
        silent: bool,
    },
}

/// What is known of a message that was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostedMessage {
    /// Where it goes.
    pub target: SendTarget,
    /// The session of the agent for this conversation, where its words say which one it is.
    pub session: Option<SessionKey>,
    /// How far it came.
    pub fate: Fate,
}

/// How far a message came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// The platform has it, under this id.
    Taken(MessageId),
    /// It waits in the outbox.
    Waits,
    /// It was given up; why.
    GivenUp(String),
}

/// Keeps a message for sending, and waits a little for the platform.
///
/// # Errors
/// The platform or the place makes no sense, or the message could not be kept.
pub(crate) async fn post(flow: &Inner, posting: Posting) -> Result<PostedMessage, FlowError> {
    let target = target(flow, &posting)?;
    let (stem, source) = (format!("send/{}", posting.key), "send".to_owned());
    // Pieces are numbered below their stem; the first one stands for the message.
    let first = format!("{stem}/0");
    let heard = flow.mail.hear(&first);
    let kept = match posting.content {
        Posted::Words { text, media, videos } => {
            let order_of = SendOrder {
                target: target.clone(),
                agent: posting.agent.clone(),
                stem,
                source,
                text,
                media,
                reply: None,
                quote: None,
                buttons: Vec::new(),
                sound: Sound::Usual,
                voice: false,
                videos,
            };
            order(flow, order_of).await.map_err(|fault| match fault {
                OrderFault::File(why) => FlowError::Wrong(why),
                OrderFault::Store(error) => error.into(),
            })
        }
        Posted::Poll { poll, silent } => {
            let (key, target) = (first.clone(), target.clone());
            let payload = PiecePayload::Poll(poll);
            let piece = Outgoing {
                key,
                target,
                payload,
                reply: None,
                silent,
                link_preview: false,
                buttons: Vec::new(),
            };
            keep(flow, vec![piece], &source).await.map_err(FlowError::from)
        }
    };
    if let Err(error) = kept {
        flow.mail.overhear(&first);
        return Err(error);
    }
    let mut fate = fate(flow, &first).await?;
    if fate == Fate::Waits {
        let clock = flow.parts.clock.as_ref();
        fate = match Deadline::after(clock, PATIENCE).bound(clock, heard).await {
            Ok(Ok(message)) => Fate::Taken(message),
            Ok(Err(_settled)) => self::fate(flow, &first).await?,
            Err(_late) => Fate::Waits,
        };
    }
    flow.mail.overhear(&first);
    let session = session(flow, &posting.agent, &target);
    Ok(PostedMessage { target, session, fate })
}

/// The session that an answer from where a message goes would come into.
fn session(flow: &Inner, agent: &AgentId, target: &SendTarget) -> Option<SessionKey> {
    let place = flow.parts.channels.kind(target.channel.as_str())?.place(target)?;
    let seeker = RouteQuery {
        channel: target.channel.clone(),
        account: target.account.clone(),
        place,
        roles: Vec::new(),
    };
    Some(session_key(&flow.settings().session, agent, &seeker))
}

/// How far a piece came, as the outbox has it.
async fn fate(flow: &Inner, key: &str) -> Result<Fate, StoreError> {
    let row = flow.parts.outbox.named(key).await?;
    Ok(match row {
        Some(OutboxRow { state: OutboxState::Sent, receipt: Some(receipt), .. }) => {
            Fate::Taken(receipt.message)
        }
        Some(OutboxRow { state: OutboxState::Failed | OutboxState::Dropped, last_error, .. }) => {
            Fate::GivenUp(last_error.unwrap_or_else(|| "the message was dropped".to_owned()))
        }
        _ => Fate::Waits,
    })
}

fn target(flow: &Inner, posting: &Posting) -> Result<SendTarget, FlowError> {
    let wrong = |text: String| FlowError::Wrong(text);
    let channel_accounts = &flow.parts.channels;
    let unknown = || wrong(format!("unsupported channel: {}", posting.channel));
    let kind = channel_accounts.kind(&posting.channel).ok_or_else(unknown)?;
    let channel = ChannelId::new(kind.descriptor().id).map_err(|error| wrong(error.to_string()))?;
    if matches!(posting.content, Posted::Poll { .. })
        && !kind.descriptor().capabilities.contains(&Capability::Polls)
    {
        return Err(wrong(format!("unsupported poll channel: {channel}")));
    }
    let account = match posting.account.as_deref().map(str::trim).filter(|id| !id.is_empty()) {
        Some(id) => Some(AccountId::new(id.to_lowercase()).map_err(|error| wrong(error.to_string()))?),
        None => channel_accounts.accounts_of(&channel).into_iter().next(),
    };
    let account = account.filter(|account| channel_accounts.view(&channel, account).is_some());
    let account = account.ok_or_else(|| wrong(format!("no such account of {channel} is configured")))?;
    let to = kind.target(&posting.to).map_err(wrong)?;
    let thread = posting.thread.as_deref().map(ThreadId::new).transpose();
    let thread = thread.map_err(|error| wrong(error.to_string()))?;
    Ok(SendTarget { channel, account, to, thread })
}
