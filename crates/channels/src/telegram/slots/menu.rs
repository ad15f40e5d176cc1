//! Fills the menu of commands: ours first, then what a person added. The platform is asked for nothing that is so already.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelError, CommandEntry, CommandMenu};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::super::config::is_command;
use super::super::memory::KnownMenu;
use super::TelegramSlots;

/// The most commands the platform takes.
const MOST: usize = 100;
/// The longest description, in characters.
const DESCRIPTION: usize = 256;

/// Our commands, by the names they have in the menu. What hears looks here.
#[derive(Debug, Default)]
pub(in super::super) struct MenuNames(Mutex<BTreeMap<String, String>>);

impl MenuNames {
    pub(in super::super) fn new(names: BTreeMap<String, String>) -> Self {
        Self(Mutex::new(names))
    }

    pub(in super::super) fn get(&self) -> BTreeMap<String, String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, names: BTreeMap<String, String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = names;
    }
}

/// A menu to publish.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in super::super) struct Entries {
    /// What the platform shows: a name and what it does.
    pub(in super::super) shown: Vec<(String, String)>,
    /// Our commands, by the names they have there.
    pub(in super::super) names: BTreeMap<String, String>,
}

/// The menu: our commands in the form the platform takes, then those a person added. Ours win.
pub(in super::super) fn entries(commands: &[CommandEntry], added: &[(String, String)]) -> Entries {
    let mut all = Entries::default();
    for command in commands {
        let name = command.name.trim().to_lowercase().replace('-', "_");
        let description: String = command.description.trim().chars().take(DESCRIPTION).collect();
        if !is_command(&name) || description.is_empty() || all.names.contains_key(&name) {
            tracing::debug!(subsystem = "channels", command = %command.name, "a command does not fit the menu");
            continue;
        }
        all.shown.push((name.clone(), description));
        all.names.insert(name, command.name.clone());
    }
    // Those a person added are kept where there are too many.
    let added: Vec<(String, String)> = added
        .iter()
        .filter(|(name, _)| !all.names.contains_key(name))
        .map(|(name, description)| (name.clone(), description.chars().take(DESCRIPTION).collect()))
        .take(MOST)
        .collect();
    all.shown.truncate(MOST - added.len());
    all.shown.extend(added);
    all
}

#[async_trait]
impl CommandMenu for TelegramSlots {
    async fn publish(&self, commands: &[CommandEntry]) -> Result<(), ChannelError> {
        let entries = entries(commands, &self.login.commands);
        let fingerprint = fingerprint(self.us.id, &entries.shown);
        self.menu.set(entries.names.clone());
        if self.memory.menu().await.fingerprint == fingerprint {
            return Ok(());
        }
        self.tell(entries.shown).await?;
        self.memory.note_menu(&KnownMenu { fingerprint, names: entries.names }).await;
        Ok(())
    }
}

impl TelegramSlots {
    /// Tells the platform the menu. It takes only so much text altogether and does not say how much.
    async fn tell(&self, mut shown: Vec<(String, String)>) -> Result<(), ChannelError> {
        while !shown.is_empty() {
            let commands: Vec<Value> = shown
                .iter()
                .map(|(command, description)| json!({ "command": command, "description": description }))
                .collect();
            let fields = Map::from_iter([("commands".to_owned(), json!(commands))]);
            match self.api.order("setMyCommands", fields).await {
                Err(fault) if fault.says(&["BOT_COMMANDS_TOO_MUCH"]) => {
                    shown.truncate(shown.len() * 4 / 5);
                    tracing::warn!(
                        subsystem = "channels",
                        left = shown.len(),
                        "the menu of commands is too long"
                    );
                }
                other => return Ok(other?),
            }
        }
        Ok(self.api.order("deleteMyCommands", Map::new()).await?)
    }
}

fn fingerprint(bot: i64, shown: &[(String, String)]) -> String {
    hex::encode(Sha256::digest(json!([bot, shown]).to_string().as_bytes()))
}
