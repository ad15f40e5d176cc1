//! `/dock-<channel>`, also written `/dock_<channel>`: one command for each platform where people have an identity.

use super::listing::ListedCommand;
use super::registry::Category;

/// A platform that answers can be sent to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dock {
    /// The platform's id.
    pub channel: &'static str,
    /// Its name for people.
    pub label: &'static str,
}

impl Dock {
    /// What people type, without the slash.
    pub(super) fn word(self) -> String {
        format!("dock-{}", self.channel)
    }

    /// What it does, in one line.
    pub(super) fn help(self) -> String {
        format!("Answer me on {} from now on", self.label)
    }
}

/// The commands for these platforms, as clients see them.
#[must_use]
pub fn dock_commands(docks: &[Dock]) -> Vec<ListedCommand> {
    let listed = docks.iter().map(|dock| {
        let native = format!("dock_{}", dock.channel);
        ListedCommand {
            name: dock.word().into(),
            text_aliases: vec![format!("/{}", dock.word()), format!("/{native}")],
            native_name: Some(native.into()),
            description: dock.help().into(),
            category: Category::Docks.as_str(),
            source: "native",
            scope: "both",
            accepts_args: false,
            args: Vec::new(),
        }
    });
    listed.collect()
}

/// The platform that the name of a command sends answers to.
pub(super) fn channel(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    let channel = name.strip_prefix("dock-").or_else(|| name.strip_prefix("dock_"))?;
    (!channel.is_empty()).then(|| channel.to_owned())
}
