//! `agents.*` and `agent.identity.get`: which agents exist, and the files of their workspaces.
//!
//! Only the shapes: workspaces are written by the gateway's handlers, identities are resolved from the configuration.
//! The names of the editable files are a rule of the handler, not of the wire.

use super::NoParams;
use crate::method::methods;
use crate::shape::{NonEmpty, Yes, choices, object};

methods! {
    /// Lists agents.
    AgentsList = "agents.list": NoParams => AgentsListResult;
    /// Makes an agent and its workspace.
    AgentsCreate = "agents.create": AgentsCreateParams => AgentsCreateResult;
    /// Changes an agent.
    AgentsUpdate = "agents.update": AgentsUpdateParams => AgentsUpdateResult;
    /// Removes an agent.
    AgentsDelete = "agents.delete": AgentsDeleteParams => AgentsDeleteResult;
    /// Lists the workspace files people may edit.
    AgentsFilesList = "agents.files.list": AgentsFilesListParams => AgentsFilesListResult;
    /// Reads a workspace file.
    AgentsFilesGet = "agents.files.get": AgentsFilesGetParams => AgentsFilesGetResult;
    /// Writes a workspace file.
    AgentsFilesSet = "agents.files.set": AgentsFilesSetParams => AgentsFilesSetResult;
    /// Answers the name and picture of an agent.
    AgentIdentityGet = "agent.identity.get": AgentIdentityParams => AgentIdentityResult;
}

choices! {
    /// Whether people have sessions of their own.
    SessionScope { PerSender = "per-sender", Global = "global" }
}

object! {
    /// Result of `agents.list`.
    open AgentsListResult {
        default_id: String,
        main_key: String,
        scope: SessionScope,
        agents: Vec<AgentSummary>,
    }
    /// One agent.
    open AgentSummary {
        id: String,
        name?: String,
        identity?: AgentIdentity,
    }
    /// How an agent presents itself.
    #[derive(Eq, Default)]
    open AgentIdentity {
        name?: String,
        theme?: String,
        emoji?: String,
        avatar?: String,
        avatar_url?: String,
    }
    /// Params of `agents.create`.
    closed AgentsCreateParams {
        name: NonEmpty,
        workspace: NonEmpty,
        emoji?: String,
        avatar?: String,
    }
    /// Result of `agents.create`.
    open AgentsCreateResult {
        ok: Yes,
        agent_id: String,
        name: String,
        workspace: String,
    }
    /// Params of `agents.update`.
    closed AgentsUpdateParams {
        agent_id: NonEmpty,
        name?: NonEmpty,
        workspace?: NonEmpty,
        model?: NonEmpty,
        avatar?: String,
    }
    /// Result of `agents.update`.
    open AgentsUpdateResult {
        ok: Yes,
        agent_id: String,
    }
    /// Params of `agents.delete`.
    closed AgentsDeleteParams {
        agent_id: NonEmpty,
        /// Moves the workspace to the trash; yes when absent.
        delete_files?: bool,
    }
    /// Result of `agents.delete`.
    open AgentsDeleteResult {
        ok: Yes,
        agent_id: String,
        removed_bindings: u64,
    }
    /// Params of `agents.files.list`.
    closed AgentsFilesListParams {
        agent_id: NonEmpty,
    }
    /// Result of `agents.files.list`.
    open AgentsFilesListResult {
        agent_id: String,
        workspace: String,
        files: Vec<AgentFile>,
    }
    /// A workspace file.
    open AgentFile {
        name: String,
        path: String,
        missing: bool,
        size?: u64,
        updated_at_ms?: u64,
        content?: String,
    }
    /// Params of `agents.files.get`.
    closed AgentsFilesGetParams {
        agent_id: NonEmpty,
        name: NonEmpty,
    }
    /// Result of `agents.files.get`.
    open AgentsFilesGetResult {
        agent_id: String,
        workspace: String,
        file: AgentFile,
    }
    /// Params of `agents.files.set`.
    closed AgentsFilesSetParams {
        agent_id: NonEmpty,
        name: NonEmpty,
        content: String,
    }
    /// Result of `agents.files.set`.
    open AgentsFilesSetResult {
        ok: Yes,
        agent_id: String,
        workspace: String,
        file: AgentFile,
    }
    /// Params of `agent.identity.get`.
    closed AgentIdentityParams {
        agent_id?: NonEmpty,
        session_key?: String,
    }
    /// Result of `agent.identity.get`.
    open AgentIdentityResult {
        agent_id: String,
        name?: String,
        /// An address, a letter or an emoji.
        avatar?: String,
        emoji?: String,
    }
}
