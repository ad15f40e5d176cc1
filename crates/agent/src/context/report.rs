//! What a system prompt was made of, in numbers.
//!
//! The JSON has the shape that the original keeps with a session, so that its reports are read and ours are read there;
//! what we add may be absent. Made by the turn loop with a counter that guesses, and by `/context` with the best one.

use openclaw_ports::model::ToolSpec;
use openclaw_types::{SessionId, SessionKey, UnixMillis};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::TokenCounter;
use crate::prompt::{PromptInput, SkillLine, SystemPrompt, skill_text, tool_text};
use crate::workspace::{Extent, InjectedFile};

/// What a system prompt was made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptReport {
    /// Whether a run had this prompt.
    pub source: ReportSource,
    /// When it was measured.
    pub generated_at: UnixMillis,
    /// The transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<String>,
    /// The vendor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Where the agent works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace_dir: Option<String>,
    /// The most characters of one workspace file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bootstrap_max_chars: Option<u64>,
    /// The most characters of all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bootstrap_total_max_chars: Option<u64>,
    /// Whether tools ran in a container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxReport>,
    /// The prompt itself.
    pub system_prompt: PromptSize,
    /// The workspace files.
    pub injected_workspace_files: Vec<FileSize>,
    /// The skills.
    pub skills: SkillsSize,
    /// The tools.
    pub tools: ToolsSize,
    /// How tokens were counted: `estimate`, or the name of a vocabulary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_by: Option<String>,
}

/// Whether a run had a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReportSource {
    /// It did.
    Run,
    /// The next run would have it.
    Estimate,
}

/// Whether tools ran in a container.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxReport {
    /// The setting: `off`, `non-main` or `all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Whether they did.
    #[serde(default)]
    pub sandboxed: bool,
}

/// How large the prompt is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptSize {
    /// Its characters.
    pub chars: u64,
    /// Those of the workspace files with what introduces them.
    pub project_context_chars: u64,
    /// Those of the rest.
    pub non_project_context_chars: u64,
    /// Its tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Those of the workspace files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_context_tokens: Option<u64>,
}

/// How large a workspace file is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileSize {
    /// Its name.
    pub name: String,
    /// Where it is, or would be.
    pub path: String,
    /// Whether it is missing.
    pub missing: bool,
    /// Its characters.
    pub raw_chars: u64,
    /// Those that the model sees.
    pub injected_chars: u64,
    /// Whether those are fewer.
    pub truncated: bool,
    /// The tokens that the model sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub injected_tokens: Option<u64>,
}

/// How large the list of skills is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillsSize {
    /// Its characters.
    pub prompt_chars: u64,
    /// The skills.
    #[serde(default)]
    pub entries: Vec<SkillSize>,
    /// Its tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// How large one skill's entry is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillSize {
    /// Its name.
    pub name: String,
    /// Its characters.
    pub block_chars: u64,
}

/// How large the tools are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolsSize {
    /// The characters of the list in the prompt.
    pub list_chars: u64,
    /// The characters of all schemas.
    pub schema_chars: u64,
    /// The tools.
    #[serde(default)]
    pub entries: Vec<ToolSize>,
    /// The tokens of the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list_tokens: Option<u64>,
    /// The tokens of all schemas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_tokens: Option<u64>,
}

/// How large one tool is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSize {
    /// Its name.
    pub name: String,
    /// The characters of its description.
    pub summary_chars: u64,
    /// The characters of its schema.
    pub schema_chars: u64,
    /// How many arguments it knows; nothing where the schema does not say.
    #[serde(default)]
    pub properties_count: Option<u64>,
}

/// What a report is about, beside the prompt.
#[derive(Debug, Clone, Copy)]
pub struct ReportFrame<'a> {
    /// Whether a run had this prompt.
    pub source: ReportSource,
    /// When it is measured.
    pub at: UnixMillis,
    /// The transcript.
    pub session: Option<&'a SessionId>,
    /// The session.
    pub key: Option<&'a SessionKey>,
    /// The setting of the sandbox: `off`, `non-main` or `all`.
    pub sandbox_mode: &'a str,
    /// The tools as the request carries them.
    pub tools: &'a [ToolSpec],
}

