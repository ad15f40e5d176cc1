//! `/status`: the state of a session on one card. Gathered here, put into words by `Card`; the tool `session_status`
//! shows the same.

use std::sync::Arc;

use jiff::Timestamp;
use openclaw_agent::prompt::person_zone;
use openclaw_config::sections::{SandboxMode, TimeFormat, VerboseLevel};
use openclaw_config::{Config, ExecSettings, QueueSettings};
use openclaw_inbound::queue::session_choices;
use openclaw_ports::model::{CredentialOrigin, ProfileFacts};
use openclaw_ports::stores::{UsageQuery, UsageSum};
use openclaw_session::Opening;
use openclaw_types::{
    AgentId, ChannelId, ModelRef, SessionEntry, SessionFacts, SessionKey, ThinkingLevel, UnixMillis,
};

use super::wording::{ago, money, percent, span, tokens};
use super::{CommandCall, CommandTrouble, usage};
use crate::channels::{Talk, chosen_model, usual_model};
use crate::enqueue::SessionState;
use crate::flow::Inner;
use crate::submission::Submission;

/// Whose card is wanted.
pub(crate) struct CardOf<'a> {
    /// The agent.
    pub(crate) agent: &'a AgentId,
    /// The session.
    pub(crate) key: &'a SessionKey,
    /// The platform, for what is set by platform.
    pub(crate) channel: Option<&'a ChannelId>,
    /// What asks for it, where that came from the session itself.
    pub(crate) submission: Option<&'a Submission>,
}

/// The card of the session the command was given in.
pub(super) async fn status(call: &CommandCall<'_>) -> Result<String, CommandTrouble> {
    let of = CardOf {
        agent: call.agent(),
        key: call.key(),
        channel: call.submission.from.channel.as_ref(),
        submission: Some(call.submission),
    };
    status_card(call.flow, &of).await
}

/// The card of a session. The session is made when it is not there.
pub(crate) async fn status_card(flow: &Inner, of: &CardOf<'_>) -> Result<String, CommandTrouble> {
    let sessions = &flow.parts.sessions;
    let entry = match sessions.entry(of.key).await? {
        Some(entry) => entry,
        None => {
            let opening = Opening::new(of.key.clone(), of.channel.cloned());
            sessions.open(opening).await?.entry
        }
    };
    let config = flow.settings();
    let models = &flow.parts.models;
    let talk = Talk { key: of.key, facts: &entry.facts, submission: of.submission };
    let model = chosen_model(flow, of.agent, &talk);
    let usual = usual_model(flow, of.agent, &talk);
    let facts = models.facts(&model);
    let channel = of.channel.map_or("webchat", |channel| channel.as_str());
    let spent = match &flow.parts.handles.ledger {
        Some(ledger) => {
            let query = UsageQuery { session: Some(of.key.to_string()), ..UsageQuery::default() };
            usage::sum(ledger.as_ref(), query).await?
        }
        None => None,
    };
    let card = Card {
        version: flow.parts.agent.parts().surroundings.version.clone(),
        now: flow.now(),
        time: time(&config, flow.now()),
        sign_in: sign_in(flow, of.agent, &model, &entry.facts).await?,
        usual: (usual != model).then_some(usual),
        window: models.window(&model).map(|window| window.tokens).or(entry.facts.context_tokens),
        thinking: thinking(&config, &entry.facts, facts.is_some_and(|facts| facts.reasons())),
        verbose: level(&entry.facts.verbose_level, verbose_default(&config)),
        sandbox: ExecSettings::of(&config, of.agent).sandbox,
        queue: QueueSettings::resolve(&config.raw, Some(channel), session_choices(&entry.facts)),
        state: flow.queues.state(of.key),
        key: of.key.clone(),
        spent,
        model,
        entry,
    };
    Ok(card.text())
}

/// Everything the card says.
struct Card {
    version: String,
    now: UnixMillis,
    time: String,
    model: ModelRef,
    /// The model that would answer, when a person chose another.
    usual: Option<ModelRef>,
    sign_in: Option<String>,
    window: Option<u64>,
    spent: Option<UsageSum>,
    entry: Arc<SessionEntry>,
    key: SessionKey,
    thinking: ThinkingLevel,
    verbose: String,
    sandbox: SandboxMode,
    queue: QueueSettings,
    state: SessionState,
}

impl Card {
    fn text(&self) -> String {
        let facts = &self.entry.facts;
        let mut lines =
            vec![format!("🦞 OpenClaw {}", self.version), format!("🕒 {}", self.time), self.model_line()];
        lines.extend(self.fallback_line());
        lines.push(self.token_line());
        lines.push(format!(
            "📚 Context: {} · 🧹 Summed up: {}×",
            context(facts, self.window),
            facts.compaction_count.unwrap_or(0)
        ));
        let updated = ago(self.now.since(self.entry.updated_at));
        lines.push(format!("🧵 Session: {} · updated {updated}", self.key));
        lines.push(self.runtime_line());
        if self.key.is_group() {
            lines.push(format!("👥 Activation: {}", facts.group_activation.as_deref().unwrap_or("mention")));
        }
        lines.push(self.queue_line());
        lines.join("\n")
    }

    fn model_line(&self) -> String {
        let mut line = format!("🧠 Model: {}", self.model);
        match &self.sign_in {
            Some(how) => line.push_str(&format!(" · 🔑 {how}")),
            None => line.push_str(" · 🔑 no sign-in found"),
        }
        if let Some(usual) = &self.usual {
            line.push_str(&format!(" · chosen for this session instead of {usual}"));
        }
        line
    }

