//! Changes what was sent, takes it back, reacts, shows that we write, and begins threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelError, DeleteMessage, EditMessage, React, Threads, Typing};
use openclaw_types::{MessageId, RichText, SendTarget, ThreadId};
use serde_json::Value;

use super::super::api::{As, Fault, SlackArguments};
use super::super::format::{escaped, format};
use super::super::target::{SlackDestination, is_id};
use super::desk::Desk;
use super::{blocks, emoji};

/// How long the sign that we write is shown: Slack takes it away after two minutes, or when a message comes.
const SHOWN: Duration = Duration::from_secs(60);

/// Changes messages.
#[derive(Clone)]
pub(in super::super) struct SlackChange {
    desk: Desk,
    /// Whether Slack lets us show that we write.
    shows_typing: Arc<AtomicBool>,
}

impl SlackChange {
    /// Changes messages from a desk.
    pub(in super::super) fn new(desk: Desk) -> Self {
        Self { desk, shows_typing: Arc::new(AtomicBool::new(true)) }
    }

    async fn on_message(
        &self,
        target: &SendTarget,
        message: &MessageId,
    ) -> Result<SlackArguments, ChannelError> {
        let room = self.desk.room(target).await?;
        Ok(SlackArguments::default().with("channel", room).with("timestamp", message.as_str()))
    }

    async fn take_off(
        &self,
        target: &SendTarget,
        message: &MessageId,
        name: &str,
    ) -> Result<(), ChannelError> {
        let arguments = self.on_message(target, message).await?.with("name", name);
        let answer = self.desk.api.call(As::Us, "reactions.remove", arguments).await;
        settled(answer, &["no_reaction", "message_not_found"])
    }
}

#[async_trait]
impl EditMessage for SlackChange {
    async fn edit(
        &self,
        target: &SendTarget,
        message: &MessageId,
        text: &RichText,
    ) -> Result<(), ChannelError> {
        if let SlackDestination::OnlyFor { .. } = self.desk.place(target)? {
            return Err(ChannelError::Wrong {
                reason: "words that one person sees cannot be changed on Slack".into(),
            });
        }
        let arguments = SlackArguments::default()
            .with("channel", self.desk.room(target).await?)
            .with("ts", message.as_str())
            .with("text", format(text))
            // Blocks that stay show the old words. With them buttons go, as they do on other platforms.
            .json("blocks", &blocks::anew("", &[]));
        self.desk.api.call(As::Us, "chat.update", arguments).await?;
        Ok(())
    }
}

#[async_trait]
impl DeleteMessage for SlackChange {
    async fn delete(&self, target: &SendTarget, message: &MessageId) -> Result<(), ChannelError> {
        // A file stands for the message it was sent with where Slack did not name that.
        if is_id(message.as_str(), &['F']) {
            let arguments = SlackArguments::default().with("file", message.as_str());
            let answer = self.desk.api.call(As::Us, "files.delete", arguments).await;
            return settled(answer, &["file_not_found", "file_deleted"]);
        }
        let arguments = SlackArguments::default()
            .with("channel", self.desk.room(target).await?)
            .with("ts", message.as_str());
        settled(self.desk.api.call(As::Us, "chat.delete", arguments).await, &["message_not_found"])
    }
}

#[async_trait]
impl React for SlackChange {
    fn carries_several(&self) -> bool {
        true
    }

    async fn react(&self, target: &SendTarget, message: &MessageId, emoji: &str) -> Result<(), ChannelError> {
        let name = named(emoji)?;
        let arguments = self.on_message(target, message).await?.with("name", name);
        settled(self.desk.api.call(As::Us, "reactions.add", arguments).await, &["already_reacted"])
    }

    async fn unreact(
        &self,
        target: &SendTarget,
        message: &MessageId,
        emoji: Option<&str>,
    ) -> Result<(), ChannelError> {
        if let Some(emoji) = emoji {
            return self.take_off(target, message, &named(emoji)?).await;
        }
        let arguments = self.on_message(target, message).await?.with("full", "true");
        let answer = self.desk.api.call(As::Us, "reactions.get", arguments).await?;
        let ours = |reaction: &&Value| {
            let mut people = reaction["users"].as_array().into_iter().flatten();
            people.any(|person| person.as_str() == Some(self.desk.us.user.as_str()))
        };
        let reactions = answer["message"]["reactions"].as_array().cloned().unwrap_or_default();
        for name in reactions.iter().filter(ours).filter_map(|reaction| reaction["name"].as_str()) {
            self.take_off(target, message, name).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl Typing for SlackChange {
    /// Slack shows this in threads alone, and only for apps that may.
    async fn typing(&self, target: &SendTarget) -> Result<(), ChannelError> {
        let shows = self.shows_typing.load(Ordering::Relaxed);
        let Some(thread) = target.thread.as_ref().filter(|_| shows) else { return Ok(()) };
        let arguments = SlackArguments::default()
            .with("channel_id", self.desk.room(target).await?)
            .with("thread_ts", thread.as_str())
            .with("status", "is writing…");
        match self.desk.api.call(As::Us, "assistant.threads.setStatus", arguments).await {
            Ok(_) => Ok(()),
            Err(Fault::Refused { word, reason }) => {
                let for_good = ["missing_scope", "unknown_method", "not_allowed_token_type", "access_denied"];
                if for_good.contains(&word.as_str()) {
                    self.shows_typing.store(false, Ordering::Relaxed);
                }
                tracing::debug!(subsystem = "channels", reason, "Slack does not show that we write");
                Ok(())
            }
            Err(fault) => Err(fault.into()),
        }
    }

    fn lasts(&self) -> Duration {
        SHOWN
    }
}

#[async_trait]
impl Threads for SlackChange {
    /// A thread hangs below a message; without one, its name is written as that message.
    async fn create(
        &self,
        target: &SendTarget,
        name: &str,
        at: Option<&MessageId>,
    ) -> Result<ThreadId, ChannelError> {
        let message = match at {
            Some(message) => message.clone(),
            None if name.trim().is_empty() => {
                let reason = "a thread on Slack hangs below a message: name one, or give the thread a name";
                return Err(ChannelError::Wrong { reason: reason.to_owned() });
            }
            None => {
                let arguments = SlackArguments::default()
                    .with("channel", self.desk.room(target).await?)
                    .with("text", escaped(name));
                let answer = self.desk.api.call(As::Us, "chat.postMessage", arguments).await?;
                super::receipt_of(&answer)?.message
            }
        };
        ThreadId::new(message.as_str()).map_err(|error| ChannelError::Wrong { reason: error.to_string() })
    }
}

/// The answer to a call where some refusals mean that it was so already.
fn settled(answer: Result<Value, Fault>, already: &[&str]) -> Result<(), ChannelError> {
    match answer {
        Ok(_) => Ok(()),
        Err(fault) if fault.says(already) => Ok(()),
        Err(fault) => Err(fault.into()),
    }
}

fn named(emoji: &str) -> Result<String, ChannelError> {
    emoji::name(emoji).ok_or_else(|| ChannelError::Wrong {
        reason: format!("Slack knows signs by name; use a name such as `eyes` instead of {emoji}"),
    })
}
