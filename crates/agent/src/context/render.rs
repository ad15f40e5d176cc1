//! Reports for people: the answers of `/context`.
//!
//! Pure. A number of tokens that was guessed has a `~`, one that was counted has none, and the last line says which.

use serde_json::{Value, json};

use super::report::{FileSize, PromptReport, ReportSource};

const NAMES_SHOWN: usize = 30;
const LETTERS_PER_TOKEN: u64 = 4;

/// How much `/context` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContextView {
    /// The sizes.
    List,
    /// The sizes, tool by tool and skill by skill.
    Detail,
    /// The same for programs.
    Json,
}

/// What a session says about its tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SessionTokens {
    /// How full the context is.
    pub total: Option<u64>,
    /// What the last run read.
    pub input: Option<u64>,
    /// What it wrote.
    pub output: Option<u64>,
    /// How much the model can read.
    pub context: Option<u64>,
}

/// What `/context` says without a report.
#[must_use]
pub fn context_help() -> String {
    "🧠 /context shows what fills the model's context.\n\n\
     - /context list: the system prompt, the workspace files, tools and skills, with their sizes\n\
     - /context detail: the same, tool by tool and skill by skill\n\
     - /context json: the same for programs"
        .to_owned()
}

/// What `/context` says.
#[must_use]
pub fn context_text(view: ContextView, report: &PromptReport, session: &SessionTokens) -> String {
    match view {
        ContextView::Json => {
            let value = json!({ "report": report, "session": session_json(session) });
            serde_json::to_string_pretty(&value).unwrap_or_else(|_never| value.to_string())
        }
        ContextView::List | ContextView::Detail => lines(view, report, session).join("\n"),
    }
}

fn session_json(session: &SessionTokens) -> Value {
    json!({
        "totalTokens": session.total,
        "inputTokens": session.input,
        "outputTokens": session.output,
        "contextTokens": session.context,
    })
}

fn lines(view: ContextView, report: &PromptReport, session: &SessionTokens) -> Vec<String> {
    let scale = Scale { counted: report.counted_by.as_deref().is_some_and(|by| by != super::ESTIMATE) };
    let mut lines = head(report, &scale);
    lines.push(String::new());
    lines.push("Workspace files:".to_owned());
    lines.extend(report.injected_workspace_files.iter().map(|file| file_line(file, &scale)));
    lines.extend(cut_note(report));
    lines.push(String::new());
    lines.extend(skill_lines(view, report, &scale));
    lines.extend(tool_lines(view, report, &scale));
    lines.push(String::new());
    lines.push(session_line(session));
    lines.push(match report.counted_by.as_deref() {
        Some(by) if scale.counted => format!("Tokens were counted with {by}; those marked ~ are estimates."),
        _ => "Tokens are estimates.".to_owned(),
    });
    lines
}

fn head(report: &PromptReport, scale: &Scale) -> Vec<String> {
    let prompt = &report.system_prompt;
    let origin = match report.source {
        ReportSource::Run => "last run",
        ReportSource::Estimate => "next run",
    };
    let limit = |limit: Option<u64>| limit.map_or_else(|| "?".to_owned(), grouped);
    let sandbox = match &report.sandbox {
        Some(sandbox) => {
            let state = if sandbox.sandboxed { "tools run in it" } else { "not used here" };
            format!("Sandbox: {} ({state})", sandbox.mode.as_deref().unwrap_or("unknown"))
        }
        None => "Sandbox: unknown".to_owned(),
    };
    vec![
        "🧠 Context".to_owned(),
        format!("Workspace: {}", report.workspace_dir.as_deref().unwrap_or("unknown")),
        format!(
            "Limits for workspace files: {} chars each, {} together",
            limit(report.bootstrap_max_chars),
            limit(report.bootstrap_total_max_chars)
        ),
        sandbox,
        format!(
            "System prompt ({origin}): {}, of which workspace files {}",
            scale.size(prompt.chars, prompt.tokens),
            scale.size(prompt.project_context_chars, prompt.project_context_tokens)
        ),
    ]
}

fn file_line(file: &FileSize, scale: &Scale) -> String {
    let injected = scale.size(file.injected_chars, file.injected_tokens);
    if file.missing {
        return format!("- {}: MISSING", file.name);
    }
    if file.truncated {
        return format!(
            "- {}: TRUNCATED | {} chars, injected {injected}",
            file.name,
            grouped(file.raw_chars)
        );
    }
    format!("- {}: OK | {injected}", file.name)
}