impl PromptReport {
    /// Measures a prompt.
    #[must_use]
    pub fn of(
        input: &PromptInput<'_>,
        prompt: &SystemPrompt,
        frame: &ReportFrame<'_>,
        counter: &TokenCounter,
    ) -> Self {
        let situation = &input.situation;
        let sandbox = SandboxReport {
            mode: Some(frame.sandbox_mode.to_owned()),
            sandboxed: situation.sandbox.is_some(),
        };
        Self {
            source: frame.source,
            generated_at: frame.at,
            session_id: frame.session.map(ToString::to_string),
            session_key: frame.key.map(ToString::to_string),
            provider: situation.model.map(|model| model.provider().to_string()),
            model: situation.model.map(|model| model.model().to_owned()),
            workspace_dir: Some(situation.workspace.display().to_string()),
            bootstrap_max_chars: Some(count(situation.files.file_chars)),
            bootstrap_total_max_chars: Some(count(situation.files.total_chars)),
            sandbox: Some(sandbox),
            system_prompt: prompt_size(prompt, counter),
            injected_workspace_files: situation
                .files
                .files
                .iter()
                .map(|file| file_size(file, counter))
                .collect(),
            skills: skills_size(situation.skills, counter),
            tools: tools_size(input, frame.tools, counter),
            counted_by: Some(counter.name().to_owned()),
        }
    }

    /// The report as it is kept with a session.
    #[must_use]
    pub fn to_value(&self) -> Value {
        // Plain data with text keys always serialises.
        serde_json::to_value(self).unwrap_or(Value::Null)
    }
}

fn prompt_size(prompt: &SystemPrompt, counter: &TokenCounter) -> PromptSize {
    let whole = prompt.text();
    let project = prompt.part("project context").unwrap_or_default();
    let (chars, project_chars) = (chars(&whole), chars(project));
    PromptSize {
        chars,
        project_context_chars: project_chars,
        non_project_context_chars: chars.saturating_sub(project_chars),
        tokens: Some(counter.count(&whole)),
        project_context_tokens: Some(counter.count(project)),
    }
}

fn file_size(file: &InjectedFile, counter: &TokenCounter) -> FileSize {
    let missing = file.extent == Extent::Missing;
    let seen = if missing { "" } else { &file.text };
    FileSize {
        name: file.name.to_owned(),
        path: file.path.display().to_string(),
        missing,
        raw_chars: count(file.raw_chars),
        injected_chars: chars(seen),
        truncated: file.extent == Extent::Cut,
        injected_tokens: Some(counter.count(seen)),
    }
}

fn skills_size(skills: &[SkillLine<'_>], counter: &TokenCounter) -> SkillsSize {
    let text = skill_text(skills);
    let entries = skills
        .iter()
        .map(|skill| SkillSize {
            name: skill.name.to_owned(),
            block_chars: chars(&skill_text(std::slice::from_ref(skill))),
        })
        .collect();
    SkillsSize { prompt_chars: chars(&text), entries, tokens: Some(counter.count(&text)) }
}

fn tools_size(input: &PromptInput<'_>, tools: &[ToolSpec], counter: &TokenCounter) -> ToolsSize {
    let list = tool_text(input.situation.tools);
    let mut size = ToolsSize {
        list_chars: chars(&list),
        list_tokens: Some(counter.count(&list)),
        ..ToolsSize::default()
    };
    let mut schema_tokens: u64 = 0;
    for tool in tools {
        let schema = tool.parameters.to_string();
        schema_tokens = schema_tokens.saturating_add(counter.count(&schema));
        size.schema_chars = size.schema_chars.saturating_add(chars(&schema));
        let properties = tool.parameters.get("properties").and_then(Value::as_object);
        size.entries.push(ToolSize {
            name: tool.name.clone(),
            summary_chars: chars(tool.description.trim()),
            schema_chars: chars(&schema),
            properties_count: properties.map(|properties| count(properties.len())),
        });
    }
    size.schema_tokens = Some(schema_tokens);
    size
}

fn chars(text: &str) -> u64 {
    count(text.chars().count())
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
