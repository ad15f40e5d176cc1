//! The table of commands as text for people.
//!
//! A short card, the whole list by heading, and how one command is written.

use openclaw_config::CommandSettings;

use super::dock::Dock;
use super::read::{CommandRefusal, is_on};
use super::registry::{Argument, ArgumentShape, Category, CommandName, CommandSpec, Need, registry};

const CARD: &[CommandName] = &[
    CommandName::New,
    CommandName::Stop,
    CommandName::Compact,
    CommandName::Model,
    CommandName::Think,
    CommandName::Verbose,
    CommandName::Status,
    CommandName::Whoami,
    CommandName::Context,
];

/// The card for `/help`.
#[must_use]
pub fn help_text() -> String {
    let mut text = String::from("Talk to me in plain words. These commands help:\n");
    for name in CARD {
        for spec in registry().iter().filter(|spec| spec.name == *name) {
            text.push_str(&line(spec));
        }
    }
    text.push_str("\nSay stop to stop me. /commands lists everything.");
    text
}

/// The list for `/commands`: what is switched on, by heading; last where answers can be sent.
#[must_use]
pub fn commands_text(settings: &CommandSettings, docks: &[Dock]) -> String {
    let mut text = String::from("Commands\n");
    for category in Category::ALL {
        let specs =
            registry().iter().filter(|spec| spec.category == category && is_on(spec.switch, settings));
        let mut lines: String = specs.map(line).collect();
        if category == Category::Docks {
            lines.extend(docks.iter().map(|dock| format!("/{}: {}\n", dock.word(), dock.help())));
        }
        if !lines.is_empty() {
            text.push('\n');
            text.push_str(heading(category));
            text.push('\n');
            text.push_str(&lines);
        }
    }
    text.trim_end().to_owned()
}

/// How a command is written, such as `/approve <id> <allow-once|allow-always|deny>`.
#[must_use]
pub fn usage_text(name: CommandName) -> String {
    registry().iter().find(|spec| spec.name == name).map_or_else(String::new, usage)
}

impl CommandRefusal {
    /// The refusal in words for its author, with what to do next.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::OwnersOnly(name) => {
                format!("⚠️ /{} is for the owner of this assistant. Ask them to do it.", word(*name))
            }
            Self::SwitchedOff(name, switch) => {
                format!("⚠️ /{} is switched off here. To use it, set {} to true.", word(*name), switch.path())
            }
            Self::Usage(name) => {
                format!("⚠️ That is not complete. Write it like this: {}", usage_text(*name))
            }
            Self::NotHere(absent) => {
                format!("⚠️ This gateway has no /{}. {}", absent.word, absent.instead)
            }
        }
    }
}

fn word(name: CommandName) -> &'static str {
    registry().iter().find(|spec| spec.name == name).map_or("", |spec| spec.word)
}

fn heading(category: Category) -> &'static str {
    match category {
        Category::Session => "Conversation",
        Category::Options => "How I answer",
        Category::Status => "Looking at things",
        Category::Management => "Management",
        Category::Tools => "Tools",
        Category::Docks => "Where I answer",
    }
}

fn line(spec: &CommandSpec) -> String {
    let mut line = format!("/{}", spec.word);
    for alias in spec.aliases {
        line.push_str(", /");
        line.push_str(alias);
    }
    line + ": " + spec.help + "\n"
}

fn usage(spec: &CommandSpec) -> String {
    let mut text = format!("/{}", spec.word);
    for argument in spec.arguments {
        text.push(' ');
        text.push_str(&shape(argument));
    }
    text
}

fn shape(argument: &Argument) -> String {
    let mut inner = match argument.choices {
        [] => argument.name.to_owned(),
        choices => choices.join("|"),
    };
    if argument.shape == ArgumentShape::Rest {
        inner.push('…');
    }
    match argument.need {
        Need::Required => format!("<{inner}>"),
        Need::Optional => format!("[{inner}]"),
    }
}
