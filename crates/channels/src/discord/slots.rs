//! The smaller slots: change and take back messages, react, show that we write, make threads.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelError, DeleteMessage, EditMessage, React, Threads, Typing, Waiting};
use openclaw_types::{MessageId, RichText, SendTarget, ThreadId};
use serde_json::json;

use super::destination::{Aside, DiscordDestination};
use super::format::format;
use super::known::DiscordKnown;
use super::rest::{ApiFault, Call, UNKNOWN_MESSAGE, escaped};
use super::send::{OVER, reworded, store};
use super::wire::{Channel, Emoji};
use crate::shared::Method;

/// How long people see that we write.
const SHOWN: Duration = Duration::from_secs(10);
/// A public thread.
const PUBLIC: u64 = 11;
const LONGEST_NAME: usize = 100;
/// After how many quiet minutes the platform puts threads away.
const RESTS: [u64; 4] = [60, 1_440, 4_320, 10_080];

/// All of them.
#[derive(Clone)]
pub(super) struct DiscordSlots {
    known: Arc<DiscordKnown>,
}

impl DiscordSlots {
    pub(super) fn new(known: Arc<DiscordKnown>) -> Self {
        Self { known }
    }

    async fn reaction(
        &self,
        target: &SendTarget,
        message: &MessageId,
        emoji: &str,
    ) -> Result<String, ChannelError> {
        let room = self.known.room_with(target, message).await?;
        Ok(format!("/channels/{room}/messages/{message}/reactions/{}/@me", sign(emoji)?))
    }

    /// The way to a message of an answer that only who asked may see; nothing for other messages.
    async fn private_way(
        &self,
        target: &SendTarget,
        message: &MessageId,
    ) -> Result<Option<String>, ChannelError> {
        let destination = DiscordDestination::of(target).map_err(|reason| ChannelError::Wrong { reason })?;
        let Aside::Interaction { id, .. } = &destination.aside else { return Ok(None) };
        let pending = self.known.answers.find(id).await.map_err(store)?;
        Ok(pending.map(|pending| {
            format!("/webhooks/{}/{}/messages/{message}", self.known.application, pending.token)
        }))
    }
}

#[async_trait]
impl EditMessage for DiscordSlots {
    async fn edit(
        &self,
        target: &SendTarget,
        message: &MessageId,
        text: &RichText,
    ) -> Result<(), ChannelError> {
        let words = format(text);
        let body = json!({ "content": words, "allowed_mentions": { "parse": ["users", "roles"] } });
        if let Some(way) = self.private_way(target, message).await? {
            self.known.api.call(Call::with(Method::PATCH, way, body).unsigned()).await?;
            return Ok(());
        }
        let room = self.known.room_with(target, message).await?;
        let way = format!("/channels/{room}/messages/{message}");
        match self.known.api.call(Call::with(Method::PATCH, way.clone(), body)).await {
            // Words in a box are changed where they stand. Which messages have one is not remembered: they are few.
            Err(fault) if fault.fields.iter().any(|field| field == "content") => {
                let shown = self.known.api.call(Call::get(way.clone())).await?;
                let Some(body) = reworded(&shown, &words) else { return Err(fault.error) };
                self.known.api.call(Call::with(Method::PATCH, way, body)).await?;
            }
            other => drop(other?),
        }
        Ok(())
    }
}

#[async_trait]
impl DeleteMessage for DiscordSlots {
    async fn delete(&self, target: &SendTarget, message: &MessageId) -> Result<(), ChannelError> {
        let call = match self.private_way(target, message).await? {
            Some(way) => Call::delete(way).unsigned(),
            None => {
                let room = self.known.room_with(target, message).await?;
                Call::delete(format!("/channels/{room}/messages/{message}"))
            }
        };
        match self.known.api.call(call).await {
            Ok(_) | Err(ApiFault { code: UNKNOWN_MESSAGE, .. }) => Ok(()),
            Err(fault) => Err(fault.error),
        }
    }
}

#[async_trait]
impl React for DiscordSlots {
    fn carries_several(&self) -> bool {
        true
    }

    async fn react(&self, target: &SendTarget, message: &MessageId, emoji: &str) -> Result<(), ChannelError> {
        let way = self.reaction(target, message, emoji).await?;
        self.known.api.call(Call::set(way)).await?;
        Ok(())
    }

