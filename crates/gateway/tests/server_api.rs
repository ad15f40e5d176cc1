//! The interfaces that other programs know, over real sockets and in the shapes their libraries read.

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use openclaw_ports::tool::{NamedBy, WebAnswer, WebClient, WebFault, WebRequest};
use openclaw_providers::{Gate, Script, Scripts};
use serde_json::{Value, json};
use support::{HttpAnswer, Setup, TOKEN, TestGateway, post};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// How long anything may take before a test fails.
const PATIENCE: Duration = Duration::from_secs(20);

async fn saying(words: &str) -> TestGateway {
    Setup::answering("", Scripts::new().otherwise(Script::new().say(words))).start().await
}

async fn ask(gateway: &TestGateway, path: &str, body: Value) -> HttpAnswer {
    let bearer = format!("Bearer {TOKEN}");
    post(gateway.address(), path, &[("authorization", &bearer)], &body.to_string()).await
}

fn json_of(answer: &HttpAnswer) -> Value {
    serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("no JSON: {answer:?}"))
}

/// The `data:` lines of a stream; the last one says that it is over.
fn events(answer: &HttpAnswer) -> Vec<Value> {
    let lines: Vec<&str> = answer.body.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    let Some((last, data)) = lines.split_last() else { panic!("no events: {answer:?}") };
    assert_eq!(*last, "[DONE]");
    data.iter().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"))).collect()
}

fn hello() -> Value {
    json!({"model": "openclaw", "messages": [{"role": "user", "content": "hello"}]})
}

#[tokio::test]
async fn a_completion_has_an_answer_a_reason_and_real_numbers() {
    let gateway = saying("Good morning.").await;
    let answer = ask(&gateway, "/v1/chat/completions", hello()).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let body = json_of(&answer);
    assert_eq!((&body["object"], &body["model"]), (&json!("chat.completion"), &json!("openclaw")));
    assert_eq!(body["choices"][0]["message"]["content"], "Good morning.");
    assert_eq!(body["choices"][0]["finish_reason"], "stop");
    let usage = &body["usage"];
    assert!(usage["prompt_tokens"].as_u64().unwrap() > 0 && usage["completion_tokens"].as_u64().unwrap() > 0);
    let sum = usage["prompt_tokens"].as_u64().unwrap() + usage["completion_tokens"].as_u64().unwrap();
    assert_eq!(usage["total_tokens"], sum);
}

#[tokio::test]
async fn an_answer_that_was_cut_off_says_so() {
    let gateway =
        Setup::answering("", Scripts::new().otherwise(Script::new().say("Good mor").length())).start().await;
    let body = json_of(&ask(&gateway, "/v1/chat/completions", hello()).await);
    assert_eq!(body["choices"][0]["finish_reason"], "length", "{body}");
    let body = json_of(&ask(&gateway, "/v1/responses", json!({"model": "openclaw", "input": "hello"})).await);
    assert_eq!(body["status"], "incomplete", "{body}");
    assert_eq!(body["incomplete_details"]["reason"], "max_output_tokens");
}

#[tokio::test]
async fn a_streamed_completion_ends_with_a_reason_and_numbers_where_they_are_wanted() {
    let gateway = saying("Good morning.").await;
    let mut body = hello();
    body["stream"] = json!(true);
    body["stream_options"] = json!({"include_usage": true});
    let answer = ask(&gateway, "/v1/chat/completions", body).await;
    assert_eq!(answer.headers["content-type"], "text/event-stream; charset=utf-8");
    let chunks = events(&answer);
    assert_eq!(chunks[0]["choices"][0]["delta"]["role"], "assistant");
    let said: String =
        chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(said, "Good morning.");
    let (last, before) = chunks.split_last().unwrap();
    assert_eq!(before.last().unwrap()["choices"][0]["finish_reason"], "stop");
    assert_eq!(last["choices"], json!([]));
    assert!(last["usage"]["total_tokens"].as_u64().unwrap() > 0);
}

