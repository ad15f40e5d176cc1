//! Responses with typed items over server-sent events: the newer protocol of OpenAI.
//!
//! `encode` and `items` say a request, `decode` reads an answer item by item. Nothing is stored at the vendor:
//! thoughts travel sealed inside the signatures of our transcript and go back as the items they were.

mod classify;
mod decode;
mod encode;
mod items;
mod signature;
mod wire;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use openclaw_ports::model::{
    ApiName, HttpCall, ModelApi, ModelFault, ModelRequest, ModelTarget, StreamDecoder,
};

use super::openai_completions::dialect;

/// The codec of `openai-responses`.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenaiResponses;

impl OpenaiResponses {
    /// Encodes for a service that speaks this protocol under a name of its own.
    pub(in crate::apis) fn encode_as(
        api: ApiName,
        request: &ModelRequest,
        target: &ModelTarget,
    ) -> Result<HttpCall, ModelFault> {
        encode::call(api, request, target)
    }
}

impl ModelApi for OpenaiResponses {
    fn name(&self) -> ApiName {
        ApiName::OpenaiResponses
    }

    fn encode(&self, request: &ModelRequest, target: &ModelTarget) -> Result<HttpCall, ModelFault> {
        encode::call(self.name(), request, target)
    }

    fn decoder(&self) -> Box<dyn StreamDecoder> {
        Box::new(dialect::EventStream::new(decode::Answer::default()))
    }

    fn classify(&self, status: u16, headers: &BTreeMap<String, String>, body: &[u8]) -> ModelFault {
        dialect::classify(status, headers, body)
    }
}
