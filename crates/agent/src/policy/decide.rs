//! Decides which tools a run gets, and names the rule for every one it does not.
//!
//! Pure: the rules, the situation and the tools there are come in, and the decision comes out. The turn loop asks for
//! the tools of a run, and judges every call once more; `/context` and refusals show the rules.

use std::collections::BTreeMap;

use openclaw_config::ToolRules;
use openclaw_config::sections::ToolLists;
use openclaw_types::{ModelRef, SenderRank};

use super::built_in;
use super::catalog::{ToolCandidate, is_built_in, is_group};
use super::layers::{Layer, List, layers, sandbox_lists};
use super::names::canonical_tool_name;
use super::rule::{ToolRule, UnknownToolName};

/// What the policy looks at.
#[derive(Debug, Clone)]
pub struct ToolSituation<'a> {
    /// What is configured for the agent.
    pub rules: &'a ToolRules,
    /// The model that answers.
    pub model: Option<&'a ModelRef>,
    /// How much the person behind the message may do.
    pub standing: SenderRank,
    /// How deep below a person's session the run is; 0 for a session of a person.
    pub depth: u64,
    /// Whether the session is kept in a sandbox.
    pub sandbox: Sandboxing,
    /// What groups and senders of the channel may use.
    pub circles: Vec<CircleRules>,
    /// Whether there is a model that sees pictures.
    pub images: ImageModel,
}

/// Whether a session is kept in a sandbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Sandboxing {
    /// It is not: its tools reach this machine.
    #[default]
    None,
    /// It belongs into one, and there is none.
    Missing(SandboxExit),
}

/// Whether something may be done outside the sandbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum SandboxExit {
    /// Nothing.
    #[default]
    None,
    /// Commands, as far as their own rules let them.
    Commands,
}

/// Whether there is a model that sees pictures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum ImageModel {
    /// There is.
    #[default]
    Present,
    /// There is not.
    Missing,
}

/// What a channel says about the tools of a group or of one sender in it.
#[derive(Debug, Clone, PartialEq)]
pub struct CircleRules {
    /// Where it stands.
    pub path: String,
    /// The lists.
    pub lists: ToolLists,
}

/// Which tools a run gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolDecision {
    allowed: Vec<String>,
    refused: BTreeMap<String, ToolRule>,
    unknown: Vec<UnknownToolName>,
}

/// What the policy says about one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolVerdict {
    /// It may be made.
    Allowed,
    /// It may not; this rule forbids it.
    Refused(ToolRule),
}

impl ToolDecision {
    /// The names of the tools that the run gets, in the order they were given.
    #[must_use]
    pub fn allowed(&self) -> &[String] {
        &self.allowed
    }

    /// The tools it does not get, and why.
    #[must_use]
    pub fn refused(&self) -> &BTreeMap<String, ToolRule> {
        &self.refused
    }

    /// Names in the lists that no tool has.
    #[must_use]
    pub fn unknown(&self) -> &[UnknownToolName] {
        &self.unknown
    }

    /// Judges a call by the name the model used.
    #[must_use]
    pub fn judge(&self, name: &str) -> ToolVerdict {
        let name = canonical_tool_name(name);
        if self.allowed.iter().any(|tool| canonical_tool_name(tool) == name) {
            return ToolVerdict::Allowed;
        }
        let refused = self.refused.iter().find(|(tool, _)| canonical_tool_name(tool) == name);
        ToolVerdict::Refused(match refused {
            Some((_, rule)) => rule.clone(),
            None => ToolRule::NoSuchTool { tool: name.into_owned() },
        })
    }
}

/// Decides which of the tools a run gets.
#[must_use]
pub fn decide_tools<'t>(
    situation: &ToolSituation<'_>,
    tools: impl IntoIterator<Item = &'t ToolCandidate>,
) -> ToolDecision {
    let layers = layers(situation);
    let tools: Vec<&ToolCandidate> = tools.into_iter().collect();
    let mut decision = ToolDecision {
        allowed: Vec::new(),
        refused: BTreeMap::new(),
        unknown: unknown(situation, &layers, &tools),
    };
    for tool in tools {
        let objection = built_in::objection(situation, tool)
            .or_else(|| layers.iter().find_map(|layer| layer.objection(tool)));
        match objection {
            Some(rule) => {
                decision.refused.insert(tool.name.to_string(), rule);
            }
            None => decision.allowed.push(tool.name.to_string()),
        }
    }
    decision
}

/// Names in the lists that neither the program nor one of the tools has. What holds a `*` may wait for a plugin.
fn unknown(
    situation: &ToolSituation<'_>,
    layers: &[Layer],
    tools: &[&ToolCandidate],
) -> Vec<UnknownToolName> {
    let (allow, deny) = sandbox_lists(situation.rules);
    let sandbox: Vec<List> = allow.into_iter().chain(deny).collect();
    let mut found: Vec<UnknownToolName> = Vec::new();
    for list in layers.iter().flat_map(Layer::written).chain(&sandbox) {
        for (written, meant) in list.entries() {
            let known = meant.contains('*')
                || is_built_in(meant)
                || is_group(meant)
                || tools.iter().any(|tool| canonical_tool_name(&tool.name) == meant)
                || tools
                    .iter()
                    .any(|tool| tool.plugin.as_deref().is_some_and(|id| id.eq_ignore_ascii_case(meant)));
            let name = UnknownToolName { path: list.path().to_owned(), entry: written.to_owned() };
            if !known && !found.contains(&name) {
                found.push(name);
            }
        }
    }
    found
}
