//! Binds handlers to the methods of the protocol's table.
//!
//! Built once, before traffic starts. A method is offered only when a handler is bound here, so `features.methods`
//! cannot promise what is not there. Rights, rate class and listing come from the table, never from a handler.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::FutureExt as _;
use openclaw_protocol::{ErrorShape, Method, MethodListing, MethodSpec, decode_params_in, find_method};
use serde_json::value::RawValue;

use super::outcome::{JsonPayload, MethodOutcome};
use crate::connection::{Client, RequestReply};
use crate::context::GatewayContext;

/// One call of a method.
#[derive(Clone)]
pub(crate) struct Call {
    /// The gateway.
    pub(crate) context: Arc<GatewayContext>,
    /// Who calls.
    pub(crate) client: Arc<Client>,
    /// The way back, for methods that answer twice.
    pub(crate) reply: Arc<RequestReply>,
}

/// The work a handler does.
pub(crate) type Work = Pin<Box<dyn Future<Output = MethodOutcome> + Send>>;

type Handler = Box<dyn Fn(Call, Option<Box<RawValue>>) -> Work + Send + Sync>;

/// A method that works.
pub(crate) struct Binding {
    /// Its row in the protocol's table.
    pub(crate) spec: &'static MethodSpec,
    /// Its place in the meters.
    pub(crate) place: usize,
    handler: Handler,
}

impl Binding {
    /// Starts the handler.
    pub(crate) fn start(&self, call: Call, params: Option<Box<RawValue>>) -> Work {
        (self.handler)(call, params)
    }
}

/// All methods that work.
#[derive(Default)]
pub(crate) struct Registry {
    bindings: HashMap<&'static str, Binding>,
    names: Vec<&'static str>,
}

impl Registry {
    /// Binds a handler that gives a typed result.
    pub(crate) fn bind<M, H, F>(&mut self, handler: H)
    where
        M: Method + 'static,
        H: Fn(Call, M::Params) -> F + Send + Sync + 'static,
        F: Future<Output = Result<M::Result, ErrorShape>> + Send + 'static,
    {
        self.bind_text::<M, _, _>(move |call, params| {
            handler(call, params).map(|result| JsonPayload::of(&result?))
        });
    }

    /// Binds a handler that gives its result as text.
    pub(crate) fn bind_text<M, H, F>(&mut self, handler: H)
    where
        M: Method + 'static,
        H: Fn(Call, M::Params) -> F + Send + Sync + 'static,
        F: Future<Output = MethodOutcome> + Send + 'static,
    {
        let Some(spec) = find_method(M::NAME) else {
            tracing::error!(
                method = M::NAME,
                "a handler was written for a method the protocol does not have"
            );
            return;
        };
        let handler: Handler = Box::new(move |call, params| {
            match decode_params_in::<M>(call.client.dialect, params.as_deref()) {
                Ok(params) => Box::pin(handler(call, params)),
                Err(error) => Box::pin(std::future::ready(Err(error))),
            }
        });
        let binding = Binding { spec, place: self.names.len(), handler };
        if self.bindings.insert(M::NAME, binding).is_none() {
            self.names.push(M::NAME);
        }
    }

    /// Finds a method by its name.
    pub(crate) fn find(&self, name: &str) -> Option<&Binding> {
        self.bindings.get(name)
    }

    /// The names of all methods, in the order they were bound; a binding's place is its index here.
    pub(crate) fn names(&self) -> &[&'static str] {
        &self.names
    }

    /// The names clients are told about.
    pub(crate) fn listed(&self) -> Vec<String> {
        let is_listed = |name: &&str| {
            self.bindings.get(*name).is_some_and(|binding| binding.spec.listing == MethodListing::Listed)
        };
        self.names.iter().copied().filter(is_listed).map(str::to_owned).collect()
    }
}
