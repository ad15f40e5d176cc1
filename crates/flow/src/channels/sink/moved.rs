//! What is kept for a room follows it: when a platform gives a room another id, its entries in the configuration are
//! renamed, and what waits to be sent goes to the new one.
//!
//! Where the account does not let its platform change the configuration, or the file cannot be changed, the log says what
//! to edit. A rule that is there for the new id already stays, and so does the old one.

use openclaw_config::sections::ChannelsSection;
use openclaw_config::{BindingRule, KeyPath, PathStep, PeerMatch};
use openclaw_ports::tool::ControlRequest;
use openclaw_types::{AccountId, ChannelId, ChatKind, RoomMoved};
use serde_json::{Value, json};

use crate::channels::{AccountView, own_part};
use crate::flow::Inner;
use crate::outbox;

/// Under which name sections keep rules of rooms by their ids.
const GROUPS: &str = "groups";

/// Our login on a platform.
pub(crate) type AccountName<'a> = (&'a ChannelId, &'a AccountId);

/// A place in the configuration that names a room.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Entry {
    /// The name of an entry is the room's.
    Named(KeyPath),
    /// A value is.
    Holding(KeyPath),
}

/// Renames what is kept for a room that got another id. Failing here holds nothing up.
pub(crate) async fn follow_room(flow: &Inner, view: &AccountView, ours: AccountName<'_>, moved: &RoomMoved) {
    match outbox::redirect(flow, ours, moved).await {
        Ok(0) => {}
        Ok(count) => {
            tracing::info!(subsystem = "outbox", count, to = %moved.to, "what waited for a room that moved goes there");
        }
        Err(error) => {
            tracing::warn!(subsystem = "outbox", %error, "what waits for a room that moved is renamed when it is sent");
        }
    }
    let rules = flow.rules();
    let mut entries = places(&rules.config.raw.channels, ours, moved);
    entries.extend(bound(&rules.routes.bindings, ours.0, moved));
    for entry in entries {
        let (Entry::Named(path) | Entry::Holding(path)) = &entry;
        match rename(flow, view, &entry, moved).await {
            Ok(()) => {
                tracing::info!(subsystem = "channels", %path, to = %moved.to, "the rules of a room that moved were renamed");
            }
            Err(why) => {
                tracing::warn!(
                    subsystem = "channels",
                    "the room {} has the id {} now, but its rules stay where they were ({why}): rename {path} to \"{}\" in \
                     the configuration",
                    moved.from,
                    moved.to,
                    moved.to
                );
            }
        }
    }
}

async fn rename(flow: &Inner, view: &AccountView, entry: &Entry, moved: &RoomMoved) -> Result<(), String> {
    if !view.manner.config_writes {
        return Err(format!("channels.{}.configWrites is false", view.descriptor.id));
    }
    let control = flow.parts.handles.control.as_ref().ok_or("nothing can change the configuration here")?;
    let name = moved.to.as_str().to_owned();
    let request = match entry {
        Entry::Named(path) => ControlRequest::ConfigRename { path: path.to_string(), name },
        Entry::Holding(path) => ControlRequest::ConfigSet { path: path.to_string(), value: json!(name) },
    };
    control.act(request).await.map(|_changed| ()).map_err(|fault| fault.to_string())
}

/// Where something stands under the old id of a room, and nothing under the new one: rules of the account and of its
/// platform, and the room's model.
fn places(channels: &ChannelsSection, (channel, account): AccountName<'_>, moved: &RoomMoved) -> Vec<Entry> {
    let mut found = Vec::new();
    if let Some(section) = channels.get(channel.as_str()).map(|section| section.value()) {
        let own = own_part(section, account).map(|(id, settings)| (vec!["accounts", id], settings));
        for (below, settings) in own.into_iter().chain([(Vec::new(), section)]) {
            let has = |id: &str| settings.get(GROUPS).is_some_and(|groups: &Value| groups.get(id).is_some());
            if has(moved.from.as_str()) && !has(moved.to.as_str()) {
                found.push([vec![channel.as_str()], below, vec![GROUPS]].concat());
            }
        }
    }
    for (platform, rooms) in channels.model_by_channel.iter().flatten() {
        let is_it = platform.trim().eq_ignore_ascii_case(channel.as_str());
        if is_it && rooms.contains_key(moved.from.as_str()) && !rooms.contains_key(moved.to.as_str()) {
            found.push(vec!["modelByChannel", platform]);
        }
    }
    let path = |above: Vec<&str>| {
        let names = ["channels"].into_iter().chain(above).chain([moved.from.as_str()]);
        Entry::Named(KeyPath::new(names.map(|name| PathStep::Key(name.to_owned())).collect()))
    };
    found.into_iter().map(path).collect()
}

