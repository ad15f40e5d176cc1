//! The table of commands as clients ask for it (`commands.list`).
//!
//! One line for each command that is switched on. The names of the fields are the protocol's.

use std::borrow::Cow;

use openclaw_config::CommandSettings;
use serde::Serialize;

use super::read::is_on;
use super::registry::{CommandSpec, Need, SpecScope, registry};

/// A command as clients see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedCommand {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Its name in the menus of platforms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_name: Option<Cow<'static, str>>,
    /// Everything that may be typed for it, with the slash.
    pub text_aliases: Vec<String>,
    /// What it does.
    pub description: Cow<'static, str>,
    /// Its heading.
    pub category: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Where it can be given.
    pub scope: &'static str,
    /// Whether something may follow it.
    pub accepts_args: bool,
    /// What may follow it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<ListedArgument>,
}

/// An argument as clients see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedArgument {
    /// What it is called.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    /// Its kind; always text.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Whether it must be given.
    pub required: bool,
    /// What it may be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<ListedChoice>,
}

/// A choice as clients see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedChoice {
    /// What is typed.
    pub value: &'static str,
    /// What is shown.
    pub label: &'static str,
}

/// The commands that are switched on, in the order of the table.
#[must_use]
pub fn list_commands(settings: &CommandSettings) -> Vec<ListedCommand> {
    registry().iter().filter(|spec| is_on(spec.switch, settings)).map(listed).collect()
}

fn listed(spec: &CommandSpec) -> ListedCommand {
    let args = spec.arguments.iter().map(|argument| ListedArgument {
        name: argument.name,
        description: argument.help,
        kind: "string",
        required: argument.need == Need::Required,
        choices: argument.choices.iter().map(|word| ListedChoice { value: word, label: word }).collect(),
    });
    ListedCommand {
        name: spec.word.into(),
        native_name: spec.native().map(Cow::Borrowed),
        text_aliases: std::iter::once(&spec.word)
            .chain(spec.aliases)
            .map(|word| format!("/{word}"))
            .collect(),
        description: spec.help.into(),
        category: spec.category.as_str(),
        source: "native",
        scope: match spec.scope {
            SpecScope::Both => "both",
            SpecScope::Text => "text",
        },
        accepts_args: !spec.arguments.is_empty(),
        args: args.collect(),
    }
}
