//! Which protocol is spoken, what the service is told, and how a token is traded.

use std::collections::BTreeMap;

use openclaw_ports::model::{ApiName, FaultReason, ModelApi, ModelFault, ModelTarget};
use openclaw_types::{Content, Message, Secret, ToolOutcome, UnixMillis};
use serde_json::json;

use super::choose::Speech;
use super::{CopilotExchange, CopilotToken, GithubCopilot};
use crate::apis::conformance::{codec_conformance, completion, decode};
use crate::apis::samples::{self, call, credential, picture, request, result_of, signed_text, thought, user};

const COMPLETIONS: &str = include_str!("fixtures/completions.sse");
const RESPONSES: &str = include_str!("fixtures/responses.sse");

codec_conformance!(with_completions: GithubCopilot, COMPLETIONS);
codec_conformance!(with_responses: GithubCopilot, RESPONSES);

fn target(model: &str, base_url: &str, token: &str) -> ModelTarget {
    ModelTarget {
        credential: credential(token),
        headers: BTreeMap::from([("Editor-Version".to_owned(), Secret::new("mine/1".to_owned()))]),
        reasoning: false,
        ..samples::target(model, base_url)
    }
}

fn headers(messages: Vec<Message>) -> BTreeMap<String, String> {
    let call = GithubCopilot.encode(&request(messages), &target("gpt-4o", "", "tid=1")).unwrap();
    samples::headers_of(&call)
}

#[test]
fn the_model_decides_the_protocol() {
    for (speech, models) in [
        (
            Speech::Responses,
            vec!["gpt-5", "gpt-5-mini", "gpt-5.1-codex-max", "GPT-5.2", "gpt-6", "codex-mini"],
        ),
        (
            Speech::Completions,
            vec![
                "gpt-4o",
                "gpt-4.1",
                "claude-sonnet-4.5",
                "gemini-3-pro-preview",
                "grok-code-fast-1",
                "gpt-",
                "",
            ],
        ),
    ] {
        for model in models {
            assert_eq!(Speech::of(model), speech, "{model}");
        }
    }
}

#[test]
fn the_decoder_hears_which_protocol_is_spoken() {
    let said = decode(&GithubCopilot, &[COMPLETIONS.as_bytes()]);
    assert_eq!(completion(&said).content, [Content::text("Hi")]);
    let asked = decode(&GithubCopilot, &[RESPONSES.as_bytes()]);
    assert_eq!(completion(&asked).content, [call("call_01", "read", json!({}))]);
    let whole = json!({ "object": "response", "id": "r", "status": "completed", "output": [
        { "type": "message", "id": "msg_1", "content": [{ "type": "output_text", "text": "Hi" }] },
    ] });
    let whole = decode(&GithubCopilot, &[whole.to_string().as_bytes()]);
    assert_eq!(completion(&whole).content, [signed_text("Hi", "msg_1")]);
}

