//! Reading the web for tools: the same client as for models, behind a stricter door.
//!
//! `address` decides whether an address is fit, `follow` makes the requests and goes where redirects lead. The
//! transport looks names up once, checks every address they lead to, and connects to those alone.

mod address;
mod follow;

#[cfg(test)]
mod tests;

use async_trait::async_trait;
use openclaw_ports::tool::{WebAnswer, WebClient, WebFault, WebRequest};

use crate::Transport;

#[async_trait]
impl WebClient for Transport {
    async fn fetch(&self, request: WebRequest) -> Result<WebAnswer, WebFault> {
        follow::fetch(self, request).await
    }
}
