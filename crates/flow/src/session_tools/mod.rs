//! What the tools about sessions, sub-agents, agents and messages ask of the flow.
//!
//! Tools are built before the flow, so they get a handle without one; `bind` gives it the flow. One file for each tool.
//! Who may see and reach which session is decided in `visibility`, for all of them alike.

mod agents;
mod converse;
mod crossing;
mod history;
mod list;
mod messenger;
mod offers;
mod panel;
mod reach;
mod reference;
mod send;
mod spawn;
mod status;
mod subagents;
mod visibility;

#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock, Weak};

use async_trait::async_trait;
use openclaw_ports::channel::Capability;
use openclaw_ports::tool::{
    HistoryRequest, ListRequest, MessageAction, MessageFault, MessageReceipt, Messenger, SendRequest,
    SessionDesk, SessionToolFault, SpawnRequest, StatusRequest, SubagentOrder, ToolContext,
};
use serde_json::Value;

use crate::flow::{Flow, Inner};

pub use messenger::ActionRights;
pub(crate) use messenger::act;
pub(crate) use reference::{labelled, session};

/// What tools may ask of the flow. Clones share one flow.
#[derive(Clone, Default)]
pub struct SessionTools(Arc<OnceLock<Weak<Inner>>>);

impl SessionTools {
    /// A handle that has no flow yet.
    #[must_use]
    pub fn unbound() -> Self {
        Self::default()
    }

    /// Gives the handle its flow. Once; the handle does not keep the flow alive.
    pub fn bind(&self, flow: &Flow) {
        if self.0.set(Arc::downgrade(flow.inner())).is_err() {
            tracing::error!("the desk of the session tools has a flow already");
        }
    }

    fn flow(&self) -> Result<Arc<Inner>, SessionToolFault> {
        let bound = self.0.get().and_then(Weak::upgrade);
        bound.ok_or_else(|| {
            SessionToolFault::Fault(
                "the tools about sessions were called outside of the flow's life".to_owned(),
            )
        })
    }
}

#[async_trait]
impl SessionDesk for SessionTools {
    async fn list(&self, context: &ToolContext, request: ListRequest) -> Result<Value, SessionToolFault> {
        list::list(self.flow()?.as_ref(), context, request).await
    }

    async fn history(
        &self,
        context: &ToolContext,
        request: HistoryRequest,
    ) -> Result<Value, SessionToolFault> {
        history::history(self.flow()?.as_ref(), context, request).await
    }

    async fn send(&self, context: &ToolContext, request: SendRequest) -> Result<Value, SessionToolFault> {
        send::send(&self.flow()?, context, request).await
    }

    async fn spawn(&self, context: &ToolContext, request: SpawnRequest) -> Result<Value, SessionToolFault> {
        spawn::spawn(&self.flow()?, context, request).await
    }

    async fn subagents(
        &self,
        context: &ToolContext,
        order: SubagentOrder,
    ) -> Result<Value, SessionToolFault> {
        subagents::subagents(&self.flow()?, context, order).await
    }

    async fn status(&self, context: &ToolContext, request: StatusRequest) -> Result<Value, SessionToolFault> {
        status::status(&self.flow()?, context, request).await
    }

    async fn agents(&self, context: &ToolContext) -> Result<Value, SessionToolFault> {
        Ok(agents::agents(self.flow()?.as_ref(), context))
    }
}

#[async_trait]
impl Messenger for SessionTools {
    fn actions(&self) -> Vec<&'static str> {
        match self.flow() {
            Ok(flow) => offers::offered(&flow),
            // Asked before there is a flow: words can always be said.
            Err(_unbound) => messenger::HERE.to_vec(),
        }
    }

    fn shows_panels(&self) -> bool {
        self.flow().is_ok_and(|flow| offers::shows(&flow, Capability::Panels))
    }

    fn shows_buttons(&self) -> bool {
        self.flow().is_ok_and(|flow| offers::shows(&flow, Capability::Buttons))
    }

    async fn act(
        &self,
        context: &ToolContext,
        action: MessageAction,
    ) -> Result<MessageReceipt, MessageFault> {
        let flow = self.flow().map_err(|fault| MessageFault::Failed(fault.to_string()))?;
        messenger::act(&flow, (context, ActionRights::Bound), action).await
    }
}

fn fault(error: impl std::fmt::Display) -> SessionToolFault {
    SessionToolFault::Fault(error.to_string())
}
