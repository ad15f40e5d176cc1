//! What the configuration says about messages of platforms, read once for each version of it.
//!
//! Bindings, lists and patterns are made ready here; `admit` and `routing` go by them. Nothing is decided.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use openclaw_config::{
    CommandAccess, CommandSettings, Config, DebounceSettings, MentionSettings, RouteSettings,
};
use openclaw_inbound::access::Mentions;
use openclaw_types::AgentId;

/// What holds for messages, for one version of the configuration.
pub(crate) struct Rules {
    pub(crate) config: Arc<Config>,
    pub(crate) routes: RouteSettings,
    pub(crate) access: CommandAccess,
    pub(crate) commands: CommandSettings,
    pub(crate) debounce: DebounceSettings,
    mentions: Mutex<HashMap<Vec<AgentId>, Arc<Mentions>>>,
}

/// The rules of the moment.
#[derive(Default)]
pub(crate) struct RuleBook(Mutex<Option<Arc<Rules>>>);

impl RuleBook {
    /// The rules of a configuration; made once as long as it stays the same.
    pub(crate) fn of(&self, config: Arc<Config>) -> Arc<Rules> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.as_ref().filter(|rules| Arc::ptr_eq(&rules.config, &config)) {
            Some(rules) => Arc::clone(rules),
            None => Arc::clone(kept.insert(Arc::new(Rules::read(config)))),
        }
    }
}

impl Rules {
    fn read(config: Arc<Config>) -> Self {
        let raw = &config.raw;
        Self {
            routes: RouteSettings::resolve(raw),
            access: CommandAccess::resolve(raw),
            commands: CommandSettings::resolve(raw),
            debounce: DebounceSettings::resolve(raw),
            mentions: Mutex::default(),
            config,
        }
    }

    /// What counts as naming one of these agents.
    pub(super) fn mentions(&self, agents: Vec<AgentId>) -> Arc<Mentions> {
        let mut kept = self.mentions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.get(&agents) {
            return Arc::clone(known);
        }
        let settings: Vec<MentionSettings> =
            agents.iter().map(|agent| MentionSettings::resolve(&self.config.raw, agent)).collect();
        let made = Arc::new(Mentions::of_any(&settings));
        for pattern in made.refused() {
            tracing::warn!(subsystem = "channels", pattern, "a mention pattern cannot be used");
        }
        kept.insert(agents, Arc::clone(&made));
        made
    }
}
