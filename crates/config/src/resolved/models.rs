//! Which models answer, how they are signed in to, and how much may be spent.
//!
//! References stay texts here: what they mean depends on the catalog, which model selection knows. Vendors and their
//! models stay in `Config::raw` for the catalog to read.

use std::collections::BTreeMap;
use std::time::Duration;

use openclaw_types::{AgentId, Money, ThinkingLevel};

use super::agents::normal_id;
use super::problem::ConfigProblem;
use crate::sections::{
    AgentDefaults, AuthCooldowns, BudgetsSection, ModelChoice, Raw, RawConfig, ThinkingLevel as RawThinking,
};

/// Which models answer, how they are signed in to, and how much may be spent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelSettings {
    /// The models that answer, unless an agent has its own.
    pub default: ModelPreference,
    /// The models that look at pictures when the first cannot.
    pub image: ModelPreference,
    /// The models people may choose, ordered by reference; any model when empty.
    pub allowed: Vec<AllowedModel>,
    /// How hard models think.
    pub thinking: Option<ThinkingLevel>,
    /// The context to assume at most, whatever a model says.
    pub context_tokens: Option<u64>,
    /// How credentials are chosen.
    pub sign_in: SignInRules,
    /// How much may be spent.
    pub budgets: Budgets,
}

/// A first choice and what to try when it fails.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelPreference {
    /// The model tried first.
    pub primary: Option<String>,
    /// The models tried in order when it fails; nothing when nothing was written, which is not the same as none.
    pub fallbacks: Option<Vec<String>>,
}

impl ModelPreference {
    pub(super) fn of(choice: &ModelChoice) -> Self {
        match choice {
            ModelChoice::Name(name) => Self { primary: written(name), fallbacks: None },
            ModelChoice::WithFallbacks(both) => Self {
                primary: both.primary.as_deref().and_then(written),
                fallbacks: both
                    .fallbacks
                    .as_ref()
                    .map(|list| list.iter().filter_map(|name| written(name)).collect()),
            },
        }
    }
}

/// A model people may choose.
#[derive(Debug, Clone, PartialEq)]
pub struct AllowedModel {
    /// The reference as written.
    pub reference: String,
    /// A short name for it.
    pub alias: Option<String>,
    /// Options for its calls, as written.
    pub params: BTreeMap<String, Raw>,
}

/// How credentials are chosen. Holds no secret.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SignInRules {
    /// Profiles that are named in the configuration: the vendor of each.
    pub profiles: BTreeMap<String, String>,
    /// Which profiles are tried, and in which order, by vendor.
    pub order: BTreeMap<String, Vec<String>>,
    /// How long a failing one is left alone.
    pub cooldowns: CooldownRules,
}

/// How long a failing credential is left alone.
#[derive(Debug, Clone, PartialEq)]
pub struct CooldownRules {
    /// After the first failure over money.
    pub billing_backoff: Duration,
    /// The same by vendor.
    pub billing_backoff_by_provider: BTreeMap<String, Duration>,
    /// After any number of them.
    pub billing_max: Duration,
    /// A failure longer ago than this is forgotten.
    pub failure_window: Duration,
}

impl Default for CooldownRules {
    fn default() -> Self {
        Self {
            billing_backoff: hours(5.0),
            billing_backoff_by_provider: BTreeMap::new(),
            billing_max: hours(24.0),
            failure_window: hours(24.0),
        }
    }
}

/// How much may be spent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Budgets {
    /// By all agents together.
    pub total: BudgetCaps,
    /// By single agents.
    pub agents: BTreeMap<AgentId, BudgetCaps>,
}

/// Spending limits of one scope; absent ones do not limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BudgetCaps {
    /// In a day.
    pub daily: Option<Money>,
    /// In a month.
    pub monthly: Option<Money>,
}

