//! The one table of commands: names, arguments, who may use them, and one line of help each.
//!
//! What a command does is not here. Commands that need a channel, a plugin or a voice to mean anything are absent until
//! those exist.

use super::words::{ElevatedLevel, ReasoningLevel, VerboseLevel};

/// Names a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommandName {
    /// `/help`
    Help,
    /// `/commands`
    Commands,
    /// `/status`
    Status,
    /// `/whoami`
    Whoami,
    /// `/context`
    Context,
    /// `/export-session`
    ExportSession,
    /// `/stop`
    Stop,
    /// `/reset`
    Reset,
    /// `/new`
    New,
    /// `/compact`
    Compact,
    /// `/think`
    Think,
    /// `/verbose`
    Verbose,
    /// `/reasoning`
    Reasoning,
    /// `/elevated`
    Elevated,
    /// `/exec`
    Exec,
    /// `/model`
    Model,
    /// `/models`
    Models,
    /// `/queue`
    Queue,
    /// `/usage`
    Usage,
    /// `/approve`
    Approve,
    /// `/subagents`
    Subagents,
    /// `/kill`
    Kill,
    /// `/steer`
    Steer,
    /// `/config`
    Config,
    /// `/debug`
    Debug,
    /// `/send`
    Send,
    /// `/activation`
    Activation,
    /// `/restart`
    Restart,
    /// `/bash`
    Bash,
    /// `/allowlist`
    Allowlist,
    /// `/agents`
    Agents,
    /// `/focus`
    Focus,
    /// `/unfocus`
    Unfocus,
    /// `/session`
    Session,
    /// `/dock-<channel>`
    Dock,
}

/// Where a command can be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpecScope {
    /// As text and in the menus of platforms.
    Both,
    /// As text alone.
    Text,
}

/// Under which heading a command is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Category {
    /// The conversation.
    Session,
    /// How answers are made.
    Options,
    /// Looking at things.
    Status,
    /// Running the place.
    Management,
    /// Tools.
    Tools,
    /// Where answers go.
    Docks,
}

impl Category {
    /// Every heading, in the order of the list.
    pub const ALL: [Self; 6] =
        [Self::Session, Self::Options, Self::Status, Self::Management, Self::Tools, Self::Docks];

    /// The heading as clients know it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Options => "options",
            Self::Status => "status",
            Self::Management => "management",
            Self::Tools => "tools",
            Self::Docks => "docks",
        }
    }
}

/// Who may use a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Users {
    /// Everybody who may give commands.
    Allowed,
    /// Owners.
    Owners,
}

/// Where in a message a command may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommandPosition {
    /// It is the whole message.
    Alone,
    /// It may stand inside a message, and the rest goes to the model.
    Inside,
    /// It is a setting: alone it is kept, inside a message it holds for that message.
    Directive,
}

/// A setting that switches a command on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Switch {
    /// `commands.bash`
    Bash,
    /// `commands.config`
    Config,
    /// `commands.debug`
    Debug,
    /// `commands.restart`
    Restart,
}

impl Switch {
    /// The setting's path in the configuration.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Bash => "commands.bash",
            Self::Config => "commands.config",
            Self::Debug => "commands.debug",
            Self::Restart => "commands.restart",
        }
    }
}

/// An argument of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// What it is called.
    pub name: &'static str,
    /// What it is.
    pub help: &'static str,
    /// Whether it must be given.
    pub need: Need,
    /// How much of the message it takes.
    pub shape: ArgumentShape,
    /// What it may be; anything when empty.
    pub choices: &'static [&'static str],
}

/// Whether an argument must be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Need {
    /// It must.
    Required,
    /// It need not.
    Optional,
}

/// How much of the message an argument takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArgumentShape {
    /// One word.
    Word,
    /// All that is left.
    Rest,
}

/// A command, as it is known before anybody gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandSpec {
    /// Names it for code.
    pub name: CommandName,
    /// What people type, without the slash.
    pub word: &'static str,
    /// What they may type instead.
    pub aliases: &'static [&'static str],
    /// Where it can be given.
    pub scope: SpecScope,
    /// Its heading.
    pub category: Category,
    /// What follows it.
    pub arguments: &'static [Argument],
    /// Who may use it.
    pub users: Users,
    /// Where in a message it may stand.
    pub place: CommandPosition,
    /// What switches it on or off.
    pub switch: Option<Switch>,
    /// What it does, in one line.
    pub help: &'static str,
}

impl CommandSpec {
    /// Its name in the menus of platforms.
    #[must_use]
    pub fn native(&self) -> Option<&'static str> {
        match self.scope {
            SpecScope::Both => Some(self.word),
            SpecScope::Text => None,
        }
    }
}

/// Every command, in the order of the list.
#[must_use]
pub fn registry() -> &'static [CommandSpec] {
    REGISTRY
}

/// The command that a word names, in any case.
#[must_use]
pub fn find(word: &str) -> Option<&'static CommandSpec> {
    REGISTRY.iter().find(|spec| {
        spec.word.eq_ignore_ascii_case(word)
            || spec.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(word))
    })
}

