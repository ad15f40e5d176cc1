//! Rules about tools: lists that exclude each other, thresholds that must rise.
//!
//! The same rules hold for all agents and for one, so `agents` calls in here too. Which tools exist is not known here.

use super::super::problem::ConfigProblem;
use crate::sections::{LoopDetection, NestedTools, Positive, SharedTools, ToolLists, ToolsSection};

pub(super) fn check_section(tools: &ToolsSection, problems: &mut Vec<ConfigProblem>) {
    check_shared("tools", &tools.shared, problems);
    check_nested("tools.subagents.tools", tools.subagents.as_ref(), problems);
}

pub(super) fn check_shared(path: &str, tools: &SharedTools, problems: &mut Vec<ConfigProblem>) {
    check_lists(path, &tools.policy.lists, problems);
    for (provider, policy) in &tools.by_provider {
        check_lists(&format!("{path}.byProvider.{provider}"), &policy.lists, problems);
    }
    check_nested(&format!("{path}.sandbox.tools"), tools.sandbox.as_ref(), problems);
    if let Some(detection) = &tools.loop_detection {
        check_thresholds(&format!("{path}.loopDetection"), detection, problems);
    }
}

fn check_nested(path: &str, nested: Option<&NestedTools>, problems: &mut Vec<ConfigProblem>) {
    if let Some(lists) = nested.and_then(|nested| nested.tools.as_ref()) {
        check_lists(path, lists, problems);
    }
}

fn check_lists(path: &str, lists: &ToolLists, problems: &mut Vec<ConfigProblem>) {
    let has_names = |list: &Option<Vec<String>>| list.as_ref().is_some_and(|list| !list.is_empty());
    if has_names(&lists.allow) && has_names(&lists.also_allow) {
        problems.push(
            ConfigProblem::error(
                format!("{path}.alsoAllow"),
                "cannot stand beside allow, which already lists every tool",
            )
            .hint("move the names into allow, or replace allow by a profile"),
        );
    }
}

fn check_thresholds(path: &str, detection: &LoopDetection, problems: &mut Vec<ConfigProblem>) {
    let steps = [
        ("warningThreshold", detection.warning_threshold),
        ("criticalThreshold", detection.critical_threshold),
        ("globalCircuitBreakerThreshold", detection.global_circuit_breaker_threshold),
    ];
    for pair in steps.windows(2) {
        let [(lower_key, lower), (higher_key, higher)] = pair else { continue };
        if let (Some(lower), Some(higher)) = (lower.map(Positive::get), higher.map(Positive::get))
            && lower >= higher
        {
            problems.push(ConfigProblem::error(
                format!("{path}.{higher_key}"),
                format!("must be higher than {lower_key}"),
            ));
        }
    }
}
