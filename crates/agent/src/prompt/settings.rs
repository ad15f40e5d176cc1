//! What the configuration says that the prompt repeats.

use hmac::{Hmac, KeyInit, Mac};
use jiff::tz::TimeZone;
use openclaw_config::Config;
use openclaw_config::sections::{AutoOnOff, CommandsSection, OwnerDisplay, TextOrNumber};
use openclaw_types::AgentId;
use sha2::{Digest, Sha256};

/// The original's pages: they describe the same keys, commands and tools as ours, and there are no others to send a model to.
const DOCUMENTATION: &str = "https://docs.openclaw.ai";

/// How many bytes of a hash stand for an owner whose id is hidden.
const HIDDEN_BYTES: usize = 6;

/// What the configuration says that the prompt repeats.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct PromptSettings {
    /// Short names of models, and what they stand for.
    pub aliases: Vec<(String, String)>,
    /// The ids of the people who may give orders, as the model may see them.
    pub owners: Vec<String>,
    /// The person's time zone.
    pub time_zone: Option<String>,
    /// The question that wakes the agent, where a person wrote one.
    pub heartbeat: Option<String>,
    /// Whether answers name the notes they come from.
    pub citations: Citations,
    /// The repository the agent works on.
    pub repo_root: Option<String>,
    /// Where our documentation is, on this machine or in the web.
    pub docs: Option<String>,
}

/// Whether answers name the notes they come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Citations {
    /// Where it helps.
    #[default]
    Shown,
    /// Only when somebody asks.
    Hidden,
}

impl PromptSettings {
    /// Reads the settings of one agent.
    #[must_use]
    pub fn of(config: &Config, agent: &AgentId) -> Self {
        let raw = &config.raw;
        let defaults = raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref());
        let text = |text: Option<&String>| {
            text.map(|text| text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let mut aliases: Vec<(String, String)> = config
            .models
            .allowed
            .iter()
            .filter_map(|model| Some((text(model.alias.as_ref())?, model.reference.clone())))
            .collect();
        aliases.sort();
        let heartbeat = config.agents.get(agent).and_then(|agent| agent.heartbeat.prompt.as_ref());
        let citations = raw.memory.as_ref().and_then(|memory| memory.citations);
        Self {
            aliases,
            owners: raw.commands.as_ref().map(owners).unwrap_or_default(),
            time_zone: person_zone(config).iana_name().map(str::to_owned),
            heartbeat: text(heartbeat),
            citations: if citations == Some(AutoOnOff::Off) { Citations::Hidden } else { Citations::Shown },
            repo_root: text(defaults.and_then(|defaults| defaults.repo_root.as_ref())),
            docs: Some(DOCUMENTATION.to_owned()),
        }
    }
}

/// The zone of the person: `agents.defaults.userTimezone` where this machine knows it, else that of the machine; UTC when
/// neither says. Times before words, on cards and in the prompt all follow it.
#[must_use]
pub fn person_zone(config: &Config) -> TimeZone {
    let defaults = config.raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref());
    let named = defaults.and_then(|defaults| defaults.user_timezone.as_deref()).map(str::trim);
    let named = named.filter(|name| !name.is_empty());
    let named = named.and_then(|name| TimeZone::get(name).ok());
    Some(named.unwrap_or_else(TimeZone::system)).filter(|zone| !zone.is_unknown()).unwrap_or(TimeZone::UTC)
}

/// The owners as the model may see them: by id, or by a hash of it, as the original makes it.
fn owners(commands: &CommandsSection) -> Vec<String> {
    let ids = commands.owner_allow_from.iter().flatten().map(|id| match id {
        TextOrNumber::Text(text) => text.trim().to_owned(),
        TextOrNumber::Number(number) => number.to_string(),
    });
    let ids = ids.filter(|id| !id.is_empty() && id != "*");
    let key = commands.owner_display_secret.as_ref().map(|secret| secret.reveal().trim());
    match commands.owner_display {
        Some(OwnerDisplay::Hash) => ids.map(|id| hidden(&id, key.filter(|key| !key.is_empty()))).collect(),
        _ => ids.collect(),
    }
}

fn hidden(id: &str, key: Option<&str>) -> String {
    let keyed = key.and_then(|key| Hmac::<Sha256>::new_from_slice(key.as_bytes()).ok());
    let digest = match keyed {
        Some(mut keyed) => {
            keyed.update(id.as_bytes());
            keyed.finalize().into_bytes()
        }
        None => Sha256::digest(id.as_bytes()),
    };
    digest.iter().take(HIDDEN_BYTES).map(|byte| format!("{byte:02x}")).collect()
}
