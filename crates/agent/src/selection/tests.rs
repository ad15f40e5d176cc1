//! What people write, which chains follow from it, and how models think.

use std::collections::BTreeMap;

use openclaw_config::sections::Raw;
use openclaw_config::{Config, Context, Environment, Locations, Overrides, ProfileChoice};
use openclaw_ports::model::{
    ApiName, CacheLifetime, Compatibility, FaultReason, ModelCatalog, ModelFacts, ModelFault, ProviderFacts,
    ProviderOrigin, ServerReach, SignIn,
};
use openclaw_types::{AgentId, ProviderId, ThinkingLevel};
use serde_json::{Value, json};

use super::thinking::{default_level, supported_level};
use super::*;

fn config(file: Value) -> Config {
    let environment = Environment::fake([("A", "b")], "/home/ana");
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
    let overrides = Overrides::default();
    let context = Context { environment: &environment, locations: &locations, overrides: &overrides };
    Config::resolve(serde_json::from_value(file).unwrap(), &context).0
}

/// A catalog of `<vendor>: <models>`.
fn catalog(vendors: &[(&str, &[&str])]) -> ModelCatalog {
    let vendor = |(id, models): &(&str, &[&str])| {
        let id = ProviderId::new(id).unwrap();
        let facts = ProviderFacts {
            id: id.clone(),
            name: id.to_string(),
            origin: ProviderOrigin::BuiltIn,
            reach: ServerReach::Public,
            sign_in: SignIn::Key,
            key_variables: Vec::new(),
            endpoint: None,
            models: models.iter().map(|model| facts(model)).collect(),
        };
        (id, facts)
    };
    ModelCatalog { providers: vendors.iter().map(vendor).collect() }
}

fn facts(id: &str) -> ModelFacts {
    ModelFacts {
        id: id.to_owned(),
        name: id.to_owned(),
        api: ApiName::OpenaiCompletions,
        base_url: "https://models.example".to_owned(),
        context_window: 100_000,
        max_output_tokens: 1_000,
        sees_images: false,
        thinking: Vec::new(),
        prices: None,
        headers: BTreeMap::new(),
        compatibility: Compatibility::default(),
    }
}

fn defaults(defaults: Value) -> Config {
    config(json!({ "agents": { "defaults": defaults } }))
}

#[test]
fn people_write_models_in_many_ways() {
    let config = defaults(json!({
        "model": "openai/gpt-5",
        "models": {
            "anthropic/claude-opus-4-6": { "alias": "Opus" },
            "openrouter/meta/llama-4": {},
            "openai/gpt-5": {},
        },
    }));
    let catalog = catalog(&[("openai", &["gpt-5", "o9"]), ("azure", &["gpt-5"]), ("groq", &["fast"])]);
    let names = ModelNames::new(&config, &catalog);
    let rows = [
        ("openai/gpt-5", "openai/gpt-5", None, None),
        (" OpenAI/GPT-5 ", "openai/GPT-5", None, None),
        ("openrouter/meta/llama-4", "openrouter/meta/llama-4", None, None),
        ("openrouter/auto", "openrouter/openrouter/auto", None, None),
        ("z.ai/glm-5", "zai/glm-5", None, None),
        ("anthropic/opus-4.6", "anthropic/claude-opus-4-6", None, None),
        ("openai/gpt-5.3-codex", "openai-codex/gpt-5.3-codex", None, None),
        // Aliases, in any case, and sign-ins behind them.
        ("opus", "anthropic/claude-opus-4-6", Some("Opus"), None),
        ("OPUS@work", "anthropic/claude-opus-4-6", Some("Opus"), Some("work")),
        ("openai/gpt-5@openai:ana", "openai/gpt-5", None, Some("openai:ana")),
        // An `@` that belongs to the model.
        ("vertex/claude-opus@20260101", "vertex/claude-opus@20260101", None, None),
        ("workers/@cf/meta/llama", "workers/@cf/meta/llama", None, None),
        // Bare names: the only vendor that has it, the usual vendor when it does, else the usual vendor anyway.
        ("meta/llama-4", "meta/llama-4", None, None),
        ("fast", "groq/fast", None, None),
        ("gpt-5", "openai/gpt-5", None, None),
        ("claude-opus-4-6", "anthropic/claude-opus-4-6", None, None),
        ("unheard-of", "openai/unheard-of", None, None),
    ];
    for (written, model, alias, profile) in rows {
        let reference = names.read(written).unwrap();
        let got = (
            reference.model.to_string(),
            reference.alias.as_deref(),
            reference.profile.as_ref().map(|id| id.as_str()),
        );
        assert_eq!(got, (model.to_owned(), alias, profile), "{written}");
    }
    for written in ["", "  ", "/model", "vendor/", "/"] {
        assert_eq!(
            names.read(written),
            Err(crate::SelectionError::Invalid(written.trim().to_owned())),
            "{written:?}"
        );
    }
}

