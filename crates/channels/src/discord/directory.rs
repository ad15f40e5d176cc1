//! Looks people and rooms up in the guilds we are in.

use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelError, Directory, DirectoryEntry, DirectoryKind};
use openclaw_types::ChatKind;
use serde_json::{Value, json};

use super::destination::{DiscordDestination, Home};
use super::known::DiscordKnown;
use super::rest::{ApiFault, Call, escaped};
use super::wire::{Channel, Member, User};

/// The most the API gives at once.
const MOST: usize = 100;
/// How many guilds are searched for one question.
const MOST_GUILDS: usize = 20;

/// Looks people and rooms up.
pub(super) struct DiscordDirectory {
    known: Arc<DiscordKnown>,
}

impl DiscordDirectory {
    pub(super) fn new(known: Arc<DiscordKnown>) -> Self {
        Self { known }
    }

    async fn people(&self, words: &str, limit: usize) -> Result<Vec<DirectoryEntry>, ChannelError> {
        self.known.all_guilds().await?;
        let guilds: Vec<String> =
            self.known.rooms().guilds().take(MOST_GUILDS).map(|guild| guild.id.clone()).collect();
        let mut found: Vec<DirectoryEntry> = Vec::new();
        for guild in guilds {
            let path = match words.trim() {
                "" => format!("/guilds/{guild}/members?limit={}", limit.clamp(1, MOST)),
                words => format!(
                    "/guilds/{guild}/members/search?query={}&limit={}",
                    escaped(words),
                    limit.clamp(1, MOST)
                ),
            };
            match self.known.api.call(Call::get(path)).await {
                Ok(members) => add(&mut found, members),
                // All members are shown only to bots with the intent for them.
                Err(ApiFault { error: ChannelError::Refused { .. }, .. }) => {}
                Err(fault) => return Err(fault.error),
            }
        }
        found.truncate(limit);
        Ok(found)
    }

    fn rooms(&self, words: &str, limit: usize) -> Vec<DirectoryEntry> {
        let wanted = words.trim().trim_start_matches('#').to_lowercase();
        let rooms = self.known.rooms();
        let mut found: Vec<DirectoryEntry> = rooms
            .channels()
            // Groups of rooms are none, and nobody writes into a stage.
            .filter(|channel| channel.guild_id.is_some() && !matches!(channel.kind, 4 | 13 | 14))
            .filter(|channel| {
                let name = channel.name.as_deref().unwrap_or_default().to_lowercase();
                name.contains(&wanted) || channel.id == wanted
            })
            .map(|channel| {
                room(channel, channel.guild_id.as_deref().and_then(|id| rooms.guild(id)?.name.as_deref()))
            })
            .collect();
        found.sort_by(|one, other| (&one.name, &one.id).cmp(&(&other.name, &other.id)));
        found.truncate(limit);
        found
    }
}

#[async_trait]
impl Directory for DiscordDirectory {
    async fn me(&self) -> Result<DirectoryEntry, ChannelError> {
        let raw = self.known.api.call(Call::get("/users/@me")).await?;
        let user: User = serde_json::from_value(raw.clone()).unwrap_or_default();
        Ok(person(&user, None, raw))
    }

    async fn search(
        &self,
        kind: DirectoryKind,
        words: &str,
        limit: usize,
    ) -> Result<Vec<DirectoryEntry>, ChannelError> {
        match kind {
            DirectoryKind::People => self.people(words, limit).await,
            DirectoryKind::Rooms => {
                self.known.all_guilds().await?;
                Ok(self.rooms(words, limit))
            }
        }
    }

    async fn members(&self, room: &str, limit: usize) -> Result<Vec<DirectoryEntry>, ChannelError> {
        let destination = DiscordDestination::read(room).map_err(|reason| ChannelError::Wrong { reason })?;
        let Home::Channel(id) = &destination.home else {
            return Err(ChannelError::Wrong { reason: "name a channel: channel:<id>".to_owned() });
        };
        let channel = self.known.channel(id).await?;
        let mut found = Vec::new();
        if channel.is_thread() {
            let path =
                format!("/channels/{id}/thread-members?with_member=true&limit={}", limit.clamp(1, MOST));
            let members = self.known.api.call(Call::get(path)).await?;
            let inner = members.as_array().into_iter().flatten().map(|each| each["member"].clone()).collect();
            add(&mut found, inner);
        } else {
            let Some(guild) = channel.guild_id else {
                return Err(ChannelError::Wrong { reason: format!("nothing is known of {room}") });
            };
            let path = format!("/guilds/{guild}/members?limit={}", limit.clamp(1, MOST));
            let members = self.known.api.call(Call::get(path)).await?;
            add(&mut found, members);
        }
        found.truncate(limit);
        Ok(found)
    }
}

fn add(found: &mut Vec<DirectoryEntry>, members: Value) {
    for raw in members.as_array().into_iter().flatten() {
        let Ok(member) = serde_json::from_value::<Member>(raw.clone()) else { continue };
        let Some(user) = member.user.filter(|user| !user.id.is_empty()) else { continue };
        let entry = person(&user, member.nick, raw["user"].clone());
        if !found.iter().any(|each| each.id == entry.id) {
            found.push(entry);
        }
    }
}

fn person(user: &User, nick: Option<String>, raw: Value) -> DirectoryEntry {
    DirectoryEntry {
        id: format!("user:{}", user.id),
        kind: ChatKind::Direct,
        name: nick.or_else(|| user.global_name.clone()).or_else(|| Some(user.username.clone())),
        handle: Some(user.username.clone()),
        raw,
    }
}

fn room(channel: &Channel, guild: Option<&str>) -> DirectoryEntry {
    DirectoryEntry {
        id: format!("channel:{}", channel.id),
        kind: ChatKind::Channel,
        name: channel.name.as_ref().map(|name| format!("#{name}")),
        handle: None,
        raw: json!({ "type": channel.kind, "guildId": channel.guild_id, "guild": guild, "parentId": channel.parent_id }),
    }
}
