//! What only Slack can do: reading back, pins, reactions of others, who somebody is, which signs there are.
//!
//! Reading goes with the person's token where there is one, since people see more than apps. Each action belongs to a
//! group that `channels.slack.actions` can switch off.

use async_trait::async_trait;
use openclaw_ports::channel::{ActionRequest, Actions, ChannelError};
use serde_json::{Map, Value, json};

use super::api::{As, SlackArguments};
use super::send::Desk;
use super::target::{self, SlackDestination};

/// The actions and the groups that switch them.
const ALL: &[(&str, &str)] = &[
    ("reactions", "reactions"),
    ("read", "messages"),
    ("pin", "pins"),
    ("unpin", "pins"),
    ("list-pins", "pins"),
    ("member-info", "memberInfo"),
    ("emoji-list", "emojiList"),
    ("channel-info", "channelInfo"),
    ("channel-list", "channelInfo"),
    ("search", "search"),
];

/// How many messages are read unless somebody says how many.
const MESSAGES: u64 = 20;

/// Does what only Slack can do.
pub(super) struct SlackActions {
    desk: Desk,
    names: Vec<&'static str>,
}

impl SlackActions {
    /// What an account may do.
    pub(super) fn new(desk: Desk) -> Self {
        let login = desk.api.login();
        let wanted = |(name, group): &&(&'static str, &'static str)| {
            // Slack lets only people search.
            !login.habits.off.contains(group) && (*name != "search" || login.user.is_some())
        };
        let names = ALL.iter().filter(wanted).map(|(name, _)| *name).collect();
        Self { desk, names }
    }

    async fn read_back(&self, request: &ActionRequest) -> Result<Value, ChannelError> {
        let thread = text(&request.parameters, &["threadId", "threadTs"]);
        let method = if thread.is_some() { "conversations.replies" } else { "conversations.history" };
        let limit = number(&request.parameters, "limit").unwrap_or(MESSAGES).clamp(1, 200);
        let arguments = SlackArguments::default()
            .with("channel", self.room(request).await?)
            .maybe("ts", thread.clone())
            .with("limit", limit.to_string())
            .maybe("latest", text(&request.parameters, &["before"]))
            .maybe("oldest", text(&request.parameters, &["after"]));
        let answer = self.read(method, arguments).await?;
        let messages = answer["messages"].as_array().cloned().unwrap_or_default();
        // The message that began the thread is in every page of it.
        let messages: Vec<Value> = messages
            .into_iter()
            .filter(|message| thread.is_none() || message["ts"].as_str() != thread.as_deref())
            .collect();
        Ok(json!({ "ok": true, "messages": messages, "hasMore": answer["has_more"] == json!(true) }))
    }

    async fn on_message(&self, request: &ActionRequest, method: &str) -> Result<Value, ChannelError> {
        let arguments = self.message(request).await?;
        self.desk.api.call(As::Us, method, arguments).await?;
        Ok(json!({ "ok": true }))
    }

    async fn message(&self, request: &ActionRequest) -> Result<SlackArguments, ChannelError> {
        let message =
            text(&request.parameters, &["messageId", "message_id"]).ok_or_else(|| needs("messageId"))?;
        Ok(SlackArguments::default().with("channel", self.room(request).await?).with("timestamp", message))
    }

    async fn emoji(&self, request: &ActionRequest) -> Result<Value, ChannelError> {
        let answer = self.read("emoji.list", SlackArguments::default()).await?;
        let mut names: Vec<(String, Value)> =
            answer["emoji"].as_object().cloned().unwrap_or_default().into_iter().collect();
        names.sort_by(|one, other| one.0.cmp(&other.0));
        if let Some(limit) =
            number(&request.parameters, "limit").and_then(|limit| usize::try_from(limit).ok())
        {
            names.truncate(limit);
        }
        let emoji: Map<String, Value> = names.into_iter().collect();
        Ok(json!({ "ok": true, "emojis": { "ok": true, "emoji": emoji } }))
    }

