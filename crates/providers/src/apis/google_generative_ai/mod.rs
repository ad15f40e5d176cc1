//! The protocol of Google's generative language interface: contents made of parts, answered over server-sent events.
//!
//! `encode` says a request in it, `account` puts it into the envelope of personal accounts, `schema` cuts tool schemas
//! down to what it takes, `thinking` knows the models' ways of thinking, `decode` reads the answer, `classify` explains
//! refusals. `wire` holds the shapes.
//!
//! Facts: the person speaks first, neighbours of one role are one turn, and the results of one answer stand together in
//! a turn of their own. Calls come whole and mostly without ids; proofs stay on the part they came on. There is no end
//! marker: a `finishReason` with counts is one. What a filter stopped comes as a success with a reason.

mod account;
mod classify;
mod contents;
mod decode;
mod encode;
mod schema;
mod thinking;
mod wire;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use openclaw_ports::model::{
    ApiName, HttpCall, ModelApi, ModelFault, ModelRequest, ModelTarget, StreamDecoder,
};

/// Speaks `google-generative-ai`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GoogleGenerativeAi;

impl ModelApi for GoogleGenerativeAi {
    fn name(&self) -> ApiName {
        ApiName::GoogleGenerativeAi
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
