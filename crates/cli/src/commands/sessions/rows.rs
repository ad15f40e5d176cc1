//! How a session is shown: as a line of a table and as JSON in the original's form. Pure.

use openclaw_agent::ModelNames;
use openclaw_config::FileSnapshot;
use openclaw_ports::model::ModelCatalog;
use openclaw_session::ListedKind;
use openclaw_types::{AgentId, ModelRef, SessionEntry, SessionKey};
use serde_json::{Map, Value, json};

use crate::commands::models::built_in_catalog;
use crate::context::Context;
use crate::print::{self, TextTable};

/// The context to assume where nobody knows better.
const CONTEXT_TOKENS: u64 = 200_000;
/// How many characters of a key a short table shows.
const SHORT_KEY: usize = 40;

/// What holds where a session does not say.
pub(super) struct Usual<'a> {
    snapshot: &'a FileSnapshot,
    catalog: ModelCatalog,
}

impl<'a> Usual<'a> {
    /// Looks at the configuration and the models that are known without asking anybody.
    pub(super) fn of(context: &Context, snapshot: &'a FileSnapshot) -> Self {
        Self { snapshot, catalog: built_in_catalog(context, snapshot) }
    }

    fn agent(&self, key: &SessionKey) -> AgentId {
        key.agent_or(&self.snapshot.config.agents.default_agent).clone()
    }

    /// The model that answered last, else the one that was chosen, else the usual one.
    fn model(&self, agent: &AgentId, entry: &SessionEntry) -> ModelRef {
        let names = ModelNames::new(&self.snapshot.config, &self.catalog);
        let usual = names.agent_primary(agent);
        let facts = &entry.facts;
        let pairs =
            [(&facts.model_provider, &facts.model), (&facts.provider_override, &facts.model_override)];
        let named = pairs.into_iter().find_map(|(provider, model)| {
            let provider = provider.as_deref().unwrap_or(usual.provider().as_str());
            names.read(&format!("{provider}/{}", model.as_deref()?)).ok()
        });
        named.map_or(usual, |reference| reference.model)
    }

    fn context_tokens(&self, model: &ModelRef, entry: &SessionEntry) -> u64 {
        let said =
            || self.catalog.model(model).map(|facts| facts.context_window).filter(|window| *window > 0);
        let capped = self.snapshot.config.models.context_tokens;
        entry.facts.context_tokens.or_else(said).or(capped).unwrap_or(CONTEXT_TOKENS)
    }
}

/// A session that is shown.
pub(super) struct Row {
    agent: AgentId,
    key: SessionKey,
    kind: ListedKind,
    model: ModelRef,
    context_tokens: u64,
    total: Option<u64>,
    age: i64,
    entry: SessionEntry,
}

impl Row {
    /// A session as it is shown at a moment.
    pub(super) fn new(usual: &Usual<'_>, key: &SessionKey, entry: &SessionEntry, now: i64) -> Self {
        let agent = usual.agent(key);
        let model = usual.model(&agent, entry);
        let fresh = entry.facts.total_tokens_fresh != Some(false);
        Self {
            kind: ListedKind::of(key, entry),
            context_tokens: usual.context_tokens(&model, entry),
            total: entry.facts.total_tokens.filter(|_| fresh),
            age: now.saturating_sub(entry.updated_at.0),
            key: key.clone(),
            entry: entry.clone(),
            agent,
            model,
        }
    }

    /// The session in the original's form: what is not known is left out.
    pub(super) fn as_json(&self) -> Value {
        let facts = &self.entry.facts;
        let fields = [
            ("key", json!(self.key)),
            ("updatedAt", json!(self.entry.updated_at)),
            ("ageMs", json!(self.age)),
            ("sessionId", json!(self.entry.session_id)),
            ("systemSent", json!(facts.system_sent)),
            ("abortedLastRun", json!(facts.aborted_last_run)),
            ("thinkingLevel", json!(facts.thinking_level)),
            ("verboseLevel", json!(facts.verbose_level)),
            ("reasoningLevel", json!(facts.reasoning_level)),
            ("elevatedLevel", json!(facts.elevated_level)),
            ("responseUsage", json!(facts.response_usage)),
            ("groupActivation", json!(facts.group_activation)),
            ("inputTokens", json!(facts.input_tokens)),
            ("outputTokens", json!(facts.output_tokens)),
            ("modelProvider", json!(facts.model_provider)),
            ("providerOverride", json!(facts.provider_override)),
            ("modelOverride", json!(facts.model_override)),
        ];
        let mut out: Map<String, Value> = fields
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        out.insert("totalTokens".to_owned(), json!(self.total));
        out.insert("totalTokensFresh".to_owned(), json!(self.total.is_some()));
        out.insert("contextTokens".to_owned(), json!(self.context_tokens));
        out.insert("model".to_owned(), json!(self.model.model()));
        out.insert("agentId".to_owned(), json!(self.agent));
        out.insert("kind".to_owned(), json!(self.kind.as_str()));
        Value::Object(out)
    }