    /// Says so when the last answer came from another model than the one that is chosen.
    fn fallback_line(&self) -> Option<String> {
        let facts = &self.entry.facts;
        let (provider, model) = (facts.model_provider.as_deref()?, facts.model.as_deref()?);
        let same = provider == self.model.provider().as_str() && model == self.model.model();
        (!same && facts.total_tokens.is_some())
            .then(|| format!("↪️ The last answer came from {provider}/{model}"))
    }

    fn token_line(&self) -> String {
        let facts = &self.entry.facts;
        let last = match (facts.input_tokens, facts.output_tokens) {
            (Some(input), Some(output)) => format!("{} in, {} out", tokens(input), tokens(output)),
            _ => "none yet".to_owned(),
        };
        match &self.spent {
            Some(sum) if sum.unpriced < sum.calls => {
                format!("🧮 Tokens of the last answer: {last} · 💵 this session: {}", money(sum.cost))
            }
            _ => format!("🧮 Tokens of the last answer: {last}"),
        }
    }

    fn runtime_line(&self) -> String {
        let facts = &self.entry.facts;
        let place = match self.sandbox {
            SandboxMode::Off => "direct",
            SandboxMode::NonMain => "sandbox (non-main)",
            SandboxMode::All => "sandbox (all)",
        };
        let mut parts = vec![format!("⚙️ Runtime: {place}"), format!("think {}", self.thinking)];
        if self.verbose != "off" {
            parts.push(format!("verbose {}", self.verbose));
        }
        for (what, level) in [("reasoning", &facts.reasoning_level), ("elevated", &facts.elevated_level)] {
            if let Some(level) = level.as_deref().filter(|level| *level != "off") {
                parts.push(format!("{what} {level}"));
            }
        }
        if let Some(usage) = &facts.response_usage {
            parts.push(format!("usage {usage}"));
        }
        parts.join(" · ")
    }

    fn queue_line(&self) -> String {
        let QueueSettings { mode, debounce, cap, .. } = self.queue;
        let busy = if self.state.run.is_some() { "answering now" } else { "resting" };
        format!(
            "🪢 Queue: {} (debounce {}, cap {cap}) · {} waiting · {busy}",
            mode.as_str(),
            span(debounce),
            self.state.waiting
        )
    }
}

fn context(facts: &SessionFacts, window: Option<u64>) -> String {
    let whole = window.map_or_else(|| "?".to_owned(), tokens);
    match (facts.total_tokens, facts.total_tokens_fresh) {
        (Some(used), Some(true)) => {
            format!("{} of {whole} ({})", tokens(used), percent(used, window.unwrap_or(0)))
        }
        (Some(_), _) => format!("known after the next answer, of {whole}"),
        (None, _) => format!("empty, of {whole}"),
    }
}

/// The time for the model and for people. Heads of messages keep to 24 hours, since clients know them by their form.
fn time(config: &Config, now: UnixMillis) -> String {
    let defaults = config.raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref());
    let form = match defaults.and_then(|defaults| defaults.time_format) {
        Some(TimeFormat::TwelveHour) => "%A %Y-%m-%d %-I:%M %p %Z",
        Some(TimeFormat::TwentyFourHour | TimeFormat::Auto) | None => "%A %Y-%m-%d %H:%M %Z",
    };
    match Timestamp::from_millisecond(now.0) {
        Ok(moment) => moment.to_zoned(person_zone(config)).strftime(form).to_string(),
        Err(_) => "a time that no calendar knows".to_owned(),
    }
}

fn level(chosen: &Option<String>, usual: &str) -> String {
    chosen.clone().unwrap_or_else(|| usual.to_owned())
}

fn verbose_default(config: &Config) -> &'static str {
    let defaults = config.raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref());
    match defaults.and_then(|defaults| defaults.verbose_default) {
        Some(VerboseLevel::On) => "on",
        Some(VerboseLevel::Full) => "full",
        Some(VerboseLevel::Off) | None => "off",
    }
}

/// How hard the model thinks in a session: its own choice, else the configured one, else a little where it can.
pub(super) fn thinking(config: &Config, facts: &SessionFacts, reasons: bool) -> ThinkingLevel {
    let chosen = facts.thinking_level.as_deref().and_then(ThinkingLevel::from_typed);
    let usual = if reasons { ThinkingLevel::Low } else { ThinkingLevel::Off };
    chosen.or(config.models.thinking).unwrap_or(usual)
}

/// How the session signs in for a model, without any secret; nothing when there is no way.
pub(super) async fn sign_in(
    flow: &Inner,
    agent: &AgentId,
    model: &ModelRef,
    facts: &SessionFacts,
) -> Result<Option<String>, CommandTrouble> {
    let Some(credentials) = &flow.parts.handles.credentials else { return Ok(None) };
    let mut profiles = credentials.profiles(agent, model.provider()).await?;
    profiles.sort_by(|one, other| (&one.origin, one.kind).cmp(&(&other.origin, other.kind)));
    let pinned = facts.auth_profile_override.as_deref();
    let chosen = profiles.iter().find(|profile| Some(profile.id.as_str()) == pinned);
    Ok(chosen.or_else(|| profiles.first()).map(profile_text))
}

/// A sign-in in a few words.
pub(super) fn profile_text(profile: &ProfileFacts) -> String {
    let kind = profile.kind.as_str();
    match &profile.origin {
        CredentialOrigin::NotNeeded => "no key needed".to_owned(),
        CredentialOrigin::Environment(variable) => format!("{kind} (from {variable})"),
        CredentialOrigin::Configuration => format!("{kind} (from the configuration)"),
        CredentialOrigin::Vendor(name) => format!("{kind} (from {name})"),
        CredentialOrigin::Stored => match &profile.email {
            Some(email) => format!("{kind} ({}, {email})", profile.id.as_str()),
            None => format!("{kind} ({})", profile.id.as_str()),
        },
    }
}
