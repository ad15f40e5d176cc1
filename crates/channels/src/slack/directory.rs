//! Looks people and rooms up, and tests the line.

use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::Clock;
use openclaw_ports::channel::{ChannelError, Directory, DirectoryEntry, DirectoryKind, Probe};
use openclaw_types::{ChatKind, NamedRoom};
use serde_json::{Value, json};

use super::api::{As, SlackApi, SlackArguments};
use super::intake::{next_cursor, person_facts};
use super::normalize::Us;
use super::target::SlackDestination;

/// How many pages of a list are read.
const PAGES: usize = 10;
/// How many entries a page has.
const PAGE: &str = "200";

/// Looks people and rooms up.
pub(super) struct SlackDirectory {
    api: SlackApi,
    us: Arc<Us>,
    clock: Arc<dyn Clock>,
}

impl SlackDirectory {
    /// Looks up with an account's tokens.
    pub(super) fn new(api: SlackApi, us: Arc<Us>, clock: Arc<dyn Clock>) -> Self {
        Self { api, us, clock }
    }

    /// The rooms that bear these names now. A list that Slack does not show leaves the names without a room.
    pub(super) async fn named(&self, names: &[String]) -> Vec<NamedRoom> {
        if names.is_empty() {
            return Vec::new();
        }
        let listed = self.search(DirectoryKind::Rooms, "", usize::MAX).await.unwrap_or_else(|error| {
            tracing::warn!(subsystem = "slack", %error, "rooms that are listed by name are not known; use their ids");
            Vec::new()
        });
        let mut found = Vec::new();
        for name in names {
            let called =
                |entry: &&DirectoryEntry| entry.name.as_deref().map(str::to_lowercase).as_ref() == Some(name);
            match listed.iter().find(called).and_then(|entry| entry.raw["id"].as_str()) {
                Some(id) => found.push(NamedRoom { within: None, name: name.clone(), id: id.to_owned() }),
                None => tracing::warn!(
                    subsystem = "slack",
                    room = name,
                    "no room has this name; `openclaw channels resolve` shows the ids to list"
                ),
            }
        }
        found
    }

    /// What stands under a name in the pages of a list, as far as it is wanted.
    async fn pages(
        &self,
        method: &str,
        (field, arguments): (&str, SlackArguments),
        wanted: impl Fn(&Value) -> Option<DirectoryEntry> + Send,
        limit: usize,
    ) -> Result<Vec<DirectoryEntry>, ChannelError> {
        let mut found = Vec::new();
        let mut cursor: Option<String> = None;
        for _ in 0..PAGES {
            let arguments = arguments.clone().with("limit", PAGE).maybe("cursor", cursor.take());
            let answer = self.api.call(As::Reader, method, arguments).await?;
            found.extend(answer[field].as_array().into_iter().flatten().filter_map(&wanted));
            cursor = next_cursor(&answer);
            if cursor.is_none() || found.len() >= limit {
                break;
            }
        }
        found.truncate(limit);
        Ok(found)
    }
}

#[async_trait]
impl Directory for SlackDirectory {
    async fn me(&self) -> Result<DirectoryEntry, ChannelError> {
        let arguments = SlackArguments::default().with("user", &self.us.user);
        let answer = self.api.call(As::Us, "users.info", arguments).await?;
        person(&answer["user"]).ok_or_else(|| ChannelError::Refused {
            reason: "users.info: Slack does not say who we are".into(),
        })
    }

    async fn search(
        &self,
        kind: DirectoryKind,
        words: &str,
        limit: usize,
    ) -> Result<Vec<DirectoryEntry>, ChannelError> {
        let words = words.trim().trim_start_matches(['@', '#']).to_lowercase();
        let fits = |entry: &DirectoryEntry| {
            let names = [entry.name.as_deref(), entry.handle.as_deref(), Some(entry.id.as_str())];
            words.is_empty() || names.into_iter().flatten().any(|name| name.to_lowercase().contains(&words))
        };
        match kind {
            DirectoryKind::People => {
                let list = ("members", SlackArguments::default());
                self.pages("users.list", list, |value| person(value).filter(fits), limit).await
            }
            DirectoryKind::Rooms => {
                let arguments = SlackArguments::default()
                    .with("types", "public_channel,private_channel")
                    .with("exclude_archived", "true");
                let list = ("channels", arguments);
                self.pages("conversations.list", list, |value| room(value).filter(fits), limit).await
            }
        }
    }

    async fn members(&self, place: &str, limit: usize) -> Result<Vec<DirectoryEntry>, ChannelError> {
        let Ok(SlackDestination::Room(id)) = super::target::read(place) else {
            return Err(ChannelError::Wrong { reason: "members are listed of channel:<id>".into() });
        };
        let arguments = SlackArguments::default().with("channel", id);
        let bare = |value: &Value| {
            let id = value.as_str()?;
            Some(DirectoryEntry {
                id: SlackDestination::Person(id.to_owned()).to_string(),
                kind: ChatKind::Direct,
                name: None,
                handle: None,
                raw: value.clone(),
            })
        };
        let mut members =
            self.pages("conversations.members", ("members", arguments), bare, limit.min(100)).await?;
        for member in &mut members {
            let id = member.raw.as_str().unwrap_or_default();
            let answer =
                self.api.call(As::Reader, "users.info", SlackArguments::default().with("user", id)).await?;
            if let Some(entry) = person(&answer["user"]) {
                *member = entry;
            }
        }
        Ok(members)
    }
}

#[async_trait]
impl Probe for SlackDirectory {
    async fn probe(&self) -> Result<Value, ChannelError> {
        let began = self.clock.elapsed();
        let answer = self.api.call(As::Us, "auth.test", SlackArguments::default()).await?;
        let elapsed = self.clock.elapsed().saturating_sub(began);
        Ok(json!({
            "ok": true,
            "elapsedMs": u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            "bot": { "id": answer["user_id"], "name": answer["user"] },
            "team": { "id": answer["team_id"], "name": answer["team"] },
        }))
    }
}

fn person(user: &Value) -> Option<DirectoryEntry> {
    let id = user["id"].as_str().filter(|_| user["deleted"] != Value::Bool(true))?;
    let facts = person_facts(user);
    Some(DirectoryEntry {
        id: SlackDestination::Person(id.to_owned()).to_string(),
        kind: ChatKind::Direct,
        name: facts.name,
        handle: facts.handle,
        raw: user.clone(),
    })
}

fn room(room: &Value) -> Option<DirectoryEntry> {
    let id = room["id"].as_str()?;
    let name = room["name"].as_str();
    Some(DirectoryEntry {
        id: SlackDestination::Room(id.to_owned()).to_string(),
        kind: ChatKind::Channel,
        name: name.map(str::to_owned),
        handle: name.map(|name| format!("#{name}")),
        raw: room.clone(),
    })
}