#[test]
fn without_any_configuration_the_default_model_answers() {
    let (config, catalog) = (config(json!({})), catalog(&[]));
    let names = ModelNames::new(&config, &catalog);
    assert_eq!(names.primary().to_string(), "anthropic/claude-opus-4-6");
    assert_eq!(names.configured_primary(), None);
    assert_eq!(names.agent_primary(&AgentId::main()).to_string(), "anthropic/claude-opus-4-6");
}

#[test]
fn a_list_limits_what_people_choose_and_the_own_model_is_always_fine() {
    let config = config(json!({ "agents": {
        "defaults": { "model": "a/one", "models": { "b/two": {} } },
        "list": [{ "id": "main" }, { "id": "ops", "model": "c/three" }],
    } }));
    let catalog = catalog(&[]);
    let names = ModelNames::new(&config, &catalog);
    let rows = [
        ("main", "b/two", true),
        ("main", "B/TWO", true),
        ("main", "a/one", true),
        ("main", "c/three", false),
        ("ops", "c/three", true),
        ("ops", "a/one", false),
    ];
    for (agent, model, fine) in rows {
        let resolved = names.resolve(&AgentId::new(agent).unwrap(), model);
        assert_eq!(resolved.is_ok(), fine, "{agent} {model}: {resolved:?}");
    }
    assert_eq!(
        names.resolve(&AgentId::main(), "c/three").unwrap_err().to_string(),
        "Model \"c/three\" is not allowed. Use /model to list available models."
    );
}

#[test]
fn chains_follow_who_chose_and_where_the_call_began() {
    let file = json!({ "agents": {
        "defaults": {
            "model": { "primary": "a/one", "fallbacks": ["a/two", "fast", "a/one"] },
            "models": { "b/quick": { "alias": "fast" }, "a/one": {}, "a/nine": {}, "c/nine": {} },
        },
        "list": [
            { "id": "main" },
            { "id": "own", "model": { "primary": "d/own", "fallbacks": ["d/spare"] } },
            { "id": "alone", "model": { "primary": "d/own", "fallbacks": [] } },
            { "id": "plain", "model": "d/own" },
            { "id": "same-vendor", "model": "a/seven" },
        ],
    } });
    let (config, catalog) = (config(file), catalog(&[]));
    let names = ModelNames::new(&config, &catalog);
    let session = |text: &str| Selection::Session(text.to_owned());
    let run = |text: &str| Selection::Run(text.to_owned());
    let room = |text: &str| Selection::Room(text.to_owned());
    let rows: [(&str, Selection, &[&str]); 14] = [
        ("main", Selection::Default, &["a/one", "a/two", "b/quick"]),
        // A choice at the same vendor keeps the fallbacks; a run ends at the agent's own model.
        ("main", run("a/nine"), &["a/nine", "a/two", "b/quick", "a/one"]),
        ("main", session("a/nine"), &["a/nine", "a/two", "b/quick", "a/one"]),
        // At another vendor a run keeps them only when it began at one of them.
        ("main", run("c/nine"), &["c/nine", "a/one"]),
        ("main", run("fast"), &["b/quick", "a/two", "a/one"]),
        ("main", session("c/nine"), &["c/nine", "a/two", "b/quick", "a/one"]),
        // An agent's own fallbacks replace all others, also when there are none.
        ("own", Selection::Default, &["d/own", "d/spare"]),
        ("alone", Selection::Default, &["d/own"]),
        ("alone", run("a/nine"), &["a/nine"]),
        // An agent with a model of its own and no fallbacks is answered by no other vendor.
        ("plain", Selection::Default, &["d/own"]),
        ("plain", run("c/nine"), &["c/nine", "d/own"]),
        ("plain", room("c/nine"), &["c/nine"]),
        ("plain", Selection::Pictures, &["d/own"]),
        ("same-vendor", Selection::Default, &["a/seven", "a/two", "b/quick", "a/one"]),
    ];
    for (agent, selection, expected) in rows {
        let (chain, _) = names.chain(&AgentId::new(agent).unwrap(), &selection).unwrap();
        let chain: Vec<String> = chain.iter().map(ToString::to_string).collect();
        assert_eq!(chain, expected, "{agent} {selection:?}");
    }
}

