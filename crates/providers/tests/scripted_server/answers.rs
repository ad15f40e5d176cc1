//! Whole answers, and answers that break off.

use std::sync::Arc;

use futures_util::StreamExt;
use openclaw_ports::model::{ApiName, Completion, FaultReason, ModelEvent, ModelFault, ModelLine};
use openclaw_providers::{Script, TransportLimits};
use openclaw_testkit::ScriptedModelServer;
use openclaw_types::{Content, StopReason, Text, Thinking, ToolCall, ToolCallId, Usage};
use serde_json::{Value, json};

use super::{SPOKEN, end, events, request, transport_with, user};

const USAGE: Usage = Usage {
    input: 100,
    output: 50,
    cache_read: 30,
    cache_write: 20,
    total_tokens: 200,
    reasoning: 10,
    cost: None,
};

/// What a protocol can tell of a usage.
fn told(api: ApiName, usage: Usage) -> Usage {
    match api {
        ApiName::AnthropicMessages | ApiName::BedrockConverseStream => Usage { reasoning: 0, ..usage },
        ApiName::GoogleGenerativeAi => Usage { cache_write: 0, total_tokens: 180, ..usage },
        ApiName::Ollama => {
            let (input, output) = (usage.input, usage.output);
            Usage { input, output, total_tokens: input + output, ..Usage::default() }
        }
        ApiName::OpenaiCompletions | ApiName::OpenaiResponses | ApiName::GithubCopilot => usage,
    }
}

/// Whether the answer comes as responses do.
fn is_responses(api: ApiName, model: &str) -> bool {
    api == ApiName::OpenaiResponses || (api == ApiName::GithubCopilot && model == "gpt-5")
}

fn response_id(api: ApiName, model: &str) -> Option<String> {
    let id = match api {
        ApiName::AnthropicMessages => "msg_000000000001",
        ApiName::GoogleGenerativeAi => "scripted00000001",
        ApiName::BedrockConverseStream | ApiName::Ollama => return None,
        _ if is_responses(api, model) => "resp_000000000001",
        _ => "chatcmpl-000000000001",
    };
    Some(id.to_owned())
}

fn completion(api: ApiName, model: &str, content: Vec<Content>, stop: StopReason) -> ModelEvent {
    let named = (api != ApiName::BedrockConverseStream).then(|| model.to_owned());
    let usage = Some(told(api, USAGE));
    ModelEvent::Done(Completion { content, stop, usage, response_id: response_id(api, model), model: named })
}

fn words(api: ApiName, model: &str, piece: usize, text: &str) -> Content {
    let signature = is_responses(api, model).then(|| format!("msg_00000001{piece:04}"));
    Content::Text(Text { text: text.to_owned(), signature })
}

fn thought(api: ApiName, model: &str, text: &str) -> Content {
    let signature = match api {
        ApiName::AnthropicMessages | ApiName::BedrockConverseStream => {
            Some("c2lnbmF0dXJl00010000".to_owned())
        }
        ApiName::GoogleGenerativeAi | ApiName::Ollama => None,
        _ if is_responses(api, model) => Some(
            json!({"id": "rs_000000010000", "type": "reasoning", "encrypted_content": "Z0FBQUFB00000001",
                "summary": [{"type": "summary_text", "text": text}]})
            .to_string(),
        ),
        _ => Some("reasoning_content".to_owned()),
    };
    Content::Thinking(Thinking { text: text.to_owned(), signature })
}

/// A call as the second piece. Where the server gives no name, the codec makes one, which is taken as it is.
fn call(api: ApiName, model: &str, arguments: Value, given: &ModelEvent) -> Content {
    let id = match api {
        ApiName::AnthropicMessages => "toolu_000000010001".to_owned(),
        ApiName::BedrockConverseStream => "tooluse_000000010001".to_owned(),
        ApiName::GoogleGenerativeAi | ApiName::Ollama => {
            let ModelEvent::Done(completion) = given else { panic!("{given:?}") };
            let call = completion.content.iter().find_map(Content::as_tool_call).expect("there is a call");
            assert!(call.id.as_str().starts_with("call_"), "{call:?}");
            call.id.to_string()
        }
        _ if is_responses(api, model) => "call_000000010001|fc_000000010001".to_owned(),
        _ => "call_000000010001".to_owned(),
    };
    let signature = (api == ApiName::GoogleGenerativeAi).then(|| "c2lnbmF0dXJl00010001".to_owned());
    let id = ToolCallId::new(id).expect("a name");
    Content::ToolCall(ToolCall { id, name: "read".to_owned(), arguments, signature })
}

#[tokio::test]
async fn words_arrive_whole_with_their_usage() {
    let text = "Grüße aus Łódź — 世界 and \"quotes\"\nand lines.";
    for (api, model) in SPOKEN {
        let script = Script::new().in_pieces_of(3).say(text).usage(USAGE);
        let expected = completion(api, model, vec![words(api, model, 0, text)], StopReason::Stop);
        assert_eq!(end(script, api, model).await, expected, "{api:?}");
    }
}