#[tokio::test]
async fn a_call_of_the_programs_own_tool_ends_the_answer() {
    let script = Script::new().call_tool_as("call_1", "weather", json!({"city": "Oslo"}));
    let gateway = Setup::answering("", Scripts::new().otherwise(script)).start().await;
    let tool = json!({"type": "function", "function": {"name": "weather", "description": "asks", "parameters":
        {"type": "object", "properties": {"city": {"type": "string"}}}}});
    let mut body = hello();
    body["tools"] = json!([tool]);
    let whole = json_of(&ask(&gateway, "/v1/chat/completions", body.clone()).await);
    let choice = &whole["choices"][0];
    assert_eq!(choice["finish_reason"], "tool_calls");
    assert_eq!(
        choice["message"]["tool_calls"],
        json!([{"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\":\"Oslo\"}"}}])
    );
    body["stream"] = json!(true);
    let chunks = events(&ask(&gateway, "/v1/chat/completions", body).await);
    let called =
        chunks.iter().find(|chunk| chunk["choices"][0]["delta"].get("tool_calls").is_some()).unwrap();
    assert_eq!(called["choices"][0]["delta"]["tool_calls"][0]["function"]["name"], "weather");
    assert_eq!(chunks.last().unwrap()["choices"][0]["finish_reason"], "tool_calls");
    let flat = json!({"model": "openclaw", "input": "hello", "tools": [
        {"type": "function", "name": "weather", "parameters": {"type": "object", "properties": {}}}]});
    let response = json_of(&ask(&gateway, "/v1/responses", flat).await);
    assert_eq!(response["status"], "incomplete");
    assert_eq!(response["output"][0]["type"], "function_call");
    assert_eq!(response["output"][0]["call_id"], "call_1");
}

/// A model that asks for the weather, and answers when it knows.
fn weather() -> Scripts {
    Scripts::new()
        .after_tool_result_contains("rain", Script::new().say("Take an umbrella."))
        .otherwise(Script::new().call_tool_as("call_1", "weather", json!({"city": "Oslo"})))
}

fn weather_tool() -> Value {
    json!({"type": "function", "name": "weather", "parameters": {"type": "object", "properties": {}}})
}