/// The bindings that name the room by its old id. Every account knows it by the same one.
fn bound(bindings: &[BindingRule], channel: &ChannelId, moved: &RoomMoved) -> Vec<Entry> {
    let names_it = |rule: &&BindingRule| {
        rule.channel.eq_ignore_ascii_case(channel.as_str())
            && matches!(&rule.peer, PeerMatch::Only(kind, id)
                if *kind != ChatKind::Direct && id.eq_ignore_ascii_case(moved.from.as_str()))
    };
    let path = |rule: &BindingRule| {
        let mut steps = vec![PathStep::Key("bindings".to_owned()), PathStep::Index(rule.index)];
        steps.extend(["match", "peer", "id"].map(|name| PathStep::Key(name.to_owned())));
        Entry::Holding(KeyPath::new(steps))
    };
    bindings.iter().filter(names_it).map(path).collect()
}

#[cfg(test)]
mod tests {
    use openclaw_config::RouteSettings;
    use openclaw_config::sections::RawConfig;

    use super::*;

    fn found(file: Value) -> Vec<String> {
        let raw: RawConfig = serde_json::from_value(file).unwrap();
        let moved = RoomMoved { from: "-5".parse().unwrap(), to: "-1001".parse().unwrap() };
        let (channel, account) = ("fake".parse().unwrap(), "work".parse().unwrap());
        let mut entries = places(&raw.channels, (&channel, &account), &moved);
        entries.extend(bound(&RouteSettings::resolve(&raw).bindings, &channel, &moved));
        let path = |entry: &Entry| match entry {
            Entry::Named(path) => path.to_string(),
            Entry::Holding(path) => format!("{path}:"),
        };
        entries.iter().map(path).collect()
    }

    #[test]
    fn rules_are_found_where_the_account_and_its_platform_have_them() {
        let rows = [
            (json!({}), &[][..]),
            (json!({ "groups": { "-6": {} } }), &[]),
            (json!({ "groups": { "-5": {} } }), &["channels.fake.groups.-5"]),
            (json!({ "groups": { "-5": {}, "-1001": {} } }), &[]),
            (
                json!({ "groups": { "-5": {} }, "accounts": { "Work": { "groups": { "-5": {} } } } }),
                &["channels.fake.accounts.Work.groups.-5", "channels.fake.groups.-5"],
            ),
            (json!({ "accounts": { "home": { "groups": { "-5": {} } } } }), &[]),
        ];
        for (section, expected) in rows {
            assert_eq!(found(json!({ "channels": { "fake": section.clone() } })), expected, "{section}");
        }
    }

    #[test]
    fn bindings_and_models_that_name_the_room_are_found() {
        let binding = |channel: &str, kind: &str, id: &str| json!({ "agentId": "a", "match": { "channel": channel, "peer": { "kind": kind, "id": id } } });
        let file = json!({
            "bindings": [
                binding("fake", "group", "-6"),
                binding("Fake", "group", "-5"),
                binding("other", "group", "-5"),
                binding("fake", "direct", "-5"),
                binding("fake", "channel", "-5"),
            ],
            "channels": { "modelByChannel": { "fake": { "-5": "a/b" }, "other": { "-5": "a/b" } } },
        });
        assert_eq!(
            found(file),
            ["channels.modelByChannel.fake.-5", "bindings[1].match.peer.id:", "bindings[4].match.peer.id:"]
        );
    }
}
