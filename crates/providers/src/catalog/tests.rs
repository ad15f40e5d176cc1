//! The tables are sound, what people write wins, and what is assumed of unknown models is what is documented.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use openclaw_config::Environment;
use openclaw_config::sections::ModelsSection;
use openclaw_ports::model::{
    ApiName, Compatibility, MaxTokensField, ModelCatalog, ModelFacts, Prices, ProviderFacts, ProviderOrigin,
    ServerReach, SignIn, ThinkingFormat,
};
use openclaw_types::{ModelRef, ProviderId, Secret, ThinkingLevel};
use serde_json::{Value, json};

use super::discover::{FoundModel, FoundServer};
use super::registry_file::{NotARegistry, RegistryFile, read_registry_file};
use super::vendor::Offers;
use super::{Catalog, CatalogInputs, Demonstration, compat, resolve_unlisted, vendor, vendors};

fn environment(variables: &[(&str, &str)]) -> Environment {
    Environment::fake(variables.iter().copied(), "/home/ana")
}

fn section(value: Value) -> ModelsSection {
    serde_json::from_value(value).expect("a models section")
}

fn plain() -> ModelCatalog {
    Catalog::build(&CatalogInputs {
        models: None,
        found: &[],
        registry: None,
        environment: &environment(&[]),
        demonstration: Demonstration::Absent,
    })
}

fn with(models: Value) -> ModelCatalog {
    with_registry(models, None)
}

fn with_registry(models: Value, registry: Option<&RegistryFile>) -> ModelCatalog {
    Catalog::build(&CatalogInputs {
        models: Some(&section(models)),
        found: &[],
        registry,
        environment: &environment(&[]),
        demonstration: Demonstration::Absent,
    })
}

fn provider(text: &str) -> ProviderId {
    ProviderId::new(text).expect("a provider id")
}

fn model<'a>(catalog: &'a ModelCatalog, reference: &str) -> &'a ModelFacts {
    catalog
        .model(&reference.parse().expect("a reference"))
        .unwrap_or_else(|| panic!("{reference} is not listed"))
}

fn unlisted(catalog: &ModelCatalog, reference: &str) -> Option<ModelFacts> {
    resolve_unlisted(catalog, &reference.parse::<ModelRef>().expect("a reference"))
}

#[test]
fn every_promised_vendor_is_there() {
    let promised = "anthropic openai openai-codex opencode google google-vertex google-gemini-cli zai vercel-ai-gateway \
        openrouter xai groq cerebras mistral github-copilot huggingface moonshot kimi-coding qwen-portal synthetic \
        minimax deepseek nvidia together ollama vllm lmstudio llama.cpp litellm amazon-bedrock azure-openai minimax-cn \
        minimax-portal xiaomi qianfan venice volcengine volcengine-plan byteplus byteplus-plan kilocode \
        cloudflare-ai-gateway";
    let known: BTreeSet<&str> = vendors::all().map(|vendor| vendor.id).collect();
    assert_eq!(promised.split_whitespace().collect::<BTreeSet<_>>(), known);
    assert_eq!(vendors::all().count(), known.len());
    assert_eq!(plain().providers.len(), known.len());
}

#[test]
fn vendors_are_found_by_every_spelling() {
    let spellings =
        ["Z.AI", "aws-bedrock", "llamacpp", "llama-cpp", "LM-Studio", "azure-openai-responses", "nobody"];
    let found = spellings.map(|spelling| vendor(spelling).map(|vendor| vendor.id));
    let expected =
        ["zai", "amazon-bedrock", "llama.cpp", "llama.cpp", "lmstudio", "azure-openai"].map(Some).into_iter();
    assert_eq!(found.to_vec(), expected.chain([None]).collect::<Vec<_>>());
}

