//! What people write that is not for the model: commands, directives, words that stop everything.
//!
//! `read` is the one entry: a text and what its author may do give a `Reading`. The table of commands is `registry`;
//! `directives` finds settings inside ordinary text; `help` prints the table. Nothing is carried out here.

mod abort;
mod absent;
mod allowlist;
mod arguments;
mod bang;
mod command;
pub mod directives;
mod dock;
mod help;
mod listing;
mod name;
mod read;
mod registry;
mod words;

#[cfg(test)]
mod tests;

pub use abort::is_abort_word;
pub use absent::Absent;
pub use command::{
    ActivationChoice, Allowlist, AllowlistAction, ApprovalChoice, Bash, ChatCommand, ConfigEdit, ContextView,
    DebugEdit, Fresh, KillTarget, ModelHint, ModelsPage, PeopleList, SendChoice, Shelf, Subagents, TtlChoice,
    UsageChoice,
};
pub use directives::{
    Directives, ExecDirective, Level, ModelDirective, QueueDirective, Shortcut, WrongOption,
};
pub use dock::{Dock, dock_commands};
pub use help::{commands_text, help_text, usage_text};
pub use listing::{ListedArgument, ListedChoice, ListedCommand, list_commands};
pub use read::{CommandRefusal, MessageReading, Prompt, Rights, Who, read};
pub use registry::{
    Argument, ArgumentShape, Category, CommandName, CommandPosition, CommandSpec, Need, SpecScope, Switch,
    Users, find, registry,
};
pub use words::{
    ElevatedLevel, ExecAsk, ExecHost, ExecSecurity, ReasoningLevel, UsageDisplay, VerboseLevel,
    parse_queue_drop, parse_queue_mode, parse_thinking,
};
