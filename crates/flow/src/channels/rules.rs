//! What the configuration says about messages of platforms, read once for each version of it.
//!
//! Bindings, lists and patterns are made ready here; `admit` and `routing` go by them. Nothing is decided.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use openclaw_config::{
    CommandAccess, CommandSettings, Config, DebounceSettings, MentionSettings, MentionSource, RoomModels,
    RouteSettings,
};
use openclaw_inbound::access::Mentions;
use openclaw_ports::channel::{Capability, ChannelDescriptor};
use openclaw_types::{AccountId, AgentId, ChannelId};
use serde_json::Value;

pub(crate) use openclaw_config::own_part;

/// What holds for messages, for one version of the configuration.
pub(crate) struct Rules {
    pub(crate) config: Arc<Config>,
    pub(crate) routes: RouteSettings,
    access: CommandAccess,
    /// The same, where commands can only be written.
    access_by_text: CommandAccess,
    pub(crate) commands: CommandSettings,
    pub(crate) debounce: DebounceSettings,
    pub(crate) models: RoomModels,
    mentions: Mutex<HashMap<Named, Arc<Mentions>>>,
}

/// Who is named: agents, over an account.
type Named = (Vec<AgentId>, ChannelId, AccountId);

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
            access_by_text: CommandAccess { text: true, ..CommandAccess::resolve(raw) },
            commands: CommandSettings::resolve(raw),
            debounce: DebounceSettings::resolve(raw),
            models: RoomModels::resolve(raw),
            mentions: Mutex::default(),
            config,
        }
    }

    /// Who may give commands on a platform. Written ones can be switched off only where there is a menu of them.
    pub(crate) fn access_on(&self, platform: &ChannelDescriptor) -> &CommandAccess {
        match platform.capabilities.contains(&Capability::NativeCommands) {
            true => &self.access,
            false => &self.access_by_text,
        }
    }

    /// What counts as naming one of these agents on an account: their own patterns, and those of the account.
    pub(super) fn mentions(
        &self,
        agents: Vec<AgentId>,
        channel: &ChannelId,
        account: &AccountId,
    ) -> Arc<Mentions> {
        let mut kept = self.mentions.lock().unwrap_or_else(PoisonError::into_inner);
        let named = (agents, channel.clone(), account.clone());
        if let Some(known) = kept.get(&named) {
            return Arc::clone(known);
        }
        let mut settings: Vec<MentionSettings> =
            named.0.iter().map(|agent| MentionSettings::resolve(&self.config.raw, agent)).collect();
        settings.extend(self.account_patterns(channel, account));
        let made = Arc::new(Mentions::of_any(&settings));
        for pattern in made.refused() {
            tracing::warn!(subsystem = "channels", pattern, "a mention pattern cannot be used");
        }
        kept.insert(named, Arc::clone(&made));
        made
    }

    /// `mentionPatterns` of an account, else of its platform.
    fn account_patterns(&self, channel: &ChannelId, account: &AccountId) -> Option<MentionSettings> {
        let section = self.config.raw.channels.get(channel.as_str())?.value();
        let own = own_part(section, account).and_then(|(_, own)| own.get("mentionPatterns"));
        let written = own.or_else(|| section.get("mentionPatterns"))?.as_array()?;
        let patterns = written.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        Some(MentionSettings { source: MentionSource::Patterns(patterns), history_limit: 0 })
    }
}
