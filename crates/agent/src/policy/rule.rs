//! The rules that keep tools from a run, each with the words that name it to people and models.

use std::fmt;

/// Why a run does not get a tool.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ToolRule {
    /// A list of refusals names it.
    Denied {
        /// Where the list stands.
        path: String,
        /// The entry that fits, as it was written.
        entry: String,
    },
    /// A list of the only tools does not name it.
    NotAllowed {
        /// Where the list stands.
        path: String,
        /// The tool.
        tool: String,
    },
    /// The profile does not hold it.
    Profile {
        /// Where the profile was chosen.
        path: String,
        /// Which one.
        profile: &'static str,
        /// The tool.
        tool: String,
    },
    /// It is for the owner alone, and somebody else is behind the message.
    OwnerOnly {
        /// The tool.
        tool: String,
    },
    /// Sandboxed sessions do not have it unless somebody says so.
    Sandbox {
        /// The tool.
        tool: String,
    },
    /// It would change this machine, and the session belongs into a sandbox that is not there.
    NoSandbox {
        /// The setting that wants the sandbox.
        path: String,
    },
    /// Sub-agents do not have it unless somebody says so.
    Subagent {
        /// The tool.
        tool: String,
        /// How deep the sub-agent is.
        depth: u64,
    },
    /// A setting that brings the tool about is off.
    SwitchedOff {
        /// The setting.
        path: String,
    },
    /// The model was not taught to use it.
    Model {
        /// The tool.
        tool: String,
        /// The model.
        model: String,
    },
    /// A list of the only models does not name the one that answers.
    ModelNotListed {
        /// Where the list stands.
        path: String,
        /// The model.
        model: String,
    },
    /// There is no model that sees pictures.
    NoImageModel,
    /// It is not called over HTTP unless somebody says so.
    Http {
        /// The tool.
        tool: String,
    },
    /// There is no such tool.
    NoSuchTool {
        /// What was asked for.
        tool: String,
    },
}

impl fmt::Display for ToolRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Denied { path, entry } => write!(out, "{path} contains {entry:?}"),
            Self::NotAllowed { path, tool } => write!(out, "{path} does not contain {tool:?}"),
            Self::Profile { path, profile, tool } => {
                write!(out, "{path} is {profile:?}, which does not include {tool:?}")
            }
            Self::OwnerOnly { tool } => write!(out, "{tool:?} is for the owner of this installation only"),
            Self::Sandbox { tool } => {
                write!(
                    out,
                    "sandboxed sessions do not have {tool:?} unless tools.sandbox.tools.allow names it"
                )
            }
            Self::NoSandbox { path } => write!(
                out,
                "{path} puts this session into a sandbox, this gateway has none yet, and the tool would change the \
                 machine itself"
            ),
            Self::Subagent { tool, depth } => write!(
                out,
                "sub-agents at depth {depth} do not have {tool:?} unless tools.subagents.tools.allow names it"
            ),
            Self::SwitchedOff { path } => write!(out, "{path} is not true"),
            Self::Model { tool, model } => write!(out, "{model} was not made to use {tool:?}"),
            Self::ModelNotListed { path, model } => write!(out, "{path} does not contain {model:?}"),
            Self::NoImageModel => out.write_str("no model that sees pictures is configured"),
            Self::Http { tool } => {
                write!(out, "{tool:?} is not called over HTTP unless gateway.tools.allow names it")
            }
            Self::NoSuchTool { tool } => write!(out, "there is no tool named {tool:?}"),
        }
    }
}

/// A name in a list that no tool and no group has.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UnknownToolName {
    /// Where the list stands.
    pub path: String,
    /// The name as it was written.
    pub entry: String,
}

impl fmt::Display for UnknownToolName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, entry } = self;
        write!(out, "{path} contains {entry:?}, which is no tool and no group here; it has no effect")
    }
}