#[test]
fn tables_hold_sane_numbers_and_no_name_twice() {
    for vendor in vendors::all() {
        let mut seen = HashSet::new();
        assert!(vendor.base_url.starts_with("http"), "{}", vendor.id);
        assert!(!vendor.models.is_empty() || vendor.offers == Offers::OwnModels, "{}", vendor.id);
        for entry in vendor.models {
            let name = format!("{}/{}", vendor.id, entry.id);
            assert!(seen.insert(entry.id), "{name} is listed twice");
            assert!(!entry.name.trim().is_empty() && entry.id.trim() == entry.id, "{name}");
            assert!((4_000..=20_000_000).contains(&entry.context), "{name}");
            assert!((1_000..=entry.context).contains(&entry.output), "{name}");
            assert!(entry.thinking.is_sorted(), "{name}");
            assert!(!entry.thinking.contains(&ThinkingLevel::Off), "{name}");
            if let Some(prices) = entry.prices {
                for price in [prices.input, prices.output, prices.cache_read, prices.cache_write] {
                    assert!(price.is_finite() && (0.0..=1_000.0).contains(&price), "{name}");
                }
            }
        }
    }
}

#[test]
fn vendors_with_published_prices_have_one_for_each_model() {
    for id in ["anthropic", "openai", "google", "xai", "groq", "mistral", "moonshot", "synthetic", "nvidia"] {
        let vendor = vendor(id).expect("a vendor");
        let without: Vec<&str> =
            vendor.models.iter().filter(|entry| entry.prices.is_none()).map(|entry| entry.id).collect();
        assert_eq!(without, Vec::<&str>::new(), "{id}");
    }
}

#[test]
fn the_first_model_of_each_vendor_is_listed() {
    let catalog = plain();
    for vendor in vendors::all() {
        match vendor.first_model {
            Some(first) => {
                let facts = model(&catalog, &format!("{}/{first}", vendor.id));
                assert!(!facts.base_url.is_empty(), "{}", vendor.id);
            }
            None => assert_eq!(vendor.offers, Offers::OwnModels, "{}", vendor.id),
        }
    }
    assert_eq!(model(&catalog, "anthropic/claude-opus-4-6").max_output_tokens, 128_000);
}

#[test]
fn one_model_is_built_whole() {
    let expected = ModelFacts {
        id: "glm-4.7".to_owned(),
        name: "GLM-4.7".to_owned(),
        api: ApiName::OpenaiCompletions,
        base_url: "https://api.z.ai/api/coding/paas/v4".to_owned(),
        context_window: 204_800,
        max_output_tokens: 131_072,
        sees_images: false,
        thinking: vec![ThinkingLevel::Low],
        prices: Some(Prices { input: 0.6, output: 2.2, cache_read: 0.11, cache_write: 0.0 }),
        headers: BTreeMap::new(),
        compatibility: Compatibility {
            developer_role: false,
            store: false,
            reasoning_effort: false,
            thinking_format: ThinkingFormat::Object,
            ..Compatibility::default()
        },
    };
    assert_eq!(*model(&plain(), "zai/glm-4.7"), expected);
}

#[test]
fn thinking_levels_are_those_that_a_model_takes() {
    let catalog = plain();
    let rows = [
        ("openai/gpt-5", "minimal low medium high"),
        ("openai/gpt-5.1", "low medium high"),
        ("openai/gpt-5.1-codex-max", "low medium high xhigh"),
        ("openai/gpt-5.2", "low medium high xhigh"),
        ("openai/gpt-5-pro", "high"),
        ("openai/gpt-4o", ""),
        ("openai-codex/gpt-5.1-codex-mini", "medium high"),
        ("openai-codex/gpt-5.3-codex", "low medium high xhigh"),
        ("github-copilot/gpt-5.2", "low medium high xhigh"),
        ("github-copilot/claude-sonnet-4.5", "low"),
        ("anthropic/claude-opus-4-6", "minimal low medium high xhigh"),
        ("anthropic/claude-sonnet-4-6", "minimal low medium high"),
        ("anthropic/claude-3-5-haiku-latest", ""),
        ("google/gemini-3-pro-preview", "low high"),
        ("google/gemini-2.5-pro", "minimal low medium high"),
        ("xai/grok-4", "low"),
        ("groq/openai/gpt-oss-120b", "low medium high"),
        ("groq/qwen/qwen3-32b", "low"),
    ];
    for (reference, levels) in rows {
        let taken: Vec<&str> =
            model(&catalog, reference).thinking.iter().map(|level| level.as_str()).collect();
        assert_eq!(taken.join(" "), levels, "{reference}");
    }
    assert!(!model(&catalog, "groq/qwen/qwen3-32b").compatibility.reasoning_effort);
    assert!(model(&catalog, "groq/openai/gpt-oss-120b").compatibility.reasoning_effort);
}

