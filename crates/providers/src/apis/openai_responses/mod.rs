//! Responses with typed items over server-sent events: the newer protocol of OpenAI. Nothing is stored at the vendor:
//! thoughts travel sealed inside the signatures of our transcript and go back as the items they were.
//!
//! Facts: the conversation is a flat list of items, so nothing is merged and nobody has to speak first; a thought must
//! stand before the item it led to. The system prompt has a field of its own. The stream ends with
//! `response.completed`, `.incomplete` or `.failed`; there is no `[DONE]`. What the sister protocol has too lives in
//! `apis::openai_dialect`.

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

use super::openai_dialect as dialect;

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
        Box::new(dialect::EventStream::new(decode::ResponseState::default()))
    }

    fn classify(&self, status: u16, headers: &BTreeMap<String, String>, body: &[u8]) -> ModelFault {
        dialect::classify(status, headers, body)
    }
}
