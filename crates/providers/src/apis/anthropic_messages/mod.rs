//! `anthropic-messages`: messages of content blocks over server-sent events.
//!
//! `encode` builds the call, `decode` reads the stream, `classify` explains refusals; wire types live in `wire` alone.
//! Which generation of models takes what is known to `apis::blocks`. Chosen by configuration, driven by the transport.

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
