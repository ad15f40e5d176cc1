//! Which guilds and rooms bear the names that rules go by, asked once when a line comes up.
//!
//! Names can be changed by people, so that later ones mean nothing. What the API does not show stays without a room.

use openclaw_types::{NamedRoom, RoomName};
use serde_json::Value;

use super::config::slug;
use super::rest::{Call, DiscordApi};

/// Looks the names up.
pub(super) async fn named_rooms(api: &DiscordApi, wanted: &[(RoomName, Vec<String>)]) -> Vec<NamedRoom> {
    let mut found = Vec::new();
    if wanted.is_empty() {
        return found;
    }
    let guilds = list(api, "/users/@me/guilds".to_owned()).await;
    for (guild, rooms) in wanted {
        let meant: Vec<&(String, String)> = guilds.iter().filter(|known| fits(guild, known)).collect();
        if let RoomName::Name(name) = guild {
            found.extend(meant.iter().map(|(id, _)| pinned(None, name, id)));
        }
        for (id, _) in meant.iter().filter(|_| !rooms.is_empty()) {
            let known = list(api, format!("/guilds/{id}/channels")).await;
            let all = rooms.iter().flat_map(|name| known.iter().map(move |room| (name, room)));
            let bearing = all.filter(|(name, (_, called))| called == *name);
            found.extend(bearing.map(|(name, (id, _))| pinned(Some(guild.clone()), name, id)));
        }
    }
    found
}

/// Ids and names, as settings write them.
async fn list(api: &DiscordApi, path: String) -> Vec<(String, String)> {
    let answer = api.call(Call::get(path)).await.unwrap_or_else(|fault| {
        tracing::warn!(
            subsystem = "discord", error = %fault.error,
            "guilds and rooms that are listed by name are not known; use their ids"
        );
        Value::Null
    });
    let read = |entry: &Value| Some((entry["id"].as_str()?.to_owned(), slug(entry["name"].as_str()?)));
    answer.as_array().into_iter().flatten().filter_map(read).collect()
}

fn fits(guild: &RoomName, (id, called): &(String, String)) -> bool {
    match guild {
        RoomName::Any => true,
        RoomName::Id(wanted) => wanted == id,
        RoomName::Name(wanted) => wanted == called,
    }
}

fn pinned(within: Option<RoomName>, name: &str, id: &str) -> NamedRoom {
    NamedRoom { within, name: name.to_owned(), id: id.to_owned() }
}
