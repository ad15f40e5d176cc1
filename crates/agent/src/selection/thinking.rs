//! How hard a model thinks: what is asked when nobody said, what it can do, and what to ask after it refused.

use std::sync::LazyLock;

use openclaw_ports::model::{FaultReason, ModelFacts, ModelFault};
use openclaw_types::ThinkingLevel;
use regex_lite::Regex;

/// The level when nobody asked for one.
pub(crate) fn default_level(configured: Option<ThinkingLevel>, facts: &ModelFacts) -> ThinkingLevel {
    match configured {
        Some(level) => level,
        None if facts.reasons() => ThinkingLevel::Low,
        None => ThinkingLevel::Off,
    }
}

/// The level that a call of a model asks for: what somebody wants, else the usual one, as far as the model can do it.
pub(crate) fn asked_level(
    asked: Option<ThinkingLevel>,
    configured: Option<ThinkingLevel>,
    facts: &ModelFacts,
) -> ThinkingLevel {
    supported_level(asked.unwrap_or_else(|| default_level(configured, facts)), &facts.thinking)
}

/// The level a model can do that comes nearest to what is wanted: the highest one not above it, else the lowest.
pub(crate) fn supported_level(wanted: ThinkingLevel, supported: &[ThinkingLevel]) -> ThinkingLevel {
    if wanted == ThinkingLevel::Off {
        return ThinkingLevel::Off;
    }
    let below = supported.iter().copied().filter(|level| *level <= wanted).max();
    below.or_else(|| supported.iter().copied().min()).unwrap_or(ThinkingLevel::Off)
}

/// The level to ask for after a refusal, of those the server names and that were not tried yet: the highest one below
/// what was asked for first, else the lowest above. Not thinking comes last, or when the server only says that it
/// cannot think. Nothing when the refusal is about something else.
pub(crate) fn lower_level(fault: &ModelFault, tried: &[ThinkingLevel]) -> Option<ThinkingLevel> {
    if !matches!(fault.reason, FaultReason::Format | FaultReason::Unknown) {
        return None;
    }
    let named = named_levels(&fault.message);
    let asked = tried.first().copied().unwrap_or(ThinkingLevel::Off);
    let (off, mut levels): (Vec<_>, Vec<_>) = named
        .iter()
        .copied()
        .filter(|level| !tried.contains(level))
        .partition(|level| *level == ThinkingLevel::Off);
    levels.sort_unstable();
    let below = levels.iter().rfind(|level| **level < asked);
    if let Some(level) = below.or(levels.first()).or(off.first()) {
        return Some(*level);
    }
    let cannot =
        named.is_empty() && CANNOT_THINK.as_ref().is_some_and(|cannot| cannot.is_match(&fault.message));
    (cannot && !tried.contains(&ThinkingLevel::Off)).then_some(ThinkingLevel::Off)
}

static VALUES: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)supported values(?: are)?:\s*([^\n.]+)"));

static CANNOT_THINK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)((does not|doesn't) support|unsupported|not supported)[^\n]{0,60}(thinking|reasoning)|(thinking|reasoning)[^\n]{0,60}(is not|isn't|not|are not) supported",
    )
});

fn pattern(text: &str) -> Option<Regex> {
    match Regex::new(text) {
        Ok(pattern) => Some(pattern),
        Err(fault) => {
            tracing::error!(subsystem = "models", %fault, "a built-in pattern is broken");
            None
        }
    }
}

fn named_levels(message: &str) -> Vec<ThinkingLevel> {
    let Some(list) =
        VALUES.as_ref().and_then(|values| values.captures(message)).and_then(|found| found.get(1))
    else {
        return Vec::new();
    };
    list.as_str().split(|letter: char| !letter.is_ascii_alphabetic()).filter_map(level).collect()
}

fn level(word: &str) -> Option<ThinkingLevel> {
    match word.to_ascii_lowercase().as_str() {
        "none" | "off" | "disabled" => Some(ThinkingLevel::Off),
        "min" => Some(ThinkingLevel::Minimal),
        "enabled" | "on" => Some(ThinkingLevel::Low),
        "max" | "highest" => Some(ThinkingLevel::XHigh),
        word => ThinkingLevel::from_word(word),
    }
}
