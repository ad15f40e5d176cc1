//! Reads what follows the name of a command.
//!
//! Three outcomes: a command, a message that is no command after all because more follows than the command takes, and
//! one that surely is meant as the command but lacks something.

use openclaw_config::{DurationUnit, parse_duration};

use super::command::{
    ActivationChoice, ApprovalChoice, ChatCommand, ConfigEdit, ContextView, DebugEdit, Fresh, KillTarget,
    ModelsPage, SendChoice, Subagents, TtlChoice, UsageChoice,
};
use super::registry::CommandName;
use super::words::UsageDisplay;
use super::{allowlist, bang};

const PAGE_SIZE: usize = 20;
const LARGEST_PAGE: usize = 100;

/// What the words after a name come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ArgumentOutcome {
    /// A command.
    Command(ChatCommand),
    /// Text for the model that begins like a command.
    NoCommand,
    /// A command with something missing or wrong.
    Wrong,
}

/// Reads the words after the name of a command that stands alone. Directives and `/stop` are not read here.
pub(super) fn parse(name: CommandName, rest: &str) -> ArgumentOutcome {
    match name {
        CommandName::Help => bare(rest, ChatCommand::Help),
        CommandName::Commands => commands(rest),
        CommandName::Status => bare(rest, ChatCommand::Status),
        CommandName::Whoami => bare(rest, ChatCommand::Whoami),
        CommandName::Restart => bare(rest, ChatCommand::Restart),
        CommandName::Context => context(rest),
        CommandName::ExportSession => {
            ArgumentOutcome::Command(ChatCommand::ExportSession { path: text(rest) })
        }
        CommandName::Reset => ArgumentOutcome::Command(ChatCommand::Reset(Fresh { text: text(rest) })),
        CommandName::New => ArgumentOutcome::Command(ChatCommand::New(Fresh { text: text(rest) })),
        CommandName::Compact => ArgumentOutcome::Command(ChatCommand::Compact { instructions: text(rest) }),
        CommandName::Models => ArgumentOutcome::Command(ChatCommand::Models(models(rest))),
        CommandName::Usage => usage(rest),
        CommandName::Approve => approve(rest),
        CommandName::Subagents => wrap(subagents(rest).map(ChatCommand::Subagents)),
        CommandName::Kill => wrap(kill(rest).map(ChatCommand::Kill)),
        CommandName::Steer => {
            wrap(addressed(rest).map(|(target, message)| ChatCommand::Steer { target, message }))
        }
        CommandName::Config => wrap(config(rest).map(ChatCommand::Config)),
        CommandName::Debug => wrap(debug(rest).map(ChatCommand::Debug)),
        CommandName::Send => send(rest),
        CommandName::Activation => activation(rest),
        CommandName::Bash => ArgumentOutcome::Command(ChatCommand::Bash(bang::bash(rest))),
        CommandName::Agents => bare(rest, ChatCommand::Agents),
        CommandName::Unfocus => bare(rest, ChatCommand::Unfocus),
        CommandName::Focus => wrap(text(rest).map(|target| ChatCommand::Focus { target })),
        CommandName::Session => session(rest),
        CommandName::Allowlist => wrap(allowlist::parse(rest).map(ChatCommand::Allowlist)),
        CommandName::Stop
        | CommandName::Think
        | CommandName::Verbose
        | CommandName::Reasoning
        | CommandName::Elevated
        | CommandName::Exec
        | CommandName::Model
        | CommandName::Queue
        | CommandName::Dock => ArgumentOutcome::NoCommand,
    }
}

fn bare(rest: &str, command: ChatCommand) -> ArgumentOutcome {
    match rest.is_empty() {
        true => ArgumentOutcome::Command(command),
        false => ArgumentOutcome::NoCommand,
    }
}

fn wrap(command: Option<ChatCommand>) -> ArgumentOutcome {
    command.map_or(ArgumentOutcome::Wrong, ArgumentOutcome::Command)
}

fn text(rest: &str) -> Option<String> {
    (!rest.is_empty()).then(|| rest.to_owned())
}

/// The first word in lower case, and what follows it.
fn first(rest: &str) -> (String, &str) {
    let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    (word.to_lowercase(), after.trim())
}

