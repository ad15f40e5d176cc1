//! Who may give commands, and who owns the assistant.
//!
//! Entries are kept as written: an id alone, or with a channel in front. `inbound::access` compares them.

use std::collections::BTreeMap;

use crate::sections::{RawConfig, TextOrNumber};

/// Who may give commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandAccess {
    /// Whether commands are read from plain text.
    pub text: bool,
    /// Whether only those on the lists of an account may.
    pub use_access_groups: bool,
    /// Who owns the assistant, alone or with the channel in front; empty when nothing is said.
    pub owners: Vec<String>,
    /// Who may give commands, by channel in lower case or `*`; empty when nothing is said.
    pub allow_from: BTreeMap<String, Vec<String>>,
}

impl CommandAccess {
    /// What a configuration says.
    #[must_use]
    pub fn resolve(raw: &RawConfig) -> Self {
        let Some(section) = &raw.commands else { return Self::default() };
        let allow_from = section.allow_from.iter();
        Self {
            text: section.text.unwrap_or(true),
            use_access_groups: section.use_access_groups.unwrap_or(true),
            owners: entries(section.owner_allow_from.as_deref().unwrap_or_default()),
            allow_from: allow_from
                .map(|(channel, list)| (channel.trim().to_lowercase(), entries(list)))
                .collect(),
        }
    }

    /// Who may give commands on a channel; nothing when the lists of the account decide.
    #[must_use]
    pub fn list_for(&self, channel: &str) -> Option<&[String]> {
        let list = self.allow_from.get(&channel.to_lowercase()).or_else(|| self.allow_from.get("*"));
        list.map(Vec::as_slice)
    }
}

impl Default for CommandAccess {
    fn default() -> Self {
        Self { text: true, use_access_groups: true, owners: Vec::new(), allow_from: BTreeMap::new() }
    }
}

fn entries(list: &[TextOrNumber]) -> Vec<String> {
    let texts = list.iter().map(|entry| match entry {
        TextOrNumber::Text(text) => text.trim().to_owned(),
        TextOrNumber::Number(number) => number.to_string(),
    });
    texts.filter(|text| !text.is_empty()).collect()
}
