//! What bounds one answer: how long it may take, and when it counts as going round in circles.
//!
//! An agent's own loop detection is laid over that of `tools` key by key. Thresholds always rise: a stop comes after
//! a warning, and the last resort after a stop. `agent` reads this at the start of every run.

use std::time::Duration;

use openclaw_types::AgentId;

use crate::resolved::agents::normal_id;
use crate::sections::{LoopDetection, LoopDetectors, RawConfig};

const DEFAULT_TIMEOUT_SECONDS: u64 = 600;
const DEFAULT_HISTORY: u64 = 30;
const DEFAULT_WARNING: u64 = 10;
const DEFAULT_CRITICAL: u64 = 20;
const DEFAULT_LAST_RESORT: u64 = 30;

/// What bounds one answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSettings {
    /// How long it may take.
    pub timeout: Duration,
    /// When it goes round in circles.
    pub loops: LoopRules,
    /// Whether people hear of tools that failed where there is no answer.
    pub tool_errors: ToolErrors,
}

/// Whether people hear of tools that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolErrors {
    /// They do.
    Told,
    /// Only the model does.
    Suppressed,
}

/// When a run counts as going round in circles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopRules {
    /// Whether anybody looks.
    pub enabled: bool,
    /// After how many other calls a call is forgotten.
    pub history: u64,
    /// After how many repetitions the model is warned.
    pub warning: u64,
    /// After how many the run is stopped.
    pub critical: u64,
    /// After how many it is stopped whatever the detectors say.
    pub last_resort: u64,
    /// Whether the same call again counts.
    pub repeats: bool,
    /// Whether asking for progress that does not come counts.
    pub polls: bool,
    /// Whether two calls in turn count.
    pub ping_pong: bool,
}

impl RunSettings {
    /// What bounds the answers of an agent.
    #[must_use]
    pub fn of(raw: &RawConfig, agent: &AgentId) -> Self {
        let agents = raw.agents.as_ref();
        let seconds = agents.and_then(|agents| agents.defaults.as_ref()?.timeout_seconds);
        let own = agents.and_then(|agents| {
            let list = agents.list.as_deref()?;
            let entry = list.iter().find(|entry| normal_id(&entry.id) == *agent)?;
            entry.tools.as_ref()?.shared.loop_detection.as_ref()
        });
        let shared = raw.tools.as_ref().and_then(|tools| tools.shared.loop_detection.as_ref());
        Self {
            timeout: Duration::from_secs(seconds.map_or(DEFAULT_TIMEOUT_SECONDS, |count| count.get())),
            loops: rules(own, shared),
            tool_errors: match raw.messages.as_ref().and_then(|messages| messages.suppress_tool_errors) {
                Some(true) => ToolErrors::Suppressed,
                Some(false) | None => ToolErrors::Told,
            },
        }
    }
}

impl Default for LoopRules {
    fn default() -> Self {
        rules(None, None)
    }
}

fn rules(own: Option<&LoopDetection>, shared: Option<&LoopDetection>) -> LoopRules {
    let layers = Layers { own, shared };
    let number = |key: fn(&LoopDetection) -> Option<u64>, usual: u64| layers.pick(key).unwrap_or(usual);
    let switch = |key: fn(&LoopDetectors) -> Option<bool>| {
        layers.pick(|rules| key(rules.detectors.as_ref()?)).unwrap_or(true)
    };
    let warning = number(|rules| rules.warning_threshold.map(|count| count.get()), DEFAULT_WARNING);
    let critical = number(|rules| rules.critical_threshold.map(|count| count.get()), DEFAULT_CRITICAL);
    let critical = critical.max(warning.saturating_add(1));
    let last =
        number(|rules| rules.global_circuit_breaker_threshold.map(|count| count.get()), DEFAULT_LAST_RESORT);
    LoopRules {
        enabled: layers.pick(|rules| rules.enabled).unwrap_or(true),
        history: number(|rules| rules.history_size.map(|count| count.get()), DEFAULT_HISTORY),
        warning,
        critical,
        last_resort: last.max(critical.saturating_add(1)),
        repeats: switch(|detectors| detectors.generic_repeat),
        polls: switch(|detectors| detectors.known_poll_no_progress),
        ping_pong: switch(|detectors| detectors.ping_pong),
    }
}

struct Layers<'a> {
    own: Option<&'a LoopDetection>,
    shared: Option<&'a LoopDetection>,
}

impl Layers<'_> {
    fn pick<T>(&self, key: impl Fn(&LoopDetection) -> Option<T>) -> Option<T> {
        self.own.and_then(&key).or_else(|| self.shared.and_then(&key))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use openclaw_types::AgentId;
    use serde_json::{Value, json};

    use super::{LoopRules, RunSettings, ToolErrors};

    fn usual() -> LoopRules {
        LoopRules {
            enabled: true,
            history: 30,
            warning: 10,
            critical: 20,
            last_resort: 30,
            repeats: true,
            polls: true,
            ping_pong: true,
        }
    }

    fn check(file: Value, seconds: u64, loops: LoopRules) {
        let raw = serde_json::from_value(file.clone()).unwrap();
        let settings = RunSettings::of(&raw, &AgentId::main());
        let tool_errors = ToolErrors::Told;
        let timeout = Duration::from_secs(seconds);
        assert_eq!(settings, RunSettings { timeout, loops, tool_errors }, "{file}");
    }

    #[test]
    fn tools_that_failed_are_told_unless_that_is_switched_off() {
        for (written, expected) in [(true, ToolErrors::Suppressed), (false, ToolErrors::Told)] {
            let raw =
                serde_json::from_value(json!({ "messages": { "suppressToolErrors": written } })).unwrap();
            assert_eq!(RunSettings::of(&raw, &AgentId::main()).tool_errors, expected);
        }
    }

    #[test]
    fn bounds_come_from_the_agent_then_from_the_tools_then_from_the_defaults() {
        check(json!({}), 600, usual());
        check(json!({ "agents": { "defaults": { "timeoutSeconds": 30 } } }), 30, usual());
        check(
            json!({ "tools": { "loopDetection": { "enabled": false, "historySize": 5 } } }),
            600,
            LoopRules { enabled: false, history: 5, ..usual() },
        );
        let own = json!({ "id": "Main", "tools": { "loopDetection": { "enabled": true, "detectors": { "pingPong": false } } } });
        check(
            json!({
                "agents": { "list": [own] },
                "tools": { "loopDetection": { "enabled": false, "detectors": { "genericRepeat": false } } },
            }),
            600,
            LoopRules { ping_pong: false, repeats: false, ..usual() },
        );
    }

    #[test]
    fn thresholds_always_rise() {
        check(
            json!({ "tools": { "loopDetection": { "warningThreshold": 40, "criticalThreshold": 5 } } }),
            600,
            LoopRules { warning: 40, critical: 41, last_resort: 42, ..usual() },
        );
    }
}
