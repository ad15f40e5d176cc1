//! The `tools` section: which tools there are and how they work.
//!
//! `policy` holds what can be said for all agents and for one; the other files are named for the tools they configure.
//! No defaults here.

mod exec;
mod links;
mod loop_detection;
mod media;
mod message;
mod policy;
mod web;

pub use exec::{AgentExecTool, ApplyPatchTool, ExecAsk, ExecHost, ExecSecurity, ExecTool, SafeBinProfile};
pub use links::{LinkModel, LinkModelType, LinkTools};
pub use loop_detection::{LoopDetection, LoopDetectors};
pub use media::{
    AttachmentMode, AttachmentPreference, DeepgramOptions, MediaAttachments, MediaKind, MediaModel,
    MediaModelType, MediaRequest, MediaTools, MediaUnderstanding,
};
pub use message::{CrossContext, CrossContextMarker, MessageTool};
pub use policy::{
    AgentTools, ElevatedTools, FileTools, NestedTools, SharedTools, ToolLists, ToolPolicy, ToolProfile,
};
pub use web::{
    GeminiSearch, GrokSearch, SearchEndpoint, SearchProvider, SearxngSearch, WebFetch, WebSearch, WebTools,
};

use schemars::JsonSchema;
use serde::Deserialize;

/// Which tools agents have, and how the tools work.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolsSection {
    /// What can also be said for one agent.
    #[serde(flatten)]
    pub shared: SharedTools,
    /// Searching and reading the web.
    pub web: Option<WebTools>,
    /// Understanding pictures, sound and video.
    pub media: Option<MediaTools>,
    /// Understanding links.
    pub links: Option<LinkTools>,
    /// Which sessions tools see.
    pub sessions: Option<SessionTools>,
    /// Sending messages.
    pub message: Option<MessageTool>,
    /// Agents talking to each other.
    pub agent_to_agent: Option<AgentToAgentTool>,
    /// Running commands.
    pub exec: Option<ExecTool>,
    /// Tools of agents that were handed work.
    pub subagents: Option<NestedTools>,
}

/// Which sessions tools see.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionTools {
    /// Which.
    pub visibility: Option<SessionVisibility>,
}

/// Agents talking to each other.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentToAgentTool {
    /// Whether they may.
    pub enabled: Option<bool>,
    /// Which agents.
    pub allow: Option<Vec<String>>,
}

/// Which sessions a session's tools see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SessionVisibility {
    /// Its own.
    #[serde(rename = "self")]
    Own,
    /// Its own and those it started.
    Tree,
    /// All of its agent.
    Agent,
    /// All.
    All,
}
