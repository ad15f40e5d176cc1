//! Takes what happens on platforms: each event once, durable before the platform is told so.
//!
//! Walks an event through `admit` and `routing` and hands letters to the flow. An error means that nothing is certain;
//! the platform brings the event again.

use std::sync::Arc;

use async_trait::async_trait;
use openclaw_inbound::conversation::happening;
use openclaw_ports::channel::{NotTaken, Sink};
use openclaw_types::Inbound;

use super::admit::{Admitted, Entry, admit};
use super::{heard, pairing, routing};
use crate::error::FlowError;
use crate::flow::Inner;

/// Takes events into the flow.
pub(crate) struct FlowSink(pub(crate) Arc<Inner>);

#[async_trait]
impl Sink for FlowSink {
    async fn take(&self, events: Vec<Inbound>) -> Result<(), NotTaken> {
        self.0.may_take().await;
        for event in events {
            let (channel, account) = (event.channel.clone(), event.account.clone());
            take(&self.0, event).await.map_err(|error| {
                tracing::error!(subsystem = "channels", %channel, %account, %error, "a message could not be kept; it has to come again");
                NotTaken
            })?;
        }
        Ok(())
    }
}

async fn take(flow: &Arc<Inner>, inbound: Inbound) -> Result<(), FlowError> {
    if flow.heard.knows(&inbound) {
        return Ok(());
    }
    let hall = &flow.parts.channels;
    let Some(view) = hall.view(&inbound.channel, &inbound.account) else {
        tracing::warn!(subsystem = "channels", channel = %inbound.channel, account = %inbound.account, "a message of an account that is gone is left out");
        return Ok(());
    };
    hall.note_inbound(&inbound.channel, &inbound.account);
    let event = heard::key(&inbound);
    match admit(flow, view.clone(), inbound).await? {
        Entry::In(admitted) => letters(flow, &admitted).await?,
        Entry::Pair(inbound) => pairing::pair(flow, &inbound).await?,
        Entry::Context(inbound) => flow.heard.keep(&inbound, routing::limit(flow, &view, &inbound)),
        Entry::Notice(inbound, keys) => {
            if let Some(line) =
                happening(&inbound, view.descriptor.label, openclaw_agent::prompt::clean_block)
            {
                keys.iter().for_each(|key| flow.notes.add(key, &line));
            }
        }
        Entry::Nothing(rule) => tracing::debug!(subsystem = "channels", %rule, "a message is left out"),
    }
    flow.heard.done(event);
    Ok(())
}

async fn letters(flow: &Arc<Inner>, admitted: &Admitted) -> Result<(), FlowError> {
    let routed = routing::route(flow, admitted).map_err(|error| FlowError::Wrong(error.to_string()))?;
    for each in routed {
        match flow.take_in(each.into_letter()).await {
            Ok(()) => {}
            // Rules of the session forbid it, or there is nothing to answer: coming again would not help.
            Err(FlowError::Blocked | FlowError::Empty) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
