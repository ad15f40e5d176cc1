//! Rules between keys, and forms of text, that a schema cannot say.
//!
//! Pure: looks at the raw sections and lists what is wrong. The rules of the gateway are checked where its settings
//! are resolved; these here concern sections that stay raw. `Config::resolve` calls `check`.

mod agents;
mod forms;
mod measures;
mod sandbox;
mod tools;

#[cfg(test)]
mod tests;

use super::problem::ConfigProblem;
use crate::sections::RawConfig;

/// Everything that is wrong between keys.
pub(super) fn check(raw: &RawConfig) -> Vec<ConfigProblem> {
    let mut problems = Vec::new();
    agents::check(raw, &mut problems);
    if let Some(tools) = &raw.tools {
        tools::check_section(tools, &mut problems);
    }
    measures::check(raw, &mut problems);
    forms::check(raw, &mut problems);
    problems
}