/// Who spoke in a session, oldest first.
async fn roles(gateway: &TestGateway, key: &str) -> Vec<String> {
    let history = gateway.admin().await.ok("chat.history", json!({"sessionKey": key})).await;
    let messages = history["messages"].as_array().into_iter().flatten();
    messages.map(|message| message["role"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn what_the_programs_tool_gave_reaches_the_model_as_the_result_of_its_call() {
    let gateway = Setup::answering("", weather()).start().await;
    let mut messages = json!([{"role": "user", "content": "Do I need an umbrella?"}]);
    let body = |messages: &Value, user: Option<&str>| {
        let mut body = json!({"model": "openclaw", "tools": [weather_tool()], "messages": messages});
        if let Some(user) = user {
            body["user"] = json!(user);
        }
        body
    };
    let first = json_of(&ask(&gateway, "/v1/chat/completions", body(&messages, Some("ana"))).await);
    let asked = first["choices"][0]["message"].clone();
    assert_eq!(asked["tool_calls"][0]["id"], "call_1", "{first}");
    let result = json!({"role": "tool", "tool_call_id": "call_1", "content": "rain all day"});
    messages.as_array_mut().unwrap().extend([asked, result]);
    // In a session that remembers only the result is new; without one the whole conversation is.
    for user in [Some("ana"), None] {
        let last = json_of(&ask(&gateway, "/v1/chat/completions", body(&messages, user)).await);
        assert_eq!(last["choices"][0]["message"]["content"], "Take an umbrella.", "{last}");
    }
    let heard = roles(&gateway, "agent:main:openai-user:ana").await;
    assert_eq!(heard, ["user", "assistant", "toolResult", "assistant"]);
    let nameless = json!([{"role": "user", "content": "x"}, {"role": "tool", "content": "y"}]);
    assert_eq!(ask(&gateway, "/v1/chat/completions", body(&nameless, None)).await.status, 400);
}

#[tokio::test]
async fn a_response_goes_on_from_an_earlier_one() {
    let gateway = Setup::answering("", weather()).start().await;
    let order = |input: Value, earlier: &Value| json!({"model": "openclaw", "input": input, "tools": [weather_tool()], "previous_response_id": earlier});
    let first = json_of(&ask(&gateway, "/v1/responses", order(json!("umbrella?"), &Value::Null)).await);
    let call = &first["output"][0];
    assert_eq!(call["type"], "function_call", "{first}");
    let given = json!([{"type": "function_call_output", "call_id": call["call_id"], "output": "rain"}]);
    let second = json_of(&ask(&gateway, "/v1/responses", order(given.clone(), &first["id"])).await);
    assert_eq!(second["output"][0]["content"][0]["text"], "Take an umbrella.", "{second}");
    assert_eq!(second["previous_response_id"], first["id"]);
    // The same without help from here: the program sends everything again.
    let whole = json!([{"role": "user", "content": "umbrella?"}, call, given[0]]);
    let alone = json_of(&ask(&gateway, "/v1/responses", order(whole, &Value::Null)).await);
    assert_eq!(alone["output"][0]["content"][0]["text"], "Take an umbrella.", "{alone}");
    for unknown in ["resp_elsewhere", "resp_6f6c2f7e-5d5f-4a6b-9d58-1d1f9f6b8a11_x"] {
        let lost = ask(&gateway, "/v1/responses", order(json!("hello"), &json!(unknown))).await;
        assert_eq!(
            (lost.status, &json_of(&lost)["error"]["code"]),
            (400, &json!("previous_response_not_found"))
        );
    }
}

/// An internet with one picture, and an address that leads to it over another host; everything else is refused. It keeps
/// to the hosts of a request, as the real one does.
struct OnePicture;

#[async_trait]
impl WebClient for OnePicture {
    async fn fetch(&self, request: WebRequest) -> Result<WebAnswer, WebFault> {
        let way: &[&str] = match request.url.as_str() {
            "https://pictures.example/cat.png" => &["pictures.example"],
            "https://pictures.example/moved.png" => {
                &["pictures.example", "elsewhere.example", "pictures.example"]
            }
            "https://elsewhere.example/cat.png" => &["elsewhere.example"],
            _ => return Err(WebFault::Refused("the address is private".to_owned())),
        };
        if request.named_by != NamedBy::Others {
            return Err(WebFault::Refused("the address is private".to_owned()));
        }
        for host in way {
            request.hosts.as_ref().map_or(Ok(()), |hosts| hosts.check(host))?;
        }
        Ok(WebAnswer {
            url: "https://pictures.example/cat.png".to_owned(),
            status: 200,
            content_type: Some("image/png".to_owned()),
            headers: BTreeMap::new(),
            body: b"\x89PNG".to_vec(),
            cut: false,
        })
    }
}

#[tokio::test]
async fn a_picture_at_an_address_is_fetched_from_the_public_internet_alone() {
    let scripts = Scripts::new().otherwise(Script::new().say("A cat."));
    let gateway = Setup { web: Some(Arc::new(OnePicture)), ..Setup::answering("", scripts) }.start().await;
    let body = |url: &str| {
        let parts = json!([{"type": "text", "text": "what is this?"}, {"type": "image_url", "image_url": {"url": url}}]);
        json!({"model": "openclaw", "user": "ana", "messages": [{"role": "user", "content": parts}]})
    };
    let seen = ask(&gateway, "/v1/chat/completions", body("https://pictures.example/cat.png")).await;
    assert_eq!(seen.status, 200, "{seen:?}");
    let history =
        gateway.admin().await.ok("chat.history", json!({"sessionKey": "agent:main:openai-user:ana"})).await;
    let kinds: Vec<&Value> =
        history["messages"][0]["content"].as_array().unwrap().iter().map(|piece| &piece["type"]).collect();
    assert_eq!(kinds, [&json!("text"), &json!("image")], "{history}");
    let private = ask(&gateway, "/v1/chat/completions", body("http://169.254.169.254/latest")).await;
    assert_eq!(private.status, 400);
    assert!(private.body.contains("image: not fetched: the address is private"), "{}", private.body);
    assert_eq!(ask(&gateway, "/v1/chat/completions", body("file:///etc/passwd")).await.status, 400);
}

#[tokio::test]
async fn a_listed_host_that_sends_us_over_another_gives_nothing() {
    let endpoints = r#"gateway: { auth: { mode: "token", token: "TOKEN" }, http: { endpoints: { responses: {
        enabled: true, images: { urlAllowlist: ["pictures.example"] } } } } }, agents: { defaults: { model: "mock/m1" } }"#;
    let config = format!("{{ {} }}", endpoints.replace("TOKEN", support::TOKEN));
    let scripts = Some(Scripts::new().otherwise(Script::new().say("A cat.")));
    let web: Option<Arc<dyn WebClient>> = Some(Arc::new(OnePicture));
    let gateway = Setup { config: Some(config), scripts, web, ..Setup::default() }.start().await;
    for (url, status) in [
        ("https://pictures.example/cat.png", 200),
        ("https://pictures.example/moved.png", 400),
        ("https://elsewhere.example/cat.png", 400),
    ] {
        let content = json!([{"type": "input_text", "text": "what is this?"}, {"type": "input_image", "image_url": url}]);
        let order = json!({"model": "openclaw", "input": [{"role": "user", "content": content}]});
        let answer = ask(&gateway, "/v1/responses", order).await;
        assert_eq!(answer.status, status, "{url}: {}", answer.body);
        let rule =
            "the host elsewhere.example is not in gateway.http.endpoints.responses.images.urlAllowlist";
        assert!(status == 200 || answer.body.contains(rule), "{url}: {}", answer.body);
    }
}

