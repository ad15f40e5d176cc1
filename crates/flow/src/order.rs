//! Makes the agent's order from a submission and its session, and notes in the session what the next order needs. Pure.
//!
//! What the sender of a submission asks for wins over what the session prefers; what neither says is left to the agent and the
//! configuration. Words that nobody understands count as not said.

use std::path::PathBuf;
use std::time::Duration;

use openclaw_agent::{
    Pin, PinStrength, PromptMeasuring, PromptMode, Reasoning, RunInput, RunOrder, Selection,
};
use openclaw_ports::model::{ToolChoice, ToolSpec};
use openclaw_ports::tool::ExecChoices;
use openclaw_types::{AuthProfileId, SessionEntry, SessionFacts, SessionKey, SessionScope, ThinkingLevel};
use serde_json::Value;

use crate::publish::Verbose;
use crate::submission::{Submission, SubmissionSurface};

/// The order of a run that a submission began. The session's model answers unless the submission asks for another.
pub(crate) fn order(
    submission: &Submission,
    entry: &SessionEntry,
    usual: Selection,
    input: RunInput,
) -> RunOrder {
    let facts = &entry.facts;
    let options = &submission.options;
    RunOrder {
        run: submission.run.clone(),
        agent: submission.agent.clone(),
        key: submission.key.clone(),
        session: entry.session_id.clone(),
        entry: None,
        input,
        model: options.model.clone().map_or(usual, Selection::Run),
        pin: pin(facts),
        thinking: options
            .thinking
            .as_deref()
            .and_then(ThinkingLevel::from_typed)
            .or_else(|| facts.thinking_level.as_deref().and_then(ThinkingLevel::from_typed)),
        reasoning: reasoning(facts),
        prompt: prompt(&submission.key),
        extra_system: options.extra_system.clone(),
        client_tools: options.client_tools.iter().filter_map(client_tool).collect(),
        tool_choice: options.tool_choice.as_deref().map_or(ToolChoice::Auto, tool_choice),
        max_output_tokens: options.max_output_tokens,
        temperature: options.temperature,
        timeout: options.timeout_seconds.map(Duration::from_secs),
        sender: submission.sender(),
        exec: exec_choices(facts),
        workspace: options.cwd.as_deref().map(PathBuf::from),
        depth: depth(&submission.key, facts),
        report: match submission.surface {
            SubmissionSurface::Agent => PromptMeasuring::Wanted,
            _ => PromptMeasuring::Unwanted,
        },
        room: options.tools.clone(),
        turns: None,
    }
}

/// What a session says about running commands.
pub(crate) fn exec_choices(facts: &SessionFacts) -> ExecChoices {
    ExecChoices {
        host: facts.exec_host.clone(),
        security: facts.exec_security.clone(),
        ask: facts.exec_ask.clone(),
        node: facts.exec_node.clone(),
        elevated: facts.elevated_level.clone(),
    }
}

/// The model a person chose for the session.
pub(crate) fn chosen(facts: &SessionFacts) -> Option<String> {
    match (&facts.provider_override, &facts.model_override) {
        (Some(provider), Some(model)) => Some(format!("{provider}/{model}")),
        (None, Some(model)) => Some(model.clone()),
        _ => None,
    }
}

/// The sign-in of the session: one that a person chose, or the one it used last, as long as its context is the same.
fn pin(facts: &SessionFacts) -> Option<Pin> {
    let profile = AuthProfileId::new(facts.auth_profile_override.as_deref()?).ok()?;
    if facts.auth_profile_override_source.as_deref() != Some("auto") {
        return Some(Pin { profile, strength: PinStrength::Locked });
    }
    let then = facts.auth_profile_override_compaction_count.unwrap_or(0);
    let now = facts.compaction_count.unwrap_or(0);
    (then == now).then_some(Pin { profile, strength: PinStrength::Preferred })
}

fn reasoning(facts: &SessionFacts) -> Reasoning {
    match facts.reasoning_level.as_deref() {
        Some("on") => Reasoning::Shown,
        Some("stream") => Reasoning::Streamed,
        _ => Reasoning::Hidden,
    }
}

fn prompt(key: &SessionKey) -> PromptMode {
    match key.scope() {
        SessionScope::Subagent(_) | SessionScope::Cron(_) | SessionScope::CronRun(..) => PromptMode::Minimal,
        _ => PromptMode::Full,
    }
}

/// How deep below a person's session a session is.
pub(crate) fn depth(key: &SessionKey, facts: &SessionFacts) -> u64 {
    let by_key = match key.scope() {
        SessionScope::Subagent(lineage) => lineage.depth() as u64,
        _ => 0,
    };
    facts.spawn_depth.unwrap_or(0).max(by_key)
}

/// What a session shows of its tools, where it says so.
pub(crate) fn verbose(facts: &SessionFacts) -> Option<Verbose> {
    facts.verbose_level.as_deref().and_then(Verbose::from_word)
}

fn client_tool(value: &Value) -> Option<ToolSpec> {
    let name = value.get("name")?.as_str()?.to_owned();
    let description = value.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let empty = || serde_json::json!({ "type": "object", "properties": {} });
    let parameters = value.get("parameters").cloned().filter(Value::is_object).unwrap_or_else(empty);
    Some(ToolSpec { name, description: description.into(), parameters: parameters.into() })
}

fn tool_choice(word: &str) -> ToolChoice {
    match word {
        "auto" => ToolChoice::Auto,
        "none" => ToolChoice::None,
        "required" => ToolChoice::Required,
        name => ToolChoice::Named(name.to_owned()),
    }
}