    async fn search(&self, request: &ActionRequest) -> Result<Value, ChannelError> {
        let query = text(&request.parameters, &["query"]).ok_or_else(|| needs("query"))?;
        let limit = number(&request.parameters, "limit").unwrap_or(MESSAGES).clamp(1, 100);
        let arguments = SlackArguments::default().with("query", query).with("count", limit.to_string());
        let answer = self.desk.api.call(As::Person, "search.messages", arguments).await?;
        Ok(json!({ "ok": true, "results": answer["messages"] }))
    }

    async fn read(&self, method: &str, arguments: SlackArguments) -> Result<Value, ChannelError> {
        Ok(self.desk.api.call(As::Reader, method, arguments).await?)
    }

    /// The conversation an action is about: what its parameters name, else where it is done.
    async fn room(&self, request: &ActionRequest) -> Result<String, ChannelError> {
        let named = text(&request.parameters, &["channelId", "to", "target"]);
        let place = match (named, &request.target) {
            (Some(named), _) => target::read(&named).map_err(|reason| ChannelError::Wrong { reason })?,
            (None, Some(target)) => self.desk.place(target)?,
            (None, None) => return Err(needs("channelId")),
        };
        match place {
            SlackDestination::Room(room) | SlackDestination::OnlyFor { room, .. } => Ok(room),
            SlackDestination::Person(person) => self.desk.chat(&person).await,
        }
    }
}

#[async_trait]
impl Actions for SlackActions {
    fn names(&self) -> &[&'static str] {
        &self.names
    }

    async fn act(&self, request: ActionRequest) -> Result<Value, ChannelError> {
        if !self.names.contains(&request.name.as_str()) {
            return Err(ChannelError::Wrong {
                reason: format!("Slack cannot do `{}` with this account", request.name),
            });
        }
        match request.name.as_str() {
            "reactions" => {
                let arguments = self.message(&request).await?.with("full", "true");
                let answer = self.read("reactions.get", arguments).await?;
                Ok(json!({ "ok": true, "reactions": list(&answer["message"]["reactions"]) }))
            }
            "read" => self.read_back(&request).await,
            "pin" => self.on_message(&request, "pins.add").await,
            "unpin" => self.on_message(&request, "pins.remove").await,
            "list-pins" => {
                let arguments = SlackArguments::default().with("channel", self.room(&request).await?);
                let answer = self.read("pins.list", arguments).await?;
                let mut pins = answer["items"].as_array().cloned().unwrap_or_default();
                if let Some(limit) = number(&request.parameters, "limit") {
                    pins.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
                }
                Ok(json!({ "ok": true, "pins": pins }))
            }
            "member-info" => {
                let named = text(&request.parameters, &["userId"]).ok_or_else(|| needs("userId"))?;
                let id = target::listed(&named).unwrap_or(named);
                let answer = self.read("users.info", SlackArguments::default().with("user", id)).await?;
                Ok(json!({ "ok": true, "info": answer }))
            }
            "emoji-list" => self.emoji(&request).await,
            "channel-info" => {
                let arguments = SlackArguments::default().with("channel", self.room(&request).await?);
                let answer = self.read("conversations.info", arguments).await?;
                Ok(json!({ "ok": true, "channel": answer["channel"] }))
            }
            "channel-list" => {
                let arguments = SlackArguments::default()
                    .with("types", "public_channel,private_channel")
                    .with("exclude_archived", "true")
                    .with("limit", "200");
                let answer = self.read("conversations.list", arguments).await?;
                Ok(json!({ "ok": true, "channels": list(&answer["channels"]) }))
            }
            _ => self.search(&request).await,
        }
    }
}

fn list(value: &Value) -> Value {
    if value.is_array() { value.clone() } else { json!([]) }
}

fn text(parameters: &Map<String, Value>, names: &[&str]) -> Option<String> {
    let read = |value: &Value| match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    names.iter().filter_map(|name| parameters.get(*name).and_then(read)).find(|text| !text.is_empty())
}

fn number(parameters: &Map<String, Value>, name: &str) -> Option<u64> {
    let value = parameters.get(name)?;
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn needs(what: &str) -> ChannelError {
    ChannelError::Wrong { reason: format!("say which with `{what}`") }
}
