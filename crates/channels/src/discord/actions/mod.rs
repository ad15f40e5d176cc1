//! Things only this platform has: pins, searches, rooms, roles, events, moderation. Which of them there are, the
//! section's `actions` says.
//!
//! `uploads` brings a guild its own signs. `calls` says which question to the API an action is, `permissions` reads what somebody may. Moderation asks the
//! platform first whether the person who wants it may do it themselves.

mod calls;
mod permissions;
mod uploads;

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::channel::{ActionRequest, Actions, ChannelError, Requester};
use openclaw_types::UnixMillis;
use serde_json::{Map, Value, json};

use super::config::shown;
use super::destination::{DiscordDestination, Home};
use super::known::DiscordKnown;
use super::rest::{Call, escaped};

/// An action: its name, the switch it belongs to, and whether that is on where nothing is said.
const ACTIONS: &[(&str, &str, bool)] = &[
    ("reactions", "reactions", true),
    ("emoji-list", "reactions", true),
    ("read", "messages", true),
    ("pin", "pins", true),
    ("unpin", "pins", true),
    ("list-pins", "pins", true),
    ("permissions", "permissions", true),
    ("thread-list", "threads", true),
    ("search", "search", true),
    ("sticker", "stickers", true),
    ("sticker-upload", "stickerUploads", true),
    ("emoji-upload", "emojiUploads", true),
    ("member-info", "memberInfo", true),
    ("role-info", "roleInfo", true),
    ("role-add", "roles", false),
    ("role-remove", "roles", false),
    ("channel-info", "channelInfo", true),
    ("channel-list", "channelInfo", true),
    ("channel-create", "channels", true),
    ("channel-edit", "channels", true),
    ("channel-delete", "channels", true),
    ("channel-move", "channels", true),
    ("category-create", "channels", true),
    ("category-edit", "channels", true),
    ("category-delete", "channels", true),
    ("voice-status", "voiceStatus", true),
    ("event-list", "events", true),
    ("event-create", "events", true),
    ("timeout", "moderation", false),
    ("kick", "moderation", false),
    ("ban", "moderation", false),
    ("set-presence", "presence", false),
];

/// Does them.
pub(super) struct DiscordActions {
    known: Arc<DiscordKnown>,
    names: Vec<&'static str>,
}

/// What an action is about, under the names of the tool's parameters.
pub(super) struct Parameters<'a> {
    fields: &'a Map<String, Value>,
    /// What of it can be read as words: models write ids as numbers too.
    words: HashMap<&'a str, String>,
    /// The room of the conversation, where one is named.
    room: Option<String>,
    /// The time of the machine.
    now: UnixMillis,
}

impl DiscordActions {
    pub(super) fn new(known: Arc<DiscordKnown>) -> Self {
        let switches = &known.login.actions;
        let names = ACTIONS
            .iter()
            .filter(|(_, switch, usual)| switches.get(*switch).copied().unwrap_or(*usual))
            .map(|(name, _, _)| *name)
            .collect();
        Self { known, names }
    }

    async fn room(&self, request: &ActionRequest) -> Result<Option<String>, ChannelError> {
        let wrong = |reason: String| ChannelError::Wrong { reason };
        let home = match (&request.target, request.parameters.get("to").and_then(word)) {
            (Some(target), _) => DiscordDestination::of(target).map_err(wrong)?.home,
            (None, Some(to)) => DiscordDestination::read(&to).map_err(wrong)?.home,
            (None, None) => return Ok(None),
        };
        Ok(Some(self.known.room_of(&home).await?))
    }

    /// Who reacted to a message, sign by sign.
    async fn reactions(&self, parameters: &Parameters<'_>) -> Result<Value, ChannelError> {
        let message = format!("/channels/{}/messages/{}", parameters.room()?, parameters.id("messageId")?);
        let limit = parameters.number("limit").unwrap_or(100).clamp(1, 100);
        let found = self.known.api.call(Call::get(message.clone())).await?;
        let mut all = Vec::new();
        for reaction in found["reactions"].as_array().into_iter().flatten() {
            let (name, id) = (reaction["emoji"]["name"].as_str(), reaction["emoji"]["id"].as_str());
            let name = name.unwrap_or_default();
            let sign = id.map_or_else(|| name.to_owned(), |id| format!("{name}:{id}"));
            let path = format!("{message}/reactions/{}?limit={limit}", escaped(&sign));
            let users = self.known.api.call(Call::get(path)).await?;
            let users: Vec<Value> = users
                .as_array()
                .into_iter()
                .flatten()
                .map(|user| json!({ "id": user["id"], "username": user["username"] }))
                .collect();
            all.push(json!({ "emoji": sign, "count": reaction["count"], "users": users }));
        }
        Ok(json!({ "ok": true, "reactions": all }))
    }

    async fn presence(&self, parameters: &Parameters<'_>) -> Result<Value, ChannelError> {
        let status = parameters.text("status").unwrap_or("online");
        if !["online", "dnd", "idle", "invisible"].contains(&status) {
            return Err(wrong("status is one of online, dnd, idle, invisible"));
        }
        let kind = match parameters.text("activityType").map(str::to_lowercase).as_deref() {
            None => None,
            Some("playing") => Some(0),
            Some("streaming") => Some(1),
            Some("listening") => Some(2),
            Some("watching") => Some(3),
            Some("custom") => Some(4),
            Some("competing") => Some(5),
            Some(_) => {
                return Err(wrong(
                    "activityType is one of playing, streaming, listening, watching, custom, competing",
                ));
            }
        };
        let words = parameters.text("activityName").or_else(|| parameters.text("activityState"));
        let shown = shown(words, kind, parameters.text("activityUrl"), Some(status));
        let sent = self.known.presence.try_send(shown.clone());
        sent.map_err(|_full| ChannelError::RateLimited { after: std::time::Duration::from_secs(5) })?;
        Ok(json!({ "ok": true, "presence": shown }))
    }

