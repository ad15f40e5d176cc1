//! Chat completions over server-sent events: the protocol of OpenAI that most compatible servers speak.
//!
//! `encode` and `messages` say a request, `decode` reads an answer with `calls` and `details` for its harder parts.
//! What servers do differently comes with the target's `Compatibility`; no vendor is known here by name. `dialect`
//! holds what the sister protocols share. `<think>` tags inside the text are left as they are.

mod calls;
mod decode;
mod details;
pub(in crate::apis) mod dialect;
mod encode;
mod messages;
mod wire;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use openclaw_ports::model::{
    ApiName, HttpCall, ModelApi, ModelFault, ModelRequest, ModelTarget, StreamDecoder,
};

/// The codec of `openai-completions`.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenaiCompletions;

impl OpenaiCompletions {
    /// Encodes for a service that speaks this protocol under a name of its own.
    pub(in crate::apis) fn encode_as(
        api: ApiName,
        request: &ModelRequest,
        target: &ModelTarget,
    ) -> Result<HttpCall, ModelFault> {
        encode::call(api, request, target)
    }
}

impl ModelApi for OpenaiCompletions {
    fn name(&self) -> ApiName {
        ApiName::OpenaiCompletions
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
