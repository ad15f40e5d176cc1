//! What Claude models take, by their generation, on whichever server they run.
//!
//! The generation is read from the model's name. Names of other vendors' models that are spoken to in the same
//! protocols have none and get the oldest rules, which compatible servers follow. The rules come from the vendor's
//! migration guides for 5 and 5.5 and from gateways' guides for 4.6 and 4.7, all read in November 2026.

use openclaw_ports::model::{FaultReason, ModelFault, ModelRequest, ModelTarget, ToolChoice};
use openclaw_types::ThinkingLevel;

#[cfg(test)]
mod tests;

/// The smallest budget of thinking that servers take.
const LEAST_BUDGET: u64 = 1024;
/// What must be left for the answer beside the thoughts.
const LEAST_ANSWER: u64 = 1024;

/// How a model is told to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ThinkingPlan {
    /// Nothing is said; the model does not think then.
    Unsaid,
    /// It is told not to.
    Disabled,
    /// It may use this many tokens.
    Budget(u64),
    /// It decides, steered by an effort.
    Adaptive {
        /// How hard it works.
        effort: &'static str,
        /// How its thoughts are shown, for models that hide them unless asked.
        display: Option<&'static str>,
    },
    /// It always thinks; only the effort is said.
    EffortOnly(&'static str),
}

/// The numbers that shape an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AnswerPlan {
    /// How to think.
    pub(crate) thinking: ThinkingPlan,
    /// The most tokens, thoughts included.
    pub(crate) max_tokens: u64,
    /// How freely to write, where the model lets one say.
    pub(crate) temperature: Option<f64>,
}

/// Decides how the model is to answer.
///
/// # Errors
/// When a tool is forced on a model that always thinks: the two exclude each other.
pub(crate) fn plan(request: &ModelRequest, target: &ModelTarget) -> Result<AnswerPlan, ModelFault> {
    let claude = Claude::of(&target.model);
    let limit = target.max_output_tokens.max(1);
    let wanted = request.max_output_tokens.unwrap_or(limit).clamp(1, limit);
    let forced = matches!(request.tool_choice, ToolChoice::Required | ToolChoice::Named(_));
    let rule = claude.as_ref().map_or(ThinkingRule::Budget, Claude::thinking_rule);
    if forced && !request.tools.is_empty() && rule == ThinkingRule::AlwaysOn {
        let message = format!("{} always thinks, so it cannot be made to call a tool", target.model);
        return Err(ModelFault::new(FaultReason::Format, message));
    }
    // Servers refuse a forced tool together with thinking; the tool is what was asked for in so many words.
    let level = if forced || !target.reasoning { ThinkingLevel::Off } else { request.thinking };
    let (thinking, max_tokens) = match (rule, level) {
        (ThinkingRule::AlwaysOn, ThinkingLevel::Off) => (ThinkingPlan::EffortOnly("low"), wanted),
        (ThinkingRule::OnByDefault, ThinkingLevel::Off) => (ThinkingPlan::Disabled, wanted),
        (_, ThinkingLevel::Off) => (ThinkingPlan::Unsaid, wanted),
        (ThinkingRule::Budget, level) => budget(level, wanted, limit),
        (_, level) => (adaptive(level, claude.as_ref()), wanted),
    };
    let thinks = !matches!(thinking, ThinkingPlan::Unsaid | ThinkingPlan::Disabled);
    let takes_temperature = !thinks && claude.is_none_or(|claude| claude.version < (4, 7));
    let temperature = request
        .temperature
        .filter(|value| takes_temperature && value.is_finite())
        .map(|value| value.clamp(0.0, 1.0));
    Ok(AnswerPlan { thinking, max_tokens, temperature })
}

/// A Claude model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claude {
    /// Its family, such as `opus`.
    pub(crate) family: String,
    /// Its generation: `(4, 6)` for 4.6.
    pub(crate) version: (u32, u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThinkingRule {
    /// A budget of tokens.
    Budget,
    /// Adaptive, when asked for.
    Adaptive,
    /// Adaptive, unless disabled.
    OnByDefault,
    /// Adaptive, whatever is said.
    AlwaysOn,
}

impl Claude {
    /// Reads a model's name in any of its forms: `claude-opus-4-6`, `anthropic/claude-3.7-sonnet`,
    /// `us.anthropic.claude-sonnet-4-5-20250929-v1:0`.
    pub(crate) fn of(model: &str) -> Option<Self> {
        let model = model.to_ascii_lowercase();
        let (_, rest) = model.rsplit_once("claude-")?;
        let words: Vec<&str> = rest.split(|letter: char| !letter.is_ascii_alphanumeric()).collect();
        let number = |word: &&str| word.parse::<u32>().ok().filter(|_| word.len() <= 2);
        let at = words.iter().position(|word| number(word).is_some())?;
        let major = words.get(at).and_then(number)?;
        let minor = words.get(at + 1).and_then(number).unwrap_or(0);
        let named =
            |word: &&&str| word.chars().all(|letter| letter.is_ascii_alphabetic()) && !word.is_empty();
        let family = words.iter().find(named).map_or(String::new(), |word| (*word).to_owned());
        Some(Self { family, version: (major, minor) })
    }

    fn thinking_rule(&self) -> ThinkingRule {
        match self.version {
            version if version < (4, 6) => ThinkingRule::Budget,
            version if version < (5, 0) => ThinkingRule::Adaptive,
            (5, 0..5) if matches!(self.family.as_str(), "opus" | "sonnet" | "haiku") => {
                ThinkingRule::OnByDefault
            }
            _ => ThinkingRule::AlwaysOn,
        }
    }
}

/// The budget for a level, and the limit of tokens with room for both.
fn budget(level: ThinkingLevel, wanted: u64, limit: u64) -> (ThinkingPlan, u64) {
    let asked = match level {
        ThinkingLevel::Off | ThinkingLevel::Minimal => 1024,
        ThinkingLevel::Low => 2048,
        ThinkingLevel::Medium => 8192,
        ThinkingLevel::High | ThinkingLevel::XHigh => 16_384,
    };
    let max_tokens = wanted.saturating_add(asked).min(limit);
    let budget = if max_tokens <= asked { max_tokens.saturating_sub(LEAST_ANSWER) } else { asked };
    if budget < LEAST_BUDGET {
        (ThinkingPlan::Unsaid, wanted)
    } else {
        (ThinkingPlan::Budget(budget), max_tokens)
    }
}

fn adaptive(level: ThinkingLevel, claude: Option<&Claude>) -> ThinkingPlan {
    let hides = claude.is_some_and(|claude| claude.version >= (4, 7));
    ThinkingPlan::Adaptive { effort: effort(level, claude), display: hides.then_some("summarized") }
}

fn effort(level: ThinkingLevel, claude: Option<&Claude>) -> &'static str {
    match level {
        ThinkingLevel::Off | ThinkingLevel::Minimal | ThinkingLevel::Low => "low",
        ThinkingLevel::Medium => "medium",
        ThinkingLevel::High => "high",
        ThinkingLevel::XHigh => match claude {
            Some(claude) if claude.version >= (4, 7) => "xhigh",
            Some(claude) if claude.family == "opus" => "max",
            _ => "high",
        },
    }
}
