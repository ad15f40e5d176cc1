//! The platform's menu of commands: made to be exactly what is wanted, and left alone where it is so already.

use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelError, CommandEntry, CommandMenu};
use serde_json::{Value, json};

use super::known::DiscordKnown;
use super::rest::Call;
use crate::shared::Method;

/// The most commands of an application, choices of an option, and letters of a name and of a description.
const MOST: usize = 100;
const MOST_CHOICES: usize = 25;
const LONGEST_NAME: usize = 32;
const LONGEST_WORDS: usize = 100;
/// What follows a command is one text.
const OPTION: &str = "input";

/// Fills the menu.
pub(super) struct DiscordMenu {
    known: Arc<DiscordKnown>,
}

impl DiscordMenu {
    pub(super) fn new(known: Arc<DiscordKnown>) -> Self {
        Self { known }
    }
}

#[async_trait]
impl CommandMenu for DiscordMenu {
    async fn publish(&self, commands: &[CommandEntry]) -> Result<(), ChannelError> {
        let path = format!("/applications/{}/commands", self.known.application);
        let wanted = entries(commands);
        let present = self.known.api.call(Call::get(path.clone())).await?;
        if same(&present, &wanted) {
            return Ok(());
        }
        self.known.api.call(Call::with(Method::PUT, path, Value::Array(wanted))).await?;
        Ok(())
    }
}

/// Commands as the API takes them. Names it does not take are left out.
pub(super) fn entries(commands: &[CommandEntry]) -> Vec<Value> {
    let mut entries: Vec<Value> = Vec::new();
    for command in commands {
        let name = command.name.to_lowercase();
        let fits = (1..=LONGEST_NAME).contains(&name.chars().count())
            && name.chars().all(|letter| letter.is_alphanumeric() || letter == '-' || letter == '_');
        let twice = entries.iter().any(|entry| entry["name"] == name.as_str());
        if !fits || twice {
            tracing::debug!(subsystem = "channels", name, "a command has no place in the menu");
            continue;
        }
        entries.push(json!({
            "name": name,
            "type": 1,
            "description": short(&command.description, &name),
            "options": options(command),
        }));
        if entries.len() == MOST {
            break;
        }
    }
    entries
}

fn options(command: &CommandEntry) -> Vec<Value> {
    if !command.takes_words && command.choices.is_empty() {
        return Vec::new();
    }
    let mut option = json!({ "type": 3, "name": OPTION, "description": short("", "What follows the command"), "required": false });
    let fits = |choice: &String| (1..=LONGEST_WORDS).contains(&choice.chars().count());
    if !command.choices.is_empty()
        && command.choices.len() <= MOST_CHOICES
        && command.choices.iter().all(fits)
    {
        let choice = |word: &String| json!({ "name": word, "value": word });
        option["choices"] = command.choices.iter().map(choice).collect();
    }
    vec![option]
}

fn short(text: &str, otherwise: &str) -> String {
    let text = if text.trim().is_empty() { otherwise } else { text.trim() };
    text.chars().take(LONGEST_WORDS).collect()
}

/// Whether the menu is what is wanted, as far as we say something about it.
pub(super) fn same(present: &Value, wanted: &[Value]) -> bool {
    let present = present.as_array().map(Vec::as_slice).unwrap_or_default();
    present.len() == wanted.len()
        && wanted.iter().all(|entry| present.iter().any(|each| plain(each) == plain(entry)))
}

fn plain(entry: &Value) -> Value {
    let options: Vec<Value> = entry["options"].as_array().into_iter().flatten().map(plain_option).collect();
    json!({ "name": entry["name"], "description": entry["description"], "options": options })
}

fn plain_option(option: &Value) -> Value {
    let choices: Vec<Value> = option["choices"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|choice| json!({ "name": choice["name"], "value": choice["value"] }))
        .collect();
    json!({
        "type": option["type"],
        "name": option["name"],
        "description": option["description"],
        "required": option["required"].as_bool().unwrap_or(false),
        "choices": choices,
    })
}
