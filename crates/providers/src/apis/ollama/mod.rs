//! The native protocol of Ollama: a chat answered in lines of JSON, by models that run on somebody's own machine.
//!
//! `encode` says a request in it, `decode` reads the answer, `classify` explains refusals, `models` reads what the
//! server says about its models. `wire` holds the shapes. The server's OpenAI-like interface is another protocol.
//!
//! Facts: turns need not alternate and the system prompt is the first of them; pictures stand in a person's turn, by
//! value; a tool call cannot be forced and comes whole; the context is as large as each request says. Each line is an
//! object, the one with `done` is the last and has the counts; an error may come as a line.

mod classify;
mod decode;
mod encode;
mod models;
mod wire;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use openclaw_ports::model::{
    ApiName, HttpCall, ModelApi, ModelFault, ModelRequest, ModelTarget, StreamDecoder,
};

pub use models::{OllamaModel, OllamaModelDetails, read_ollama_model, read_ollama_models};

/// Speaks `ollama`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ollama;

impl ModelApi for Ollama {
    fn name(&self) -> ApiName {
        ApiName::Ollama
    }

    fn encode(&self, request: &ModelRequest, target: &ModelTarget) -> Result<HttpCall, ModelFault> {
        encode::call(request, target)
    }

    fn decoder(&self) -> Box<dyn StreamDecoder> {
        Box::new(decode::Decoder::default())
    }

    fn classify(&self, status: u16, headers: &BTreeMap<String, String>, body: &[u8]) -> ModelFault {
        classify::answer(status, headers, body)
    }
}
