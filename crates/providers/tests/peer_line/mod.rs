//! A line to a server that this project did not write, for the tests named `peer_*`.
//!
//! The servers are installed and started by `cargo xtask test`, which says in a variable where each one listens. The
//! tests are left out of a plain run of the test runner, see `.config/nextest.toml`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use openclaw_config::Environment;
use openclaw_ports::SystemClock;
use openclaw_ports::model::{
    ApiName, AwsKeys, CacheLifetime, Compatibility, Completion, FaultReason, ModelEvent, ModelFault,
    ModelLine, ModelRequest, ModelRoute, ModelTarget, ServerReach, ToolChoice,
};
use openclaw_providers::{CallMethod, JsonBody, JsonCall, Transport, TransportLimits};
use openclaw_types::{Content, Message, ProviderId, Secret, ThinkingLevel, UserMessage};

/// The credential of every call: peers take any.
pub(crate) const KEY: &str = "planted-peer-key";

/// Where the peer listens that this variable names.
#[track_caller]
pub(crate) fn address(variable: &str) -> String {
    let environment = Environment::from_process();
    let address = environment.get(variable).map(str::to_owned);
    address
        .unwrap_or_else(|| panic!("{variable} is not set: run these tests with `cargo xtask test --peers`"))
}

/// A way to a model of a peer.
pub(crate) fn route(api: ApiName, base_url: String, model: &str, test: &str) -> ModelRoute {
    let target = ModelTarget {
        model: model.to_owned(),
        base_url,
        credential: Some(Secret::new(KEY.to_owned())),
        headers: BTreeMap::from([("x-test-id".to_owned(), Secret::new(test.to_owned()))]),
        max_output_tokens: 1000,
        context_window: 4096,
        reasoning: true,
        sees_images: true,
        compatibility: Compatibility::default(),
    };
    let aws = (api == ApiName::BedrockConverseStream).then(|| AwsKeys {
        access_key_id: "AKIDEXAMPLE".to_owned(),
        secret_access_key: Secret::new(KEY.to_owned()),
        session_token: None,
        region: "us-east-1".to_owned(),
    });
    let provider = ProviderId::new("peer").unwrap();
    ModelRoute { provider, api, target, aws, reach: ServerReach::Anywhere }
}

/// A request that says one thing.
pub(crate) fn saying(words: &str) -> ModelRequest {
    asking(vec![user(words)])
}

/// A request with a conversation.
pub(crate) fn asking(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        system: vec!["You are terse.".to_owned()].into(),
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

/// What a person says.
pub(crate) fn user(words: &str) -> Message {
    Message::User(UserMessage { content: vec![Content::text(words)], ..UserMessage::default() })
}

/// The transport that people use, except that it tries once.
fn transport() -> Transport {
    let limits =
        TransportLimits { retries: 0, total: Duration::from_secs(240), ..TransportLimits::default() };
    let nothing: [(&str, &str); 0] = [];
    Transport::new(Arc::new(SystemClock::new()), &Environment::fake(nothing, "/nowhere"), limits)
}

/// What stands at an address of a peer.
#[allow(dead_code, reason = "not every peer can be asked what it saw")]
pub(crate) async fn get(url: String) -> Vec<u8> {
    let call = JsonCall {
        method: CallMethod::Get,
        url,
        headers: BTreeMap::new(),
        body: JsonBody::None,
        reach: ServerReach::Anywhere,
        deadline: Duration::from_secs(10),
    };
    transport().json(call).await.unwrap().body.to_vec()
}

/// All events of one call, made once.
pub(crate) async fn events(request: ModelRequest, route: ModelRoute) -> Vec<ModelEvent> {
    let events: Vec<ModelEvent> = transport().open(Arc::new(request), route).collect().await;
    let ends = events.iter().filter(|event| event.is_end()).count();
    assert_eq!(ends, 1, "{events:#?}");
    assert!(events.last().is_some_and(ModelEvent::is_end), "{events:#?}");
    events
}

/// How a call ended.
pub(crate) fn end(events: &[ModelEvent]) -> Result<&Completion, &ModelFault> {
    match events.last() {
        Some(ModelEvent::Done(completion)) => Ok(completion),
        Some(ModelEvent::Failed(fault)) => Err(fault),
        other => panic!("the stream ended in {other:?}"),
    }
}

/// What the answer says, without thoughts and calls.
pub(crate) fn words(completion: &Completion) -> String {
    let text = |piece: &Content| match piece {
        Content::Text(text) => Some(text.text.clone()),
        _ => None,
    };
    completion.content.iter().filter_map(text).collect()
}

/// Why a call failed.
#[allow(dead_code, reason = "not every peer fails on demand")]
pub(crate) fn reason(events: &[ModelEvent]) -> Option<FaultReason> {
    end(events).err().map(|fault| fault.reason)
}