pub(super) fn resolve(raw: &RawConfig, problems: &mut Vec<ConfigProblem>) -> ModelSettings {
    let agents = raw.agents.as_ref();
    let defaults = agents.and_then(|agents| agents.defaults.as_ref());
    let preference = |choice: Option<&ModelChoice>| choice.map(ModelPreference::of).unwrap_or_default();
    let known: Vec<AgentId> = agents
        .and_then(|agents| agents.list.as_deref())
        .unwrap_or_default()
        .iter()
        .map(|entry| normal_id(&entry.id))
        .collect();
    let section = raw.models.as_ref().and_then(|models| models.budgets.as_ref());
    ModelSettings {
        default: preference(defaults.and_then(|defaults| defaults.model.as_ref())),
        image: preference(defaults.and_then(|defaults| defaults.image_model.as_ref())),
        allowed: defaults.map(allowed).unwrap_or_default(),
        thinking: defaults.and_then(|defaults| defaults.thinking_default).map(thinking),
        context_tokens: defaults.and_then(|defaults| defaults.context_tokens).map(|tokens| tokens.get()),
        sign_in: sign_in(raw),
        budgets: section.map(|section| budgets(section, &known, problems)).unwrap_or_default(),
    }
}

fn allowed(defaults: &AgentDefaults) -> Vec<AllowedModel> {
    defaults
        .models
        .iter()
        .map(|(reference, entry)| AllowedModel {
            reference: reference.trim().to_owned(),
            alias: entry.alias.as_deref().and_then(written),
            params: entry.params.clone(),
        })
        .collect()
}

fn thinking(level: RawThinking) -> ThinkingLevel {
    match level {
        RawThinking::Off => ThinkingLevel::Off,
        RawThinking::Minimal => ThinkingLevel::Minimal,
        RawThinking::Low => ThinkingLevel::Low,
        RawThinking::Medium => ThinkingLevel::Medium,
        RawThinking::High => ThinkingLevel::High,
        RawThinking::Xhigh => ThinkingLevel::XHigh,
    }
}

fn sign_in(raw: &RawConfig) -> SignInRules {
    let Some(auth) = raw.auth.as_ref() else { return SignInRules::default() };
    SignInRules {
        profiles: auth.profiles.iter().map(|(id, profile)| (id.clone(), profile.provider.clone())).collect(),
        order: auth.order.clone(),
        cooldowns: auth.cooldowns.as_ref().map(cooldowns).unwrap_or_default(),
    }
}

fn cooldowns(written: &AuthCooldowns) -> CooldownRules {
    let usual = CooldownRules::default();
    CooldownRules {
        billing_backoff: written.billing_backoff_hours.map_or(usual.billing_backoff, hours),
        billing_backoff_by_provider: written
            .billing_backoff_hours_by_provider
            .iter()
            .map(|(provider, count)| (provider.clone(), hours(*count)))
            .collect(),
        billing_max: written.billing_max_hours.map_or(usual.billing_max, hours),
        failure_window: written.failure_window_hours.map_or(usual.failure_window, hours),
    }
}

fn budgets(section: &BudgetsSection, known: &[AgentId], problems: &mut Vec<ConfigProblem>) -> Budgets {
    let mut agents = BTreeMap::new();
    for (written, caps) in &section.agents {
        let id = normal_id(written);
        let exists = known.contains(&id) || (known.is_empty() && id == AgentId::main());
        if !exists {
            problems.push(
                ConfigProblem::warning(
                    format!("models.budgets.agents.{written}"),
                    "limits an agent that does not exist",
                )
                .hint("name an agent of agents.list"),
            );
        }
        agents.insert(id, caps_of(caps.daily, caps.monthly));
    }
    Budgets { total: caps_of(section.daily, section.monthly), agents }
}

fn caps_of(daily: Option<f64>, monthly: Option<f64>) -> BudgetCaps {
    BudgetCaps { daily: daily.map(Money::from_dollars), monthly: monthly.map(Money::from_dollars) }
}

fn hours(count: f64) -> Duration {
    Duration::try_from_secs_f64(count * 3600.0).unwrap_or(Duration::MAX)
}

fn written(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
