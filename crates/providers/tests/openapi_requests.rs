//! The bodies we send to OpenAI's two interfaces are bodies that OpenAI's own description of them allows.
//!
//! The description is in `specs/`. It leaves most objects open, so that a misspelt field would pass: every field we
//! send must also be one that the description knows. Requests to compatible servers that want other fields are not
//! checked here.
#![expect(clippy::unwrap_used, reason = "a test fails loudly, at the line that is wrong")]

use std::collections::{BTreeMap, BTreeSet};

use openclaw_ports::model::{
    ApiName, CacheLifetime, Compatibility, MaxTokensField, ModelApi, ModelRequest, ModelTarget, ToolChoice,
    ToolSpec,
};
use openclaw_providers::{OpenaiCompletions, OpenaiResponses};
use openclaw_schema::Checker;
use openclaw_types::{
    AssistantMessage, Content, Image, ImageData, Message, RedactedThinking, Text, Thinking, ThinkingLevel,
    ToolCall, ToolCallId, ToolOutcome, ToolResultMessage, UserMessage,
};
use serde_json::{Value, json};

const COMPLETIONS: &str = "CreateChatCompletionRequest";
const RESPONSES: &str = "CreateResponse";

/// Fields whose content is the caller's own: the description does not name what is in them.
const FREE: &[&str] = &["parameters", "metadata", "arguments"];

struct Contract {
    checker: Checker,
    words: BTreeSet<String>,
    top: BTreeSet<String>,
}

impl Contract {
    fn of(name: &str) -> Self {
        let mut schema: Value =
            serde_json::from_str(include_str!("specs/openai-requests.schema.json")).unwrap();
        let mut words = BTreeSet::new();
        collect_words(&schema, &mut words);
        let mut top = BTreeSet::new();
        collect_top(&schema["$defs"], &schema["$defs"][name], &mut top);
        schema["$ref"] = json!(format!("#/$defs/{name}"));
        let schema = schemars::Schema::try_from(schema).unwrap();
        Self { checker: Checker::from_schema(&schema), words, top }
    }

    /// What is wrong with a body, one line for each problem.
    fn problems(&self, body: &Value) -> Vec<String> {
        let mut problems: Vec<String> =
            self.checker.check(body).into_iter().map(|issue| format!("{issue:?}")).collect();
        let fields = body.as_object().into_iter().flat_map(|body| body.keys());
        problems.extend(fields.filter(|key| !self.top.contains(*key)).map(|key| format!("unknown {key}")));
        self.unknown_words(body, &mut problems);
        problems
    }

    fn unknown_words(&self, value: &Value, problems: &mut Vec<String>) {
        match value {
            Value::Object(object) => {
                for (key, inner) in object {
                    if !self.words.contains(key) {
                        problems.push(format!("nothing in the description is called {key}"));
                    }
                    if !FREE.contains(&key.as_str()) {
                        self.unknown_words(inner, problems);
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.unknown_words(item, problems)),
            _ => {}
        }
    }
}

fn collect_words(schema: &Value, words: &mut BTreeSet<String>) {
    match schema {
        Value::Object(object) => {
            if let Some(properties) = object.get("properties").and_then(Value::as_object) {
                words.extend(properties.keys().cloned());
            }
            object.values().for_each(|inner| collect_words(inner, words));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_words(item, words)),
        _ => {}
    }
}

/// The fields of an object that is put together from others.
fn collect_top(all: &Value, schema: &Value, top: &mut BTreeSet<String>) {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let name = name.rsplit('/').next().unwrap();
        collect_top(all, &all[name], top);
    }
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        top.extend(properties.keys().cloned());
    }
    for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        collect_top(all, part, top);
    }
}

fn body(api: &dyn ModelApi, request: &ModelRequest, target: &ModelTarget) -> Value {
    serde_json::from_slice(&api.encode(request, target).unwrap().body).unwrap()
}

fn target(model: &str) -> ModelTarget {
    ModelTarget {
        model: model.to_owned(),
        base_url: "https://api.openai.com/v1".to_owned(),
        credential: None,
        headers: BTreeMap::new(),
        max_output_tokens: 32_000,
        context_window: 200_000,
        reasoning: true,
        sees_images: true,
        compatibility: Compatibility::default(),
    }
}

fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        system: vec!["You are terse.".to_owned(), "Today is Monday.".to_owned()].into(),
        messages: messages.into_iter().map(Into::into).collect(),
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        thinking: ThinkingLevel::Off,
        max_output_tokens: None,
        temperature: None,
        cache: CacheLifetime::Off,
        session: None,
    }
}

fn user(content: Vec<Content>) -> Message {
    Message::User(UserMessage { content, ..UserMessage::default() })
}

fn answer(api: ApiName, content: Vec<Content>) -> Message {
    let (api, model) = (Some(api.as_str().to_owned()), Some("gpt-5.2".to_owned()));
    Message::Assistant(AssistantMessage { content, api, model, ..AssistantMessage::default() })
}