#[test]
fn the_service_learns_who_asks_and_whether_there_are_pictures() {
    let product = concat!("openclaw/", env!("CARGO_PKG_VERSION"));
    let mut expected: BTreeMap<String, String> = [
        ("accept", "text/event-stream"),
        ("authorization", "Bearer tid=1"),
        ("content-type", "application/json"),
        ("editor-plugin-version", product),
        ("editor-version", "mine/1"),
        ("openai-intent", "conversation-edits"),
        ("user-agent", product),
        ("x-initiator", "user"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    assert_eq!(headers(vec![user(vec![Content::text("hi")])]), expected);
    let shot = vec![
        samples::answer(ApiName::GithubCopilot, "gpt-4o", vec![call("c1", "shoot", json!({}))]),
        result_of("shoot", "c1", vec![picture(None, "AAAA")], ToolOutcome::Done),
    ];
    expected.insert("x-initiator".to_owned(), "agent".to_owned());
    expected.insert("copilot-vision-request".to_owned(), "true".to_owned());
    assert_eq!(headers(shot), expected);
}

#[test]
fn the_address_comes_from_the_target_or_else_from_the_token() {
    let token = "tid=1;exp=2;proxy-ep=proxy.business.githubcopilot.com;st=dotcom";
    for (model, base, token, url) in [
        ("gpt-4o", "", token, "https://api.business.githubcopilot.com/chat/completions"),
        ("gpt-5", "", token, "https://api.business.githubcopilot.com/responses"),
        (
            "gpt-5",
            "https://api.individual.githubcopilot.com/",
            token,
            "https://api.business.githubcopilot.com/responses",
        ),
        ("gpt-5", "http://127.0.0.1:9/", token, "http://127.0.0.1:9/responses"),
        ("gpt-5", "", "gho_plain", "https://api.individual.githubcopilot.com/responses"),
        ("gpt-5", "", "proxy-ep=evil.test/path", "https://api.individual.githubcopilot.com/responses"),
        ("gpt-5", "", "proxy-ep=user@evil.test", "https://api.individual.githubcopilot.com/responses"),
    ] {
        let call = GithubCopilot.encode(&request(Vec::new()), &target(model, base, token)).unwrap();
        assert_eq!(call.url, url);
    }
}

#[test]
fn thoughts_go_back_when_they_came_through_this_service() {
    let sealed =
        json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x" }).to_string();
    let answer = |api: ApiName| {
        samples::answer(api, "gpt-5", vec![thought("hm", Some(&sealed)), Content::text("yes")])
    };
    for (api, items) in [(ApiName::GithubCopilot, 2), (ApiName::OpenaiResponses, 1)] {
        let body = samples::body(&GithubCopilot, &request(vec![answer(api)]), &target("gpt-5", "", "t"));
        assert_eq!(body["input"].as_array().map(Vec::len), Some(items));
    }
}

#[test]
fn the_exchange_is_a_call_that_hides_its_token() {
    let token = Secret::new(" planted-token\n".to_owned());
    let call = CopilotExchange::on_github(&token);
    assert_eq!(call.url, "https://api.github.com/copilot_internal/v2/token");
    assert_eq!(call.headers["authorization"].reveal(), "Bearer planted-token");
    assert!(!format!("{call:?}").contains("planted"));
    let own = CopilotExchange::on_server("https://Company.ghe.com/", &token).unwrap();
    assert_eq!(own.url, "https://api.company.ghe.com/copilot_internal/v2/token");
    for wrong in ["", "localhost", "a.test/x", "a..b", "user@a.test", "-a.test"] {
        assert_eq!(
            CopilotExchange::on_server(wrong, &token).unwrap_err().reason,
            FaultReason::Format,
            "{wrong}"
        );
    }
}

#[test]
fn the_answer_to_the_exchange_gives_token_end_and_address() {
    for (answer, expires_at, base_url) in [
        (
            json!({ "token": "tid=1;proxy-ep=proxy.enterprise.githubcopilot.com;x=y", "expires_at": 1_750_000_000, "refresh_in": 1500 }),
            1_750_000_000_000,
            "https://api.enterprise.githubcopilot.com",
        ),
        (
            json!({ "token": "t", "expires_at": "1750000000", "endpoints": { "api": "https://api.business.githubcopilot.com/" } }),
            1_750_000_000_000,
            "https://api.business.githubcopilot.com",
        ),
        (
            json!({ "token": "t", "expires_at": 1_750_000_000_123_i64, "endpoints": { "api": "http://plain.test" } }),
            1_750_000_000_123,
            "https://api.individual.githubcopilot.com",
        ),
    ] {
        let token = Secret::new(answer["token"].as_str().unwrap().to_owned());
        let expected =
            CopilotToken { token, expires_at: UnixMillis(expires_at), base_url: base_url.to_owned() };
        let read = CopilotToken::read(answer.to_string().as_bytes()).unwrap();
        assert_eq!(read, expected);
    }
}

#[test]
fn an_answer_without_a_token_is_no_answer_and_tells_nothing() {
    for answer in [
        "",
        "{",
        "{}",
        r#"{"token":" ","expires_at":1}"#,
        r#"{"token":"planted"}"#,
        r#"{"token":"planted","expires_at":null}"#,
        r#"{"token":"planted","expires_at":"soon"}"#,
        r#"{"token":"planted","expires_at":-5}"#,
        r#"{"token":["planted"],"expires_at":1}"#,
    ] {
        let fault = CopilotToken::read(answer.as_bytes()).unwrap_err();
        assert_eq!(fault.reason, FaultReason::Malformed, "{answer}");
        assert!(!fault.to_string().contains("planted"), "{fault}");
    }
}

#[test]
fn a_refused_exchange_is_about_access_not_about_models() {
    let exchange = CopilotExchange::on_github(&Secret::new("plain.0123456789abcdef".to_owned()));
    for (status, reason) in [
        (401, FaultReason::Auth),
        (403, FaultReason::Auth),
        (404, FaultReason::Auth),
        (429, FaultReason::RateLimit),
        (503, FaultReason::Overloaded),
    ] {
        assert_eq!(
            exchange.fault(status, &BTreeMap::new(), b"{}"),
            ModelFault {
                reason,
                message: format!("the server answered with status {status} and no explanation"),
                status: Some(status),
                retry_after: None,
            }
        );
    }
}

#[test]
fn a_refused_exchange_does_not_repeat_the_token() {
    let exchange = CopilotExchange::on_github(&Secret::new("plain.0123456789abcdef".to_owned()));
    let body = br#"{"message":"Bearer plain.0123456789abcdef is not plain.0123456789abcdef"}"#;
    let fault = exchange.fault(401, &BTreeMap::new(), body);
    assert!(!format!("{fault:?}").contains("0123456789"), "{fault:?}");
    assert!(fault.message.contains("[secret] is not [secret]"), "{fault:?}");
}