#[test]
fn options_of_a_model_are_read_in_both_spellings() {
    let read = |params: Value| {
        let params: BTreeMap<String, Raw> = serde_json::from_value(params).unwrap();
        CallOptions::read(&params)
    };
    assert_eq!(read(json!({})), CallOptions::default());
    assert_eq!(
        read(json!({ "temperature": 0.5, "maxTokens": 900, "cacheRetention": "long" })),
        CallOptions {
            temperature: Some(0.5),
            max_output_tokens: Some(900),
            cache: Some(CacheLifetime::Long)
        }
    );
    let caches = [
        ("none", "1h", CacheLifetime::Off),
        ("odd", "1h", CacheLifetime::Long),
        ("odd", "5m", CacheLifetime::Short),
    ];
    for (retention, ttl, expected) in caches {
        let options = read(json!({ "cacheRetention": retention, "cacheControlTtl": ttl }));
        assert_eq!(options.cache, Some(expected), "{retention} {ttl}");
    }
    assert_eq!(
        read(json!({ "temperature": "hot", "maxTokens": -1, "cacheRetention": 3 })),
        CallOptions::default()
    );
}

#[test]
fn thinking_is_fitted_to_what_a_model_can_do() {
    use ThinkingLevel::{High, Low, Medium, Minimal, Off, XHigh};
    let rows: [(ThinkingLevel, &[ThinkingLevel], ThinkingLevel); 7] = [
        (Off, &[Low, High], Off),
        (High, &[], Off),
        (XHigh, &[Low, High], High),
        (Medium, &[Low, High], Low),
        (Minimal, &[Low, High], Low),
        (High, &[Minimal, Low, Medium, High, XHigh], High),
        (Low, &[High], High),
    ];
    for (wanted, supported, expected) in rows {
        assert_eq!(supported_level(wanted, supported), expected, "{wanted:?} of {supported:?}");
    }
    let thinker = ModelFacts { thinking: vec![Low, High], ..facts("x") };
    assert_eq!(default_level(None, &facts("x")), Off);
    assert_eq!(default_level(None, &thinker), Low);
    assert_eq!(default_level(Some(High), &thinker), High);
}

#[test]
fn refusals_say_which_level_to_try_next() {
    use ThinkingLevel::{High, Low, Medium, Minimal, Off, XHigh};
    let rows: [(&str, &[ThinkingLevel], Option<ThinkingLevel>); 11] = [
        (
            "Unsupported value: 'xhigh'. Supported values are: 'low', 'medium', and 'high'.",
            &[XHigh],
            Some(High),
        ),
        (
            "Unsupported value. Supported values are: 'low', 'medium', and 'high'.",
            &[XHigh, High],
            Some(Medium),
        ),
        ("Supported values are: 'none', 'low' and 'medium'", &[High], Some(Medium)),
        ("Supported values are: 'none', 'low' and 'medium'", &[High, Medium, Low], Some(Off)),
        ("Supported values are: 'none', 'medium' and 'high'", &[Low], Some(Medium)),
        ("invalid effort; supported values: none, minimal, high", &[Off], Some(Minimal)),
        ("Supported values are: 'high'.", &[High], None),
        ("this model does not support thinking", &[Low], Some(Off)),
        ("\"reasoning.effort\" is not supported with this model", &[High], Some(Off)),
        ("this model does not support thinking", &[Off], None),
        ("messages: at least one message is required", &[Low], None),
    ];
    for (message, tried, expected) in rows {
        let fault = ModelFault::new(FaultReason::Format, message);
        assert_eq!(lower_level(&fault, tried), expected, "{message}");
    }
    let limited = ModelFault::new(FaultReason::RateLimit, "Supported values are: 'low'");
    assert_eq!(lower_level(&limited, &[High]), None);
}

#[test]
fn windows_are_judged_by_what_is_left_of_them() {
    use WindowVerdict::{Fine, Low, TooSmall};
    let rows = [
        (200_000, None, 200_000, Fine),
        (0, None, 200_000, Fine),
        (32_000, None, 32_000, Fine),
        (31_999, None, 31_999, Low),
        (16_000, None, 16_000, Low),
        (15_999, None, 15_999, TooSmall),
        (200_000, Some(20_000), 20_000, Low),
        (20_000, Some(200_000), 20_000, Low),
        (200_000, Some(0), 200_000, Fine),
    ];
    for (said, cap, tokens, verdict) in rows {
        assert_eq!(
            ContextWindow::judge(said, cap),
            ContextWindow { tokens, verdict },
            "{said} at most {cap:?}"
        );
    }
}