fn cut_note(report: &PromptReport) -> Option<String> {
    let cut = report.injected_workspace_files.iter().filter(|file| file.truncated).count();
    (cut > 0).then(|| {
        format!(
            "⚠ {cut} of them did not fit. Shorten them, or raise agents.defaults.bootstrapMaxChars or bootstrapTotalMaxChars."
        )
    })
}

fn skill_lines(view: ContextView, report: &PromptReport, scale: &Scale) -> Vec<String> {
    let skills = &report.skills;
    let names = skills.entries.iter().map(|skill| skill.name.as_str());
    let mut lines = vec![format!(
        "Skills in the prompt: {}, {}",
        skills.entries.len(),
        scale.size(skills.prompt_chars, skills.tokens)
    )];
    if !skills.entries.is_empty() {
        lines.push(format!("Skills: {}", shown(names)));
    }
    if view == ContextView::Detail {
        let sizes = skills.entries.iter().map(|skill| (skill.name.as_str(), skill.block_chars));
        lines.extend(largest("Skills by size:", sizes.collect()));
    }
    lines
}

fn tool_lines(view: ContextView, report: &PromptReport, scale: &Scale) -> Vec<String> {
    let tools = &report.tools;
    let names = tools.entries.iter().map(|tool| tool.name.as_str());
    let mut lines = vec![
        format!("Tool list in the prompt: {}", scale.size(tools.list_chars, tools.list_tokens)),
        format!("Tool schemas beside the prompt: {}", scale.size(tools.schema_chars, tools.schema_tokens)),
        format!("Tools: {}", if tools.entries.is_empty() { "none".to_owned() } else { shown(names) }),
    ];
    if view == ContextView::Detail {
        let sizes = |of: fn(&super::report::ToolSize) -> u64| {
            tools.entries.iter().map(|tool| (tool.name.as_str(), of(tool))).collect()
        };
        lines.extend(largest("Tools by schema:", sizes(|tool| tool.schema_chars)));
        lines.extend(largest("Tools by description:", sizes(|tool| tool.summary_chars)));
        let known = tools.entries.iter().filter_map(|tool| Some((tool, tool.properties_count?)));
        let counts: Vec<String> = known.map(|(tool, count)| format!("{} {count}", tool.name)).collect();
        if !counts.is_empty() {
            lines.push(format!("Arguments: {}", counts.join(", ")));
        }
    }
    lines
}

fn session_line(session: &SessionTokens) -> String {
    let number = |number: Option<u64>| number.map_or_else(|| "unknown".to_owned(), grouped);
    let share = match (session.total, session.context) {
        (Some(total), Some(context)) if context > 0 => {
            format!(" ({}%)", total.saturating_mul(100) / context)
        }
        _ => String::new(),
    };
    format!("Session: {} of {} tokens{share}", number(session.total), number(session.context))
}

/// The largest first, as many as are shown.
fn largest(title: &str, mut sizes: Vec<(&str, u64)>) -> Vec<String> {
    if sizes.is_empty() {
        return Vec::new();
    }
    sizes.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    let more = sizes.len().saturating_sub(NAMES_SHOWN);
    let guess = Scale { counted: false };
    let mut lines = vec![title.to_owned()];
    lines.extend(
        sizes
            .into_iter()
            .take(NAMES_SHOWN)
            .map(|(name, size)| format!("- {name}: {}", guess.size(size, None))),
    );
    if more > 0 {
        lines.push(format!("… and {more} more"));
    }
    lines
}

fn shown<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(NAMES_SHOWN);
    let listed = names.take(NAMES_SHOWN).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{listed}, … and {more} more") } else { listed }
}

/// How sizes are written.
struct Scale {
    counted: bool,
}

impl Scale {
    fn size(&self, chars: u64, tokens: Option<u64>) -> String {
        let exact = self.counted && tokens.is_some();
        let tokens = tokens.unwrap_or_else(|| chars.div_ceil(LETTERS_PER_TOKEN));
        format!("{} chars ({}{} tokens)", grouped(chars), if exact { "" } else { "~" }, grouped(tokens))
    }
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