#[test]
fn a_vendor_with_several_protocols_keeps_them_apart() {
    let catalog = plain();
    let doors = ["opencode/claude-opus-4-6", "opencode/gpt-5.2", "opencode/gemini-3-pro", "opencode/kimi-k2"];
    let doors =
        doors.map(|reference| (model(&catalog, reference).api, model(&catalog, reference).base_url.as_str()));
    let expected = [
        (ApiName::AnthropicMessages, "https://opencode.ai/zen"),
        (ApiName::OpenaiResponses, "https://opencode.ai/zen/v1"),
        (ApiName::GoogleGenerativeAi, "https://opencode.ai/zen/v1"),
        (ApiName::OpenaiCompletions, "https://opencode.ai/zen/v1"),
    ];
    assert_eq!(doors, expected);
}

#[test]
fn addresses_are_completed_from_the_environment() {
    type Row = (&'static [(&'static str, &'static str)], &'static str, &'static str);
    let rows: &[Row] = &[
        (&[], "amazon-bedrock", "https://bedrock-runtime.us-east-1.amazonaws.com"),
        (
            &[("AWS_REGION", "eu-central-1")],
            "amazon-bedrock",
            "https://bedrock-runtime.eu-central-1.amazonaws.com",
        ),
        (
            &[("GOOGLE_CLOUD_PROJECT", "acme"), ("GOOGLE_CLOUD_LOCATION", "global")],
            "google-vertex",
            "https://aiplatform.googleapis.com/v1/projects/acme/locations/global/publishers/google",
        ),
        (
            &[("GCLOUD_PROJECT", "acme"), ("GOOGLE_CLOUD_LOCATION", "europe-west4")],
            "google-vertex",
            "https://europe-west4-aiplatform.googleapis.com/v1/projects/acme/locations/europe-west4/publishers/google",
        ),
        (
            &[("AZURE_OPENAI_RESOURCE_NAME", "acme")],
            "azure-openai",
            "https://acme.openai.azure.com/openai/v1",
        ),
        (&[("AZURE_OPENAI_BASE_URL", "https://own.example/v1/")], "azure-openai", "https://own.example/v1"),
        // A value that would lead elsewhere is not taken.
        (
            &[("AZURE_OPENAI_RESOURCE_NAME", "evil.example/#")],
            "azure-openai",
            "https://{resource}.openai.azure.com/openai/v1",
        ),
    ];
    for (variables, id, expected) in rows {
        let catalog = Catalog::build(&CatalogInputs {
            models: None,
            found: &[],
            registry: None,
            environment: &environment(variables),
            demonstration: Demonstration::Absent,
        });
        let facts = catalog.provider(&provider(id)).expect("the vendor");
        let endpoint = facts.endpoint.as_ref().expect("an endpoint");
        assert_eq!((endpoint.base_url.as_str(), facts.models[0].base_url.as_str()), (*expected, *expected));
    }
}

#[test]
fn a_custom_server_gets_the_documented_defaults() {
    let catalog = with(json!({ "providers": { "My-Proxy": {
        "baseUrl": "http://10.0.0.5:9000/v1",
        "apiKey": "local",
        "models": [{ "id": " small ", "name": "Small" }, { "id": "small", "name": "again" }],
    } } }));
    let facts = catalog.provider(&provider("my-proxy")).expect("the vendor");
    let expected = ModelFacts {
        id: "small".to_owned(),
        name: "Small".to_owned(),
        api: ApiName::OpenaiCompletions,
        base_url: "http://10.0.0.5:9000/v1".to_owned(),
        context_window: 200_000,
        max_output_tokens: 8_192,
        sees_images: false,
        thinking: Vec::new(),
        prices: Some(Prices::default()),
        headers: BTreeMap::new(),
        compatibility: Compatibility::default(),
    };
    assert_eq!(facts.models, [expected]);
    assert_eq!(
        (facts.origin, facts.reach, facts.sign_in),
        (ProviderOrigin::Configured, ServerReach::Anywhere, SignIn::Key)
    );
}

#[test]
fn what_is_written_about_a_custom_model_holds() {
    let catalog = with(json!({ "providers": { "box": {
        "baseUrl": "https://box.example/anthropic",
        "authHeader": true,
        "headers": { "X-Team": "a", "X-Both": "provider" },
        "models": [
            {
                "id": "m", "name": "M", "api": "openai-completions", "reasoning": true, "input": ["text", "image"],
                "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0 },
                "contextWindow": 4000, "maxTokens": 9000,
                "headers": { "x-both": "model" },
                "compat": {
                    "supportsStore": false, "supportsDeveloperRole": false, "supportsReasoningEffort": false,
                    "supportsUsageInStreaming": false, "supportsStrictMode": false, "maxTokensField": "max_tokens",
                    "thinkingFormat": "qwen", "requiresToolResultName": true,
                    "requiresAssistantAfterToolResult": true, "requiresThinkingAsText": true,
                    "requiresMistralToolIds": true,
                },
            },
            { "id": "n", "name": "N", "cost": { "input": 2 } },
        ],
    } } }));
    let facts = model(&catalog, "box/m");
    let header = |name: &str| facts.headers.get(name).map(|value| value.reveal().as_str());
    assert_eq!(
        (facts.api, facts.context_window, facts.max_output_tokens),
        (ApiName::OpenaiCompletions, 4_000, 4_000)
    );
    assert_eq!((facts.sees_images, facts.thinking.len(), facts.prices), (true, 4, Some(Prices::default())));
    assert_eq!((header("x-team"), header("x-both"), facts.headers.len()), (Some("a"), Some("model"), 2));
    let expected = Compatibility {
        max_tokens_field: MaxTokensField::MaxTokens,
        developer_role: false,
        store: false,
        strict_tools: false,
        reasoning_effort: false,
        usage_in_stream: false,
        tool_result_name: true,
        assistant_after_tool_result: true,
        thinking_as_text: true,
        short_tool_ids: true,
        thinking_format: ThinkingFormat::Switch,
        key_as_bearer: true,
    };
    assert_eq!(facts.compatibility, expected);
    let other = model(&catalog, "box/n");
    assert_eq!(other.api, ApiName::AnthropicMessages);
    assert!(other.compatibility.key_as_bearer);
    assert_eq!(other.prices, Some(Prices { input: 2.0, ..Prices::default() }));
    let sign_in = catalog.provider(&provider("box")).expect("the vendor").sign_in;
    assert_eq!(sign_in, SignIn::OptionalKey);
}

#[test]
fn written_models_come_first_and_keep_what_is_known_of_them() {
    let catalog = with(json!({ "mode": "merge", "providers": { "Moonshot": {
        "baseUrl": "https://api.moonshot.ai/v1",
        "models": [{ "id": "kimi-next", "name": "Next" }, { "id": "kimi-k2.5", "name": "Mine", "maxTokens": 1000 }],
    } } }));
    let facts = catalog.provider(&provider("moonshot")).expect("the vendor");
    let ids: Vec<&str> = facts.models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(ids[..3], ["kimi-next", "kimi-k2.5", "kimi-k2-0905-preview"]);
    assert_eq!(ids.len(), 6);
    let mine = &facts.models[1];
    assert_eq!((mine.name.as_str(), mine.context_window, mine.max_output_tokens), ("Mine", 256_000, 1_000));
    assert!(mine.sees_images && !mine.compatibility.developer_role);
    assert_eq!(facts.key_variables, ["MOONSHOT_API_KEY"]);
}

#[test]
fn another_address_moves_the_known_models_too() {
    let catalog = with(json!({ "providers": { "openai": {
        "baseUrl": "http://127.0.0.1:4000/v1", "api": "openai-completions", "headers": { "X-Team": "a" }, "models": [],
    } } }));
    let facts = model(&catalog, "openai/gpt-5.2");
    assert_eq!(
        (facts.api, facts.base_url.as_str()),
        (ApiName::OpenaiCompletions, "http://127.0.0.1:4000/v1")
    );
    assert_eq!(facts.headers, BTreeMap::from([("x-team".to_owned(), Secret::new("a".to_owned()))]));
    assert_eq!(facts.context_window, 400_000);
    assert_eq!(catalog.provider(&provider("openai")).map(|facts| facts.reach), Some(ServerReach::Anywhere));
    assert_eq!(plain().provider(&provider("openai")).map(|facts| facts.reach), Some(ServerReach::Public));
}

#[test]
fn a_subscription_speaks_responses() {
    let catalog = with(json!({ "providers": { "codex-box": {
        "baseUrl": "https://chatgpt.com/backend-api", "api": "openai-codex-responses", "auth": "oauth",
        "models": [{ "id": "m", "name": "M" }],
    } } }));
    assert_eq!(model(&catalog, "codex-box/m").api, ApiName::OpenaiResponses);
    assert_eq!(catalog.provider(&provider("codex-box")).map(|facts| facts.sign_in), Some(SignIn::Oauth));
}

#[test]
fn an_older_list_is_merged_unless_it_is_replaced() {
    let registry = read_registry_file(
        json!({ "providers": {
            "old-box": { "baseUrl": "http://old:1/v1", "api": "openai-completions", "apiKey": "K",
                "models": [{ "id": "m", "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0 } }] },
            "new-box": { "baseUrl": "http://old:2/v1", "models": [{ "id": "old" }] },
            "zai": { "models": [{ "id": "glm-5", "name": "GLM", "reasoning": true,
                "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0 } }] },
            "azure": { "baseUrl": "https://a.openai.azure.com", "api": "azure-openai-responses", "models": [{ "id": "d" }] },
            "broken": { "models": [{ "name": "no id" }] },
        } })
        .to_string()
        .as_bytes(),
    )
    .expect("a registry");
    assert_eq!(registry.left_out, ["broken"]);
    let own = |mode: &str| {
        json!({ "mode": mode, "providers": {
            "new-box": { "baseUrl": "http://new:2/v1", "models": [{ "id": "new", "name": "New" }] },
        } })
    };
    let merged = with_registry(own("merge"), Some(&registry));
    assert_eq!(model(&merged, "old-box/m").prices, None);
    assert_eq!(model(&merged, "azure/d").api, ApiName::OpenaiResponses);
    assert_eq!(model(&merged, "zai/glm-5").prices, model(&plain(), "zai/glm-5").prices);
    let boxes = &merged.provider(&provider("new-box")).expect("the vendor").models;
    assert_eq!(boxes.iter().map(|model| model.id.as_str()).collect::<Vec<_>>(), ["new"]);
    let replaced = with_registry(own("replace"), Some(&registry));
    assert_eq!(replaced.provider(&provider("old-box")), None);
    assert_eq!(replaced.provider(&provider("zai")), plain().provider(&provider("zai")));
}

#[test]
fn a_file_that_is_no_list_is_told_so() {
    for text in ["", "[]", "{}", r#"{"providers": []}"#] {
        assert_eq!(read_registry_file(text.as_bytes()), Err(NotARegistry), "{text}");
    }
}

#[test]
fn servers_are_known_by_name_or_address() {
    let strict = Compatibility { developer_role: false, store: false, ..Compatibility::default() };
    let mistral = Compatibility {
        max_tokens_field: MaxTokensField::MaxTokens,
        tool_result_name: true,
        thinking_as_text: true,
        short_tool_ids: true,
        ..strict
    };
    let zai = Compatibility { reasoning_effort: false, thinking_format: ThinkingFormat::Object, ..strict };
    let roles = Compatibility { developer_role: false, ..Compatibility::default() };
    let rows = [
        ("own", "https://example.com/v1", Compatibility::default()),
        ("openrouter", "https://openrouter.ai/api/v1", Compatibility::default()),
        ("own", "https://api.mistral.ai/v1", mistral),
        ("mistral", "http://proxy/v1", mistral),
        ("own", "https://api.x.ai/v1", Compatibility { reasoning_effort: false, ..strict }),
        ("own", "https://api.z.ai/api/paas/v4", zai),
        ("own", "https://api.cerebras.ai/v1", strict),
        (
            "own",
            "https://llm.chutes.ai/v1",
            Compatibility { max_tokens_field: MaxTokensField::MaxTokens, ..strict },
        ),
        ("own", "https://API.DeepSeek.com", strict),
        ("own", "https://opencode.ai/zen/v1", strict),
        ("own", "https://api.moonshot.cn/v1", roles),
        ("own", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", roles),
    ];
    for (name, address, expected) in rows {
        assert_eq!(compat::detect(name, ApiName::OpenaiCompletions, address), expected, "{name} {address}");
        assert_eq!(compat::detect(name, ApiName::AnthropicMessages, address), Compatibility::default());
    }
}

#[test]
fn newer_relatives_of_listed_models_are_taken_for_them() {
    let catalog = plain();
    let newer = unlisted(&catalog, "anthropic/claude-opus-5").expect("a relative");
    let known = model(&catalog, "anthropic/claude-opus-4-6");
    let expected = ModelFacts {
        id: "claude-opus-5".to_owned(),
        name: "claude-opus-5".to_owned(),
        prices: model(&catalog, "anthropic/claude-opus-4-1").prices,
        ..known.clone()
    };
    assert_eq!(newer, expected);
    assert_eq!(unlisted(&catalog, "anthropic/claud-opus-4-6"), None);
    assert_eq!(unlisted(&catalog, "nobody/model"), None);
}

#[test]
fn an_unlisted_model_costs_what_the_dearest_of_its_nearest_relatives_costs() {
    let catalog = with(json!({ "providers": { "box": { "baseUrl": "http://box/v1", "models": [
        { "id": "star-1", "name": "1", "cost": { "input": 9, "output": 9 } },
        { "id": "star-1-mini", "name": "1 mini", "cost": { "input": 3, "output": 3 } },
        { "id": "star-1-mini-b", "name": "1 mini b", "cost": { "input": 2, "output": 2 } },
        { "id": "star-1-pro", "name": "1 pro", "cost": { "input": 90, "output": 90 } },
        { "id": "star-1-mini:free", "name": "gift", "cost": { "input": 0, "output": 0 } },
    ] } } }));
    let price = |name: &str| {
        unlisted(&catalog, &format!("box/{name}")).and_then(|facts| facts.prices).map(|prices| prices.input)
    };
    let names = ["star-1.5-mini", "star-1.5-pro", "star-1.5", "star-1-mini-c", "star-1.5-mini:free", "other"];
    assert_eq!(names.map(price), [3.0, 90.0, 9.0, 3.0, 0.0, 90.0].map(Some));
    let gift = with(json!({ "providers": { "box": { "baseUrl": "http://box/v1", "models": [
        { "id": "star-1:free", "name": "gift", "cost": { "input": 0, "output": 0 } },
    ] } } }));
    assert_eq!(unlisted(&gift, "box/star-1-pro").map(|facts| facts.prices), Some(None));
}

#[test]
fn a_partly_written_cost_keeps_what_is_known() {
    let catalog = with(json!({ "providers": { "zai": {
        "baseUrl": "https://api.z.ai/api/paas/v4",
        "models": [
            { "id": "glm-4.7", "name": "GLM", "cost": { "output": 5 } },
            { "id": "glm-next", "name": "New", "cost": { "output": 5 } },
            { "id": "glm-last", "name": "Last" },
        ],
    } } }));
    let prices = ["zai/glm-4.7", "zai/glm-next", "zai/glm-last"].map(|name| model(&catalog, name).prices);
    let expected = [
        Some(Prices { input: 0.6, output: 5.0, cache_read: 0.11, cache_write: 0.0 }),
        Some(Prices { output: 5.0, ..Prices::default() }),
        None,
    ];
    assert_eq!(prices, expected);
}

#[test]
fn an_older_list_never_changes_where_keys_go_or_what_calls_cost() {
    let text = json!({ "providers": {
        "OpenAI": { "baseUrl": "http://127.0.0.1:6/v1", "api": "openai-completions", "auth": "aws-sdk",
            "headers": { "X-Evil": "1" }, "authHeader": true, "apiKey": "ANTHROPIC_API_KEY", "models": [
                { "id": "gpt-5.2", "name": "Mine", "api": "anthropic-messages", "headers": { "x-evil": "2" },
                    "cost": { "input": 0.001, "output": 0.001 } },
                { "id": "gpt-added", "cost": { "input": 0.001 } },
            ] },
        "qwen": { "baseUrl": "http://evil.example/v1", "models": [] },
        "own": { "baseUrl": "http://10.0.0.5/v1", "auth": "aws-sdk", "models": [{ "id": "m" }] },
    } });
    let registry = read_registry_file(text.to_string().as_bytes()).expect("a registry");
    let merged = with_registry(json!({}), Some(&registry));
    let before = plain();
    for id in ["openai", "qwen-portal"] {
        let (now, known) =
            (merged.provider(&provider(id)).expect("it"), before.provider(&provider(id)).expect("it"));
        let joined = ProviderFacts { models: known.models.clone(), ..now.clone() };
        assert_eq!(joined, *known);
    }
    let known = model(&before, "openai/gpt-5.2");
    assert_eq!(*model(&merged, "openai/gpt-5.2"), ModelFacts { name: "Mine".to_owned(), ..known.clone() });
    let added = model(&merged, "openai/gpt-added");
    assert_eq!((added.api, &added.base_url, added.prices), (known.api, &known.base_url, None));
    assert!(added.headers.is_empty() && !added.compatibility.key_as_bearer);
    let own = merged.provider(&provider("own")).expect("it");
    assert_eq!((own.reach, own.sign_in, own.key_variables.len()), (ServerReach::Public, SignIn::Key, 0));
}

#[test]
fn routers_and_own_servers_answer_for_unknown_names() {
    let catalog = with(json!({ "providers": { "box": {
        "baseUrl": "http://box/v1", "headers": { "x-team": "a" },
        "models": [{ "id": "m", "name": "M", "contextWindow": 16000, "maxTokens": 2000 }],
    } } }));
    let routed = unlisted(&catalog, "openrouter/new-maker/new-model").expect("any model");
    assert_eq!(
        (routed.api, routed.base_url.as_str()),
        (ApiName::OpenaiCompletions, "https://openrouter.ai/api/v1")
    );
    assert_eq!((routed.context_window, routed.max_output_tokens, routed.prices), (200_000, 8_192, None));
    let own = unlisted(&catalog, "box/other").expect("any model");
    assert_eq!((own.context_window, own.max_output_tokens, own.headers.len()), (16_000, 2_000, 1));
    let local = unlisted(&catalog, "llama.cpp/whatever").expect("any model");
    let habits = Compatibility {
        max_tokens_field: MaxTokensField::MaxTokens,
        developer_role: false,
        store: false,
        strict_tools: false,
        ..Compatibility::default()
    };
    assert_eq!((local.base_url.as_str(), local.compatibility), ("http://127.0.0.1:8080/v1", habits));
}

#[test]
fn found_models_join_what_is_known() {
    let found = |id: &str, base_url: &str, models: Vec<FoundModel>| FoundServer {
        provider: provider(id),
        base_url: base_url.to_owned(),
        models,
    };
    let llama = FoundModel {
        id: "llama3.3".to_owned(),
        context: Some(65_536),
        sees_images: true,
        thinks: true,
        prices: Some(Prices::default()),
        ..FoundModel::default()
    };
    let nova =
        FoundModel { id: "amazon.nova-lite-v1:0".to_owned(), context: Some(1), ..FoundModel::default() };
    let servers = [
        found("ollama", "http://10.0.0.9:11434", vec![llama]),
        found("amazon-bedrock", "https://x", vec![nova]),
    ];
    let models = section(json!({ "providers": { "ollama": {
        "baseUrl": "http://10.0.0.9:11434", "models": [{ "id": "llama3.3", "name": "Mine" }],
    } } }));
    let catalog = Catalog::build(&CatalogInputs {
        models: Some(&models),
        found: &servers,
        registry: None,
        environment: &environment(&[]),
        demonstration: Demonstration::Present,
    });
    let mine = model(&catalog, "ollama/llama3.3");
    assert_eq!((mine.name.as_str(), mine.api, mine.context_window), ("Mine", ApiName::Ollama, 65_536));
    assert_eq!((mine.sees_images, mine.thinking.len(), mine.prices), (true, 4, Some(Prices::default())));
    assert_eq!(model(&catalog, "amazon-bedrock/amazon.nova-lite-v1:0").context_window, 300_000);
    assert!(catalog.provider(&provider(crate::DEMO_PROVIDER)).is_some());
    assert!(plain().provider(&provider(crate::DEMO_PROVIDER)).is_none());
}

#[test]
fn header_values_stay_secret() {
    let catalog = with(json!({ "providers": { "box": {
        "baseUrl": "http://box/v1", "headers": { "x-key": "planted-secret" }, "models": [{ "id": "m", "name": "M" }],
    } } }));
    assert!(!format!("{catalog:?}").contains("planted-secret"));
}