fn call(id: &str) -> Content {
    let arguments = json!({"path": "a.txt", "deep": [1, {"x": null}]});
    let id = ToolCallId::new(id).unwrap();
    Content::ToolCall(ToolCall { id, name: "read".to_owned(), arguments, signature: None })
}

fn result(id: &str, content: Vec<Content>, outcome: ToolOutcome) -> Message {
    let call = ToolCallId::new(id).unwrap();
    Message::ToolResult(ToolResultMessage {
        call,
        tool: "read".to_owned(),
        content,
        outcome,
        details: None,
        at: None,
    })
}

fn picture(data: ImageData) -> Content {
    Content::Image(Image { media_type: Some("image/png".to_owned()), data })
}

fn thought(signature: &str) -> Content {
    Content::Thinking(Thinking { text: "hm".to_owned(), signature: Some(signature.to_owned()) })
}

fn tools() -> Vec<ToolSpec> {
    let read = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    let spec = |name: &str, parameters: Value| ToolSpec {
        name: name.to_owned(),
        description: format!("Does {name}.").into(),
        parameters: parameters.into(),
    };
    vec![spec("read", read), spec("now", json!({"type": "object", "properties": {}})), spec("any", json!({}))]
}

/// A conversation with everything in it that any protocol can leave behind.
fn long_history(api: ApiName) -> Vec<Message> {
    let sealed = json!({
        "type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}],
        "encrypted_content": "c2VhbGVk",
    });
    let signed = |text: &str, signature: &str| {
        Content::Text(Text { text: text.to_owned(), signature: Some(signature.to_owned()) })
    };
    vec![
        user(vec![Content::text("look"), picture(ImageData::Inline("aGk=".to_owned()))]),
        answer(api, vec![thought(&sealed.to_string()), signed("well", "msg_1"), call("call_1|fc_1")]),
        result("call_1|fc_1", vec![Content::text("done")], ToolOutcome::Done),
        answer(api, vec![thought("plain-proof"), Content::text("and"), call("toolu_2"), call("call_3")]),
        result("toolu_2", vec![picture(ImageData::Inline("aGk=".to_owned()))], ToolOutcome::Done),
        result("call_3", vec![Content::text("no such file")], ToolOutcome::Failed),
        answer(
            api,
            vec![
                Content::RedactedThinking(RedactedThinking { data: "c2VhbGVk".to_owned() }),
                signed("so", r#"{"v":1,"id":"msg_2","phase":"final_answer"}"#),
            ],
        ),
        user(vec![picture(ImageData::Url("https://example.org/a.png".to_owned()))]),
        // A call that nobody answered, and the person went on.
        answer(api, vec![call("call_lost")]),
        user(vec![Content::text("go on")]),
    ]
}

/// Requests of every shape, each with a name for the report.
fn requests() -> Vec<(String, ModelRequest)> {
    let hello = || request(vec![user(vec![Content::text("hello")])]);
    let with_tools = |tool_choice| ModelRequest { tools: tools(), tool_choice, ..hello() };
    let mut all = vec![
        ("hello".to_owned(), hello()),
        (
            "no system prompt".to_owned(),
            ModelRequest { system: openclaw_ports::model::SystemText::default(), ..hello() },
        ),
        ("short".to_owned(), ModelRequest { max_output_tokens: Some(99), temperature: Some(0.5), ..hello() }),
        ("any tool".to_owned(), with_tools(ToolChoice::Auto)),
        ("no tool".to_owned(), with_tools(ToolChoice::None)),
        ("some tool".to_owned(), with_tools(ToolChoice::Required)),
        ("this tool".to_owned(), with_tools(ToolChoice::Named("read".to_owned()))),
    ];
    for cache in [CacheLifetime::Off, CacheLifetime::Short, CacheLifetime::Long] {
        for session in ["agent:main:main".to_owned(), "s".repeat(200)] {
            let session = Some(session);
            all.push((format!("cache {cache:?}"), ModelRequest { cache, session, ..hello() }));
        }
    }
    for thinking in ThinkingLevel::ALL {
        all.push((format!("thinking {}", thinking.as_str()), ModelRequest { thinking, ..hello() }));
    }
    for api in ApiName::ALL {
        let long = ModelRequest { tools: tools(), ..request(long_history(*api)) };
        all.push((format!("history of {}", api.as_str()), long));
    }
    all
}

fn targets() -> Vec<(&'static str, ModelTarget)> {
    let everything = Compatibility::default();
    let older = Compatibility {
        max_tokens_field: MaxTokensField::MaxTokens,
        developer_role: false,
        store: false,
        strict_tools: false,
        usage_in_stream: false,
        ..everything
    };
    let picky = Compatibility {
        tool_result_name: false,
        assistant_after_tool_result: true,
        short_tool_ids: true,
        thinking_as_text: true,
        ..everything
    };
    let with = |compatibility| ModelTarget { compatibility, ..target("gpt-5.2") };
    let plain = ModelTarget { reasoning: false, sees_images: false, ..target("gpt-4.1-mini") };
    vec![
        ("as the vendor does", with(everything)),
        ("without newer fields", with(older)),
        ("with its own ways", with(picky)),
        ("a model that neither thinks nor sees", plain),
    ]
}

#[track_caller]
fn all_are_allowed(api: &dyn ModelApi, schema: &str) {
    let contract = Contract::of(schema);
    let mut wrong = Vec::new();
    for (server, mut target) in targets() {
        // Only completions may leave the field out: the other interface has no version without it.
        target.compatibility.strict_tools |= api.name() == ApiName::OpenaiResponses;
        for (name, request) in requests() {
            let problems = contract.problems(&body(api, &request, &target));
            wrong.extend(problems.into_iter().map(|problem| format!("{server}, {name}: {problem}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_completions_request_is_one_that_the_vendor_describes() {
    all_are_allowed(&OpenaiCompletions, COMPLETIONS);
}

#[test]
fn every_responses_request_is_one_that_the_vendor_describes() {
    all_are_allowed(&OpenaiResponses, RESPONSES);
}

/// A damaged body, by what was done to it.
fn damaged(good: &Value, damages: &[(&str, Value)]) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for (pointer, value) in damages {
        let mut body = good.clone();
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        let parent = body.pointer_mut(parent).unwrap_or_else(|| panic!("{pointer} is not in {good:#}"));
        match (parent, value) {
            (Value::Object(object), Value::Null) => {
                drop(object.remove(field).unwrap_or_else(|| panic!("{pointer} is not in {good:#}")));
            }
            (Value::Object(object), value) => drop(object.insert(field.to_owned(), value.clone())),
            (other, _) => panic!("{pointer} points into {other}"),
        }
        all.push((format!("{pointer} = {value}"), body));
    }
    all
}

#[track_caller]
fn all_are_noticed(api: &dyn ModelApi, schema: &str, damages: &[(&str, Value)]) {
    let contract = Contract::of(schema);
    let full = ModelRequest {
        tools: tools(),
        tool_choice: ToolChoice::Named("read".to_owned()),
        thinking: ThinkingLevel::High,
        temperature: Some(0.5),
        ..request(long_history(api.name()))
    };
    let good = body(api, &full, &target("gpt-5.2"));
    assert_eq!(contract.problems(&good), Vec::<String>::new());
    for (damage, body) in damaged(&good, damages) {
        assert!(!contract.problems(&body).is_empty(), "nobody noticed {damage}");
    }
}

#[test]
fn damage_to_a_completions_request_is_noticed() {
    all_are_noticed(
        &OpenaiCompletions,
        COMPLETIONS,
        &[
            ("/model", Value::Null),
            ("/messages", Value::Null),
            ("/messages", json!("hello")),
            ("/messages", json!([])),
            ("/messages/0/role", json!("oracle")),
            ("/messages/0/content", json!(7)),
            ("/messages/2/tool_calls", json!([{"id": "x", "type": "function"}])),
            ("/messages/3/tool_call_id", Value::Null),
            ("/temperature", json!(3)),
            ("/temperature", json!("warm")),
            ("/reasoning_effort", json!("heroic")),
            ("/stream", json!("yes")),
            ("/tools/0/type", json!("hammer")),
            ("/tools/0/function/name", Value::Null),
            ("/tools/0/function/strict", json!("very")),
            ("/tool_choice", json!("perhaps")),
            ("/max_completion_tokens", json!("many")),
            ("/max_completion_token", json!(7)),
            ("/tools/0/function/parametres", json!({})),
        ],
    );
}

#[test]
fn damage_to_a_responses_request_is_noticed() {
    all_are_noticed(
        &OpenaiResponses,
        RESPONSES,
        &[
            ("/input", json!(7)),
            ("/input/0/role", json!("oracle")),
            ("/input/0/content", json!([{"type": "input_text"}])),
            ("/input/0/content", json!([{"type": "input_smell", "text": "x"}])),
            ("/input/1/summary", Value::Null),
            ("/input/1/encrypted_content", json!(7)),
            ("/input/2/status", json!("so so")),
            ("/input/3/call_id", Value::Null),
            ("/input/3/arguments", json!({})),
            ("/input/4/output", json!(7)),
            ("/temperature", json!(3)),
            ("/include", json!(["everything"])),
            ("/reasoning/effort", json!("heroic")),
            ("/reasoning/summary", json!("poetic")),
            ("/tools/0/name", Value::Null),
            ("/tools/0/type", json!("hammer")),
            ("/tool_choice", json!("perhaps")),
            ("/max_output_tokens", json!("many")),
            ("/instruction", json!("x")),
        ],
    );
}
