//! `anthropic-messages`: messages of content blocks over server-sent events. `encode` builds the call, `decode` reads
//! the stream, `classify` explains refusals; `apis::blocks` knows which generation of models takes what.
//!
//! Facts: the person speaks first and the sides alternate; results of tools begin the person's turn right behind the
//! calls; `max_tokens` must be said and holds the thoughts too; thoughts go back only with their signature; four places
//! may be marked for the cache. The stream names blocks by an index, counts tokens at both ends (later counts replace
//! earlier ones) and ends with `message_stop`; errors may come in the middle of it.

mod classify;
mod decode;
mod encode;
mod wire;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use openclaw_ports::model::{
    ApiName, HttpCall, ModelApi, ModelFault, ModelRequest, ModelTarget, StreamDecoder,
};

/// The protocol of Anthropic's Messages API and of the servers that follow it.
#[derive(Debug, Clone, Copy, Default)]
pub struct AnthropicMessages;

impl ModelApi for AnthropicMessages {
    fn name(&self) -> ApiName {
        ApiName::AnthropicMessages
    }

    fn encode(&self, request: &ModelRequest, target: &ModelTarget) -> Result<HttpCall, ModelFault> {
        encode::call(request, target)
    }

    fn decoder(&self) -> Box<dyn StreamDecoder> {
        Box::new(decode::Decoder::default())
    }

    fn classify(&self, status: u16, headers: &BTreeMap<String, String>, body: &[u8]) -> ModelFault {
        classify::response(status, headers, body)
    }
}