/// Platforms that show the list by pages send a number; the list is whole here.
fn commands(rest: &str) -> ArgumentOutcome {
    match rest.is_empty() || rest.chars().all(|c| c.is_ascii_digit()) {
        true => ArgumentOutcome::Command(ChatCommand::Commands),
        false => ArgumentOutcome::NoCommand,
    }
}

fn context(rest: &str) -> ArgumentOutcome {
    let (view, after) = first(rest);
    if !after.is_empty() {
        return ArgumentOutcome::NoCommand;
    }
    match view.as_str() {
        "" | "help" => ArgumentOutcome::Command(ChatCommand::Context(ContextView::Help)),
        "list" | "show" => ArgumentOutcome::Command(ChatCommand::Context(ContextView::List)),
        "detail" | "deep" => ArgumentOutcome::Command(ChatCommand::Context(ContextView::Detail)),
        "json" => ArgumentOutcome::Command(ChatCommand::Context(ContextView::Json)),
        _ => ArgumentOutcome::Wrong,
    }
}

fn usage(rest: &str) -> ArgumentOutcome {
    let (display, after) = first(rest);
    if !after.is_empty() {
        return ArgumentOutcome::NoCommand;
    }
    let choice = match display.as_str() {
        "" => Some(UsageChoice::Next),
        "cost" => Some(UsageChoice::Cost),
        other => UsageDisplay::parse(other).map(UsageChoice::Set),
    };
    wrap(choice.map(ChatCommand::Usage))
}

fn send(rest: &str) -> ArgumentOutcome {
    let (policy, after) = first(rest);
    if !after.is_empty() {
        return ArgumentOutcome::NoCommand;
    }
    wrap(match policy.as_str() {
        "" => Some(ChatCommand::Send(SendChoice::Show)),
        "on" | "allow" => Some(ChatCommand::Send(SendChoice::On)),
        "off" | "deny" => Some(ChatCommand::Send(SendChoice::Off)),
        "inherit" | "default" | "reset" => Some(ChatCommand::Send(SendChoice::Inherit)),
        _ => None,
    })
}

fn activation(rest: &str) -> ArgumentOutcome {
    let (mode, after) = first(rest);
    if !after.is_empty() {
        return ArgumentOutcome::NoCommand;
    }
    wrap(match mode.as_str() {
        "" => Some(ChatCommand::Activation(ActivationChoice::Show)),
        "mention" => Some(ChatCommand::Activation(ActivationChoice::Mention)),
        "always" => Some(ChatCommand::Activation(ActivationChoice::Always)),
        _ => None,
    })
}

/// Only `ttl` can be said about a session.
fn session(rest: &str) -> ArgumentOutcome {
    let (option, after) = first(rest);
    if option != "ttl" {
        return if after.is_empty() { ArgumentOutcome::Wrong } else { ArgumentOutcome::NoCommand };
    }
    let choice = match after.to_lowercase().as_str() {
        "" => Some(TtlChoice::Show),
        "off" | "none" | "never" => Some(TtlChoice::Off),
        span => parse_duration(span, DurationUnit::Minutes)
            .ok()
            .filter(|span| !span.is_zero())
            .map(TtlChoice::Set),
    };
    wrap(choice.map(ChatCommand::SessionTtl))
}

/// The answer may stand before or after the request; how far it reaches follows both.
fn approve(rest: &str) -> ArgumentOutcome {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let [one, two, reach @ ..] = words.as_slice() else { return ArgumentOutcome::Wrong };
    let read = match (approval(one), approval(two)) {
        (_, Some(choice)) => Some((one, choice)),
        (Some(choice), None) => Some((two, choice)),
        (None, None) => None,
    };
    let read = read.filter(|(_, choice)| reach.is_empty() || *choice == ApprovalChoice::AllowAlways);
    wrap(read.map(|(id, choice)| ChatCommand::Approve {
        id: (*id).to_owned(),
        choice,
        scope: reach.join(" "),
    }))
}

fn approval(word: &str) -> Option<ApprovalChoice> {
    match word.to_lowercase().as_str() {
        "allow" | "once" | "allow-once" | "allowonce" => Some(ApprovalChoice::AllowOnce),
        "always" | "allow-always" | "allowalways" => Some(ApprovalChoice::AllowAlways),
        "deny" | "reject" | "block" => Some(ApprovalChoice::Deny),
        _ => None,
    }
}

