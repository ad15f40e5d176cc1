//! `commands.list`: what can be typed into a chat instead of words for the agent.

use std::borrow::Cow;

use openclaw_flow::{ListedArgument, ListedCommand};
use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::catalog::{
    CommandArgument, CommandChoice, CommandEntry, CommandScope, CommandsListParams, CommandsListResult,
};

use super::AgentServices;

/// Lists the commands that are switched on.
pub(super) fn list(
    services: &AgentServices,
    params: &CommandsListParams,
) -> Result<CommandsListResult, ErrorShape> {
    if let Some(agent) = &params.agent_id {
        services.known_agent(agent.as_str())?;
    }
    let with_arguments = params.include_args != Some(false);
    let wanted = params.scope.unwrap_or(CommandScope::Both);
    let listed = services.flow.commands().into_iter().map(|command| entry(command, with_arguments));
    Ok(CommandsListResult { commands: listed.filter(|command| fits(wanted, command.scope)).collect() })
}

fn fits(wanted: CommandScope, scope: CommandScope) -> bool {
    wanted == CommandScope::Both || scope == CommandScope::Both || scope == wanted
}

fn entry(command: ListedCommand, with_arguments: bool) -> CommandEntry {
    let args: Vec<CommandArgument> = command.args.iter().map(argument).collect();
    CommandEntry {
        name: command.name.into_owned(),
        native_name: command.native_name.map(Cow::into_owned),
        text_aliases: Some(command.text_aliases),
        description: command.description.into_owned(),
        category: Some(command.category.to_owned()),
        source: command.source.to_owned(),
        scope: match command.scope {
            "text" => CommandScope::Text,
            "native" => CommandScope::Native,
            _ => CommandScope::Both,
        },
        accepts_args: command.accepts_args,
        args: (with_arguments && !args.is_empty()).then_some(args),
    }
}

fn argument(argument: &ListedArgument) -> CommandArgument {
    let choices: Vec<CommandChoice> = argument
        .choices
        .iter()
        .map(|choice| CommandChoice { value: choice.value.to_owned(), label: choice.label.to_owned() })
        .collect();
    CommandArgument {
        name: argument.name.to_owned(),
        description: argument.description.to_owned(),
        kind: argument.kind.to_owned(),
        required: Some(argument.required),
        choices: (!choices.is_empty()).then_some(choices),
    }
}
