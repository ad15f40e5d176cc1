//! Commands with their arguments read: one variant for each.
//!
//! Plain words; `flow` and the gateway carry them out. Settings such as `/think` are directives, not commands.

use super::words::UsageDisplay;

/// A command that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChatCommand {
    /// A short help card.
    Help,
    /// The list of commands.
    Commands,
    /// The state of the session.
    Status,
    /// Who the author is to us.
    Whoami,
    /// What the model's context is made of.
    Context(ContextView),
    /// Writes the session into a file.
    ExportSession {
        /// Where; a name of our own when absent.
        path: Option<String>,
    },
    /// Controls sub-agents.
    Subagents(Subagents),
    /// Stops sub-agents.
    Kill(KillTarget),
    /// Says something to a running sub-agent.
    Steer {
        /// Which: a label, a run, a number of the list.
        target: String,
        /// What.
        message: String,
    },
    /// Answers a request to run a command.
    Approve {
        /// Which request.
        id: String,
        /// The answer.
        choice: ApprovalChoice,
        /// How far it reaches, as it is written; empty when nothing is said.
        scope: String,
    },
    /// Reads and changes the configuration file.
    Config(ConfigEdit),
    /// Reads and changes settings until the next start.
    Debug(DebugEdit),
    /// What is told about the cost of answers.
    Usage(UsageChoice),
    /// Restarts the gateway.
    Restart,
    /// Whether answers may be sent.
    Send(SendChoice),
    /// When the agent answers in a group.
    Activation(ActivationChoice),
    /// Begins a new conversation.
    Reset(Fresh),
    /// Begins a new conversation, with another model when one is named.
    New(Fresh),
    /// Sums up older parts of the conversation.
    Compact {
        /// What the summary should look at.
        instructions: Option<String>,
    },
    /// Lists models.
    Models(ModelsPage),
    /// Runs a shell command on the gateway's machine.
    Bash(Bash),
    /// Shows and changes who may talk on a platform.
    Allowlist(Allowlist),
    /// Shows which agents work here, and in which threads.
    Agents,
    /// Has a session answer in this thread.
    Focus {
        /// Which: a sub-agent, a key, an id or a label.
        target: String,
    },
    /// Gives the thread its own session back.
    Unfocus,
    /// How long a session answers in this thread.
    SessionTtl(TtlChoice),
    /// Sends what is answered in this session to another platform.
    Dock {
        /// The platform, in lower case; `off` for none.
        channel: String,
    },
}

/// What `/session ttl` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TtlChoice {
    /// Shows it.
    Show,
    /// So long from now.
    Set(std::time::Duration),
    /// Until somebody says otherwise.
    Off,
}

/// What `/allowlist` does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowlist {
    /// What to do.
    pub action: AllowlistAction,
    /// Which list.
    pub list: PeopleList,
    /// Which platform; the one it is written on when absent.
    pub channel: Option<String>,
    /// Which of our logins there; that of the conversation, or the default one, when absent.
    pub account: Option<String>,
    /// Where the list is kept that is changed.
    pub shelf: Shelf,
}

impl Allowlist {
    /// Whether anything would change.
    #[must_use]
    pub fn changes(&self) -> bool {
        self.action != AllowlistAction::Show
    }
}

/// What is done with a list of people.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum AllowlistAction {
    /// It is shown.
    #[default]
    Show,
    /// Somebody is put on it.
    Add(String),
    /// Somebody is taken off it.
    Remove(String),
}

/// A list of people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum PeopleList {
    /// Those who may write to us alone.
    #[default]
    Direct,
    /// Those who may talk to us in rooms.
    Rooms,
    /// Both.
    All,
}

/// Where a list of people is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Shelf {
    /// Everywhere it can be.
    #[default]
    Both,
    /// In the configuration file.
    File,
    /// With those who were let in by a code.
    Codes,
}

/// What `/context` shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContextView {
    /// What can be shown.
    Help,
    /// The parts and their sizes.
    List,
    /// Each file, tool and skill.
    Detail,
    /// The same for programs.
    Json,
}

