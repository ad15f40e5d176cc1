//! What somebody may do in a guild and in a room, reckoned as the platform does: roles, then the room's own settings.

use openclaw_ports::channel::ChannelError;
use serde_json::{Value, json};

use super::super::rest::{Call, DiscordApi};
use super::wrong;

pub(super) const KICK: u64 = 1 << 1;
pub(super) const BAN: u64 = 1 << 2;
pub(super) const ADMINISTRATOR: u64 = 1 << 3;
pub(super) const MODERATE: u64 = 1 << 40;

/// The rights that are named in a report.
const NAMES: &[(u64, &str)] = &[
    (KICK, "KickMembers"),
    (BAN, "BanMembers"),
    (ADMINISTRATOR, "Administrator"),
    (1 << 4, "ManageChannels"),
    (1 << 6, "AddReactions"),
    (1 << 10, "ViewChannel"),
    (1 << 11, "SendMessages"),
    (1 << 13, "ManageMessages"),
    (1 << 14, "EmbedLinks"),
    (1 << 15, "AttachFiles"),
    (1 << 16, "ReadMessageHistory"),
    (1 << 17, "MentionEveryone"),
    (1 << 18, "UseExternalEmojis"),
    (1 << 28, "ManageRoles"),
    (1 << 34, "ManageThreads"),
    (1 << 35, "CreatePublicThreads"),
    (1 << 38, "SendMessagesInThreads"),
    (MODERATE, "ModerateMembers"),
    (1 << 46, "SendVoiceMessages"),
    (1 << 49, "SendPolls"),
];

/// What somebody may in a guild.
pub(super) async fn in_guild(api: &DiscordApi, guild: &str, person: &str) -> Result<u64, ChannelError> {
    let found = api.call(Call::get(format!("/guilds/{guild}"))).await?;
    let member = api.call(Call::get(format!("/guilds/{guild}/members/{person}"))).await?;
    Ok(base(&found, &member, person))
}

/// What we may in a room, for people.
pub(super) async fn report(api: &DiscordApi, room: &str, us: &str) -> Result<Value, ChannelError> {
    let channel = api.call(Call::get(format!("/channels/{room}"))).await?;
    let Some(guild) = channel["guild_id"].as_str() else {
        return Err(wrong("direct chats have no permissions"));
    };
    let found = api.call(Call::get(format!("/guilds/{guild}"))).await?;
    let member = api.call(Call::get(format!("/guilds/{guild}/members/{us}"))).await?;
    let may = in_room(base(&found, &member, us), &channel, &member, us);
    let names: Vec<&str> = NAMES.iter().filter(|(bit, _)| may & bit != 0).map(|(_, name)| *name).collect();
    Ok(json!({
        "ok": true,
        "channelId": room,
        "guildId": guild,
        "channelType": channel["type"],
        "raw": may.to_string(),
        "permissions": names,
    }))
}

fn base(guild: &Value, member: &Value, person: &str) -> u64 {
    if guild["owner_id"] == person {
        return u64::MAX;
    }
    let has = |role: &Value| role["id"] == guild["id"] || holds(member, &role["id"]);
    let roles = guild["roles"].as_array().into_iter().flatten().filter(|role| has(role));
    roles.fold(0, |all, role| all | bits(&role["permissions"]))
}

fn in_room(base: u64, channel: &Value, member: &Value, person: &str) -> u64 {
    if base & ADMINISTRATOR != 0 {
        return u64::MAX;
    }
    let overwrites: Vec<&Value> = channel["permission_overwrites"].as_array().into_iter().flatten().collect();
    let apply = |may: u64, chosen: &[&&Value]| {
        let deny = chosen.iter().fold(0, |all, each| all | bits(&each["deny"]));
        let allow = chosen.iter().fold(0, |all, each| all | bits(&each["allow"]));
        may & !deny | allow
    };
    let everybody: Vec<_> = overwrites.iter().filter(|each| each["id"] == channel["guild_id"]).collect();
    let roles: Vec<_> = overwrites
        .iter()
        .filter(|each| each["type"] == 0 && each["id"] != channel["guild_id"] && holds(member, &each["id"]))
        .collect();
    let own: Vec<_> = overwrites.iter().filter(|each| each["type"] == 1 && each["id"] == person).collect();
    apply(apply(apply(base, &everybody), &roles), &own)
}

fn holds(member: &Value, role: &Value) -> bool {
    member["roles"].as_array().is_some_and(|roles| roles.contains(role))
}

fn bits(value: &Value) -> u64 {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or(0)
}
