//! Every command, alias and trap, as tables from what people write to what it is.

mod commands;
mod directives;
mod texts;
mod words;

use openclaw_config::CommandSettings;

use super::*;

const ALL_ON: CommandSettings = CommandSettings {
    bash: true,
    bash_foreground: std::time::Duration::ZERO,
    config: true,
    debug: true,
    restart: true,
};

fn read_as(who: Who, text: &str) -> MessageReading {
    let aliases = ["opus".to_owned()];
    read(text, &Rights { who, settings: &ALL_ON, model_aliases: &aliases })
}

fn owner(text: &str) -> MessageReading {
    read_as(Who::Owner, text)
}

fn prompt(text: &str) -> MessageReading {
    MessageReading::Prompt(Prompt { text: text.to_owned(), ..Prompt::default() })
}
