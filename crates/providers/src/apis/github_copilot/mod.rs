//! GitHub Copilot: completions or responses behind an exchanged token.
//!
//! The model decides the protocol (`choose`), `headers` holds what the service wants to know, `exchange` the pure
//! parts of trading a GitHub token for one of the service. This is the one codec that is made of others: bodies and
//! streams are those of `openai_completions` and `openai_responses`, used through their `ModelApi` and `encode_as`
//! alone. A decoder is not told what was asked and finds out from the first event which one it hears.

mod choose;
mod exchange;
mod headers;
mod listen;
mod wire;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use openclaw_ports::model::{
    ApiName, HttpCall, ModelApi, ModelFault, ModelRequest, ModelTarget, StreamDecoder,
};

use super::openai_completions::OpenaiCompletions;
use super::openai_dialect as dialect;
use super::openai_responses::OpenaiResponses;
use choose::Speech;

pub use exchange::{CopilotExchange, CopilotToken};

/// The codec of `github-copilot`.
#[derive(Debug, Clone, Copy, Default)]
pub struct GithubCopilot;

impl ModelApi for GithubCopilot {
    fn name(&self) -> ApiName {
        ApiName::GithubCopilot
    }

    fn encode(&self, request: &ModelRequest, target: &ModelTarget) -> Result<HttpCall, ModelFault> {
        let target = ModelTarget { base_url: exchange::base_url_for(target), ..target.clone() };
        let mut call = match Speech::of(&target.model) {
            Speech::Completions => OpenaiCompletions::encode_as(self.name(), request, &target)?,
            Speech::Responses => OpenaiResponses::encode_as(self.name(), request, &target)?,
        };
        for (name, value) in headers::of(request, &target) {
            call.headers.entry(name).or_insert(value);
        }
        Ok(call)
    }

    fn decoder(&self) -> Box<dyn StreamDecoder> {
        Box::new(listen::Listener::default())
    }

    fn classify(&self, status: u16, headers: &BTreeMap<String, String>, body: &[u8]) -> ModelFault {
        dialect::classify(status, headers, body)
    }
}
