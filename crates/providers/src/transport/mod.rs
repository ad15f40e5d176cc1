//! The one way out to vendors: connections, time, size, repetition and where calls may go.
//!
//! `stream` carries a request to a model, `side_call` everything else that speaks HTTP with vendors (lists of models,
//! sign-ins, quotas). `egress` decides which addresses may be reached, `retry` what is tried again; both are pure.
//! What is said is the codecs' business, found through `registry`; which model and which key is the caller's.

mod certificate;
mod client;
mod connect;
mod egress;
mod limits;
mod proxy;
mod registry;
mod retry;
mod secrets;
mod send;
mod side_call;
mod stream;
mod web_call;

#[cfg(test)]
pub(crate) mod tests;

use std::fmt;
use std::sync::Arc;

use openclaw_config::Environment;
use openclaw_ports::Clock;
use openclaw_ports::model::{ModelLine, ModelRequest, ModelRoute, ModelStream};

pub use limits::TransportLimits;
pub use registry::codec;
pub(crate) use side_call::is_lender;
pub use side_call::{CallMethod, JsonAnswer, JsonBody, JsonCall};

pub(crate) use egress::closed_to_the_web;
pub(crate) use web_call::WebCall;

use client::Clients;
use proxy::Proxies;

/// Carries calls to vendors. Cloning is cheap, and clones share their connections.
///
/// Nothing is opened and no certificate is read before the first call.
#[derive(Clone)]
pub struct Transport {
    inner: Arc<Inner>,
}

struct Inner {
    clock: Arc<dyn Clock>,
    limits: TransportLimits,
    clients: Clients,
}

impl Transport {
    /// A transport that waits on `clock` and takes its proxies from the variables `HTTPS_PROXY`, `HTTP_PROXY`,
    /// `ALL_PROXY` and `NO_PROXY`, in capitals or not. Calls to this machine never go through a proxy.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, environment: &Environment, limits: TransportLimits) -> Self {
        let clients = Clients::new(clock.clone(), Proxies::of(environment), limits.connect);
        Self { inner: Arc::new(Inner { clock, limits, clients }) }
    }

    /// A transport that looks names up in another way.
    #[cfg(test)]
    pub(crate) fn looking_up(
        clock: Arc<dyn Clock>,
        lookup: impl Fn(&str) -> Vec<std::net::SocketAddr> + Send + Sync + 'static,
    ) -> Self {
        Self::looking_up_behind(clock, &[("NO_PROXY", "*")], lookup)
    }

    /// The same with these variables. A name that leads to nothing is one that cannot be looked up.
    #[cfg(test)]
    pub(crate) fn looking_up_behind(
        clock: Arc<dyn Clock>,
        variables: &[(&str, &str)],
        lookup: impl Fn(&str) -> Vec<std::net::SocketAddr> + Send + Sync + 'static,
    ) -> Self {
        let environment = Environment::fake(variables.iter().copied(), "/home/test");
        let limits = TransportLimits::default();
        let clients = Clients::new(clock.clone(), Proxies::of(&environment), limits.connect);
        let clients = clients.with_lookup(Arc::new(move |name| {
            let found = lookup(&name);
            Box::pin(async move { Ok(found) })
        }));
        Self { inner: Arc::new(Inner { clock, limits, clients }) }
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        self.inner.clock.as_ref()
    }

    fn limits(&self) -> &TransportLimits {
        &self.inner.limits
    }
}

impl ModelLine for Transport {
    fn open(&self, request: Arc<ModelRequest>, route: ModelRoute) -> ModelStream {
        stream::open(self.clone(), request, route)
    }
}

impl fmt::Debug for Transport {
    /// Leaves the proxies out: their addresses may hold passwords.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Transport").field("limits", &self.inner.limits).finish_non_exhaustive()
    }
}
