//! `models.list`, `tools.catalog` and `skills.*`: what agents can think with, use and learn.
//!
//! Only the shapes. What is offered is decided by providers, tools and skills themselves;
//! the gateway's handlers gather it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::NoParams;
use crate::method::methods;
use crate::shape::{Int, NonEmpty, SecretText, Yes, choices, object};

methods! {
    /// Lists models agents may use.
    ModelsList = "models.list": NoParams => ModelsListResult;
    /// Lists tools by group.
    ToolsCatalog = "tools.catalog": ToolsCatalogParams => ToolsCatalogResult;
    /// Lists the commands of a chat. From protocol 4, and told to older clients too.
    CommandsList = "commands.list": CommandsListParams => CommandsListResult;
    /// Lists skills and what they lack.
    SkillsStatus = "skills.status": SkillsStatusParams => SkillsStatusResult;
    /// Lists programs skills may call; nodes ask for it.
    SkillsBins = "skills.bins": NoParams => SkillsBinsResult;
    /// Installs what a skill lacks.
    SkillsInstall = "skills.install": SkillsInstallParams => SkillsInstallResult;
    /// Switches or configures a skill.
    SkillsUpdate = "skills.update": SkillsUpdateParams => SkillsUpdateResult;
}

choices! {
    /// Where a tool comes from.
    ToolSource { Core = "core", Plugin = "plugin" }
    /// Where a command can be given: in words, in a platform's menu, or in both.
    CommandScope { Text = "text", Native = "native", Both = "both" }
    /// A ready-made selection of tools.
    ToolProfileId { Minimal = "minimal", Coding = "coding", Messaging = "messaging", Full = "full" }
}

object! {
    /// Result of `models.list`.
    open ModelsListResult {
        models: Vec<ModelChoice>,
    }
    /// A model.
    open ModelChoice {
        id: String,
        name: String,
        provider: String,
        context_window?: u64,
        reasoning?: bool,
        input?: Vec<String>,
    }
    /// Params of `tools.catalog`.
    closed ToolsCatalogParams {
        agent_id?: NonEmpty,
        include_plugins?: bool,
    }
    /// Result of `tools.catalog`.
    open ToolsCatalogResult {
        agent_id: String,
        profiles: Vec<ToolProfile>,
        groups: Vec<ToolGroup>,
    }
    /// A ready-made selection of tools.
    open ToolProfile {
        id: ToolProfileId,
        label: String,
    }
    /// Tools that belong together.
    open ToolGroup {
        id: String,
        label: String,
        source: ToolSource,
        plugin_id?: String,
        tools: Vec<ToolEntry>,
    }
    /// A tool.
    open ToolEntry {
        id: String,
        label: String,
        description: String,
        source: ToolSource,
        plugin_id?: String,
        optional?: bool,
        default_profiles: Vec<ToolProfileId>,
    }
    /// Params of `commands.list`.
    #[derive(Default)]
    closed CommandsListParams {
        session_key?: NonEmpty,
        agent_id?: NonEmpty,
        provider?: NonEmpty,
        scope?: CommandScope,
        include_args?: bool,
    }
    /// Result of `commands.list`.
    open CommandsListResult {
        commands: Vec<CommandEntry>,
    }
    /// A command of a chat.
    open CommandEntry {
        name: String,
        native_name?: String,
        text_aliases?: Vec<String>,
        description: String,
        category?: String,
        source: String,
        scope: CommandScope,
        accepts_args: bool,
        args?: Vec<CommandArgument>,
    }
    /// What may follow a command.
    open CommandArgument {
        name: String,
        description: String,
        "type" kind: String,
        required?: bool,
        choices?: Vec<CommandChoice>,
    }
    /// A word that may follow a command.
    open CommandChoice {
        value: String,
        label: String,
    }
    /// Params of `skills.status`.
    closed SkillsStatusParams {
        agent_id?: NonEmpty,
    }
    /// Result of `skills.status`.
    open SkillsStatusResult {
        workspace_dir: String,
        managed_skills_dir: String,
        skills: Vec<SkillStatus>,
    }
    /// A skill.
    open SkillStatus {
        name: String,
        description: String,
        source: String,
        bundled: bool,
        file_path: String,
        base_dir: String,
        skill_key: String,
        primary_env?: String,
        emoji?: String,
        homepage?: String,
        always: bool,
        disabled: bool,
        blocked_by_allowlist: bool,
        eligible: bool,
        requirements: SkillNeeds,
        missing: SkillNeeds,
        config_checks: Vec<SkillConfigCheck>,
        install: Vec<SkillInstallOption>,
    }
    /// What a skill needs.
    #[derive(Eq, Default)]
    open SkillNeeds {
        bins: Vec<String>,
        any_bins: Vec<String>,
        env: Vec<String>,
        config: Vec<String>,
        os: Vec<String>,
    }
    /// Whether a setting a skill needs is made.
    open SkillConfigCheck {
        path: String,
        satisfied: bool,
    }
    /// A way to install what a skill lacks.
    open SkillInstallOption {
        id: String,
        kind: String,
        label: String,
        bins: Vec<String>,
    }
    /// Result of `skills.bins`.
    open SkillsBinsResult {
        bins: Vec<String>,
    }
    /// Params of `skills.install`.
    closed SkillsInstallParams {
        name: NonEmpty,
        install_id: NonEmpty,
        timeout_ms?: Int<1000>,
    }
    /// Result of `skills.install`.
    open SkillsInstallResult {
        ok: bool,
        message: String,
        stdout: String,
        stderr: String,
        code: Option<i64>,
        warnings?: Vec<String>,
    }
    /// Params of `skills.update`.
    closed SkillsUpdateParams {
        skill_key: NonEmpty,
        enabled?: bool,
        /// Empty removes it.
        api_key?: SecretText,
        /// An empty value removes it.
        env?: BTreeMap<String, SecretText>,
    }
    /// Result of `skills.update`.
    open SkillsUpdateResult {
        ok: Yes,
        skill_key: String,
        config: Value,
    }
}
