//! Reading the web for tools: the same client as for models, behind stricter checks.
//!
//! `address` decides whether an address is fit, `follow` makes the requests and goes where redirects lead. The
//! transport looks names up once, checks every address they lead to, and connects to those alone. What others name
//! passes by proxies that would look names up themselves, unless the person trusts them with it.

mod address;
mod follow;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::tool::{WebAnswer, WebClient, WebFault, WebRequest};

use crate::Transport;

/// Fetches from the web over a transport.
#[derive(Clone)]
pub struct Web {
    transport: Transport,
    trusts_proxy: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl Web {
    /// A way to the web. `trusts_proxy` is asked for each request: whether a proxy that looks names up itself may be
    /// handed addresses that others name.
    #[must_use]
    pub fn new(transport: Transport, trusts_proxy: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { transport, trusts_proxy: Arc::new(trusts_proxy) }
    }
}

#[async_trait]
impl WebClient for Web {
    async fn fetch(&self, request: WebRequest) -> Result<WebAnswer, WebFault> {
        follow::fetch(self, request).await
    }
}
