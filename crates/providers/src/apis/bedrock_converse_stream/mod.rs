//! `bedrock-converse-stream`: Converse over the AWS event stream, for all models on Amazon Bedrock. A target's
//! credential travels as a bearer; without one the call comes out unsigned, and the transport signs it with `sigv4`.
//!
//! Facts: the person speaks first and the sides alternate; a conversation with calls needs tools defined, and there is
//! no word for calling none; pictures travel by value only; one vendor's own fields go into
//! `additionalModelRequestFields`. The stream is binary messages with checksums; only calls announce their block;
//! `messageStop` comes before the counts in `metadata`, and exceptions are messages of their own.

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
