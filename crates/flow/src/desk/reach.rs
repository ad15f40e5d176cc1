//! The `message` tool on platforms: sends, reacts, changes and takes back messages where people are.
//!
//! What is sent goes through the outbox under a name made from the call, so that it is there once. The rest acts on
//! messages that are there already, at once.

use openclaw_ports::channel::ChannelError;
use openclaw_ports::tool::{MessageAction, MessageFault, MessageReceipt, ToolContext};
use openclaw_types::{AccountId, ChannelId, MessageId, RichText, Target, ThreadId};
use serde_json::{Value, json};

use crate::channels::Slots;
use crate::flow::Inner;
use crate::outbox::{self, Order};

/// A message on a platform.
pub(super) struct Reach<'a> {
    pub(super) flow: &'a Inner,
    pub(super) context: &'a ToolContext,
    pub(super) action: &'a MessageAction,
}

impl Reach<'_> {
    /// Does what is asked for on a platform.
    pub(super) async fn act(&self, channel: &ChannelId) -> Result<MessageReceipt, MessageFault> {
        self.check_crossing(channel)?;
        let target = self.target(channel)?;
        match self.action.name.as_str() {
            "send" => self.send(&target).await,
            "react" => self.react(&target).await,
            "edit" => self.edit(&target).await,
            "delete" => self.delete(&target).await,
            other => Err(MessageFault::Wrong(format!("'{other}' is not something that {channel} can do"))),
        }
    }

    /// What is said in one platform's conversation stays on that platform, unless the configuration says otherwise.
    fn check_crossing(&self, channel: &ChannelId) -> Result<(), MessageFault> {
        let Some(own) = self.context.sender.channel.as_ref().filter(|own| *own != channel) else {
            return Ok(());
        };
        let config = self.flow.settings();
        let message = config.raw.tools.as_ref().and_then(|tools| tools.message.as_ref());
        let across = message.and_then(|message| message.cross_context.as_ref()?.allow_across_providers);
        match across.unwrap_or(false) {
            true => Ok(()),
            false => Err(MessageFault::Refused(format!(
                "This conversation is on {own}, and messages to {channel} are not allowed from here \
                 (tools.message.crossContext.allowAcrossProviders)."
            ))),
        }
    }

    async fn send(&self, target: &Target) -> Result<MessageReceipt, MessageFault> {
        let text = self.word(&["message", "text", "caption"]).unwrap_or_default();
        let media: Vec<String> = self.word(&["media", "path", "filePath"]).into_iter().collect();
        if text.is_empty() && media.is_empty() {
            return Err(MessageFault::Wrong(
                "Say something in `message`, or name a file in `media`.".to_owned(),
            ));
        }
        let dry = self.action.parameters.get("dryRun").and_then(Value::as_bool) == Some(true);
        if !dry {
            let order = Order {
                target: target.clone(),
                agent: self.context.agent.clone(),
                stem: format!("message/{}/{}", self.context.run, self.context.call),
                source: self.context.run.as_str().to_owned(),
                text: text.clone(),
                media,
                reply: self.word(&["replyTo"]).and_then(|id| MessageId::new(id).ok()),
            };
            outbox::order(self.flow, order).await.map_err(|error| MessageFault::Failed(error.to_string()))?;
        }
        let report = json!({
            "ok": true, "channel": target.channel, "accountId": target.account, "to": target.to, "dryRun": dry,
            "status": if dry { "nothing was sent" } else { "kept for sending" },
        });
        let said = if dry { Vec::new() } else { vec![(outbox::place_line(target), text)] };
        Ok(MessageReceipt { report, said })
    }

    async fn react(&self, target: &Target) -> Result<MessageReceipt, MessageFault> {
        let slots = self.slots(target)?;
        let react = slots.react.as_ref().ok_or_else(|| cannot(target, "react"))?;
        let message = self.message()?;
        let emoji = self.word(&["emoji"]);
        let remove = self.action.parameters.get("remove").and_then(Value::as_bool) == Some(true);
        let done = match (&emoji, remove) {
            (Some(emoji), false) => react.react(target, &message, emoji).await,
            (emoji, _) => react.unreact(target, &message, emoji.as_deref()).await,
        };
        report(target, done)
    }

    async fn edit(&self, target: &Target) -> Result<MessageReceipt, MessageFault> {
        let slots = self.slots(target)?;
        let edit = slots.edit.as_ref().ok_or_else(|| cannot(target, "edit"))?;
        let Some(text) = self.word(&["message", "text"]) else {
            return Err(MessageFault::Wrong("Say the new words in `message`.".to_owned()));
        };
        let view = self.flow.parts.channels.view(&target.channel, &target.account);
        let tables = view.map(|view| view.manner.tables).unwrap_or_default();
        let words: RichText = openclaw_delivery::read_markdown(&text, tables).text;
        report(target, edit.edit(target, &self.message()?, &words).await)
    }

    async fn delete(&self, target: &Target) -> Result<MessageReceipt, MessageFault> {
        let slots = self.slots(target)?;
        let delete = slots.delete.as_ref().ok_or_else(|| cannot(target, "delete"))?;
        report(target, delete.delete(target, &self.message()?).await)
    }

    /// Where the message goes: what the call names, else where this conversation is.
    fn target(&self, channel: &ChannelId) -> Result<Target, MessageFault> {
        let hall = &self.flow.parts.channels;
        let kind = hall.kind(channel.as_str());
        let kind = kind.ok_or_else(|| MessageFault::Wrong(format!("There is no channel '{channel}'.")))?;
        let here = self.context.sender.channel.as_ref() == Some(channel);
        let own = || self.context.sender.account.clone().filter(|_| here);
        let account = match self.word(&["accountId"]) {
            Some(id) => Some(AccountId::new(id).map_err(|error| MessageFault::Wrong(error.to_string()))?),
            None => own().or_else(|| hall.accounts_of(channel).into_iter().next()),
        };
        let account = account.filter(|account| hall.view(channel, account).is_some());
        let account = account
            .ok_or_else(|| MessageFault::Wrong(format!("No such account of '{channel}' is configured.")))?;
        let default_to = || hall.view(channel, &account).and_then(|view| view.default_to);
        let to = match self.word(&["target", "to"]) {
            Some(text) => kind.target(&text).map_err(MessageFault::Wrong)?,
            None => match self.context.sender.to.clone().filter(|_| here).or_else(default_to) {
                Some(to) => to,
                None => return Err(MessageFault::Wrong("Say where to in `target`.".to_owned())),
            },
        };
        let same_place = here && self.context.sender.to.as_deref() == Some(to.as_str());
        let thread = match self.word(&["threadId"]) {
            Some(id) => Some(ThreadId::new(id).map_err(|error| MessageFault::Wrong(error.to_string()))?),
            None => self.context.sender.thread.clone().filter(|_| same_place),
        };
        Ok(Target { channel: channel.clone(), account, to, thread })
    }

    fn slots(&self, target: &Target) -> Result<std::sync::Arc<Slots>, MessageFault> {
        let slots = self.flow.parts.channels.surface(&target.channel, &target.account);
        slots.ok_or_else(|| {
            MessageFault::Failed(format!("{} is not connected now; try again later.", target.channel))
        })
    }

    fn message(&self) -> Result<MessageId, MessageFault> {
        let id = self
            .word(&["messageId"])
            .ok_or_else(|| MessageFault::Wrong("Say which message in `messageId`.".to_owned()))?;
        MessageId::new(id).map_err(|error| MessageFault::Wrong(error.to_string()))
    }

    fn word(&self, names: &[&str]) -> Option<String> {
        let found = names.iter().find_map(|name| self.action.parameters.get(*name)?.as_str());
        found.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    }
}

fn report(target: &Target, done: Result<(), ChannelError>) -> Result<MessageReceipt, MessageFault> {
    match done {
        Ok(()) => Ok(MessageReceipt {
            report: json!({ "ok": true, "channel": target.channel, "to": target.to }),
            said: Vec::new(),
        }),
        Err(error) => Err(MessageFault::Failed(error.to_string())),
    }
}

fn cannot(target: &Target, what: &str) -> MessageFault {
    MessageFault::Wrong(format!("{} cannot {what} to messages.", target.channel))
}