const fn word(name: &'static str, help: &'static str, choices: &'static [&'static str]) -> Argument {
    Argument { name, help, need: Need::Optional, shape: ArgumentShape::Word, choices }
}

const fn needed(name: &'static str, help: &'static str, choices: &'static [&'static str]) -> Argument {
    Argument { name, help, need: Need::Required, shape: ArgumentShape::Word, choices }
}

const fn rest(name: &'static str, help: &'static str) -> Argument {
    Argument { name, help, need: Need::Optional, shape: ArgumentShape::Rest, choices: &[] }
}

const fn spec(name: CommandName, word: &'static str, category: Category, help: &'static str) -> CommandSpec {
    CommandSpec {
        name,
        word,
        aliases: &[],
        scope: SpecScope::Both,
        category,
        arguments: &[],
        users: Users::Allowed,
        place: CommandPosition::Alone,
        switch: None,
        help,
    }
}

const THINKING: &[&str] = &["off", "minimal", "low", "medium", "high", "xhigh"];
const EDITS: &[&str] = &["show", "get", "set", "unset"];
const CHANGES: &[&str] = &["show", "reset", "set", "unset"];
const SUBAGENTS: &[&str] = &["list", "kill", "log", "info", "send", "steer", "spawn"];
const ANSWERS: &[&str] = &["allow-once", "allow-always", "deny"];
const MODES: &[&str] = &["steer", "interrupt", "followup", "collect", "steer-backlog", "reset"];

/// The commands that send answers to another platform. One word for each platform, so that they are in no table.
pub(super) static DOCK: CommandSpec =
    spec(CommandName::Dock, "dock", Category::Docks, "Answer me on another platform");