#[tokio::test]
async fn a_path_that_nothing_answers_says_so_as_json() {
    let gateway = saying("never").await;
    let off = Setup { scripts: Some(Scripts::new()), ..Setup::default() }.start().await;
    let cases = [
        (&gateway, "GET /v1/embeddings", 404, "unknown_url"),
        (&gateway, "GET /v1/chat/completions", 405, "method_not_allowed"),
        (&gateway, "DELETE /v1/models", 405, "method_not_allowed"),
        (&off, "GET /v1/models", 404, "endpoint_disabled"),
    ];
    for (of, path, status, code) in cases {
        let answer = support::http(of.address(), path, &[]).await;
        assert_eq!((answer.status, &json_of(&answer)["error"]["code"]), (status, &json!(code)), "{path}");
        assert_eq!(answer.headers["content-type"], "application/json; charset=utf-8", "{path}");
    }
}

#[tokio::test]
async fn a_response_is_whole_or_told_step_by_step() {
    let gateway = saying("Good morning.").await;
    let picture = "data:image/png;base64,iVBORw0KGgo=";
    let input = json!([{"role": "user", "content": [
        {"type": "input_text", "text": "what is this?"}, {"type": "input_image", "image_url": picture}]}]);
    let order = json!({"model": "openclaw/default", "instructions": "be kind", "input": input});
    let answer = ask(&gateway, "/v1/responses", order.clone()).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let whole = json_of(&answer);
    assert_eq!((&whole["object"], &whole["status"]), (&json!("response"), &json!("completed")));
    assert_eq!(whole["output"][0]["content"][0]["text"], "Good morning.");
    assert!(whole["usage"]["total_tokens"].as_u64().unwrap() > 0);
    let mut order = order;
    order["stream"] = json!(true);
    let told = events(&ask(&gateway, "/v1/responses", order).await);
    let mut names: Vec<&str> = told.iter().map(|event| event["type"].as_str().unwrap()).collect();
    names.dedup();
    assert_eq!(
        names,
        [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed",
        ]
    );
    let numbers: Vec<u64> = told.iter().map(|event| event["sequence_number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..told.len() as u64).collect::<Vec<_>>());
    assert_eq!(told.last().unwrap()["response"]["output"][0]["content"][0]["text"], "Good morning.");
}

#[tokio::test]
async fn files_in_a_response_are_held_to_the_rules_whichever_way_they_come() {
    let endpoints = r#"gateway: { auth: { mode: "token", token: "TOKEN" }, http: { endpoints: { responses: {
        enabled: true, files: { maxBytes: 40, maxChars: 5, allowedMimes: ["text/plain", "application/pdf"] } } } } },
        agents: { defaults: { model: "mock/m1" } }"#;
    let config = format!("{{ {} }}", endpoints.replace("TOKEN", support::TOKEN));
    let scripts = Some(Scripts::new().otherwise_echo());
    let gateway = Setup { config: Some(config), scripts, ..Setup::default() }.start().await;
    let file = |kind: &str, bytes: &[u8]| {
        let data = base64::engine::general_purpose::STANDARD.encode(bytes);
        let source = json!({"type": "base64", "media_type": kind, "data": data, "filename": "f"});
        let content =
            json!([{"type": "input_text", "text": "read"}, {"type": "input_file", "source": source}]);
        json!({"model": "openclaw", "input": [{"role": "user", "content": content}]})
    };
    let answer = json_of(&ask(&gateway, "/v1/responses", file("text/plain", b"abcdefgh")).await);
    let heard = answer["output"][0]["content"][0]["text"].as_str().unwrap();
    assert!(heard.contains("abcde\n</file>"), "{heard}");
    let pdf = "file: PDF files are not read here; send their text, or their pages as pictures";
    for (kind, bytes, expected) in [
        ("application/pdf", b"%PDF-1.7".as_slice(), pdf),
        ("text/plain", b"%PDF-1.7".as_slice(), pdf),
        ("text/plain", [b'a'; 41].as_slice(), "file: larger than 40 bytes"),
        (
            "text/csv",
            b"a,b".as_slice(),
            "file: text/csv is not in gateway.http.endpoints.responses.files.allowedMimes",
        ),
    ] {
        let answer = ask(&gateway, "/v1/responses", file(kind, bytes)).await;
        assert_eq!((answer.status, &json_of(&answer)["error"]["message"]), (400, &json!(expected)), "{kind}");
    }
}

