//! How each family of models is told how hard to think.
//!
//! The third generation has levels, 2.5 has budgets of tokens, others only take "as much as you like". Not every model
//! can be told not to think; then it gets the least it takes and keeps its thoughts to itself.

use openclaw_ports::model::ModelTarget;
use openclaw_types::ThinkingLevel;

use super::wire::ThinkingConfig;

/// The thinking part of a request; nothing for models that do not think and where the model's own way is meant.
pub(super) fn config(level: ThinkingLevel, target: &ModelTarget) -> Option<ThinkingConfig> {
    if !target.reasoning {
        return None;
    }
    let model = target.model.to_ascii_lowercase();
    let include_thoughts = level != ThinkingLevel::Off;
    if is_third_generation(&model) {
        let thinking_level = Some(level_word(level, &model));
        return Some(ThinkingConfig { include_thoughts, thinking_level, thinking_budget: None });
    }
    let budget = if model.contains("2.5-pro") {
        [128, 128, 2048, 8192, 32768]
    } else if model.contains("2.5-flash-lite") {
        // Between nothing and 512 this model refuses.
        [0, 512, 2048, 8192, 24576]
    } else if model.contains("2.5-flash") {
        [0, 128, 2048, 8192, 24576]
    } else if include_thoughts {
        [-1; 5]
    } else {
        return None;
    };
    let thinking_budget = Some(budget[step(level)]);
    Some(ThinkingConfig { include_thoughts, thinking_level: None, thinking_budget })
}

/// Whether the model insists on proofs for tool calls and takes pictures in their results.
pub(super) fn is_third_generation(model: &str) -> bool {
    model.to_ascii_lowercase().contains("gemini-3")
}

fn step(level: ThinkingLevel) -> usize {
    match level {
        ThinkingLevel::Off => 0,
        ThinkingLevel::Minimal => 1,
        ThinkingLevel::Low => 2,
        ThinkingLevel::Medium => 3,
        ThinkingLevel::High | ThinkingLevel::XHigh => 4,
    }
}

fn level_word(level: ThinkingLevel, model: &str) -> &'static str {
    let words = if model.contains("3-pro") {
        ["LOW", "LOW", "LOW", "HIGH", "HIGH"]
    } else if model.contains("pro") {
        ["LOW", "LOW", "LOW", "MEDIUM", "HIGH"]
    } else {
        ["MINIMAL", "MINIMAL", "LOW", "MEDIUM", "HIGH"]
    };
    words[step(level)]
}
