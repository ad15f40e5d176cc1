//! The `message` tool: hands what is for a platform to `reach`, and says the rest in a web chat, the current one or a
//! named one.
//!
//! The message stands in the session's transcript before the tool returns, under a name made from the call, so that it
//! is there once.

use openclaw_ports::tool::{
    MessageAction, MessageFault, MessageReceipt, SessionToolFault, ToolContext, ToolMessage,
};
use openclaw_session::{Injection, Opening};
use openclaw_types::{ChannelId, SessionKey};
use serde_json::json;

use super::reach::PlatformMessage;
use super::reference::session;
use super::visibility::{Act, view};
use crate::flow::Inner;
use crate::publish::FlowEvent;

/// What can be done in a web chat.
pub(super) const HERE: [&str; 1] = ["send"];

/// The one place messages go to.
const WEB_CHAT: &str = "webchat";

/// Whose hands do something with messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionRights {
    /// Those of a model, or of an operator who may only write.
    Bound,
    /// Those of an operator who may do everything: they act for the owner on platforms.
    Free,
}

pub(crate) async fn act(
    flow: &Inner,
    (context, hands): (&ToolContext, ActionRights),
    action: MessageAction,
) -> Result<MessageReceipt, MessageFault> {
    let arguments = action.arguments();
    let word = |names: &[&str]| arguments.word(names);
    if let Some(channel) = platform(flow, context, word(&["channel"])?) {
        return PlatformMessage { flow, context, hands, action: &action, arguments }.act(&channel).await;
    }
    if !HERE.contains(&action.name.as_str()) {
        return Err(MessageFault::Wrong(format!(
            "'{}' needs a connected channel, and there is none. The web chat can do: {}.",
            action.name,
            HERE.join(", ")
        )));
    }
    if let Some(channel) = word(&["channel"])?.filter(|channel| channel != WEB_CHAT) {
        return Err(MessageFault::Wrong(format!(
            "No channel '{channel}' is connected. Leave `channel` out to write into the web chat."
        )));
    }
    if word(&["media", "path", "filePath", "buffer"])?.is_some() {
        return Err(MessageFault::Wrong(
            "The web chat takes words only: leave the file out and say where it is.".to_owned(),
        ));
    }
    let Some(text) = word(&["message", "text", "caption"])? else {
        return Err(MessageFault::Wrong("Say something in `message`.".to_owned()));
    };
    let key = match word(&["target", "to"])? {
        Some(target) => session(flow, &context.agent, &target).await.map_err(refusal)?,
        None => context.session.clone(),
    };
    view(flow, context).await.map_err(refusal)?.check(&key, Act::Send).map_err(refusal)?;
    let dry = arguments.flag("dryRun")? == Some(true);
    let entry = if dry { None } else { Some(put(flow, context, &key, &text).await?) };
    let report = json!({
        "ok": true, "channel": WEB_CHAT, "to": key, "messageId": entry, "dryRun": dry,
    });
    let one = ToolMessage { to: key.to_string(), thread: None, text, media: Vec::new() };
    let said = if dry { Vec::new() } else { vec![one] };
    Ok(MessageReceipt { report, said })
}

/// The platform that a message is for: the named one, else the one of this conversation.
fn platform(flow: &Inner, context: &ToolContext, named: Option<String>) -> Option<ChannelId> {
    let own = || context.sender.channel.as_ref().map(|channel| channel.as_str().to_owned());
    let kind = flow.parts.channels.kind(&named.or_else(own)?)?;
    let channel = ChannelId::new(kind.descriptor().id).ok()?;
    (!flow.parts.channels.accounts_of(&channel).is_empty()).then_some(channel)
}

async fn put(
    flow: &Inner,
    context: &ToolContext,
    key: &SessionKey,
    text: &str,
) -> Result<String, MessageFault> {
    let failed = |error: openclaw_session::SessionError| MessageFault::Failed(error.to_string());
    let sessions = &flow.parts.sessions;
    if sessions.entry(key).await.map_err(failed)?.is_none() {
        sessions.open(Opening::new(key.clone(), None)).await.map_err(failed)?;
    }
    let injection = Injection {
        text: text.to_owned(),
        idempotency_key: Some(format!("message:{}:{}", context.run, context.call)),
        ..Injection::default()
    };
    let (entry, _) = sessions.inject(key, injection).await.map_err(failed)?;
    flow.audience.tell(&FlowEvent::Injected {
        raw_key: key.to_string(),
        key: key.clone(),
        entry: entry.to_string(),
        text: text.to_owned(),
    });
    Ok(entry.to_string())
}

fn refusal(fault: SessionToolFault) -> MessageFault {
    match fault {
        SessionToolFault::Refused(text) => MessageFault::Refused(text),
        SessionToolFault::Wrong(text) => MessageFault::Wrong(text),
        SessionToolFault::Fault(text) => MessageFault::Failed(text),
    }
}