#[tokio::test]
async fn what_is_wrong_is_said_in_the_shape_libraries_read() {
    let gateway = saying("never").await;
    let no_words = json!({"model": "openclaw", "messages": [{"role": "system", "content": "x"}]});
    let address =
        json!({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x/y.png"}}]});
    let fetch = json!({"model": "openclaw", "messages": [address]});
    let cases = [
        ("/v1/chat/completions", no_words, 400, "Missing user message in `messages`."),
        ("/v1/responses", json!({"model": "openclaw"}), 400, "input: Invalid input"),
        (
            "/v1/chat/completions",
            json!({"model": "openclaw/ghost", "messages": hello()["messages"]}),
            400,
            "unknown agent id \"ghost\"",
        ),
    ];
    for (path, body, status, message) in cases {
        let answer = ask(&gateway, path, body).await;
        assert_eq!(answer.status, status);
        let error = json!({"error": {"message": message, "type": "invalid_request_error", "param": null, "code": null}});
        assert_eq!(json_of(&answer), error);
    }
    assert_eq!(ask(&gateway, "/v1/chat/completions", fetch).await.status, 400, "addresses are never fetched");
    let long = "x".repeat(21 * 1024 * 1024);
    let answer =
        ask(&gateway, "/v1/chat/completions", json!({"messages": [{"role": "user", "content": long}]})).await;
    assert_eq!(answer.status, 413);
    let broken = Setup::answering("", Scripts::new()).start().await;
    let failed = ask(&broken, "/v1/chat/completions", hello()).await;
    assert_eq!((failed.status, &json_of(&failed)["error"]["type"]), (500, &json!("api_error")));
}

#[tokio::test]
async fn nobody_is_answered_without_the_secret_or_when_it_is_switched_off() {
    let gateway = saying("never").await;
    for path in ["/v1/chat/completions", "/v1/responses", "/tools/invoke"] {
        assert_eq!(post(gateway.address(), path, &[], "{}").await.status, 401, "{path}");
        let wrong = post(gateway.address(), path, &[("authorization", "Bearer wrong")], "{}").await;
        assert_eq!(wrong.status, 401, "{path}");
    }
    assert_eq!(support::http(gateway.address(), "GET /v1/models", &[]).await.status, 401);
    let off = Setup { scripts: Some(Scripts::new()), ..Setup::default() }.start().await;
    for path in ["/v1/chat/completions", "/v1/responses"] {
        assert_eq!(ask(&off, path, hello()).await.status, 404, "{path}");
    }
    let open = r#"{ gateway: { auth: { mode: "none" }, http: { endpoints: { chatCompletions: { enabled: true } } } },
        agents: { defaults: { model: "mock/m1" } } }"#;
    let scripts = Some(Scripts::new().otherwise(Script::new().say("hi")));
    let open = Setup { scripts, ..Setup::config(open) }.start().await;
    let page = [("origin", "http://evil.example")];
    assert_eq!(post(open.address(), "/v1/chat/completions", &page, &hello().to_string()).await.status, 401);
    assert_eq!(post(open.address(), "/v1/chat/completions", &[], &hello().to_string()).await.status, 200);
}

#[tokio::test]
async fn agents_are_listed_as_models() {
    let gateway = saying("never").await;
    let bearer = format!("Bearer {TOKEN}");
    let headers = [("authorization", bearer.as_str())];
    let listed = json_of(&support::http(gateway.address(), "GET /v1/models", &headers).await);
    let names: Vec<&Value> = listed["data"].as_array().unwrap().iter().map(|model| &model["id"]).collect();
    assert_eq!(names, [&json!("openclaw"), &json!("openclaw/default"), &json!("openclaw/main")]);
    let one = support::http(gateway.address(), "GET /v1/models/openclaw/main", &headers).await;
    assert_eq!(json_of(&one)["id"], "openclaw/main");
    assert_eq!(support::http(gateway.address(), "GET /v1/models/gpt", &headers).await.status, 404);
}

/// The keys of all sessions.
async fn session_keys(gateway: &TestGateway) -> Vec<String> {
    let listed = gateway.admin().await.ok("sessions.list", json!({})).await;
    let rows = listed["sessions"].as_array().into_iter().flatten();
    let mut keys: Vec<String> = rows.map(|row| row["key"].as_str().unwrap_or_default().to_owned()).collect();
    keys.sort();
    keys
}

#[tokio::test]
async fn each_interface_has_sessions_of_its_own() {
    let gateway = saying("Hi.").await;
    for user in [Some("Bob"), None] {
        let mut completion = hello();
        let mut response = json!({"model": "openclaw", "input": "hello"});
        if let Some(user) = user {
            (completion["user"], response["user"]) = (json!(user), json!(user));
        }
        assert_eq!(ask(&gateway, "/v1/chat/completions", completion).await.status, 200);
        assert_eq!(ask(&gateway, "/v1/responses", response).await.status, 200);
    }
    let keys = session_keys(&gateway).await;
    let [user, once, response_user, response_once] = keys.as_slice() else { panic!("{keys:?}") };
    assert_eq!(
        (user.as_str(), response_user.as_str()),
        ("agent:main:openai-user:bob", "agent:main:openresponses-user:bob")
    );
    for (key, start) in [(once, "agent:main:openai:"), (response_once, "agent:main:openresponses:")] {
        assert!(key.strip_prefix(start).is_some_and(|id| id.parse::<uuid::Uuid>().is_ok()), "{key}");
    }
    let bearer = format!("Bearer {TOKEN}");
    let headers = [("authorization", bearer.as_str()), ("x-openclaw-session-key", "agent:main:named")];
    for (path, body) in [
        ("/v1/chat/completions", hello()),
        ("/v1/responses", json!({"model": "openclaw", "input": "hello", "user": "bob"})),
    ] {
        assert_eq!(post(gateway.address(), path, &headers, &body.to_string()).await.status, 200, "{path}");
    }
    assert_eq!(
        session_keys(&gateway).await.iter().filter(|key| !keys.contains(key)).collect::<Vec<_>>(),
        ["agent:main:named"]
    );
}

#[tokio::test]
async fn a_conversation_that_ends_with_the_assistant_is_answered() {
    let gateway = Setup::answering("", Scripts::new().otherwise_echo()).start().await;
    let spoken = json!([{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}]);
    let answer =
        ask(&gateway, "/v1/chat/completions", json!({"model": "openclaw", "messages": spoken})).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let said = json_of(&answer)["choices"][0]["message"]["content"].as_str().unwrap().to_owned();
    assert!(said.contains("one") && !said.contains("two"), "{said}");
    let answer = ask(&gateway, "/v1/responses", json!({"model": "openclaw", "input": spoken})).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[tokio::test]
async fn a_body_that_is_no_object_is_refused_in_plain_words() {
    let gateway = saying("Hi.").await;
    for path in ["/v1/chat/completions", "/v1/responses"] {
        for body in [json!([]), json!("x"), json!(null)] {
            let answer = ask(&gateway, path, body).await;
            assert_eq!(answer.status, 400, "{path}");
            let message = json_of(&answer)["error"]["message"].clone();
            assert_eq!(message, "invalid request body: send a JSON object", "{path}");
        }
    }
}

#[tokio::test]
async fn an_empty_answer_of_the_model_is_explained_once() {
    let gateway = Setup::answering("", Scripts::new().otherwise(Script::new())).start().await;
    let explained = "The model gave an empty answer twice. Try again, or ask in other words.";
    let whole = json_of(&ask(&gateway, "/v1/chat/completions", hello()).await);
    assert_eq!(whole["choices"][0]["message"]["content"], explained, "{whole}");
    let mut streamed = hello();
    streamed["stream"] = json!(true);
    let chunks = events(&ask(&gateway, "/v1/chat/completions", streamed).await);
    let said: String =
        chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(said, explained, "{chunks:?}");
    let order = json!({"model": "openclaw", "input": "hello", "stream": true});
    let steps = events(&ask(&gateway, "/v1/responses", order).await);
    let said: String = steps
        .iter()
        .filter(|step| step["type"] == "response.output_text.delta")
        .filter_map(|step| step["delta"].as_str())
        .collect();
    assert_eq!(said, explained, "{steps:?}");
}

#[tokio::test]
async fn a_lasting_session_is_told_only_what_is_new() {
    let gateway = Setup::answering("", Scripts::new().otherwise_echo()).start().await;
    let turn = |messages: Value| json!({"model": "openclaw", "user": "ana", "messages": messages});
    ask(&gateway, "/v1/chat/completions", turn(json!([{"role": "user", "content": "one"}]))).await;
    let again = json!([{"role": "user", "content": "one"}, {"role": "assistant", "content": "…"}, {"role": "user", "content": "two"}]);
    let answer = json_of(&ask(&gateway, "/v1/chat/completions", turn(again)).await);
    let heard = answer["choices"][0]["message"]["content"].as_str().unwrap().to_owned();
    assert!(heard.contains("two") && !heard.contains("one"), "{heard}");
    let mut admin = gateway.admin().await;
    let history = admin.ok("chat.history", json!({"sessionKey": "agent:main:openai-user:ana"})).await;
    assert_eq!(history["messages"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn a_program_that_goes_away_has_its_run_stopped() {
    let gate = Gate::new();
    let gateway =
        Setup::answering("", Scripts::new().otherwise(Script::new().say("Well").hold(&gate))).start().await;
    let flow = gateway.flow.clone().unwrap();
    for stream in [false, true] {
        let mut body = hello();
        body["stream"] = json!(stream);
        let text = body.to_string();
        let head = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: {}\r\n\r\n{text}",
            text.len()
        );
        let before = gate.arrived();
        let mut socket = tokio::net::TcpStream::connect(gateway.address()).await.unwrap();
        socket.write_all(head.as_bytes()).await.unwrap();
        tokio::time::timeout(PATIENCE, gate.until_arrived(before + 1)).await.expect("the model was asked");
        if stream {
            let mut some = [0; 64];
            assert!(socket.read(&mut some).await.unwrap() > 0);
        }
        assert_eq!(flow.busy(), 1);
        drop(socket);
        let quiet = async {
            while flow.busy() > 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, quiet).await.expect("the run goes on although nobody listens");
    }
}

#[tokio::test]
async fn tools_are_called_only_when_they_may_be_called_this_way() {
    let gateway = Setup::answering("tools: { deny: ['session_status'] }", Scripts::new()).start().await;
    let missing = ask(&gateway, "/tools/invoke", json!({})).await;
    assert_eq!(
        (missing.status, &json_of(&missing)["error"]["message"]),
        (400, &json!("tools.invoke requires body.tool"))
    );
    for tool in ["read", "write", "exec", "process", "gateway", "sessions_spawn", "sessions_send", "nothing"]
    {
        let answer = ask(&gateway, "/tools/invoke", json!({"tool": tool, "args": {"path": "x"}})).await;
        assert_eq!(answer.status, 404, "{tool}");
        let error = json!({"type": "not_found", "message": format!("Tool not available: {tool}")});
        assert_eq!(json_of(&answer), json!({"ok": false, "error": error}));
    }
}
