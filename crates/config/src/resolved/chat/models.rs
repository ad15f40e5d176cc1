//! Which model answers in a room: `channels.modelByChannel`.

use std::collections::BTreeMap;

use openclaw_types::ChannelId;

use crate::sections::RawConfig;

/// Models of rooms, by platform and what a room is called there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoomModels(BTreeMap<String, BTreeMap<String, String>>);

impl RoomModels {
    /// What a configuration says. Names count in any case.
    #[must_use]
    pub fn resolve(raw: &RawConfig) -> Self {
        let plain = |text: &str| text.trim().to_lowercase();
        let mut platforms: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for (platform, rooms) in raw.channels.model_by_channel.iter().flatten() {
            let rooms = rooms.iter().map(|(room, model)| (plain(room), model.trim().to_owned()));
            platforms.entry(plain(platform)).or_default().extend(rooms);
        }
        Self(platforms)
    }

    /// The model of the first of these names that has one, else what stands under `*`. A name that is listed without a
    /// model means that the room has none.
    #[must_use]
    pub fn of(&self, channel: &ChannelId, names: &[String]) -> Option<&str> {
        let rooms = self.0.get(&channel.as_str().to_lowercase())?;
        let listed = names.iter().find_map(|name| rooms.get(&name.trim().to_lowercase()));
        listed.or_else(|| rooms.get("*")).map(String::as_str).filter(|model| !model.is_empty())
    }
}
