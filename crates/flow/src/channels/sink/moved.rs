//! Rules of a room follow it: when a platform gives a room another id, its entry in the configuration is renamed.
//!
//! Where the account does not let its platform change the configuration, or the file cannot be changed, the log says what
//! to edit. A rule that is there for the new id already stays, and so does the old one.

use openclaw_config::{KeyPath, Step};
use openclaw_ports::tool::ControlRequest;
use openclaw_types::{AccountId, ChannelId, Inbound, RoomMoved};
use serde_json::Value;

use crate::channels::{AccountView, own_part};
use crate::flow::Inner;

/// Under which name sections keep rules of rooms by their ids.
const GROUPS: &str = "groups";

/// Renames the rules of a room that got another id. Failing here holds nothing up.
pub(super) async fn follow(flow: &Inner, view: &AccountView, inbound: &Inbound) {
    let Some(moved) = &inbound.moved else { return };
    let config = flow.settings();
    let Some(section) = config.raw.channels.get(inbound.channel.as_str()) else { return };
    for path in places(section.value(), (&inbound.channel, &inbound.account), moved) {
        match rename(flow, view, &path, moved).await {
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

async fn rename(flow: &Inner, view: &AccountView, path: &KeyPath, moved: &RoomMoved) -> Result<(), String> {
    if !view.manner.config_writes {
        return Err(format!("channels.{}.configWrites is false", view.descriptor.id));
    }
    let control = flow.parts.handles.control.as_ref().ok_or("nothing can change the configuration here")?;
    let request = ControlRequest::ConfigRename { path: path.to_string(), name: moved.to.as_str().to_owned() };
    control.act(request).await.map(|_changed| ()).map_err(|fault| fault.to_string())
}

/// Where rules for the old id of a room are, and none for the new one: the account's own, and those of its platform.
fn places(section: &Value, (channel, account): (&ChannelId, &AccountId), moved: &RoomMoved) -> Vec<KeyPath> {
    let own = own_part(section, account).map(|(id, settings)| (vec!["accounts", id], settings));
    let all = own.into_iter().chain([(Vec::new(), section)]);
    let with_rules = all.filter(|(_, settings)| {
        let has = |id: &str| settings.get(GROUPS).is_some_and(|groups| groups.get(id).is_some());
        has(moved.from.as_str()) && !has(moved.to.as_str())
    });
    with_rules
        .map(|(below, _)| {
            let names = ["channels", channel.as_str()].into_iter().chain(below);
            let names = names.chain([GROUPS, moved.from.as_str()]);
            KeyPath::new(names.map(|name| Step::Key(name.to_owned())).collect())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
        let moved = RoomMoved { from: "-5".parse().unwrap(), to: "-1001".parse().unwrap() };
        let (channel, account) = ("fake".parse().unwrap(), "work".parse().unwrap());
        for (section, expected) in rows {
            let found = places(&section, (&channel, &account), &moved);
            let found: Vec<String> = found.iter().map(KeyPath::to_string).collect();
            assert_eq!(found, expected, "{section}");
        }
    }
}