#[tokio::test]
async fn words_arrive_in_the_pieces_they_were_said_in() {
    for (api, model) in SPOKEN {
        let events = events(Script::new().in_pieces_of(4).say("one two three"), api, model).await;
        let deltas: Vec<&str> = events
            .iter()
            .filter_map(|event| match event {
                ModelEvent::Text { piece: 0, delta } => Some(delta.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(deltas, ["one ", "two ", "thre", "e"], "{api:?}");
    }
}

#[tokio::test]
async fn thoughts_come_before_words_with_the_vendors_proof() {
    for (api, model) in SPOKEN {
        let script = Script::new().think("Two and two. Easy.").say("Four.").usage(USAGE);
        let content = vec![thought(api, model, "Two and two. Easy."), words(api, model, 1, "Four.")];
        assert_eq!(
            end(script, api, model).await,
            completion(api, model, content, StopReason::Stop),
            "{api:?}"
        );
    }
}

#[tokio::test]
async fn a_tool_is_called_with_its_arguments() {
    let arguments = json!({"path": "a \"b\".txt", "deep": {"list": [1, 2.5, null, "ü"]}});
    for (api, model) in SPOKEN {
        let script =
            Script::new().in_pieces_of(5).say("Reading.").call_tool("read", arguments.clone()).usage(USAGE);
        let given = end(script, api, model).await;
        let content = vec![words(api, model, 0, "Reading."), call(api, model, arguments.clone(), &given)];
        assert_eq!(given, completion(api, model, content, StopReason::ToolUse), "{api:?}");
    }
}

#[tokio::test]
async fn an_answer_that_reached_its_limit_says_so() {
    for (api, model) in SPOKEN {
        let script = Script::new().say("Half of").length().usage(USAGE);
        let expected = completion(api, model, vec![words(api, model, 0, "Half of")], StopReason::Length);
        assert_eq!(end(script, api, model).await, expected, "{api:?}");
    }
}

#[tokio::test]
async fn answers_that_break_off_end_in_one_typed_fault() {
    let table = [
        ("cut", Script::new().say("Half of it").cut(), FaultReason::Truncated),
        ("malformed", Script::new().say("Half of it").malformed(), FaultReason::Malformed),
        ("empty", Script::new().empty(), FaultReason::Empty),
        ("overloaded", Script::new().say("Half").fault(FaultReason::Overloaded), FaultReason::Overloaded),
        ("limited", Script::new().say("Half").fault(FaultReason::RateLimit), FaultReason::RateLimit),
        ("cut at once", Script::new().cut(), FaultReason::Truncated),
    ];
    for (api, model) in SPOKEN {
        for (name, script, reason) in &table {
            let ModelEvent::Failed(fault) = end(script.clone(), api, model).await else {
                panic!("{api:?} {name}: no fault")
            };
            // An error of Ollama is a sentence; in the middle of an answer there is no status to explain it.
            let vague = api == ApiName::Ollama && *reason == FaultReason::RateLimit;
            let reason = if vague { FaultReason::Unknown } else { *reason };
            assert_eq!(fault.reason, reason, "{api:?} {name}: {fault:?}");
        }
    }
}

#[tokio::test]
async fn an_endless_answer_ends_at_the_limit() {
    let limits = TransportLimits { retries: 0, response_bytes: 200_000, ..TransportLimits::default() };
    let line = transport_with(limits);
    for (api, model) in SPOKEN {
        let server = ScriptedModelServer::start(Script::new().endless()).await;
        let asked = Arc::new(request(vec![user("hello")]));
        let events: Vec<ModelEvent> = line.open(asked, server.route(api, model)).collect().await;
        let fault = ModelFault::new(FaultReason::TooLarge, "the answer is larger than the gateway accepts");
        assert_eq!(events.last(), Some(&ModelEvent::Failed(fault)), "{api:?}");
        server.until_open_streams(0).await;
    }
}

#[tokio::test]
async fn what_was_said_before_a_cut_has_arrived() {
    for (api, model) in SPOKEN {
        let events = events(Script::new().in_pieces_of(100).say("Half of it").cut(), api, model).await;
        let said = ModelEvent::Text { piece: 0, delta: "Half of it".to_owned() };
        let cut = ModelFault::new(FaultReason::Truncated, "the connection ended in the middle of the answer");
        assert_eq!(events[1..], [said, ModelEvent::Failed(cut)], "{api:?}");
    }
}

#[tokio::test]
async fn a_vendor_that_does_not_want_to_answer_is_a_refusal() {
    for (api, model) in SPOKEN {
        match end(Script::new().refuse().usage(USAGE), api, model).await {
            ModelEvent::Failed(fault) => assert_eq!(fault.reason, FaultReason::Refused, "{api:?}"),
            // Ollama knows no refusals: its models say so in words.
            whole => {
                let content = vec![Content::text("I can't help with that.")];
                assert_eq!(whole, completion(ApiName::Ollama, model, content, StopReason::Stop), "{api:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_server_that_counts_nothing_gives_no_usage() {
    for (api, model) in SPOKEN {
        let ModelEvent::Done(completion) = end(Script::new().say("x").without_usage(), api, model).await
        else {
            panic!("{api:?}: no answer")
        };
        // Messages always come with counts.
        let expected = (api == ApiName::AnthropicMessages).then(Usage::default);
        assert_eq!(completion.usage, expected, "{api:?}");
    }
}
