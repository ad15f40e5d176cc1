//! `/think`, `/verbose`, `/reasoning` and `/elevated`: levels of a session, shown or set.

use openclaw_config::ExecSettings;
use openclaw_config::sections::{ElevatedLevel as ConfiguredLevel, SandboxMode};
use openclaw_exec::elevated_obstacle;
use openclaw_inbound::commands::{ElevatedLevel, Level, ReasoningLevel, VerboseLevel};
use openclaw_session::{FieldChange, SessionPatch};
use openclaw_types::{SessionScope, ThinkingLevel};

use crate::commands::call::levels;
use crate::commands::status::thinking;
use crate::commands::{CommandCall, CommandTrouble};
use crate::publish::Verbose;

/// `/think`.
pub(super) async fn think(
    call: &CommandCall<'_>,
    level: &Level<ThinkingLevel>,
) -> Result<String, CommandTrouble> {
    let entry = call.open().await?;
    let model = call.model(&entry.facts);
    let offered = levels(call.models(), &model);
    let options = offered.iter().map(|level| level.as_str()).collect::<Vec<_>>().join(", ");
    match level {
        Level::Show => {
            let reasons = call.models().facts(&model).is_some_and(|facts| facts.reasons());
            let now = thinking(&call.settings(), &entry.facts, reasons);
            Ok(format!("🧠 Thinking: {now}. Levels: {options}."))
        }
        Level::Unknown(word) => Ok(format!("⚠️ \"{word}\" is no level of thinking. Levels: {options}.")),
        Level::Set(level) if !offered.contains(level) => {
            Ok(format!("⚠️ {model} has no level {level}. Levels: {options}."))
        }
        Level::Set(level) => {
            let thinking_level = FieldChange::Set(level.as_str().to_owned());
            call.patch(SessionPatch { thinking_level, ..SessionPatch::default() }, &model).await?;
            Ok(match level {
                ThinkingLevel::Off => "🧠 Thinking is off.".to_owned(),
                level => format!("🧠 Thinking: {level}."),
            })
        }
    }
}

/// `/verbose`.
pub(super) async fn verbose(
    call: &CommandCall<'_>,
    level: &Level<VerboseLevel>,
) -> Result<String, CommandTrouble> {
    let entry = call.open().await?;
    let options = VerboseLevel::WORDS.join(", ");
    let level = match level {
        Level::Show => {
            let usual = match call.flow.usual_verbose() {
                Verbose::Off => "off",
                Verbose::On => "on",
                Verbose::Full => "full",
            };
            let now = entry.facts.verbose_level.as_deref().unwrap_or(usual);
            return Ok(format!("🔎 Tools at work: {now}. Levels: {options}."));
        }
        Level::Unknown(word) => return Ok(format!("⚠️ \"{word}\" is no level. Levels: {options}.")),
        Level::Set(level) => level,
    };
    let verbose_level = FieldChange::Set(level.as_str().to_owned());
    call.patch(SessionPatch { verbose_level, ..SessionPatch::default() }, &call.model(&entry.facts)).await?;
    Ok(match level {
        VerboseLevel::Off => "🔎 Tools at work are not shown.",
        VerboseLevel::On => "🔎 You see what tools do.",
        VerboseLevel::Full => "🔎 You see what tools do and what comes of it.",
    }
    .to_owned())
}

/// `/reasoning`.
pub(super) async fn reasoning(
    call: &CommandCall<'_>,
    level: &Level<ReasoningLevel>,
) -> Result<String, CommandTrouble> {
    let entry = call.open().await?;
    let options = ReasoningLevel::WORDS.join(", ");
    let level = match level {
        Level::Show => {
            let now = entry.facts.reasoning_level.as_deref().unwrap_or("off");
            return Ok(format!("💭 Thoughts: {now}. Levels: {options}."));
        }
        Level::Unknown(word) => return Ok(format!("⚠️ \"{word}\" is no level. Levels: {options}.")),
        Level::Set(level) => level,
    };
    let reasoning_level = FieldChange::Set(level.as_str().to_owned());
    call.patch(SessionPatch { reasoning_level, ..SessionPatch::default() }, &call.model(&entry.facts))
        .await?;
    let line = format!("Showing of thoughts was set to {}.", level.as_str());
    call.flow.notes.add(call.key(), &line, call.flow.now());
    Ok(match level {
        ReasoningLevel::Off => "💭 Thoughts are not shown.",
        ReasoningLevel::On => "💭 Thoughts are shown as a message of their own.",
        ReasoningLevel::Stream => "💭 Thoughts are shown as they come, where the chat can do that.",
    }
    .to_owned())
}

/// `/elevated`.
pub(super) async fn elevated(
    call: &CommandCall<'_>,
    level: &Level<ElevatedLevel>,
) -> Result<String, CommandTrouble> {
    let entry = call.open().await?;
    let options = ElevatedLevel::WORDS.join(", ");
    let settings = ExecSettings::of(&call.settings(), call.agent());
    let closed = elevated_obstacle(&settings.elevated, &call.submission.sender());
    let level = match (level, closed) {
        (Level::Set(ElevatedLevel::Off), _) => &ElevatedLevel::Off,
        (_, Some(gate)) => return Ok(gates_text("Elevated commands are", &gate)),
        (Level::Show, None) => {
            let now =
                entry.facts.elevated_level.as_deref().unwrap_or_else(|| usual_elevated(call, &settings));
            return Ok(format!("🔓 Elevated commands: {now}. Levels: {options}."));
        }
        (Level::Unknown(word), None) => return Ok(format!("⚠️ \"{word}\" is no level. Levels: {options}.")),
        (Level::Set(level), None) => level,
    };
    let elevated_level = FieldChange::Set(level.as_str().to_owned());
    call.patch(SessionPatch { elevated_level, ..SessionPatch::default() }, &call.model(&entry.facts)).await?;
    let line = format!("Elevated commands were set to {}.", level.as_str());
    call.flow.notes.add(call.key(), &line, call.flow.now());
    Ok(match level {
        ElevatedLevel::Off => "🔒 Elevated commands are off.",
        ElevatedLevel::On | ElevatedLevel::Ask => "🔓 Elevated commands are on; the rules for approval hold.",
        ElevatedLevel::Full => "🔓 Elevated commands are on, and nobody is asked.",
    }
    .to_owned())
}

/// What holds without a word of the session: the configured level where there is a sandbox to leave.
fn usual_elevated(call: &CommandCall<'_>, settings: &ExecSettings) -> &'static str {
    let sandboxed = match settings.sandbox {
        SandboxMode::Off => false,
        SandboxMode::NonMain => !matches!(call.key().scope(), SessionScope::Main),
        SandboxMode::All => true,
    };
    match settings.elevated.default_level {
        _ if !sandboxed => "off",
        ConfiguredLevel::Off => "off",
        ConfiguredLevel::On => "on",
        ConfiguredLevel::Ask => "ask",
        ConfiguredLevel::Full => "full",
    }
}

/// Says which gate is closed and what opens it.
pub(in crate::commands) fn gates_text(what: &str, gate: &str) -> String {
    let fix = match gate.ends_with(".enabled") {
        true => format!("Set {gate} to true."),
        false => format!("Add yourself to {gate}."),
    };
    format!("⚠️ {what} not open to you here.\nClosed gate: {gate}\n{fix}")
}
