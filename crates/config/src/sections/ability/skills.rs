//! The `skills` section: what agents can be taught.
//!
//! The raw form, as written in the file: keys left out stay absent, and what they default to is decided where the
//! setting is resolved or used.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::{Count, Positive, Raw, SecretInput, SecretText};

/// What agents can be taught.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsSection {
    /// The only built-in skills that are used.
    pub allow_bundled: Option<Vec<String>>,
    /// Where skills are looked for.
    pub load: Option<SkillsLoad>,
    /// How what skills need is installed.
    pub install: Option<SkillsInstall>,
    /// Limits on skills.
    pub limits: Option<SkillsLimits>,
    /// Settings of skills by name.
    #[serde(default)]
    pub entries: BTreeMap<String, SkillEntry>,
}

/// Where skills are looked for.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsLoad {
    /// Further directories.
    pub extra_dirs: Option<Vec<String>>,
    /// Whether changes are noticed.
    pub watch: Option<bool>,
    /// How long files must be quiet, in milliseconds.
    pub watch_debounce_ms: Option<Count>,
}

/// How what skills need is installed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsInstall {
    /// Whether Homebrew is tried first.
    pub prefer_brew: Option<bool>,
    /// The package manager for Node.
    pub node_manager: Option<NodeManager>,
}

/// Limits on skills.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsLimits {
    /// How many are looked at in a directory.
    pub max_candidates_per_root: Option<Positive>,
    /// How many are loaded from one source.
    pub max_skills_loaded_per_source: Option<Positive>,
    /// How many the model is told of.
    pub max_skills_in_prompt: Option<Count>,
    /// How much it is told.
    pub max_skills_prompt_chars: Option<Count>,
    /// The largest skill file.
    pub max_skill_file_bytes: Option<Count>,
}

/// Settings of a skill.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillEntry {
    /// Whether it is used.
    pub enabled: Option<bool>,
    /// Its key, or where the key is kept.
    pub api_key: Option<SecretInput>,
    /// Variables it is given.
    #[serde(default)]
    pub env: BTreeMap<String, SecretText>,
    /// Settings of its own.
    #[serde(default)]
    pub config: BTreeMap<String, Raw>,
}

/// A package manager for Node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum NodeManager {
    /// npm.
    Npm,
    /// pnpm.
    Pnpm,
    /// Yarn.
    Yarn,
    /// Bun.
    Bun,
}
