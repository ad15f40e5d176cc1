//! What chat commands do: one file for each family.
//!
//! `inbound::commands` says what a text means; here it is done and put into words. A command answers, stays silent, or
//! leaves something to ask the model. Settings that stand alone are in `options`. The stage `run_command` calls this.

mod activation;
mod allowlist;
mod approve;
mod bash;
mod call;
mod compact;
mod config;
mod context;
mod debug;
mod dock;
mod export;
mod focus;
mod fresh;
mod handles;
mod options;
mod restart;
mod send;
mod status;
mod subagents;
mod usage;
mod whoami;
mod wording;

use futures_util::future::BoxFuture;
use openclaw_inbound::commands::{ChatCommand, MessageReading, Shortcut, commands_text, help_text};

use crate::channels::docks;

pub(crate) use call::{CommandCall, CommandTrouble};
pub use handles::CommandHandles;
pub(crate) use options::exec_once;
pub(crate) use status::{CardOf, status_card};
pub(crate) use usage::footer;

/// What a command leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Words for the person.
    Say(String),
    /// Nothing to say.
    Silent,
    /// Something to ask the model.
    Ask(String),
}

/// Carries out what was read. Trouble on our side is told in plain words and logged.
///
/// Boxed, since a command may hand a submission to the flow again (a sub-agent's task), and a future cannot hold itself.
pub(crate) fn carry_out<'a>(call: &'a CommandCall<'a>, reading: MessageReading) -> BoxFuture<'a, Effect> {
    Box::pin(async move {
        match perform(call, reading).await {
            Ok(effect) => effect,
            Err(trouble) => Effect::Say(trouble.told()),
        }
    })
}

/// What the short commands inside a message say.
pub(crate) async fn say_shortcuts(call: &CommandCall<'_>, shortcuts: &[Shortcut]) -> String {
    let mut cards = Vec::with_capacity(shortcuts.len());
    for shortcut in shortcuts {
        cards.push(shortcut_card(call, *shortcut).await.unwrap_or_else(CommandTrouble::told));
    }
    cards.join("\n\n")
}

async fn perform(call: &CommandCall<'_>, reading: MessageReading) -> Result<Effect, CommandTrouble> {
    match reading {
        MessageReading::Ignored | MessageReading::Abort => Ok(Effect::Silent),
        MessageReading::Refused(refusal) => {
            call.open().await?;
            Ok(Effect::Say(refusal.text()))
        }
        // Only commands are carried here; should a message come, it is for the model.
        MessageReading::Prompt(prompt) => Ok(Effect::Ask(prompt.text)),
        MessageReading::DirectivesOnly { directives, shortcuts } => {
            let mut answers = options::keep(call, &directives).await?;
            if !shortcuts.is_empty() {
                answers.push(say_shortcuts(call, &shortcuts).await);
            }
            Ok(Effect::Say(answers.join("\n")))
        }
        MessageReading::Command(command) => {
            // An answer is kept in its session, so there must be one.
            call.open().await?;
            command_effect(call, command).await
        }
    }
}

async fn command_effect(call: &CommandCall<'_>, command: ChatCommand) -> Result<Effect, CommandTrouble> {
    let said = match command {
        ChatCommand::Help => help_text(),
        ChatCommand::Commands => commands_text(&call.switches(), &docks(call.flow)),
        ChatCommand::Status => status::status(call).await?,
        ChatCommand::Whoami => whoami::whoami(call),
        ChatCommand::Context(view) => context::context(call, view).await?,
        ChatCommand::ExportSession { path } => export::export(call, path.as_deref()).await?,
        ChatCommand::Subagents(order) => return subagents::subagents(call, order).await,
        ChatCommand::Kill(target) => return subagents::kill(call, target).await,
        ChatCommand::Steer { target, message } => return subagents::steer(call, &target, message).await,
        ChatCommand::Approve { id, choice, scope } => approve::approve(call, &id, choice, &scope).await,
        ChatCommand::Config(edit) => config::config(call, edit).await,
        ChatCommand::Debug(edit) => debug::debug(call, edit).await,
        ChatCommand::Usage(choice) => usage::usage(call, choice).await?,
        ChatCommand::Restart => restart::restart(call).await,
        ChatCommand::Send(choice) => send::send(call, choice).await?,
        ChatCommand::Activation(choice) => activation::activation(call, choice).await?,
        ChatCommand::Reset(fresh) => return fresh::reset(call, fresh).await,
        ChatCommand::New(fresh) => return fresh::new(call, fresh).await,
        ChatCommand::Compact { instructions } => compact::compact(call, instructions).await?,
        ChatCommand::Models(page) => options::models(call, &page).await?,
        ChatCommand::Bash(bash) => bash::bash(call, bash).await?,
        ChatCommand::Allowlist(order) => allowlist::allowlist(call, order).await?,
        ChatCommand::Agents => focus::agents(call).await?,
        ChatCommand::Focus { target } => focus::focus(call, &target).await?,
        ChatCommand::Unfocus => focus::unfocus(call).await?,
        ChatCommand::SessionTtl(choice) => focus::ttl(call, choice).await?,
        ChatCommand::Dock { channel } => return dock::dock(call, &channel).await,
    };
    Ok(Effect::Say(said))
}

async fn shortcut_card(call: &CommandCall<'_>, shortcut: Shortcut) -> Result<String, CommandTrouble> {
    call.open().await?;
    Ok(match shortcut {
        Shortcut::Help => help_text(),
        Shortcut::Commands => commands_text(&call.switches(), &docks(call.flow)),
        Shortcut::Status => status::status(call).await?,
        Shortcut::Whoami => whoami::whoami(call),
    })
}