fn kill(rest: &str) -> Option<KillTarget> {
    match rest.to_lowercase().as_str() {
        "" => None,
        "all" | "*" => Some(KillTarget::All),
        _ => Some(KillTarget::One(rest.to_owned())),
    }
}

fn addressed(rest: &str) -> Option<(String, String)> {
    let (target, message) = rest.split_once(char::is_whitespace)?;
    Some((target.to_owned(), message.trim().to_owned()))
}

fn subagents(rest: &str) -> Option<Subagents> {
    let (action, after) = first(rest);
    match action.as_str() {
        "" => Some(Subagents::List),
        "list" if after.is_empty() => Some(Subagents::List),
        "kill" => kill(after).map(Subagents::Kill),
        "info" if !after.is_empty() => Some(Subagents::Info { target: after.to_owned() }),
        "log" => log(after),
        "send" => addressed(after).map(|(target, message)| Subagents::Send { target, message }),
        "steer" => addressed(after).map(|(target, message)| Subagents::Steer { target, message }),
        "spawn" => spawn(after),
        _ => None,
    }
}

fn log(rest: &str) -> Option<Subagents> {
    let mut words = rest.split_whitespace();
    let target = words.next()?.to_owned();
    let (mut limit, mut tools) = (None, false);
    for word in words {
        match word.parse() {
            Ok(number) => limit = Some(number),
            Err(_not_a_number) if word.eq_ignore_ascii_case("tools") => tools = true,
            Err(_not_a_number) => return None,
        }
    }
    Some(Subagents::Log { target, limit, tools })
}

fn spawn(rest: &str) -> Option<Subagents> {
    let mut words = rest.split_whitespace();
    let agent = words.next().map(str::to_owned);
    let (mut task, mut model, mut thinking) = (Vec::new(), None, None);
    while let Some(word) = words.next() {
        match word {
            "--model" => model = Some(words.next()?.to_owned()),
            "--thinking" => thinking = Some(words.next()?.to_owned()),
            word => task.push(word),
        }
    }
    (!task.is_empty()).then(|| Subagents::Spawn { agent, task: task.join(" "), model, thinking })
}

fn config(rest: &str) -> Option<ConfigEdit> {
    let (action, after) = first(rest);
    match action.as_str() {
        "" | "show" | "get" => Some(ConfigEdit::Show { path: text(after) }),
        "set" => assignment(after).map(|(path, value)| ConfigEdit::Set { path, value }),
        "unset" => text(after).map(|path| ConfigEdit::Unset { path }),
        _ => None,
    }
}

fn debug(rest: &str) -> Option<DebugEdit> {
    let (action, after) = first(rest);
    match (action.as_str(), after) {
        ("" | "show", "") => Some(DebugEdit::Show),
        ("reset", "") => Some(DebugEdit::Reset),
        ("set", after) => assignment(after).map(|(path, value)| DebugEdit::Set { path, value }),
        ("unset", after) => text(after).map(|path| DebugEdit::Unset { path }),
        _ => None,
    }
}

/// `path=value`, or `path value` as menus of platforms send it.
fn assignment(rest: &str) -> Option<(String, String)> {
    let end = rest.find(|c: char| c == '=' || c.is_whitespace())?;
    let (path, after) = rest.split_at(end);
    let after = after.trim_start();
    let value = after.strip_prefix('=').unwrap_or(after).trim();
    (!path.is_empty() && !value.is_empty()).then(|| (path.to_owned(), value.to_owned()))
}

fn models(rest: &str) -> ModelsPage {
    let mut listing = ModelsPage { provider: None, page: 1, size: PAGE_SIZE, all: false };
    for (index, word) in rest.split_whitespace().enumerate() {
        let lowered = word.to_lowercase();
        let option = lowered.split_once('=').and_then(|(key, value)| Some((key, positive(value)?)));
        match (option, lowered.as_str()) {
            (Some(("page", page)), _) => listing.page = page,
            (Some(("size" | "limit", size)), _) => listing.size = size.min(LARGEST_PAGE),
            (_, "all" | "--all") if index > 0 => listing.all = true,
            (_, word) if index > 0 => listing.page = positive(word).unwrap_or(listing.page),
            (_, provider) => listing.provider = Some(provider.to_owned()),
        }
    }
    listing
}

fn positive(word: &str) -> Option<usize> {
    word.parse().ok().filter(|number| *number > 0)
}