/// What `/subagents` does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subagents {
    /// Lists them.
    List,
    /// Stops some.
    Kill(KillTarget),
    /// Shows what one did.
    Log {
        /// Which.
        target: String,
        /// How many of the last messages; some when absent.
        limit: Option<usize>,
        /// Whether calls of tools are shown.
        tools: bool,
    },
    /// Shows the facts about one.
    Info {
        /// Which.
        target: String,
    },
    /// Sends a message to one and waits for no answer.
    Send {
        /// Which.
        target: String,
        /// What.
        message: String,
    },
    /// Turns a running one.
    Steer {
        /// Which.
        target: String,
        /// What.
        message: String,
    },
    /// Starts one.
    Spawn {
        /// Whose; the session's own agent when absent.
        agent: Option<String>,
        /// What it is to do.
        task: String,
        /// The model.
        model: Option<String>,
        /// How hard to think, as typed.
        thinking: Option<String>,
    },
}

/// Which sub-agents are stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KillTarget {
    /// All of this session.
    All,
    /// One: a label, a run, a number of the list.
    One(String),
}

/// The answer to a request to run a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApprovalChoice {
    /// This once.
    AllowOnce,
    /// From now on.
    AllowAlways,
    /// No.
    Deny,
}

impl ApprovalChoice {
    /// The choice as it stands on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AllowOnce => "allow-once",
            Self::AllowAlways => "allow-always",
            Self::Deny => "deny",
        }
    }
}

/// What `/config` does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigEdit {
    /// Shows everything, or one setting.
    Show {
        /// Which.
        path: Option<String>,
    },
    /// Sets one.
    Set {
        /// Which.
        path: String,
        /// What it becomes, as typed.
        value: String,
    },
    /// Removes one.
    Unset {
        /// Which.
        path: String,
    },
}

/// What `/debug` does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DebugEdit {
    /// Shows what is changed.
    Show,
    /// Takes every change back.
    Reset,
    /// Changes one setting.
    Set {
        /// Which.
        path: String,
        /// What it becomes, as typed.
        value: String,
    },
    /// Takes one change back.
    Unset {
        /// Which.
        path: String,
    },
}

/// What `/usage` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UsageChoice {
    /// Changes to the next display.
    Next,
    /// Changes to this one.
    Set(UsageDisplay),
    /// Tells what everything cost.
    Cost,
}

/// What `/send` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SendChoice {
    /// Shows the current choice.
    Show,
    /// Answers are sent.
    On,
    /// They are not.
    Off,
    /// The configuration decides.
    Inherit,
}

/// What `/activation` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ActivationChoice {
    /// Shows the current choice.
    Show,
    /// Only messages that mention the agent are answered.
    Mention,
    /// Every message is looked at.
    Always,
}

/// What follows `/new` or `/reset`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fresh {
    /// The text; its beginning may name a model.
    pub text: Option<String>,
}

/// A way in which the beginning of a text may name a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelHint {
    /// What may be a model: `provider/model`, an alias, a provider.
    pub model: String,
    /// What is then left for the model to answer.
    pub rest: Option<String>,
}

impl Fresh {
    /// The ways to read a model out of the beginning, the best first. Whoever knows the models takes the first that
    /// exists; when none does, the whole text is for the model.
    #[must_use]
    pub fn hints(&self) -> Vec<ModelHint> {
        let Some(text) = self.text.as_deref().map(str::trim) else { return Vec::new() };
        let (first, after) = split_word(text);
        let mut hints = Vec::new();
        if let Some(after) = after
            && !first.contains('/')
        {
            let (second, rest) = split_word(after);
            if !second.contains('/') {
                hints.push(ModelHint { model: format!("{first}/{second}"), rest: rest.map(str::to_owned) });
            }
        }
        if !first.is_empty() {
            hints.push(ModelHint { model: first.to_owned(), rest: after.map(str::to_owned) });
        }
        hints
    }
}

fn split_word(text: &str) -> (&str, Option<&str>) {
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, Some(rest.trim()).filter(|rest| !rest.is_empty())),
        None => (text, None),
    }
}

/// Which models `/models` lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelsPage {
    /// Of which provider; the providers themselves when absent.
    pub provider: Option<String>,
    /// Which page, from one.
    pub page: usize,
    /// How many on a page.
    pub size: usize,
    /// Whether everything is on one page.
    pub all: bool,
}

/// What `/bash` and `!` do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bash {
    /// Runs a command.
    Run(String),
    /// Shows what one gave; the last when absent.
    Poll(Option<String>),
    /// Ends one; the last when absent.
    Stop(Option<String>),
    /// Explains itself.
    Help,
}
