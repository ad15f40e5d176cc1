//! Where the answer to a request of `agent` is sent, when its sender wants it sent.
//!
//! What the request names comes first, then where the session was answered last. Reply fields come before the others,
//! which may only say whose session it is.

use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::chat::AgentParams;
use openclaw_types::{ChannelId, SendTarget, SessionFacts, SessionKey, ThreadId};
use serde_json::Value;

use super::super::agents::AgentServices;
use super::super::channels::meant;
use super::super::chat::session_fault;

/// Where the answer is sent; nothing when it stays in the session.
pub(super) async fn target(
    services: &AgentServices,
    key: &SessionKey,
    params: &AgentParams,
) -> Result<Option<SendTarget>, ErrorShape> {
    let named = named(services, params)?;
    if params.deliver != Some(true) || named == Named::Webchat {
        return Ok(None);
    }
    let entry = services.sessions().entry(key).await.map_err(|error| session_fault(&error))?;
    let last = entry.map(|entry| entry.facts.clone()).unwrap_or_default();
    match place(services, params, named, &last) {
        Ok(target) => Ok(Some(target)),
        Err(_nowhere) if params.best_effort_deliver == Some(true) => Ok(None),
        Err(nowhere) => Err(nowhere),
    }
}

/// The channel that a request names.
#[derive(PartialEq, Eq)]
enum Named {
    Channel(ChannelId),
    Webchat,
    /// The one that the session was answered on last.
    Last,
}

fn named(services: &AgentServices, params: &AgentParams) -> Result<Named, ErrorShape> {
    let written = [&params.reply_channel, &params.channel];
    let mut written = written.into_iter().filter_map(|channel| given(channel.as_deref()));
    match written.next().map(str::to_lowercase).as_deref() {
        None | Some("last") => Ok(Named::Last),
        Some("webchat") => Ok(Named::Webchat),
        Some(name) => services.flow.channels().channel_named(name).map(Named::Channel).ok_or_else(|| {
            ErrorShape::invalid_request(format!("invalid agent params: unknown channel: {name}"))
        }),
    }
}

fn place(
    services: &AgentServices,
    params: &AgentParams,
    named: Named,
    last: &SessionFacts,
) -> Result<SendTarget, ErrorShape> {
    let channel_accounts = services.flow.channels();
    let last_channel = last.last_channel.as_deref().and_then(|name| channel_accounts.channel_named(name));
    let channel = match named {
        Named::Channel(channel) => Some(channel),
        Named::Last | Named::Webchat => last_channel.clone(),
    };
    let channel = channel.ok_or_else(|| {
        ErrorShape::invalid_request(
            "the answer has nowhere to go: name a channel, or a session that was answered on one",
        )
    })?;
    let is_last = last_channel.as_ref() == Some(&channel);
    let before = |value: &Option<String>| value.clone().filter(|_| is_last);
    let account = given(params.reply_account_id.as_deref()).or(given(params.account_id.as_deref()));
    let account = account.map(str::to_owned).or_else(|| before(&last.last_account_id));
    let (channel, account) = meant(services, Some(channel.as_str()), account.as_deref())?;
    let to = match given(params.reply_to.as_deref()).or(given(params.to.as_deref())) {
        Some(text) => channel_accounts.target(&channel, text).map_err(ErrorShape::invalid_request)?,
        None => before(&last.last_to).ok_or_else(|| {
            ErrorShape::invalid_request(format!("say where on {channel} the answer goes, with replyTo or to"))
        })?,
    };
    let same_place = is_last && last.last_to.as_ref() == Some(&to);
    let thread = given(params.thread_id.as_deref()).map(str::to_owned);
    let thread = thread.or_else(|| last.last_thread_id.as_ref().filter(|_| same_place).and_then(id_text));
    let thread = thread.and_then(|id| ThreadId::new(id).ok());
    Ok(SendTarget { channel, account, to, thread })
}

/// A thread's id; earlier installations wrote numbers.
fn id_text(id: &Value) -> Option<String> {
    match id {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}
