//! `send` and `poll`: a message to a chat without an agent.
//!
//! The web chat is a session: the message is put into it in the agent's name and shown at once. What is for a platform
//! goes into the outbox, under the name that the client gave it, and the answer says how far it came.

use std::sync::Arc;

use openclaw_delivery::Videos;
use openclaw_flow::{Fate, FlowError, FlowEvent, Posted, PostedMessage, Posting};
use openclaw_protocol::methods::messages::{Poll, PollParams, PollResult, Send, SendParams, SendResult};
use openclaw_protocol::{ErrorShape, Method as _};
use openclaw_session::{Injection, Opening, SessionError};
use openclaw_types::{AgentId, Poll as Question, SessionKey};

use super::super::agents::AgentServices;
use super::super::chat::session_fault;
use super::super::idempotency::{IdempotencyKey, once};
use super::super::outcome::{JsonPayload, MethodOutcome};
use super::super::registry::{Call, Registry};
use super::meant;

const WEBCHAT: &str = "webchat";

/// Adds the methods of this family.
pub(in crate::methods) fn bind(registry: &mut Registry, services: &Arc<AgentServices>) {
    let known = Arc::clone(services);
    registry.bind_text::<Send, _, _>(move |call, params| send_once(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry.bind_text::<Poll, _, _>(move |call, params| poll_once(Arc::clone(&known), call, params));
}

async fn send_once(services: Arc<AgentServices>, call: Call, params: SendParams) -> MethodOutcome {
    let key = IdempotencyKey { method: Send::NAME, key: params.idempotency_key.as_str().to_owned() };
    let work = async { send(&services, &params).await.and_then(|sent| JsonPayload::of(&sent)) };
    once(&call.context.idempotency, key, work).await
}

async fn poll_once(services: Arc<AgentServices>, call: Call, params: PollParams) -> MethodOutcome {
    let key = IdempotencyKey { method: Poll::NAME, key: params.idempotency_key.as_str().to_owned() };
    let work = async { poll(&services, &params).await.and_then(|sent| JsonPayload::of(&sent)) };
    once(&call.context.idempotency, key, work).await
}

async fn send(services: &AgentServices, params: &SendParams) -> Result<SendResult, ErrorShape> {
    let named = params.channel.as_deref().map(str::trim).filter(|channel| !channel.is_empty());
    let nowhere = named.is_none() && services.flow.channels().status().is_empty();
    // A session is a place of its own where no platform is named and there is none.
    if named == Some(WEBCHAT) || (nowhere && params.session_key.is_some()) {
        return write(services, params).await;
    }
    let once = params.idempotency_key.as_str().to_owned();
    let media: Vec<String> =
        params.media_url.iter().chain(params.media_urls.iter().flatten()).cloned().collect();
    let text = words(params)?;
    let channel = channel(services, named)?;
    let videos = if params.gif_playback == Some(true) { Videos::Loops } else { Videos::Usual };
    let content = Posted::Words { text: params.message.clone().unwrap_or_default(), media, videos };
    let session = params.session_key.as_deref().map(str::trim).filter(|key| !key.is_empty());
    let posting = Posting {
        channel,
        account: params.account_id.clone(),
        to: params.to.as_str().to_owned(),
        thread: params.thread_id.clone(),
        content,
        key: once.clone(),
        agent: agent(services, params.agent_id.as_deref(), session)?,
    };
    let sent = services.flow.send(posting).await.map_err(refused)?;
    let message_id = message_id(&sent, &once)?;
    let session = session.map(str::to_owned).or_else(|| sent.session.as_ref().map(ToString::to_string));
    if let Some(raw_key) = session {
        mirror(services, &raw_key, text, &once).await?;
    }
    Ok(SendResult {
        message_id,
        run_id: once,
        channel: sent.target.channel.as_str().to_owned(),
        chat_id: Some(sent.target.to),
        channel_id: None,
        to_jid: None,
        conversation_id: None,
    })
}

async fn poll(services: &AgentServices, params: &PollParams) -> Result<PollResult, ErrorShape> {
    let named = params.channel.as_deref().map(str::trim).filter(|channel| !channel.is_empty());
    let once = params.idempotency_key.as_str().to_owned();
    let hours = params.duration_hours.map(|span| span.unsigned().saturating_mul(3600));
    let poll = Question {
        question: params.question.as_str().trim().to_owned(),
        options: params.options.as_slice().iter().map(|option| option.as_str().trim().to_owned()).collect(),
        most: params.max_selections.and_then(|most| u32::try_from(most.get()).ok()).unwrap_or(1),
        seconds: params.duration_seconds.map(|span| span.unsigned()).or(hours),
        anonymous: params.is_anonymous,
    };
    let posting = Posting {
        channel: channel(services, named)?,
        account: params.account_id.clone(),
        to: params.to.as_str().to_owned(),
        thread: params.thread_id.clone(),
        content: Posted::Poll { poll, silent: params.silent == Some(true) },
        key: once.clone(),
        agent: services.config().agents.default_agent.clone(),
    };
    let sent = services.flow.send(posting).await.map_err(refused)?;
    Ok(PollResult {
        message_id: message_id(&sent, &once)?,
        run_id: once,
        channel: sent.target.channel.as_str().to_owned(),
        to_jid: None,
        channel_id: None,
        conversation_id: None,
        poll_id: None,
    })
}

/// In whose name a message is sent: the named agent, else the one of the session, else the default one.
fn agent(
    services: &AgentServices,
    named: Option<&str>,
    session: Option<&str>,
) -> Result<AgentId, ErrorShape> {
    match (named.map(str::trim).filter(|name| !name.is_empty()), session) {
        (Some(name), _) => services.known_agent(name),
        (None, Some(raw_key)) => services.key(raw_key).map(|key| services.agent_of(&key)),
        (None, None) => Ok(services.config().agents.default_agent.clone()),
    }
}

/// The platform that is meant: the named one, else the only one that is configured.
fn channel(services: &AgentServices, named: Option<&str>) -> Result<String, ErrorShape> {
    match named {
        Some(WEBCHAT) => Err(ErrorShape::invalid_request("the web chat has no polls")),
        Some(name) => Ok(name.to_owned()),
        None => meant(services, None, None).map(|(channel, _)| channel.as_str().to_owned()),
    }
}

/// The id of a message on its platform; until it has one, the name of what waits in the outbox.
fn message_id(sent: &PostedMessage, once: &str) -> Result<String, ErrorShape> {
    match &sent.fate {
        Fate::Taken(message) => Ok(message.as_str().to_owned()),
        Fate::Waits => Ok(format!("outbox:{once}")),
        Fate::GivenUp(why) => Err(ErrorShape::unavailable(why.clone())),
    }
}

fn refused(error: FlowError) -> ErrorShape {
    match error {
        FlowError::Wrong(text) => ErrorShape::invalid_request(text),
        other => ErrorShape::unavailable(other.to_string()),
    }
}

/// Writes a message into a web chat.
async fn write(services: &AgentServices, params: &SendParams) -> Result<SendResult, ErrorShape> {
    let raw_key = params.session_key.as_deref().unwrap_or(params.to.as_str()).trim();
    let once = params.idempotency_key.as_str();
    let key = services.key(raw_key)?;
    let entry = put(services, (raw_key, key), words(params)?, once).await;
    Ok(SendResult {
        run_id: once.to_owned(),
        message_id: entry.map_err(|error| session_fault(&error))?,
        channel: WEBCHAT.to_owned(),
        chat_id: None,
        channel_id: None,
        to_jid: None,
        conversation_id: None,
    })
}

/// Has a session know what was sent to a platform on its behalf. The message is on its way: a session that cannot be
/// written does not take that back.
async fn mirror(services: &AgentServices, raw_key: &str, text: String, once: &str) -> Result<(), ErrorShape> {
    let key = services.key(raw_key)?;
    let sessions = services.sessions();
    let written = async {
        if sessions.entry(&key).await?.is_none() {
            sessions.open(Opening::new(key.clone(), None)).await?;
        }
        put(services, (raw_key, key.clone()), text, once).await
    };
    if let Err(error) = written.await {
        tracing::warn!(%error, "a sent message could not be noted in its session");
    }
    Ok(())
}

/// Puts a message into a session in the agent's name, once, and shows it. Gives its name there.
async fn put(
    services: &AgentServices,
    (raw_key, key): (&str, SessionKey),
    text: String,
    once: &str,
) -> Result<String, SessionError> {
    let injection = Injection { text, idempotency_key: Some(format!("send:{once}")), ..Injection::default() };
    let (entry, message) = services.sessions().inject(&key, injection).await?;
    services.flow.announce(&FlowEvent::Injected {
        raw_key: raw_key.to_owned(),
        key,
        entry: entry.to_string(),
        text: message.plain_text(),
    });
    Ok(entry.to_string())
}

/// The message, with the addresses of its media below.
fn words(params: &SendParams) -> Result<String, ErrorShape> {
    let text = params.message.as_deref().map(str::trim).unwrap_or_default();
    let media = params.media_url.iter().chain(params.media_urls.iter().flatten());
    let lines: Vec<&str> = std::iter::once(text)
        .chain(media.map(|address| address.trim()))
        .filter(|line| !line.is_empty())
        .collect();
    if lines.is_empty() {
        return Err(ErrorShape::invalid_request("invalid send params: text or media is required"));
    }
    Ok(lines.join("\n"))
}
