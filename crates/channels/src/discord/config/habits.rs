//! What `guilds.*` says beyond who may talk: threads that are made by themselves, reactions that are told. Pure.
//!
//! Who may talk is in `rules`. The platform's settings hold reactions for each guild, so they are sorted out here.

use openclaw_types::{ReactionNotices, RoomName};
use serde_json::Value;

use super::super::destination::listed;
use super::super::normalize::Scene;
use super::rules::{room_name, slug};

/// What the settings say about guilds and rooms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in super::super) struct Habits {
    guilds: Vec<GuildHabit>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct GuildHabit {
    guild: RoomName,
    require_mention: Option<bool>,
    reactions: ReactionNotices,
    rooms: Vec<RoomHabit>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct RoomHabit {
    room: RoomName,
    require_mention: Option<bool>,
    auto_thread: bool,
    starter: bool,
}

impl Habits {
    /// Reads `guilds`.
    pub(in super::super) fn read(guilds: Option<&Value>) -> Self {
        let guilds = guilds.and_then(Value::as_object).into_iter().flatten();
        Self { guilds: guilds.map(|(key, guild)| guild_habit(key, guild)).collect() }
    }

    /// Whether answers in a room get a thread each.
    pub(in super::super) fn threads_by_itself(&self, scene: &Scene<'_>) -> bool {
        self.room(scene).is_some_and(|room| room.auto_thread)
    }

    /// Whether the first message of a thread is told with the first message that comes from it.
    pub(in super::super) fn tells_starter(&self, scene: &Scene<'_>) -> bool {
        self.room(scene).is_none_or(|room| room.starter)
    }

    /// Whether a room is answered without a mention.
    pub(in super::super) fn hears_everything(&self, scene: &Scene<'_>) -> bool {
        let room = self.room(scene).and_then(|room| room.require_mention);
        room.or_else(|| self.guild(scene)?.require_mention) == Some(false)
    }

    /// Whether a reaction is told. Outside of guilds, and where nothing is said, those to our messages are.
    pub(in super::super) fn tells_reaction(&self, scene: &Scene<'_>, person: &str, on_ours: bool) -> bool {
        match self.guild(scene).map(|guild| &guild.reactions) {
            Some(ReactionNotices::Off) => false,
            Some(ReactionNotices::All) => true,
            Some(ReactionNotices::From(people)) => people.iter().any(|id| id == "*" || id == person),
            Some(ReactionNotices::Own) | None => on_ours,
        }
    }

    fn guild(&self, scene: &Scene<'_>) -> Option<&GuildHabit> {
        let guild = scene.guild?;
        let fits = |name: &RoomName| fits(name, &guild.id, guild.name.as_deref());
        best(&self.guilds, |each| &each.guild, fits)
    }

    fn room(&self, scene: &Scene<'_>) -> Option<&RoomHabit> {
        let rooms = &self.guild(scene)?.rooms;
        let channel = scene.room?;
        let own = |name: &RoomName| *name == RoomName::Id(channel.id.clone());
        let named = scene.parent.unwrap_or(channel);
        let above = |name: &RoomName| fits(name, &named.id, named.name.as_deref());
        rooms.iter().find(|each| own(&each.room)).or_else(|| best(rooms, |each| &each.room, above))
    }
}

fn guild_habit(key: &str, guild: &Value) -> GuildHabit {
    let switch = |value: &Value, key: &str| value.get(key).and_then(Value::as_bool);
    let users = guild.get("users").and_then(Value::as_array);
    let people = users.into_iter().flatten().filter_map(|entry| match entry {
        Value::String(text) if text.trim() == "*" => Some("*".to_owned()),
        Value::String(text) => listed(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    let reactions = match guild.get("reactionNotifications").and_then(Value::as_str).map(str::trim) {
        Some("off") => ReactionNotices::Off,
        Some("all") => ReactionNotices::All,
        Some("allowlist") => ReactionNotices::From(people.collect()),
        _ => ReactionNotices::Own,
    };
    let rooms = guild.get("channels").and_then(Value::as_object).into_iter().flatten();
    GuildHabit {
        guild: room_name(key),
        require_mention: switch(guild, "requireMention"),
        reactions,
        rooms: rooms
            .map(|(key, room)| RoomHabit {
                room: room_name(key),
                require_mention: switch(room, "requireMention"),
                auto_thread: switch(room, "autoThread").unwrap_or(false),
                starter: switch(room, "includeThreadStarter").unwrap_or(true),
            })
            .collect(),
    }
}

fn fits(name: &RoomName, id: &str, called: Option<&str>) -> bool {
    match name {
        RoomName::Any => false,
        RoomName::Id(wanted) => wanted == id,
        RoomName::Name(wanted) => called.is_some_and(|called| slug(called) == *wanted),
    }
}

/// The one by id, else by name, else for all.
fn best<T>(all: &[T], name: impl Fn(&T) -> &RoomName, fits: impl Fn(&RoomName) -> bool) -> Option<&T> {
    let by =
        |id: bool| all.iter().find(|each| matches!(name(each), RoomName::Id(_)) == id && fits(name(each)));
    by(true).or_else(|| by(false)).or_else(|| all.iter().find(|each| *name(each) == RoomName::Any))
}
