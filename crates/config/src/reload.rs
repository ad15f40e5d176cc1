//! Decides what a changed configuration asks for: nothing, a hot change, or a restart. Pure.
//!
//! The first rule whose prefix matches a changed path decides; a path without a rule needs a restart. Owners apply
//! the plan: `app` restarts, the named parts reload themselves.

use std::collections::BTreeSet;

use openclaw_schema::PathStep;
use serde_json::Value;

use crate::key_path::dotted;
use crate::sections::ReloadMode;

/// A part of the running gateway that can take a new configuration without a restart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum HotAction {
    /// Reload the hooks.
    ReloadHooks,
    /// Restart the watcher of the hooks' mailbox.
    RestartMailWatcher,
    /// Restart the heartbeat.
    RestartHeartbeat,
    /// Restart scheduled jobs.
    RestartCron,
    /// Restart browser control.
    RestartBrowser,
    /// Restart one channel, named as in the `channels` section.
    RestartChannel(String),
}

/// What a change asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReloadPlan {
    /// Every path that differs, in the order of the configuration.
    pub changed: Vec<String>,
    /// Paths that are read anew on their next use.
    pub live: Vec<String>,
    /// Paths that hot actions take over.
    pub hot: Vec<String>,
    /// What to do for them.
    pub actions: BTreeSet<HotAction>,
    /// Paths that only a restart takes over.
    pub needs_restart: Vec<String>,
    /// What to do in all.
    pub decision: Decision,
}

/// What to do about a change as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Decision {
    /// Nothing differs, or reloading is off.
    #[default]
    Nothing,
    /// Use the new configuration and do the actions.
    Apply,
    /// Use the new configuration and do the actions; what needs a restart waits for one, and the person is told.
    ApplyWithoutRestart,
    /// Restart the gateway.
    Restart,
}

#[derive(Clone, Copy)]
enum Effect {
    Live,
    Hot(fn() -> HotAction),
    Channel,
    Restart,
}

/// Prefixes and their effect; the first match counts.
const RULES: [(&str, Effect); 34] = [
    ("gateway.remote", Effect::Live),
    ("gateway.reload", Effect::Live),
    ("hooks.gmail", Effect::Hot(|| HotAction::RestartMailWatcher)),
    ("hooks", Effect::Hot(|| HotAction::ReloadHooks)),
    ("agents.defaults.heartbeat", Effect::Hot(|| HotAction::RestartHeartbeat)),
    ("agent.heartbeat", Effect::Hot(|| HotAction::RestartHeartbeat)),
    ("cron", Effect::Hot(|| HotAction::RestartCron)),
    ("browser", Effect::Hot(|| HotAction::RestartBrowser)),
    ("channels.defaults", Effect::Restart),
    ("channels.modelByChannel", Effect::Live),
    ("channels", Effect::Channel),
    ("meta", Effect::Live),
    ("identity", Effect::Live),
    ("wizard", Effect::Live),
    ("logging", Effect::Live),
    ("models", Effect::Live),
    ("agents", Effect::Live),
    ("tools", Effect::Live),
    ("bindings", Effect::Live),
    ("audio", Effect::Live),
    ("agent", Effect::Live),
    ("routing", Effect::Live),
    ("messages", Effect::Live),
    ("session", Effect::Live),
    ("talk", Effect::Live),
    ("skills", Effect::Live),
    ("secrets", Effect::Live),
    ("plugins", Effect::Restart),
    ("ui", Effect::Live),
    ("gateway", Effect::Restart),
    ("discovery", Effect::Restart),
    ("canvasHost", Effect::Restart),
    ("$schema", Effect::Live),
    ("env", Effect::Restart),
];

/// Compares two configurations, both resolved, and plans the change from one to the other.
#[must_use]
pub fn reload_plan(old: &Value, new: &Value, mode: ReloadMode) -> ReloadPlan {
    let mut plan = ReloadPlan::default();
    for path in changed_steps(old, new) {
        let text = dotted(&path);
        match effect(&path) {
            Effect::Live => plan.live.push(text.clone()),
            Effect::Hot(action) => plan.act(action(), text.clone()),
            Effect::Channel => match path.get(1) {
                Some(PathStep::Key(id)) => plan.act(HotAction::RestartChannel(id.clone()), text.clone()),
                _ => plan.needs_restart.push(text.clone()),
            },
            Effect::Restart => plan.needs_restart.push(text.clone()),
        }
        plan.changed.push(text);
    }
    if plan.actions.contains(&HotAction::RestartMailWatcher) {
        plan.actions.insert(HotAction::ReloadHooks);
    }
    plan.decision = match mode {
        _ if plan.changed.is_empty() => Decision::Nothing,
        ReloadMode::Off => Decision::Nothing,
        ReloadMode::Restart => Decision::Restart,
        _ if plan.needs_restart.is_empty() => Decision::Apply,
        ReloadMode::Hybrid => Decision::Restart,
        ReloadMode::Hot => Decision::ApplyWithoutRestart,
    };
    plan
}

impl ReloadPlan {
    fn act(&mut self, action: HotAction, path: String) {
        self.actions.insert(action);
        self.hot.push(path);
    }
}

fn effect(path: &[PathStep]) -> Effect {
    let keys: Vec<&str> = path
        .iter()
        .map_while(|step| match step {
            PathStep::Key(key) => Some(key.as_str()),
            PathStep::Index(_) => None,
        })
        .collect();
    let matches = |prefix: &str| {
        let mut keys = keys.iter();
        prefix.split('.').all(|wanted| keys.next() == Some(&wanted))
    };
    RULES.iter().find(|(prefix, _)| matches(prefix)).map_or(Effect::Restart, |(_, effect)| *effect)
}

/// The paths that differ. Objects are compared key by key, everything else as a whole.
pub(crate) fn changed_paths(old: &Value, new: &Value) -> Vec<String> {
    changed_steps(old, new).iter().map(|path| dotted(path)).collect()
}

fn changed_steps(old: &Value, new: &Value) -> Vec<Vec<PathStep>> {
    fn walk(old: &Value, new: &Value, path: &mut Vec<PathStep>, out: &mut Vec<Vec<PathStep>>) {
        let (Value::Object(before), Value::Object(after)) = (old, new) else {
            if old != new {
                out.push(path.clone());
            }
            return;
        };
        let gone = before.keys().filter(|key| !after.contains_key(*key));
        for key in after.keys().chain(gone) {
            path.push(PathStep::Key(key.clone()));
            match (before.get(key), after.get(key)) {
                (Some(old), Some(new)) => walk(old, new, path, out),
                (Some(Value::Object(map)), None) | (None, Some(Value::Object(map))) if !map.is_empty() => {
                    // A section that comes or goes is told key by key, so that rules for its parts apply.
                    let empty = Value::Object(serde_json::Map::new());
                    walk(&empty, &Value::Object(map.clone()), path, out);
                }
                _ => out.push(path.clone()),
            }
            path.pop();
        }
    }
    let mut out = Vec::new();
    walk(old, new, &mut Vec::new(), &mut out);
    out
}