    async fn unreact(
        &self,
        target: &SendTarget,
        message: &MessageId,
        emoji: Option<&str>,
    ) -> Result<(), ChannelError> {
        if let Some(emoji) = emoji {
            let way = self.reaction(target, message, emoji).await?;
            self.known.api.call(Call::delete(way)).await?;
            return Ok(());
        }
        let room = self.known.room_with(target, message).await?;
        let found = self.known.api.call(Call::get(format!("/channels/{room}/messages/{message}"))).await?;
        let ours = found["reactions"].as_array().into_iter().flatten().filter(|each| each["me"] == true);
        for reaction in ours {
            let emoji: Emoji = serde_json::from_value(reaction["emoji"].clone()).unwrap_or_default();
            let name = emoji.name.unwrap_or_default();
            let name = emoji.id.map_or_else(|| name.clone(), |id| format!("{name}:{id}"));
            let way = format!("/channels/{room}/messages/{message}/reactions/{}/@me", escaped(&name));
            self.known.api.call(Call::delete(way)).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl Typing for DiscordSlots {
    async fn typing(&self, target: &SendTarget) -> Result<(), ChannelError> {
        let destination = DiscordDestination::of(target).map_err(|reason| ChannelError::Wrong { reason })?;
        // A command shows by itself that we think, and a thread need not be made for this.
        let room = match &destination.aside {
            Aside::Interaction { .. } => return Ok(()),
            Aside::ThreadAt(message) if self.known.rooms().channel(message).is_some() => message.clone(),
            _ => self.known.room_of(&destination.home).await?,
        };
        self.known.api.call(Call::with(Method::POST, format!("/channels/{room}/typing"), json!({}))).await?;
        Ok(())
    }

    fn lasts(&self) -> Duration {
        SHOWN
    }
}

#[async_trait]
impl Waiting for DiscordSlots {
    fn waits(&self, target: &SendTarget) -> bool {
        DiscordDestination::of(target)
            .is_ok_and(|destination| matches!(destination.aside, Aside::Interaction { .. }))
    }

    async fn end(&self, target: &SendTarget) -> Result<(), ChannelError> {
        let destination = DiscordDestination::of(target).map_err(|reason| ChannelError::Wrong { reason })?;
        let Aside::Interaction { id, .. } = &destination.aside else { return Ok(()) };
        let Some(token) = self.known.answers.close(id).await.map_err(store)? else { return Ok(()) };
        let way = format!("/webhooks/{}/{token}/messages/@original", self.known.application);
        match self.known.api.call(Call::delete(way).unsigned()).await {
            Ok(_) => Ok(()),
            Err(ApiFault { code, .. }) if code == UNKNOWN_MESSAGE || OVER.contains(&code) => Ok(()),
            Err(fault) => Err(fault.error),
        }
    }
}

#[async_trait]
impl Threads for DiscordSlots {
    async fn create(
        &self,
        target: &SendTarget,
        name: &str,
        at: Option<&MessageId>,
    ) -> Result<ThreadId, ChannelError> {
        self.make_thread(target, name, at, None).await
    }

    async fn create_resting(
        &self,
        target: &SendTarget,
        name: &str,
        at: Option<&MessageId>,
        minutes: u64,
    ) -> Result<ThreadId, ChannelError> {
        if !RESTS.contains(&minutes) {
            let all = RESTS.map(|minutes| minutes.to_string()).join(", ");
            return Err(ChannelError::Wrong {
                reason: format!("Discord puts threads away after one of these minutes: {all}"),
            });
        }
        self.make_thread(target, name, at, Some(minutes)).await
    }
}

impl DiscordSlots {
    async fn make_thread(
        &self,
        target: &SendTarget,
        name: &str,
        at: Option<&MessageId>,
        rests: Option<u64>,
    ) -> Result<ThreadId, ChannelError> {
        let destination = DiscordDestination::of(target).map_err(|reason| ChannelError::Wrong { reason })?;
        let room = self.known.room_of(&destination.home).await?;
        let name: String = name.trim().chars().take(LONGEST_NAME).collect();
        if name.is_empty() {
            return Err(ChannelError::Wrong { reason: "a thread on Discord needs a name".to_owned() });
        }
        let room = match at {
            Some(_) => room,
            // No thread hangs below a thread: it is made beside it.
            None => {
                let here = self.known.channel(&room).await?;
                here.parent_id.clone().filter(|_| here.is_thread()).unwrap_or(room)
            }
        };
        let (path, mut body) = match at {
            Some(message) => {
                (format!("/channels/{room}/messages/{message}/threads"), json!({ "name": name }))
            }
            None if self.known.channel(&room).await?.is_forum() => {
                let message = json!({ "content": name });
                (format!("/channels/{room}/threads"), json!({ "name": name, "message": message }))
            }
            None => (format!("/channels/{room}/threads"), json!({ "name": name, "type": PUBLIC })),
        };
        if let Some(minutes) = rests {
            body["auto_archive_duration"] = json!(minutes);
        }
        let made: Channel = self.known.api.read(Call::with(Method::POST, path, body)).await?;
        let id =
            ThreadId::new(&made.id).map_err(|error| ChannelError::Wrong { reason: error.to_string() })?;
        self.known.rooms().note(made);
        Ok(id)
    }
}

/// A sign as the API wants it in a path: itself, or the name and id of a guild's own.
fn sign(emoji: &str) -> Result<String, ChannelError> {
    let bare = emoji.trim();
    let inner = bare.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(bare);
    let own = inner.strip_prefix("a:").or_else(|| inner.strip_prefix(':')).unwrap_or(inner);
    // The mark that asks for colours is not part of the name.
    let plain: String = own.chars().filter(|letter| !matches!(letter, '\u{fe0e}' | '\u{fe0f}')).collect();
    if plain.trim_matches(':').is_empty() {
        return Err(ChannelError::Wrong { reason: "name the emoji".to_owned() });
    }
    Ok(escaped(plain.trim_matches(':')))
}
