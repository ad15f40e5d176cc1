//! `bedrock-converse-stream`: Converse over the AWS event stream, for all models on Amazon Bedrock.
//!
//! `encode` builds the call, `decode` reads the stream, `classify` explains refusals; wire types live in `wire` alone.
//! A target with a credential is called with it as a bearer; without one the call comes out unsigned, and the
//! transport signs it with `sigv4`, which needs the time.

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

/// The protocol of Bedrock's `ConverseStream`.
#[derive(Debug, Clone, Copy, Default)]
pub struct BedrockConverseStream;

impl ModelApi for BedrockConverseStream {
    fn name(&self) -> ApiName {
        ApiName::BedrockConverseStream
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