const REGISTRY: &[CommandSpec] = &[
    spec(CommandName::Stop, "stop", Category::Session, "Stop what is being done here"),
    CommandSpec {
        arguments: &[rest("text", "the first message of the new conversation")],
        ..spec(CommandName::Reset, "reset", Category::Session, "Begin a new conversation")
    },
    CommandSpec {
        arguments: &[rest("text", "a model to use, and the first message")],
        ..spec(
            CommandName::New,
            "new",
            Category::Session,
            "Begin a new conversation, with another model if you name one",
        )
    },
    CommandSpec {
        arguments: &[rest("instructions", "what the summary should keep")],
        ..spec(
            CommandName::Compact,
            "compact",
            Category::Session,
            "Sum up the older part of the conversation",
        )
    },
    CommandSpec {
        arguments: &[
            needed("option", "what is set", &["ttl"]),
            rest("value", "how long a session answers in this thread, or off"),
        ],
        ..spec(
            CommandName::Session,
            "session",
            Category::Session,
            "Set how long a session answers in this thread",
        )
    },
    CommandSpec {
        aliases: &["thinking", "t"],
        arguments: &[word("level", "how hard to think", THINKING)],
        place: CommandPosition::Directive,
        ..spec(CommandName::Think, "think", Category::Options, "Show or set how hard the model thinks")
    },
    CommandSpec {
        aliases: &["v"],
        arguments: &[word("level", "how much is shown", VerboseLevel::WORDS)],
        place: CommandPosition::Directive,
        ..spec(
            CommandName::Verbose,
            "verbose",
            Category::Options,
            "Show or set how much you see of the tools at work",
        )
    },
    CommandSpec {
        aliases: &["reason"],
        arguments: &[word("level", "whether thoughts are shown", ReasoningLevel::WORDS)],
        place: CommandPosition::Directive,
        ..spec(CommandName::Reasoning, "reasoning", Category::Options, "Show or hide the model's thoughts")
    },
    CommandSpec {
        aliases: &["elev"],
        arguments: &[word("level", "whether commands may leave the sandbox", ElevatedLevel::WORDS)],
        place: CommandPosition::Directive,
        ..spec(
            CommandName::Elevated,
            "elevated",
            Category::Options,
            "Let commands run outside the sandbox, or not",
        )
    },
    CommandSpec {
        arguments: &[rest(
            "options",
            "host=sandbox|gateway|node security=deny|allowlist|full ask=off|on-miss|always node=id",
        )],
        place: CommandPosition::Directive,
        ..spec(CommandName::Exec, "exec", Category::Options, "Show or set where and how commands run")
    },
    CommandSpec {
        arguments: &[word("model", "provider/model, an alias, a number of the list, list or status", &[])],
        place: CommandPosition::Directive,
        ..spec(CommandName::Model, "model", Category::Options, "Show or choose the model")
    },
    CommandSpec {
        arguments: &[word("provider", "whose models", &[]), rest("page", "a page number, size=n or all")],
        ..spec(CommandName::Models, "models", Category::Options, "List providers, or the models of one")
    },
    CommandSpec {
        arguments: &[
            word("mode", "what becomes of messages while an answer is made", MODES),
            rest("options", "debounce:2s cap:25 drop:old|new|summarize"),
        ],
        place: CommandPosition::Directive,
        ..spec(
            CommandName::Queue,
            "queue",
            Category::Options,
            "Show or set what happens to messages while I am busy",
        )
    },
    CommandSpec {
        arguments: &[word("display", "what is told below an answer", &["off", "tokens", "full", "cost"])],
        ..spec(
            CommandName::Usage,
            "usage",
            Category::Options,
            "Show what answers take, or what everything cost",
        )
    },
    CommandSpec {
        place: CommandPosition::Inside,
        ..spec(CommandName::Help, "help", Category::Status, "Show the most useful commands")
    },
    CommandSpec {
        place: CommandPosition::Inside,
        ..spec(CommandName::Commands, "commands", Category::Status, "List every command")
    },
    CommandSpec {
        place: CommandPosition::Inside,
        ..spec(
            CommandName::Status,
            "status",
            Category::Status,
            "Show the model, the context and the state of this session",
        )
    },
    CommandSpec {
        aliases: &["id"],
        place: CommandPosition::Inside,
        ..spec(CommandName::Whoami, "whoami", Category::Status, "Show who you are to me")
    },
    CommandSpec {
        arguments: &[word("view", "how much to show", &["list", "detail", "json"])],
        ..spec(CommandName::Context, "context", Category::Status, "Show what the model's context is made of")
    },
    CommandSpec {
        aliases: &["export"],
        arguments: &[rest("path", "the file to write")],
        ..spec(
            CommandName::ExportSession,
            "export-session",
            Category::Status,
            "Write this session to a page in the workspace",
        )
    },
    CommandSpec {
        arguments: &[
            needed("id", "the request", &[]),
            needed("answer", "your answer", ANSWERS),
            rest("reach", "how far always reaches: session, anywhere, args, args=1, for 2h"),
        ],
        ..spec(CommandName::Approve, "approve", Category::Management, "Answer a request to run a command")
    },
    CommandSpec {
        arguments: &[
            word("action", "what to do", SUBAGENTS),
            word("target", "which one", &[]),
            rest("value", "a message, a task or a number"),
        ],
        ..spec(CommandName::Subagents, "subagents", Category::Management, "List and control sub-agents")
    },
    CommandSpec {
        arguments: &[needed("target", "a label, a run, a number of the list, or all", &[])],
        ..spec(CommandName::Kill, "kill", Category::Management, "Stop a sub-agent, or all of them")
    },
    CommandSpec {
        aliases: &["tell"],
        arguments: &[
            needed("target", "a label, a run or a number of the list", &[]),
            Argument { need: Need::Required, ..rest("message", "what to tell it") },
        ],
        ..spec(CommandName::Steer, "steer", Category::Management, "Tell a running sub-agent something")
    },
    CommandSpec {
        arguments: &[word("action", "what to do", EDITS), rest("path", "path, or path=value")],
        users: Users::Owners,
        switch: Some(Switch::Config),
        ..spec(CommandName::Config, "config", Category::Management, "Show or change the configuration file")
    },
    CommandSpec {
        arguments: &[word("action", "what to do", CHANGES), rest("path", "path, or path=value")],
        users: Users::Owners,
        switch: Some(Switch::Debug),
        ..spec(CommandName::Debug, "debug", Category::Management, "Change settings until the next start")
    },
    CommandSpec {
        arguments: &[word("policy", "whether answers are sent", &["on", "off", "inherit"])],
        users: Users::Owners,
        ..spec(CommandName::Send, "send", Category::Management, "Allow or forbid answers in this session")
    },
    CommandSpec {
        arguments: &[word("mode", "when to answer", &["mention", "always"])],
        users: Users::Owners,
        ..spec(
            CommandName::Activation,
            "activation",
            Category::Management,
            "In a group: answer every message, or only when mentioned",
        )
    },
    spec(
        CommandName::Agents,
        "agents",
        Category::Management,
        "Show which agents work here, and in which threads",
    ),
    CommandSpec {
        arguments: &[Argument { need: Need::Required, ..rest("target", "a sub-agent, or a session") }],
        ..spec(
            CommandName::Focus,
            "focus",
            Category::Management,
            "Have a sub-agent or a session answer in this thread",
        )
    },
    spec(CommandName::Unfocus, "unfocus", Category::Management, "Give this thread its own session back"),
    CommandSpec {
        scope: SpecScope::Text,
        arguments: &[
            word("action", "what to do", &["list", "add", "remove"]),
            word("list", "which list", &["dm", "group", "all"]),
            rest("entry", "an id, channel=<id>, account=<id>, --config or --store"),
        ],
        ..spec(CommandName::Allowlist, "allowlist", Category::Management, "Show or change who may talk to me")
    },
    CommandSpec {
        users: Users::Owners,
        switch: Some(Switch::Restart),
        ..spec(CommandName::Restart, "restart", Category::Tools, "Restart the gateway")
    },
    CommandSpec {
        scope: SpecScope::Text,
        arguments: &[rest("command", "a shell command, poll or stop")],
        users: Users::Owners,
        switch: Some(Switch::Bash),
        ..spec(
            CommandName::Bash,
            "bash",
            Category::Tools,
            "Run a shell command on this machine; ! is short for it",
        )
    },
];
