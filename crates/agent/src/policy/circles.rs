//! Picks what a channel's group settings say about the tools of a sender.
//!
//! The settings stay raw until their channel reads them; only `tools` and `toolsBySender` are looked at here. What
//! stands under a sender's id wins over the group's own words, and a group's words over those for all groups (`*`).
//! Names can be chosen by anybody, so that what stands under a name may take tools away and never gives any.

use openclaw_config::sections::ToolLists;
use serde_json::Value;

use super::decide::CircleRules;

/// The settings of a group, and of all groups of its channel.
#[derive(Debug, Clone, Copy)]
pub struct GroupSections<'a> {
    /// Where the groups stand, such as `channels.<id>.groups`.
    pub path: &'a str,
    /// The group's name in the settings.
    pub group: &'a str,
    /// All groups, by name.
    pub groups: &'a Value,
}

/// Who writes, as the channel knows them.
#[derive(Debug, Clone, Copy, Default)]
pub struct SenderNames<'a> {
    /// What the channel calls them and nobody can change.
    pub id: Option<&'a str>,
    /// Names they chose.
    pub names: &'a [&'a str],
}

/// The rules for a sender in a group.
#[must_use]
pub fn circle_rules(sections: GroupSections<'_>, sender: SenderNames<'_>) -> Vec<CircleRules> {
    let mut rules: Vec<CircleRules> = Vec::new();
    let mut chosen = false;
    let groups = [Some(sections.group).filter(|group| *group != "*"), Some("*")];
    for group in groups.into_iter().flatten() {
        let Some(section) = sections.groups.get(group) else { continue };
        let path = format!("{}[{group:?}]", sections.path);
        rules.extend(by_name(section, &path, sender));
        if !chosen && let Some(found) = by_id(section, &path, sender).or_else(|| of_group(section, &path)) {
            rules.push(found);
            chosen = true;
        }
    }
    rules
}

fn of_group(section: &Value, path: &str) -> Option<CircleRules> {
    lists(section.get("tools")?).map(|lists| CircleRules { path: format!("{path}.tools"), lists })
}

/// What stands under the sender's id, else under `*`.
fn by_id(section: &Value, path: &str, sender: SenderNames<'_>) -> Option<CircleRules> {
    let senders = section.get("toolsBySender")?.as_object()?;
    let under = |fits: &dyn Fn(&str) -> bool| {
        let (key, value) = senders.iter().find(|(key, _)| fits(key.trim()))?;
        let lists = lists(value)?;
        Some(CircleRules { path: format!("{path}.toolsBySender[{key:?}]"), lists })
    };
    let id = sender.id.map(bare);
    under(&|key| id.as_ref().is_some_and(|id| named_id(key) == Some(id.clone())))
        .or_else(|| under(&|key| key == "*"))
}

/// What stands under a name the sender chose: refusals alone.
fn by_name(section: &Value, path: &str, sender: SenderNames<'_>) -> Vec<CircleRules> {
    let Some(senders) = section.get("toolsBySender").and_then(Value::as_object) else { return Vec::new() };
    let fits = |key: &str| {
        let written = key.strip_prefix("name:").or_else(|| key.strip_prefix("username:"));
        written.is_some_and(|written| sender.names.iter().any(|name| bare(name) == bare(written)))
    };
    let refusals = senders.iter().filter(|(key, _)| fits(key.trim())).filter_map(|(key, value)| {
        let lists = ToolLists { deny: lists(value)?.deny, ..ToolLists::default() };
        Some(CircleRules { path: format!("{path}.toolsBySender[{key:?}]"), lists })
    });
    refusals.collect()
}

/// The id that a key names; nothing for keys that name people by what they chose.
fn named_id(key: &str) -> Option<String> {
    let kind = key.split_once(':').map(|(kind, _)| kind.to_lowercase());
    match kind.as_deref() {
        Some("name" | "username") => None,
        Some("id" | "e164") => key.split_once(':').map(|(_, id)| bare(id)),
        _ => Some(bare(key)),
    }
}

fn bare(text: &str) -> String {
    text.trim().trim_start_matches('@').to_lowercase()
}

/// Reads lists. What cannot be read was meant to keep something away, so that it keeps everything away.
fn lists(value: &Value) -> Option<ToolLists> {
    if value.is_null() {
        return None;
    }
    let nothing = |_unreadable| ToolLists { deny: Some(vec!["*".to_owned()]), ..ToolLists::default() };
    Some(serde_json::from_value(value.clone()).unwrap_or_else(nothing))
}
