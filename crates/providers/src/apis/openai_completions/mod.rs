//! Chat completions over server-sent events: the protocol of OpenAI that most compatible servers speak. What they do
//! differently comes with the target's `Compatibility`; no vendor is known here by name.
//!
//! Facts: a stream of chunks with choices, of which the first one counts, closed by `data: [DONE]`; many servers leave
//! that out and hang up behind a `finish_reason`. Roles need not alternate and nobody has to speak first; stricter
//! servers say so in `Compatibility`. Tools answer with text only. Usage comes when asked for. `<think>` tags inside
//! the text are left as they are. What the sister protocol has too lives in `apis::openai_dialect`.

mod calls;
mod decode;
mod details;
mod encode;
mod messages;
mod whole;
mod wire;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use openclaw_ports::model::{
    ApiName, HttpCall, ModelApi, ModelFault, ModelRequest, ModelTarget, StreamDecoder,
};

use super::openai_dialect as dialect;

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
        Box::new(dialect::EventStream::new(decode::CompletionState::default()))
    }

    fn classify(&self, status: u16, headers: &BTreeMap<String, String>, body: &[u8]) -> ModelFault {
        dialect::classify(status, headers, body)
    }
}
