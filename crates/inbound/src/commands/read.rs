//! Reads a message: is it for the model, is it a command, or does it ask to stop?
//!
//! The one entry of this module. Who may do what is given; nothing is carried out. `flow::directives` calls it.

use openclaw_config::CommandSettings;
use openclaw_types::SenderRank;

use super::abort::is_abort_word;
use super::absent::{self, Absent};
use super::arguments::{self, ArgumentOutcome};
use super::bang::{self, Bang};
use super::command::ChatCommand;
use super::directives::{Directives, Extracted, Shortcut, extract};
use super::registry::{CommandName, CommandSpec, DOCK, Switch, Users, find};
use super::{dock, name};

/// What the author of a message may do, and what the words of this place are.
#[derive(Debug, Clone, Copy)]
pub struct Rights<'a> {
    /// Who writes.
    pub who: Who,
    /// Which commands are switched on.
    pub settings: &'a CommandSettings,
    /// Short names of models; each is a directive of its own.
    pub model_aliases: &'a [String],
}

/// Who writes a message, as far as commands are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Who {
    /// An owner: may use everything.
    Owner,
    /// Somebody who may give commands.
    Allowed,
    /// Somebody who may talk to the agent, and no more.
    Stranger,
    /// A program: another session, a schedule. Its text is never read for commands.
    Program,
}

impl Who {
    /// Those of a standing, where no channel says otherwise.
    #[must_use]
    pub fn of(standing: SenderRank) -> Self {
        match standing {
            SenderRank::Owner => Self::Owner,
            SenderRank::Guest => Self::Stranger,
            SenderRank::System => Self::Program,
        }
    }
}

/// What a message is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageReading {
    /// It asks to stop.
    Abort,
    /// It is a command.
    Command(ChatCommand),
    /// It holds settings and short commands and nothing else. Settings are kept in the session.
    DirectivesOnly {
        /// The settings; may be empty.
        directives: Directives,
        /// The short commands; may be empty, but not both.
        shortcuts: Vec<Shortcut>,
    },
    /// It is for the model.
    Prompt(Prompt),
    /// It is a command that cannot be carried out; the author is told why.
    Refused(CommandRefusal),
    /// It is a command of somebody who may not give any. Nothing happens, and nothing is said.
    Ignored,
}

/// A message for the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompt {
    /// What the model gets.
    pub text: String,
    /// Settings that hold for this message alone.
    pub overrides: Directives,
    /// Short commands to carry out beside it.
    pub shortcuts: Vec<Shortcut>,
}

/// Why a command is not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandRefusal {
    /// Only owners may.
    OwnersOnly(CommandName),
    /// It is switched off.
    SwitchedOff(CommandName, Switch),
    /// Something is missing or wrong.
    Usage(CommandName),
    /// The original has it, this gateway does not.
    NotHere(&'static Absent),
}

/// Reads a message.
#[must_use]
pub fn read(text: &str, rights: &Rights<'_>) -> MessageReading {
    match rights.who {
        Who::Program => plain(text),
        Who::Stranger => match command_of(text, rights.settings) {
            Some(_) => MessageReading::Ignored,
            None if absent_of(text).is_some() => MessageReading::Ignored,
            None => plain(text),
        },
        Who::Owner | Who::Allowed => {
            if is_abort_word(text) {
                return MessageReading::Abort;
            }
            match (command_of(text, rights.settings), absent_of(text)) {
                (Some((spec, outcome)), _) => allowed(spec, outcome, rights),
                (None, Some(absent)) => MessageReading::Refused(CommandRefusal::NotHere(absent)),
                (None, None) => inside(text, rights),
            }
        }
    }
}

/// The command that a whole message is, though there is none here.
fn absent_of(text: &str) -> Option<&'static Absent> {
    absent::find(name::split(text)?.name)
}

/// Whether a switch lets its command through.
pub(super) fn is_on(switch: Option<Switch>, settings: &CommandSettings) -> bool {
    match switch {
        None => true,
        Some(Switch::Bash) => settings.bash,
        Some(Switch::Config) => settings.config,
        Some(Switch::Debug) => settings.debug,
        Some(Switch::Restart) => settings.restart,
    }
}

fn plain(text: &str) -> MessageReading {
    MessageReading::Prompt(Prompt { text: text.to_owned(), ..Prompt::default() })
}

/// The command that a whole message is, with what its arguments come to.
fn command_of(text: &str, settings: &CommandSettings) -> Option<(&'static CommandSpec, ArgumentOutcome)> {
    if let Some(bang) = bang::parse(text) {
        let bash = match bang {
            Bang::Sure(bash) => Some(bash),
            Bang::Perhaps(bash) => settings.bash.then_some(bash),
        };
        return find("bash").zip(bash.map(|bash| ArgumentOutcome::Command(ChatCommand::Bash(bash))));
    }
    let named = name::split(text)?;
    if let Some(channel) = dock::channel(named.name) {
        let command = ChatCommand::Dock { channel };
        return named.rest.is_empty().then_some((&DOCK, ArgumentOutcome::Command(command)));
    }
    let spec = find(named.name)?;
    if spec.name == CommandName::Stop && named.rest.is_empty() {
        return Some((spec, ArgumentOutcome::Wrong));
    }
    match arguments::parse(spec.name, named.rest) {
        ArgumentOutcome::NoCommand => None,
        outcome => Some((spec, outcome)),
    }
}

fn allowed(spec: &'static CommandSpec, outcome: ArgumentOutcome, rights: &Rights<'_>) -> MessageReading {
    let (users, switch) = demands(spec, &outcome);
    if users == Users::Owners && rights.who != Who::Owner {
        return MessageReading::Refused(CommandRefusal::OwnersOnly(spec.name));
    }
    if let Some(switch) = switch
        && !is_on(Some(switch), rights.settings)
    {
        return MessageReading::Refused(CommandRefusal::SwitchedOff(spec.name, switch));
    }
    match outcome {
        ArgumentOutcome::Command(command) => MessageReading::Command(command),
        ArgumentOutcome::Wrong | ArgumentOutcome::NoCommand => {
            MessageReading::Refused(CommandRefusal::Usage(spec.name))
        }
    }
}

/// Who may give a command, and what switches it on. Everybody who gives commands may look at the lists of people; who
/// stands in one may own the assistant, so that changes are for owners.
fn demands(spec: &CommandSpec, outcome: &ArgumentOutcome) -> (Users, Option<Switch>) {
    match outcome {
        ArgumentOutcome::Command(ChatCommand::Allowlist(order)) if order.changes() => {
            (Users::Owners, Some(Switch::Config))
        }
        _ => (spec.users, spec.switch),
    }
}

fn inside(text: &str, rights: &Rights<'_>) -> MessageReading {
    let Extracted { directives, shortcuts, rest } = extract(text, rights.model_aliases);
    match (rest.is_empty(), directives.is_empty() && shortcuts.is_empty()) {
        (_, true) => plain(text),
        (true, false) => MessageReading::DirectivesOnly { directives, shortcuts },
        (false, false) => MessageReading::Prompt(Prompt { text: rest, overrides: directives, shortcuts }),
    }
}