    /// Whether who wants it may do it: the bot must not be a way around the platform's own rights.
    async fn may_moderate(
        &self,
        name: &str,
        requester: Option<&Requester>,
        parameters: &Parameters<'_>,
    ) -> Result<(), ChannelError> {
        let person = match requester {
            Some(Requester::Person(person)) => person,
            // The owner decides what the bot does with the rights it was given.
            Some(Requester::Operator) => return Ok(()),
            None => {
                return Err(wrong(
                    "moderation is done only for a person who is known to Discord; ask from a Discord chat",
                ));
            }
        };
        let needed = match name {
            "timeout" => permissions::MODERATE,
            "kick" => permissions::KICK,
            _ => permissions::BAN,
        };
        let guild = parameters.id("guildId")?;
        match permissions::in_guild(&self.known.api, &guild, person.as_str()).await?
            & (needed | permissions::ADMINISTRATOR)
        {
            0 => {
                Err(ChannelError::Refused { reason: "who asks for this lacks the right to do it".to_owned() })
            }
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl Actions for DiscordActions {
    fn names(&self) -> &[&'static str] {
        &self.names
    }

    async fn act(&self, request: ActionRequest) -> Result<Value, ChannelError> {
        let name = request.name.as_str();
        if !self.names.contains(&name) {
            return Err(ChannelError::Wrong {
                reason: format!("Discord has no action {name}, or channels.discord.actions switches it off"),
            });
        }
        let room = self.room(&request).await?;
        let parameters = Parameters::of(&request.parameters, room, self.known.now());
        match name {
            "reactions" => return self.reactions(&parameters).await,
            "set-presence" => return self.presence(&parameters).await,
            "emoji-upload" | "sticker-upload" => {
                let call = uploads::call(name, &parameters).await?;
                return Ok(json!({ "ok": true, "result": self.known.api.call(call).await? }));
            }
            "permissions" => {
                return permissions::report(&self.known.api, &parameters.room()?, &self.known.us).await;
            }
            "timeout" | "kick" | "ban" => {
                self.may_moderate(name, request.requester.as_ref(), &parameters).await?;
            }
            _ => {}
        }
        let answer = self.known.api.call(calls::call(name, &parameters)?).await?;
        Ok(match (name, answer) {
            (_, Value::Null) => json!({ "ok": true }),
            // What is read has the same name on every platform.
            ("thread-list", threads) => {
                json!({ "ok": true, "result": below(threads, parameters.maybe_id("channelId")?, &parameters) })
            }
            ("read", messages) => json!({ "ok": true, "messages": messages }),
            (_, answer) => json!({ "ok": true, "result": answer }),
        })
    }
}

impl<'a> Parameters<'a> {
    fn of(fields: &'a Map<String, Value>, room: Option<String>, now: UnixMillis) -> Self {
        let words = fields.iter().filter_map(|(name, value)| Some((name.as_str(), word(value)?)));
        Self { fields, words: words.collect(), room, now }
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.words.get(name).map(String::as_str)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    fn flag(&self, name: &str) -> bool {
        match self.fields.get(name) {
            Some(Value::Bool(flag)) => *flag,
            _ => self.text(name).is_some_and(|word| word.eq_ignore_ascii_case("true")),
        }
    }

    /// Several words under one name; one alone counts.
    fn list(&self, name: &str) -> Vec<String> {
        match self.fields.get(name) {
            Some(Value::Array(all)) => all.iter().filter_map(word).collect(),
            Some(one) => word(one).into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// A text that has to be there.
    fn must(&self, name: &str) -> Result<&str, ChannelError> {
        self.text(name).ok_or_else(|| wrong(&format!("{name} is missing")))
    }

    /// An id that has to be there.
    fn id(&self, name: &str) -> Result<String, ChannelError> {
        let text = self.must(name)?;
        let id =
            super::destination::listed(text).or_else(|| match DiscordDestination::read(text).ok()?.home {
                Home::Channel(id) | Home::User(id) => Some(id),
            });
        id.ok_or_else(|| wrong(&format!("{name} is no id of Discord")))
    }

    /// An id that may be there.
    fn maybe_id(&self, name: &str) -> Result<Option<String>, ChannelError> {
        self.text(name).map(|_| self.id(name)).transpose()
    }

    /// The room: named, or that of the conversation.
    fn room(&self) -> Result<String, ChannelError> {
        match self.maybe_id("channelId")? {
            Some(id) => Ok(id),
            None => self.room.clone().ok_or_else(|| wrong("channelId is missing")),
        }
    }
}

fn wrong(reason: &str) -> ChannelError {
    ChannelError::Wrong { reason: reason.to_owned() }
}

/// Of the threads of a guild those below one room, where one is named; no more than are asked for.
fn below(mut found: Value, room: Option<String>, given: &Parameters<'_>) -> Value {
    if let Some(threads) = found.get_mut("threads").and_then(Value::as_array_mut) {
        if let Some(room) = room {
            threads.retain(|thread| thread["parent_id"] == room.as_str());
        }
        if let Some(limit) = given.number("limit").and_then(|limit| usize::try_from(limit).ok()) {
            threads.truncate(limit);
        }
    }
    found
}

/// A value as a word; a number counts as its digits.
fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
