//! `send`: a message to a chat without an agent.
//!
//! The web chat is a session: the message is put into it in the agent's name and shown at once. What is for a platform
//! goes into the outbox, under the name that the client gave it.

use std::sync::Arc;

use openclaw_flow::{FlowError, Notice, Posting};
use openclaw_protocol::methods::messages::{Send, SendParams, SendResult};
use openclaw_protocol::{ErrorShape, Method as _};
use openclaw_session::Injection;

use super::super::agents::AgentServices;
use super::super::chat::session_fault;
use super::super::idempotency::{Claim, IdempotencyKey};
use super::super::outcome::{Outcome, Payload};
use super::super::registry::{Call, Registry};

const WEBCHAT: &str = "webchat";

/// Adds the method of this family.
pub(in crate::methods) fn bind(registry: &mut Registry, services: &Arc<AgentServices>) {
    let known = Arc::clone(services);
    registry.bind_text::<Send, _, _>(move |call, params| once(Arc::clone(&known), call, params));
}

/// Sends a message once, however often it is asked for.
async fn once(services: Arc<AgentServices>, call: Call, params: SendParams) -> Outcome {
    loop {
        let key = IdempotencyKey { method: Send::NAME, key: params.idempotency_key.as_str().to_owned() };
        match call.context.idempotency.claim(key) {
            Claim::New(ticket) => {
                let outcome = send(&services, &params).await.and_then(|sent| Payload::of(&sent));
                ticket.finish(outcome.clone());
                return outcome;
            }
            Claim::Ended(outcome) => return outcome,
            Claim::Running(duplicate) => {
                if let Some(outcome) = duplicate.outcome().await {
                    return outcome;
                }
            }
        }
    }
}

async fn send(services: &AgentServices, params: &SendParams) -> Result<SendResult, ErrorShape> {
    let channel = params.channel.as_deref().map(str::trim).filter(|channel| !channel.is_empty());
    match channel {
        Some(WEBCHAT) => {}
        Some(other) => return post(services, other, params).await,
        None if params.session_key.is_none() => {
            return Err(ErrorShape::invalid_request(
                "Channel is required: no channel is configured. Name one with channel, or write to a web chat \
                 with channel \"webchat\" and its session key as the target.",
            ));
        }
        None => {}
    }
    let text = words(params)?;
    let raw_key = params.session_key.as_deref().unwrap_or(params.to.as_str()).trim().to_owned();
    let key = services.key(&raw_key)?;
    let once = params.idempotency_key.as_str();
    let injection = Injection { text, idempotency_key: Some(format!("send:{once}")), ..Injection::default() };
    let (entry, message) =
        services.sessions().inject(&key, injection).await.map_err(|error| session_fault(&error))?;
    services.flow.announce(&Notice::Injected {
        raw_key,
        key,
        entry: entry.to_string(),
        text: message.plain_text(),
    });
    Ok(SendResult {
        run_id: once.to_owned(),
        message_id: entry.to_string(),
        channel: WEBCHAT.to_owned(),
        chat_id: None,
        channel_id: None,
        to_jid: None,
        conversation_id: None,
    })
}

/// Sends a message to a platform: kept when this returns, and sent once.
async fn post(
    services: &AgentServices,
    channel: &str,
    params: &SendParams,
) -> Result<SendResult, ErrorShape> {
    let media: Vec<String> =
        params.media_url.iter().chain(params.media_urls.iter().flatten()).cloned().collect();
    if media.is_empty() {
        words(params)?;
    }
    let once = params.idempotency_key.as_str().to_owned();
    let posting = Posting {
        channel: channel.to_owned(),
        account: params.account_id.clone(),
        to: params.to.as_str().to_owned(),
        thread: params.thread_id.clone(),
        text: params.message.clone().unwrap_or_default(),
        media,
        key: once.clone(),
    };
    let target = services.flow.send(posting).await.map_err(|error| match error {
        FlowError::Wrong(text) => ErrorShape::invalid_request(text),
        other => ErrorShape::unavailable(other.to_string()),
    })?;
    Ok(SendResult {
        message_id: format!("outbox:{once}"),
        run_id: once,
        channel: target.channel.as_str().to_owned(),
        chat_id: Some(target.to),
        channel_id: None,
        to_jid: None,
        conversation_id: None,
    })
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
