//! Three protocols against a real model: SmolLM2 behind the server of llama.cpp. Run by `cargo xtask test`.
//!
//! The model is tiny and writes nonsense; that it writes, and how the server tells it, is what counts here.
#![expect(clippy::unwrap_used, reason = "a test fails loudly, at the line that is wrong")]

mod peer_line;

use openclaw_ports::model::{ApiName, ModelEvent};
use openclaw_types::StopReason;

use peer_line::{address, end, events, route, saying, words};

async fn a_reply_streams(api: ApiName, behind: &str) {
    let base_url = format!("{}{behind}", address("OPENCLAW_PEER_MODEL"));
    let mut request = saying("Say hello to the children of the village in one long sentence.");
    request.max_output_tokens = Some(24);
    request.temperature = Some(0.0);
    let mut route = route(api, base_url, "smollm2", "model");
    route.target.reasoning = false;
    let told = events(request, route).await;
    let completion = end(&told).unwrap_or_else(|fault| panic!("{fault}"));
    let streamed: String = told
        .iter()
        .filter_map(|event| match event {
            ModelEvent::Text { delta, .. } => Some(delta.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(streamed, words(completion));
    assert!(streamed.len() > 10, "{completion:#?}");
    let deltas = told.iter().filter(|event| matches!(event, ModelEvent::Text { .. })).count();
    assert!(deltas > 5, "{told:#?}");
    assert!(matches!(completion.stop, StopReason::Stop | StopReason::Length), "{completion:#?}");
    let usage = completion.usage.unwrap();
    let read = usage.input + usage.cache_read;
    assert!(read > 10 && usage.output > 5 && usage.output <= 24, "{usage:?}");
}

#[tokio::test]
async fn a_real_model_answers_through_completions() {
    a_reply_streams(ApiName::OpenaiCompletions, "/v1").await;
}

#[tokio::test]
async fn a_real_model_answers_through_responses() {
    a_reply_streams(ApiName::OpenaiResponses, "/v1").await;
}

#[tokio::test]
async fn a_real_model_answers_through_messages() {
    a_reply_streams(ApiName::AnthropicMessages, "").await;
}