    fn tokens(&self) -> String {
        let window = thousands(self.context_tokens);
        match self.total {
            None => format!("?/{window}"),
            Some(total) => {
                let percent =
                    total.saturating_mul(100).checked_div(self.context_tokens).unwrap_or(0).min(999);
                let text = format!("{}/{window} ({percent}%)", thousands(total));
                match percent {
                    95.. => print::bad(&text),
                    80.. => print::warn(&text),
                    _ => text,
                }
            }
        }
    }

    fn settings(&self) -> String {
        let facts = &self.entry.facts;
        let words = [
            ("think", &facts.thinking_level),
            ("verbose", &facts.verbose_level),
            ("reasoning", &facts.reasoning_level),
            ("elevated", &facts.elevated_level),
            ("usage", &facts.response_usage),
            ("activation", &facts.group_activation),
        ];
        let mut shown: Vec<String> = words
            .into_iter()
            .filter_map(|(name, word)| Some(format!("{name}:{}", word.as_deref()?)))
            .collect();
        if facts.aborted_last_run == Some(true) {
            shown.push("stopped".to_owned());
        }
        shown.join(" ")
    }
}

/// How wide a table may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    /// Keys are cut in the middle.
    Short,
    /// Everything, with the ids of transcripts.
    Whole,
}

/// Whether it is said whose a session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AgentColumn {
    Shown,
    Hidden,
}

/// The sessions as a table.
pub(super) fn table(rows: &[Row], width: Width, column: AgentColumn) -> String {
    let mut titles = vec!["Kind", "Key", "Changed", "Model", "Tokens", "Set"];
    if column == AgentColumn::Shown {
        titles.insert(0, "Agent");
    }
    if width == Width::Whole {
        titles.push("Transcript");
    }
    let mut table = TextTable::new(&titles);
    for row in rows {
        let key = match width {
            Width::Short => shortened(row.key.as_str()),
            Width::Whole => row.key.to_string(),
        };
        let changed = print::ago(row.age, 0);
        let mut cells = vec![
            row.kind.as_str().to_owned(),
            key,
            changed,
            row.model.model().to_owned(),
            row.tokens(),
            row.settings(),
        ];
        if column == AgentColumn::Shown {
            cells.insert(0, row.agent.to_string());
        }
        if width == Width::Whole {
            cells.push(row.entry.session_id.to_string());
        }
        table.row(cells);
    }
    table.render()
}

/// A key without its middle, where it is long.
pub(super) fn shortened(key: &str) -> String {
    let count = key.chars().count();
    if count <= SHORT_KEY {
        return key.to_owned();
    }
    let tail: String = key.chars().skip(count - 8).collect();
    let head: String = key.chars().take(SHORT_KEY - 9).collect();
    format!("{head}…{tail}")
}

fn thousands(count: u64) -> String {
    if count >= 10_000 {
        format!("{}k", (count + 500) / 1000)
    } else {
        format!("{}.{}k", count / 1000, count % 1000 / 100)
    }
}

#[cfg(test)]
mod tests {
    use openclaw_config::ConfigFile;
    use openclaw_types::{SessionId, UnixMillis};

    use super::*;

    #[test]
    fn sessions_are_shown_with_age_model_and_tokens() {
        let context = Context::fixed();
        let file = "{ agents: { defaults: { model: 'box/small', contextTokens: 100000 } } }";
        let snapshot = ConfigFile::new(context.locations.clone(), context.environment.clone()).preview(file);
        let usual = Usual::of(&context, &snapshot);
        let main = AgentId::main();
        let entry = |id: &str, at: i64| SessionEntry::new(SessionId::new(id).unwrap(), UnixMillis(at));
        let mut first = entry("one", 60_000);
        first.facts.total_tokens = Some(90_000);
        first.facts.context_tokens = Some(100_000);
        first.facts.thinking_level = Some("high".to_owned());
        let mut second = entry("two", 120_000);
        second.facts.total_tokens = Some(5_000);
        second.facts.total_tokens_fresh = Some(false);
        second.facts.context_tokens = Some(1_000);
        let keys = [
            SessionKey::named(&main, "main").unwrap(),
            SessionKey::named(&main, "a-name-that-is-much-too-long-for-a-table-of-sessions").unwrap(),
        ];
        let rows =
            [Row::new(&usual, &keys[0], &first, 180_000), Row::new(&usual, &keys[1], &second, 180_000)];
        insta::assert_snapshot!(print::without_colours(&table(&rows, Width::Short, AgentColumn::Hidden)), @r"
        Kind    Key                                       Changed  Model  Tokens          Set
        direct  agent:main:main                           2m ago   small  90k/100k (90%)  think:high
        direct  agent:main:a-name-that-is-much-…sessions  1m ago   small  ?/1.0k
        ");
        assert_eq!(
            rows[1].as_json(),
            json!({
                "key": keys[1], "updatedAt": 120_000, "ageMs": 60_000, "sessionId": "two", "totalTokens": null,
                "totalTokensFresh": false, "contextTokens": 1_000, "model": "small", "agentId": "main",
                "kind": "direct",
            })
        );
    }
}
